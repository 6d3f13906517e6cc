import { Button, Group, NativeSelect, Table, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { all, call } from "../api/client";
import type { AddSandbox as NewSandbox, SandboxPresets } from "../api/types";
import { useReadOnly } from "../app/me";
import { SOON } from "../app/queries";
import { fieldError, otherErrors, useAction } from "../parts/actions";
import { Dialog, DialogForm } from "../parts/forms";
import { Empty, Loaded } from "../parts/parts";
import { usePresets } from "../sandboxes/presets";
import { SandboxHead, SandboxRow } from "../sandboxes/rows";

export function AgentSandboxes({ id }: { id: string }) {
  const [adding, setAdding] = useState(false);
  const readOnly = useReadOnly();
  const sandboxes = useQuery({
    queryKey: ["sandboxes", id],
    queryFn: ({ signal }) => all("GET /api/agents/{id}/sandboxes", { path: { id }, signal }),
    refetchInterval: SOON,
  });
  return (
    <>
      <Group justify="flex-end" mb="xs">
        <Button onClick={() => setAdding(true)} disabled={readOnly !== undefined}>
          Add sandbox
        </Button>
      </Group>
      <Loaded query={sandboxes}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No sandbox">
              Without one this agent has no place to run commands. Add one from a preset; its machine is made
              when the first command needs it.
            </Empty>
          ) : (
            <div className="table-box" tabIndex={0} role="region" aria-label="Sandboxes">
              <Table highlightOnHover>
                <SandboxHead />
                <Table.Tbody>
                  {items.map((each) => (
                    <SandboxRow key={each.id} sandbox={each} />
                  ))}
                </Table.Tbody>
              </Table>
            </div>
          )
        }
      </Loaded>
      {adding && <AddSandbox id={id} onClose={() => setAdding(false)} />}
    </>
  );
}

function AddSandbox({ id, onClose }: { id: string; onClose: () => void }) {
  const presets = usePresets();
  return (
    <Dialog title="Add sandbox" onClose={onClose}>
      <Loaded query={presets}>{(found) => <Form id={id} presets={found} onClose={onClose} />}</Loaded>
    </Dialog>
  );
}

const TYPES = ["docker", "e2b", "daytona", "tenki"] as const;

function Form({ id, presets, onClose }: { id: string; presets: SandboxPresets; onClose: () => void }) {
  const names = Object.keys(presets.presets);
  const [from, setFrom] = useState(
    presets.auto_provision_sandbox
      ? `preset ${presets.auto_provision_sandbox}`
      : names[0]
        ? `preset ${names[0]}`
        : "type docker",
  );
  const [alias, setAlias] = useState("default");
  const [config, setConfig] = useState("{}");
  const [badJson, setBadJson] = useState<string>();
  const add = useAction(
    (body: NewSandbox) => call("POST /api/agents/{id}/sandboxes", { path: { id }, body }),
    {
      changes: [["sandboxes"]],
      done: (sandbox) => {
        onClose();
        return `Sandbox ${sandbox.alias} is added; its machine is made when it is first needed`;
      },
      quiet: true,
    },
  );
  const [kind, name] = from.split(" ") as ["preset" | "type", string];
  const submit = () => {
    setBadJson(undefined);
    if (kind === "preset") return add.mutate({ preset: name, alias });
    try {
      add.mutate({
        type: name as (typeof TYPES)[number],
        alias,
        config: JSON.parse(config) as Record<string, unknown>,
      });
    } catch (failure) {
      setBadJson((failure as Error).message);
    }
  };
  const others = otherErrors(add.error, ["alias", "config", "preset", "type"]);
  return (
    <DialogForm verb="Add" busy={add.isPending} failure={others} onSubmit={submit} onClose={onClose}>
      <NativeSelect
        label="Made from"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
        error={fieldError(add.error, "preset") ?? fieldError(add.error, "type")}
        data={[
          {
            group: "Presets",
            items: names.map((each) => ({
              value: `preset ${each}`,
              label: `${each} (${presets.presets[each]!.type})`,
            })),
          },
          {
            group: "A type, and a config of your own",
            items: TYPES.map((each) => ({ value: `type ${each}`, label: each })),
          },
        ]}
      />
      <TextInput
        label="Alias"
        description="Its name within the agent"
        value={alias}
        onChange={(event) => setAlias(event.currentTarget.value)}
        error={fieldError(add.error, "alias")}
        autoFocus
        data-autofocus
      />
      {kind === "type" && (
        <Textarea
          label="Config"
          description="JSON; what is left out has its default"
          className="mono-input"
          autosize
          minRows={4}
          value={config}
          onChange={(event) => setConfig(event.currentTarget.value)}
          error={badJson ?? fieldError(add.error, "config")}
          spellCheck={false}
        />
      )}
    </DialogForm>
  );
}
