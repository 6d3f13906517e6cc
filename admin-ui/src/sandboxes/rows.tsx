import { Button, Checkbox, Table } from "@mantine/core";
import { Link } from "react-router";
import { call } from "../api/client";
import type { Sandbox } from "../api/types";
import { useReadOnly } from "../app/me";
import { useAction } from "../parts/actions";
import { useAsk } from "../parts/dialogs";
import { Ago, State } from "../parts/parts";
import { Shown, visible } from "../parts/shown";

export function pathOf(sandbox: Sandbox): string {
  return `/agents/${sandbox.agent_id}/sandboxes/${sandbox.alias}`;
}

/** The machine is not what the row says that it is; starting it compares both, and repairs the difference. */
export function drift(sandbox: Sandbox): string | undefined {
  const state = sandbox.runtime?.state;
  if (sandbox.status !== "provisioned" || (state !== "absent" && state !== "error")) return undefined;
  const detail = sandbox.runtime?.detail ? ` (${sandbox.runtime.detail})` : "";
  return state === "absent"
    ? `The machine of this row is gone${detail}. Repairing makes a new one; the files of the workspace are kept.`
    : `The machine is not as it should be${detail}. Repairing compares it with the row, and puts it right.`;
}

/** What the live column says where nothing is known, and why. */
function unknownBecause(sandbox: Sandbox): string {
  if (sandbox.type !== "docker") return "A cloud's machine: its live state is on the sandbox's own page";
  if (sandbox.status === "pending") return "No machine yet";
  return "Its container is not on this host";
}

export function Runtime({ sandbox }: { sandbox: Sandbox }) {
  if (sandbox.runtime === null)
    return (
      <span className="dim" title={unknownBecause(sandbox)}>
        —
      </span>
    );
  return <State state={sandbox.runtime.state} hint={drift(sandbox) ?? sandbox.runtime.detail} />;
}

export function useSandboxActions(sandbox: Pick<Sandbox, "agent_id" | "alias" | "type">) {
  const ask = useAsk();
  const path = { id: sandbox.agent_id, alias: sandbox.alias };
  const changes = [["sandboxes"], ["sandbox", sandbox.agent_id, sandbox.alias]];
  const name = `${sandbox.agent_id}/${sandbox.alias}`;
  const start = useAction(() => call("POST /api/agents/{id}/sandboxes/{alias}/start", { path }), {
    changes,
    done: (answer) => [`${name} runs`, ...answer.notes].join(". "),
  });
  const stop = useAction(
    (force: boolean) =>
      call("POST /api/agents/{id}/sandboxes/{alias}/stop", { path, ...(force ? { query: { force } } : {}) }),
    { changes, done: () => `${name} is stopped; its files stay` },
  );
  const remove = useAction(
    (destroy: boolean) =>
      call("DELETE /api/agents/{id}/sandboxes/{alias}", { path, ...(destroy ? { query: { destroy } } : {}) }),
    { changes: [...changes, ["leftovers"]], done: () => `${name} is removed` },
  );
  const askToRemove = async (): Promise<boolean> => {
    const cloud = sandbox.type !== "docker";
    const sure = await ask({
      title: `Remove sandbox ${name}?`,
      text: cloud
        ? "The row is deleted for good and its commands are cancelled. The machine in the cloud stays as a leftover, and costs what its provider charges."
        : "The row is deleted for good, its commands are cancelled and its container is removed. The agent's workspace stays.",
      verb: "Remove",
      ...(cloud ? { option: "Destroy the machine in the cloud, too" } : {}),
    });
    if (!sure) return false;
    return remove.mutateAsync(sure.option).then(
      () => true,
      () => false,
    );
  };
  const askToStop = async () => {
    const sure = await ask({
      title: `Stop ${name}?`,
      text: "Its files stay, and the next command starts it again. A sandbox in use is not stopped unless it is forced to.",
      verb: "Stop",
      option: "Also if it is in use: its commands are ended",
    });
    if (sure) stop.mutate(sure.option);
  };
  return {
    start,
    stop,
    remove,
    askToRemove,
    askToStop,
    busy: start.isPending || stop.isPending || remove.isPending,
  };
}

