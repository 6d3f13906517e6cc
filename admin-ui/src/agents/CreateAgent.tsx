import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { call } from "../api/client";
import type { CreateAgent as NewAgent, NewSecurity, SandboxPresets } from "../api/types";
import { fieldError, otherErrors, useAction } from "../parts/actions";
import { Dialog, DialogForm } from "../parts/forms";
import { Loaded } from "../parts/parts";
import { usePresets } from "../sandboxes/presets";

/** What the dropdown says for an agent without a sandbox; no preset can be called that. */
const NONE = "";

export function CreateAgent({ onClose }: { onClose: () => void }) {
  const presets = usePresets();
  return (
    <Dialog title="Create agent" onClose={onClose}>
      <Loaded query={presets}>{(found) => <Form presets={found} onClose={onClose} />}</Loaded>
    </Dialog>
  );
}

function Form({ presets, onClose }: { presets: SandboxPresets; onClose: () => void }) {
  const [id, setId] = useState("");
  const [name, setName] = useState("");
  const [sandbox, setSandbox] = useState(presets.auto_provision_sandbox ?? NONE);
  const [access, setAccess] = useState<NonNullable<NewSecurity["access"]>>("private");
  const [accessToken, setAccessToken] = useState("");
  const navigate = useNavigate();
  const create = useAction((agent: NewAgent) => call("POST /api/agents", { body: agent }), {
    changes: [["agents"], ["sandboxes"]],
    done: (agent) => {
      onClose();
      void navigate(`/agents/${agent.id}`);
      return `Agent ${agent.id} is created`;
    },
    quiet: true,
  });
  const submit = () => {
    create.mutate({
      id: id.trim(),
      ...(name.trim() ? { name: name.trim() } : {}),
      sandbox: sandbox === NONE ? null : sandbox,
      security: { access, ...(access === "protected" && accessToken ? { access_token: accessToken } : {}) },
    });
  };
  const others = otherErrors(create.error, [
    "id",
    "name",
    "sandbox",
    "security.access",
    "security.access_token",
  ]);
  return (
    <DialogForm verb="Create" busy={create.isPending} failure={others} onSubmit={submit} onClose={onClose}>
      <TextInput
        label="Id"
        description="Small letters, digits and hyphens. It is part of addresses, and stays."
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
        error={fieldError(create.error, "id")}
        autoFocus
        data-autofocus
        required
        spellCheck={false}
        autoComplete="off"
      />
      <TextInput
        label="Name"
        description="For people; the id if left empty"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={fieldError(create.error, "name")}
        autoComplete="off"
      />
      <NativeSelect
        label="Sandbox"
        description="From which preset its first sandbox is made"
        value={sandbox}
        onChange={(event) => setSandbox(event.currentTarget.value)}
        error={fieldError(create.error, "sandbox")}
        data={[
          ...Object.entries(presets.presets).map(([preset, { type }]) => ({
            value: preset,
            label: `${preset} (${type})${preset === presets.auto_provision_sandbox ? ", the default" : ""}`,
          })),
          { value: NONE, label: "no sandbox" },
        ]}
      />
      <NativeSelect
        label="Access"
        description={ACCESS[access]}
        value={access}
        onChange={(event) => setAccess(event.currentTarget.value as typeof access)}
        error={fieldError(create.error, "security.access")}
        data={["private", "protected", "public"]}
      />
      {access === "protected" && (
        <TextInput
          label="Access token"
          description="Whoever knows it may join as a user"
          value={accessToken}
          onChange={(event) => setAccessToken(event.currentTarget.value)}
          error={fieldError(create.error, "security.access_token")}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </DialogForm>
  );
}

export const ACCESS = {
  private: "Only members: for everybody else it does not exist",
  protected: "Whoever shows the access token may join",
  public: "Everybody may talk to it, and becomes a guest by that",
};
