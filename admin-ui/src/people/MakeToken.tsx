import { Button, Group, Modal, NativeSelect, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { all, call } from "../api/client";
import type { IssuedToken, IssueToken, User } from "../api/types";
import { useIsAdmin } from "../app/me";
import { fieldError, otherErrors, useAction } from "../parts/actions";
import { copyText } from "../parts/clipboard";
import { DialogForm } from "../parts/forms";
import { Shown, visible } from "../parts/shown";
import { toastFailure } from "../parts/toasts";
import { personLabel } from "./label";

type Holder = { kind: "self" } | { kind: "person"; person: User };

/** Makes a token and shows its secret: this once, and nowhere else. */
export function MakeToken({ holder, onClose }: { holder: Holder; onClose: () => void }) {
  const [made, setMade] = useState<IssuedToken>();
  return (
    <Modal
      opened
      onClose={onClose}
      title={
        holder.kind === "person" ? <Shown text={`Token for ${personLabel(holder.person)}`} /> : "Make token"
      }
      closeOnClickOutside={!made}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {made ? (
        <Made token={made} onClose={onClose} />
      ) : (
        <Form holder={holder} onMade={setMade} onClose={onClose} />
      )}
    </Modal>
  );
}

function Form({
  holder,
  onMade,
  onClose,
}: {
  holder: Holder;
  onMade: (token: IssuedToken) => void;
  onClose: () => void;
}) {
  const admin = useIsAdmin();
  const [kind, setKind] = useState<"person" | "channel" | "agent">("person");
  const [name, setName] = useState("");
  const [userId, setUserId] = useState("");
  const [channel, setChannel] = useState("");
  const [agentId, setAgentId] = useState("");
  const [scope, setScope] = useState<"full" | "read">("full");
  const [days, setDays] = useState<number | "">(90);
  const choose = admin && holder.kind === "self";
  const people = useQuery({
    queryKey: ["users"],
    queryFn: ({ signal }) => all("GET /api/users", { signal }),
    enabled: choose,
  });
  const agents = useQuery({
    queryKey: ["agents"],
    queryFn: ({ signal }) => all("GET /api/agents", { signal }),
    enabled: choose,
  });
  const make = useAction((body: IssueToken) => call("POST /api/tokens", { body }), {
    changes: [["tokens"]],
    done: (token) => (onMade(token), undefined),
    quiet: true,
  });
  const whose = (): Partial<IssueToken> => {
    if (holder.kind === "person") return { user_id: holder.person.id };
    if (!admin) return {};
    if (kind === "channel") return { channel: channel.trim() };
    if (kind === "agent") return { agent_id: agentId };
    return { user_id: userId };
  };
  const forPerson = !choose || kind === "person";
  const submit = () => {
    make.mutate({
      name: name.trim(),
      ...whose(),
      ...(forPerson && scope === "read" ? { scope } : {}),
      ...(days === "" ? {} : { expires_in_days: days }),
    });
  };
  const others = otherErrors(make.error, [
    "name",
    "user_id",
    "channel",
    "agent_id",
    "scope",
    "expires_in_days",
  ]);
  return (
    <DialogForm verb="Make" busy={make.isPending} failure={others} onSubmit={submit} onClose={onClose}>
      {choose && (
        <NativeSelect
          label="Stands for"
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as typeof kind)}
          data={[
            { value: "person", label: "a person" },
            { value: "agent", label: "a program of an agent: talks and uses tools, never approves" },
            { value: "channel", label: "an adapter of a channel: speaks for whoever is known there" },
          ]}
        />
      )}
      {choose && kind === "person" && (
        <NativeSelect
          label="Person"
          value={userId}
          onChange={(event) => setUserId(event.currentTarget.value)}
          error={fieldError(make.error, "user_id")}
          data={[
            { value: "", label: "Choose…" },
            ...(people.data?.items ?? []).map((each) => ({
              value: each.id,
              label: visible(personLabel(each)),
            })),
          ]}
        />
      )}
      {choose && kind === "agent" && (
        <NativeSelect
          label="Agent"
          value={agentId}
          onChange={(event) => setAgentId(event.currentTarget.value)}
          error={fieldError(make.error, "agent_id")}
          data={["", ...(agents.data?.items ?? []).map((each) => each.id)]}
        />
      )}
      {choose && kind === "channel" && (
        <TextInput
          label="Channel"
          description="e.g. telegram"
          value={channel}
          onChange={(event) => setChannel(event.currentTarget.value)}
          error={fieldError(make.error, "channel")}
        />
      )}
      <TextInput
        label="Name"
        description="What it is for, to know it again"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fieldError(make.error, "name")}
        data-autofocus
        autoComplete="off"
      />
      {forPerson && (
        <NativeSelect
          label="Scope"
          value={scope}
          onChange={(event) => setScope(event.currentTarget.value as typeof scope)}
          error={fieldError(make.error, "scope")}
          data={[
            { value: "full", label: "full: whatever its person may" },
            { value: "read", label: "read: changes nothing" },
          ]}
        />
      )}
      <NumberInput
        label="Ends after days"
        description="Empty: never"
        value={days}
        onChange={(value) => setDays(value === "" ? "" : Number(value))}
        error={fieldError(make.error, "expires_in_days")}
      />
    </DialogForm>
  );
}

function Made({ token, onClose }: { token: IssuedToken; onClose: () => void }) {
  const [copied, setCopied] = useState(false);
  return (
    <Stack gap="sm">
      <Text size="sm">
        This is the only time that it is shown. The gateway keeps no more than its digest.
      </Text>
      <div className="command" data-testid="secret">
        {token.secret}
      </div>
      <Group justify="flex-end">
        <Button
          variant="light"
          onClick={() => void copyText(token.secret).then(() => setCopied(true), toastFailure)}
        >
          {copied ? "Copied" : "Copy"}
        </Button>
        <Button onClick={onClose} data-autofocus>
          I have kept it
        </Button>
      </Group>
    </Stack>
  );
}