export function SandboxHead({
  agents,
  select,
  sort,
}: {
  agents?: boolean;
  select?: { all: boolean; some: boolean; toggle: () => void };
  sort?: { by: string; down: boolean; set: (by: string) => void };
}) {
  const head = (name: string, key: string) =>
    sort ? (
      <Table.Th aria-sort={sort.by === key ? (sort.down ? "descending" : "ascending") : "none"}>
        <button type="button" className="sort" onClick={() => sort.set(key)}>
          {name}
          {sort.by === key && (sort.down ? " ↓" : " ↑")}
        </button>
      </Table.Th>
    ) : (
      <Table.Th>{name}</Table.Th>
    );
  return (
    <Table.Thead>
      <Table.Tr aria-rowindex={select && 1}>
        {select && (
          <Table.Th>
            <Checkbox
              size="xs"
              aria-label="Select all that are shown"
              checked={select.all}
              indeterminate={select.some && !select.all}
              onChange={select.toggle}
            />
          </Table.Th>
        )}
        {agents && head("Agent", "agent_id")}
        {head("Alias", "alias")}
        {head("Type", "type")}
        {head("Lifecycle", "status")}
        {head("Runtime", "runtime")}
        {head("Machine", "external_id")}
        {head("Last seen", "last_seen_at")}
        <Table.Th>
          <span className="dim">Actions</span>
        </Table.Th>
      </Table.Tr>
    </Table.Thead>
  );
}

export function SandboxRow({
  sandbox,
  agents,
  row,
  select,
}: {
  sandbox: Sandbox;
  agents?: boolean;
  /** Its place in a table of which not all is there; the head is row 1. */
  row?: number;
  select?: { on: boolean; toggle: () => void };
}) {
  const actions = useSandboxActions(sandbox);
  const readOnly = useReadOnly() !== undefined;
  const to = pathOf(sandbox);
  const runs = sandbox.runtime?.state === "running";
  const deleted = sandbox.status === "deleted";
  return (
    <Table.Tr aria-rowindex={row}>
      {select && (
        <Table.Td>
          <Checkbox
            size="xs"
            aria-label={`Select ${sandbox.agent_id}/${sandbox.alias}`}
            checked={select.on}
            onChange={select.toggle}
          />
        </Table.Td>
      )}
      {agents && (
        <Table.Td>
          <Link to={`/agents/${sandbox.agent_id}`}>{sandbox.agent_id}</Link>
        </Table.Td>
      )}
      <Table.Td>{deleted ? sandbox.alias : <Link to={to}>{sandbox.alias}</Link>}</Table.Td>
      <Table.Td>{sandbox.type}</Table.Td>
      <Table.Td>
        <State state={sandbox.status} />
      </Table.Td>
      <Table.Td>
        <Runtime sandbox={sandbox} />
      </Table.Td>
      <Table.Td>
        {sandbox.external_id ? (
          <span className="mono cut cut-short" title={visible(sandbox.external_id)}>
            <Shown text={sandbox.external_id} />
          </span>
        ) : (
          <span className="dim">—</span>
        )}
      </Table.Td>
      <Table.Td>
        <Ago at={sandbox.last_seen_at} />
      </Table.Td>
      <Table.Td>
        {!deleted && (
          <div className="row-actions">
            {drift(sandbox) ? (
              <Button
                size="compact-xs"
                variant="light"
                color="orange"
                title={visible(drift(sandbox)!)}
                loading={actions.start.isPending}
                disabled={readOnly}
                onClick={() => actions.start.mutate(undefined)}
              >
                Repair
              </Button>
            ) : runs ? (
              <Button
                size="compact-xs"
                variant="subtle"
                loading={actions.stop.isPending}
                disabled={readOnly}
                onClick={() => void actions.askToStop()}
              >
                Stop
              </Button>
            ) : (
              <Button
                size="compact-xs"
                variant="subtle"
                loading={actions.start.isPending}
                disabled={readOnly}
                onClick={() => actions.start.mutate(undefined)}
              >
                Start
              </Button>
            )}
            <Button size="compact-xs" variant="subtle" component={Link} to={`${to}/terminals/new`}>
              Terminal
            </Button>
            <Button size="compact-xs" variant="subtle" component={Link} to={`${to}/files`}>
              Files
            </Button>
            <Button
              size="compact-xs"
              variant="subtle"
              color="red"
              disabled={readOnly}
              loading={actions.remove.isPending}
              onClick={() => void actions.askToRemove()}
            >
              Remove
            </Button>
          </div>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
