import { Button, NativeSelect, Table, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { all, call } from "../api/client";
import type { Identity, User } from "../api/types";
import { LATER } from "../app/queries";
import { fieldError, otherErrors, useAction } from "../parts/actions";
import { useAsk } from "../parts/dialogs";
import { Dialog, DialogForm } from "../parts/forms";
import { Ago, Empty, Loaded, Page } from "../parts/parts";
import { Shown, visible } from "../parts/shown";
import { personLabel } from "./label";
import { MakeToken } from "./MakeToken";

export function PeoplePage() {
  const [making, setMaking] = useState(false);
  const people = useQuery({
    queryKey: ["users"],
    queryFn: ({ signal }) => all("GET /api/users", { signal }),
    refetchInterval: LATER,
  });
  return (
    <Page title="People" actions={<Button onClick={() => setMaking(true)}>Make person</Button>}>
      <Loaded query={people}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Nobody but you">
              Make a person, then a token for them to log in with. Whoever is seen on a channel for the first
              time appears here by that.
            </Empty>
          ) : (
            <div className="table-box" tabIndex={0} role="region" aria-label="People">
              <Table highlightOnHover>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>Known as</Table.Th>
                    <Table.Th>Id</Table.Th>
                    <Table.Th>Since</Table.Th>
                    <Table.Th>
                      <span className="dim">Actions</span>
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map((each) => (
                    <Row key={each.id} person={each} everybody={items} />
                  ))}
                </Table.Tbody>
              </Table>
            </div>
          )
        }
      </Loaded>
      {making && <MakePerson onClose={() => setMaking(false)} />}
    </Page>
  );
}

type Dialog = "token" | "identity" | "merge";

function Row({ person, everybody }: { person: User; everybody: User[] }) {
  const ask = useAsk();
  const [dialog, setDialog] = useState<Dialog>();
  const path = { user_id: person.id };
  const changes = [["users"], ["tokens"], ["agents"]];
  const remove = useAction(() => call("DELETE /api/users/{user_id}", { path }), {
    changes,
    done: () => `${personLabel(person)} is deleted`,
  });
  const forget = useAction(
    (identity: Identity) =>
      call("DELETE /api/users/{user_id}/identities", {
        path,
        query: { channel: identity.channel, channel_user_id: identity.channel_user_id },
      }),
    { changes },
  );
  const close = () => setDialog(undefined);
  return (
    <Table.Tr>
      <Table.Td className="wrap">
        <Shown text={person.name} />
      </Table.Td>
      <Table.Td className="wrap">
        {person.identities.length === 0 && <span className="dim">—</span>}
        {person.identities.map((each) => (
          <div key={`${each.channel} ${each.channel_user_id}`}>
            <Shown text={`${each.channel}: ${each.channel_user_id}`} />
            {each.display_name && (
              <span className="dim">
                {" "}
                <Shown text={each.display_name} />
              </span>
            )}{" "}
            <Button size="compact-xs" variant="subtle" color="red" onClick={() => forget.mutate(each)}>
              Remove<span className="for-readers"> {each.channel}</span>
            </Button>
          </div>
        ))}
      </Table.Td>
      <Table.Td className="mono">{person.id}</Table.Td>
      <Table.Td>
        <Ago at={person.created_at} />
      </Table.Td>
      <Table.Td>
        <div className="row-actions">
          <Button size="compact-xs" variant="subtle" onClick={() => setDialog("token")}>
            Make token
          </Button>
          <Button size="compact-xs" variant="subtle" onClick={() => setDialog("identity")}>
            Add identity
          </Button>
          <Button size="compact-xs" variant="subtle" onClick={() => setDialog("merge")}>
            Merge
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            onClick={() =>
              void ask({
                title: "Delete this person?",
                text: (
                  <>
                    <Shown text={personLabel(person)} />
                    {" loses all memberships, and their tokens open nothing any more."}
                  </>
                ),
                verb: "Delete",
              }).then((sure) => sure && remove.mutate(undefined))
            }
          >
            Delete
          </Button>
        </div>
        {dialog === "token" && <MakeToken holder={{ kind: "person", person }} onClose={close} />}
        {dialog === "identity" && <AddIdentity person={person} onClose={close} />}
        {dialog === "merge" && <Merge person={person} everybody={everybody} onClose={close} />}
      </Table.Td>
    </Table.Tr>
  );
}

function MakePerson({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const make = useAction(() => call("POST /api/users", { body: { name: name.trim() } }), {
    changes: [["users"]],
    done: (person) => {
      onClose();
      return `${person.name} is made: make a token for them next`;
    },
    quiet: true,
  });
  return (
    <Dialog title="Make person" onClose={onClose}>
      <DialogForm verb="Make" busy={make.isPending} onSubmit={() => make.mutate(undefined)} onClose={onClose}>
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(make.error, "name") ?? otherErrors(make.error, ["name"])}
          data-autofocus
          autoComplete="off"
        />
      </DialogForm>
    </Dialog>
  );
}

function AddIdentity({ person, onClose }: { person: User; onClose: () => void }) {
  const [channel, setChannel] = useState("");
  const [channelUser, setChannelUser] = useState("");
  const add = useAction(
    () =>
      call("POST /api/users/{user_id}/identities", {
        path: { user_id: person.id },
        body: { channel: channel.trim(), channel_user_id: channelUser.trim() },
      }),
    { changes: [["users"]], done: () => (onClose(), undefined), quiet: true },
  );
  const others = otherErrors(add.error, ["channel", "channel_user_id"]);
  return (
    <Dialog title={<Shown text={`Add identity of ${personLabel(person)}`} />} onClose={onClose}>
      <DialogForm
        verb="Add"
        busy={add.isPending}
        failure={others}
        onSubmit={() => add.mutate(undefined)}
        onClose={onClose}
      >
        <TextInput
          label="Channel"
          description="e.g. telegram"
          value={channel}
          onChange={(event) => setChannel(event.currentTarget.value)}
          error={fieldError(add.error, "channel")}
          data-autofocus
        />
        <TextInput
          label="Known there as"
          value={channelUser}
          onChange={(event) => setChannelUser(event.currentTarget.value)}
          error={fieldError(add.error, "channel_user_id")}
        />
      </DialogForm>
    </Dialog>
  );
}

function Merge({ person, everybody, onClose }: { person: User; everybody: User[]; onClose: () => void }) {
  const others = everybody.filter((each) => each.id !== person.id);
  const [into, setInto] = useState(others[0]?.id ?? "");
  const merge = useAction(
    () => call("POST /api/users/{user_id}/merge", { path: { user_id: person.id }, body: { into } }),
    {
      changes: [["users"], ["tokens"], ["agents"]],
      done: () => (onClose(), "They are one person now"),
      quiet: true,
    },
  );
  return (
    <Dialog title={<Shown text={`Merge ${personLabel(person)}`} />} onClose={onClose}>
      <DialogForm
        verb="Merge"
        busy={merge.isPending}
        onSubmit={() => merge.mutate(undefined)}
        onClose={onClose}
      >
        <NativeSelect
          label="Into"
          description="Identities, memberships and tokens go there. This cannot be undone."
          value={into}
          onChange={(event) => setInto(event.currentTarget.value)}
          error={fieldError(merge.error, "into") ?? otherErrors(merge.error, ["into"])}
          data={others.map((each) => ({ value: each.id, label: visible(personLabel(each)) }))}
        />
      </DialogForm>
    </Dialog>
  );
}
