import { Button, Group, NativeSelect, Table, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { all, call } from "../api/client";
import type { AddMember as NewMember, Member } from "../api/types";
import { useIsAdmin, useReadOnly } from "../app/me";
import { LATER } from "../app/queries";
import { fieldError, otherErrors, useAction } from "../parts/actions";
import { useAsk } from "../parts/dialogs";
import { Dialog, DialogForm } from "../parts/forms";
import { Ago, Empty, Loaded } from "../parts/parts";
import { Shown, visible } from "../parts/shown";
import { idEnd, personLabel } from "../people/label";

type Role = Member["role"];
const ROLES: Role[] = ["owner", "user", "guest"];

export function MembersTab({ id }: { id: string }) {
  const [adding, setAdding] = useState(false);
  const readOnly = useReadOnly() !== undefined;
  const members = useQuery({
    queryKey: ["agents", id, "members"],
    queryFn: ({ signal }) => all("GET /api/agents/{id}/members", { path: { id }, signal }),
    refetchInterval: LATER,
  });
  return (
    <>
      <Group justify="space-between" mb="xs">
        <span className="dim">
          Owners do everything here; users talk and use tools; guests talk, and run nothing unless the policy
          lets them.
        </span>
        <Button onClick={() => setAdding(true)} disabled={readOnly}>
          Add member
        </Button>
      </Group>
      <Loaded query={members}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No members">The admin made this agent. Add its first owner to hand it over.</Empty>
          ) : (
            <div className="table-box" tabIndex={0} role="region" aria-label="Members">
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>Known as</Table.Th>
                    <Table.Th>Role</Table.Th>
                    <Table.Th>Since</Table.Th>
                    <Table.Th>
                      <span className="dim">Actions</span>
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map((each) => (
                    <MemberRow key={each.user.id} id={id} member={each} />
                  ))}
                </Table.Tbody>
              </Table>
            </div>
          )
        }
      </Loaded>
      {adding && <AddMember id={id} onClose={() => setAdding(false)} />}
    </>
  );
}

function MemberRow({ id, member }: { id: string; member: Member }) {
  const ask = useAsk();
  const readOnly = useReadOnly() !== undefined;
  const path = { id, user_id: member.user.id };
  const change = useAction(
    (role: Role) => call("PUT /api/agents/{id}/members/{user_id}", { path, body: { role } }),
    { changes: [["agents", id]], done: (changed) => `${personLabel(member.user)} is ${changed.role} now` },
  );
  const remove = useAction(() => call("DELETE /api/agents/{id}/members/{user_id}", { path }), {
    changes: [["agents", id]],
    done: () => `${personLabel(member.user)} is no member any more`,
  });
  return (
    <Table.Tr>
      <Table.Td className="wrap">
        <Shown text={member.user.name} /> <span className="dim mono">{idEnd(member.user.id)}</span>
      </Table.Td>
      <Table.Td className="wrap">
        {member.user.identities.length === 0 && <span className="dim">—</span>}
        {member.user.identities.map((each) => (
          <div key={`${each.channel} ${each.channel_user_id}`}>
            <Shown text={`${each.channel}: ${each.channel_user_id}`} />
          </div>
        ))}
      </Table.Td>
      <Table.Td>
        <NativeSelect
          size="xs"
          aria-label={`Role of ${visible(personLabel(member.user))}`}
          value={member.role}
          disabled={readOnly || change.isPending}
          onChange={(event) => change.mutate(event.currentTarget.value as Role)}
          data={ROLES}
        />
      </Table.Td>
      <Table.Td>
        <Ago at={member.since} />
      </Table.Td>
      <Table.Td>
        <div className="row-actions">
          <Button
            variant="subtle"
            color="red"
            size="compact-xs"
            disabled={readOnly}
            onClick={() =>
              void ask({
                title: "Remove member?",
                text: (
                  <>
                    <Shown text={personLabel(member.user)} /> loses every right at this agent at once; streams
                    that are open end.
                  </>
                ),
                verb: "Remove",
              }).then((sure) => sure && remove.mutate(undefined))
            }
          >
            Remove
          </Button>
        </div>
      </Table.Td>
    </Table.Tr>
  );
}

function AddMember({ id, onClose }: { id: string; onClose: () => void }) {
  const admin = useIsAdmin();
  const [way, setWay] = useState<"person" | "channel">("person");
  const [userId, setUserId] = useState("");
  const [channel, setChannel] = useState("");
  const [channelUser, setChannelUser] = useState("");
  const [displayName, setDisplayName] = useState("");
  const [role, setRole] = useState<Role>("user");
  const people = useQuery({
    queryKey: ["users"],
    queryFn: ({ signal }) => all("GET /api/users", { signal }),
    enabled: admin,
  });
  const add = useAction((body: NewMember) => call("POST /api/agents/{id}/members", { path: { id }, body }), {
    changes: [["agents", id]],
    done: (member) => {
      onClose();
      return `${personLabel(member.user)} is ${member.role} now`;
    },
    quiet: true,
  });
  const submit = () => {
    add.mutate(
      way === "person"
        ? { user_id: userId.trim(), role }
        : {
            channel: channel.trim(),
            channel_user_id: channelUser.trim(),
            ...(displayName.trim() ? { display_name: displayName.trim() } : {}),
            role,
          },
    );
  };
  const others = otherErrors(add.error, ["user_id", "channel", "channel_user_id", "display_name", "role"]);
  return (
    <Dialog title="Add member" onClose={onClose}>
      <DialogForm verb="Add" busy={add.isPending} failure={others} onSubmit={submit} onClose={onClose}>
        <NativeSelect
          label="Who"
          value={way}
          onChange={(event) => setWay(event.currentTarget.value as typeof way)}
          data={[
            { value: "person", label: "a person whom the gateway knows" },
            { value: "channel", label: "somebody on a channel" },
          ]}
        />
        {way === "person" && people.data && (
          <NativeSelect
            label="Person"
            value={userId}
            onChange={(event) => setUserId(event.currentTarget.value)}
            error={fieldError(add.error, "user_id")}
            data={[
              {
                value: "",
                label: people.data.items.length === 0 ? "Nobody yet: make people under People" : "Choose…",
              },
              ...people.data.items.map((each) => ({ value: each.id, label: visible(personLabel(each)) })),
            ]}
          />
        )}
        {way === "person" && !people.data && (
          <TextInput
            label="Id of the person"
            description="Their own, as the Tokens page shows it to them"
            value={userId}
            onChange={(event) => setUserId(event.currentTarget.value)}
            error={fieldError(add.error, "user_id")}
          />
        )}
        {way === "channel" && (
          <>
            <TextInput
              label="Channel"
              description="e.g. telegram"
              value={channel}
              onChange={(event) => setChannel(event.currentTarget.value)}
              error={fieldError(add.error, "channel")}
            />
            <TextInput
              label="Known there as"
              value={channelUser}
              onChange={(event) => setChannelUser(event.currentTarget.value)}
              error={fieldError(add.error, "channel_user_id")}
            />
            <TextInput
              label="Name"
              value={displayName}
              onChange={(event) => setDisplayName(event.currentTarget.value)}
              error={fieldError(add.error, "display_name")}
            />
          </>
        )}
        <NativeSelect
          label="Role"
          value={role}
          onChange={(event) => setRole(event.currentTarget.value as Role)}
          error={fieldError(add.error, "role")}
          data={ROLES}
        />
      </DialogForm>
    </Dialog>
  );
}
