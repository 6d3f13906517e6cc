import { Button, Group, NativeSelect, Table, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { all, call } from "../api/client";
import type { Sandbox } from "../api/types";
import { useReadOnly } from "../app/me";
import { LATER, SOON } from "../app/queries";
import { useAction } from "../parts/actions";
import { useAsk } from "../parts/dialogs";
import { Empty, Loaded, Page } from "../parts/parts";
import { Leftovers } from "./Leftovers";
import { SandboxHead, SandboxRow } from "./rows";

/** With more rows than this the list is asked for less often: it is large then. */
const MANY = 300;
const ROW_HEIGHT = 37;

/** Every sandbox of every agent: the lifecycle from the database, beside what the engine says of containers now. */
export function SandboxesPage() {
  const [params, setParams] = useSearchParams();
  const filter = { type: params.get("type") ?? "", status: params.get("status") ?? "" };
  const set = (name: string, value: string) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (value) after.set(name, value);
        else after.delete(name);
        return after;
      },
      { replace: true },
    );
  const sandboxes = useQuery({
    queryKey: ["sandboxes", "all", filter],
    queryFn: ({ signal }) => all("GET /api/sandboxes", { query: filter, signal }),
    refetchInterval: (query) => ((query.state.data?.items.length ?? 0) > MANY ? LATER : SOON)(query),
    placeholderData: (before) => before,
  });
  return (
    <Page title="Sandboxes">
      <div className="filters">
        <TextInput
          aria-label="Filter by agent, alias or machine"
          placeholder="Agent, alias or machine"
          value={params.get("q") ?? ""}
          onChange={(event) => set("q", event.currentTarget.value)}
        />
        <NativeSelect
          aria-label="Type"
          value={filter.type}
          onChange={(event) => set("type", event.currentTarget.value)}
          data={[{ value: "", label: "every type" }, "docker", "e2b", "daytona", "tenki"]}
        />
        <NativeSelect
          aria-label="Lifecycle"
          value={filter.status}
          onChange={(event) => set("status", event.currentTarget.value)}
          data={[{ value: "", label: "live rows" }, "pending", "provisioned", "deleted"]}
        />
        <NativeSelect
          aria-label="Runtime"
          value={params.get("state") ?? ""}
          onChange={(event) => set("state", event.currentTarget.value)}
          data={[
            { value: "", label: "every state" },
            "running",
            "stopped",
            "paused",
            "absent",
            "error",
            { value: "none", label: "—" },
          ]}
        />
      </div>
      <Loaded query={sandboxes}>
        {({ items, more }) => (
          <Listed
            rows={items}
            more={more}
            text={(params.get("q") ?? "").toLowerCase()}
            state={params.get("state") ?? ""}
            narrowed={params.size > 0}
          />
        )}
      </Loaded>
      <Leftovers />
    </Page>
  );
}

type Key = "agent_id" | "alias" | "type" | "status" | "runtime" | "external_id" | "last_seen_at";

function value(sandbox: Sandbox, key: Key): string {
  if (key === "runtime") return sandbox.runtime?.state ?? "";
  return sandbox[key] ?? "";
}

function Listed({
  rows,
  more,
  text,
  state,
  narrowed,
}: {
  rows: Sandbox[];
  more: boolean;
  text: string;
  state: string;
  narrowed: boolean;
}) {
  const [sort, setSort] = useState<{ by: Key; down: boolean }>({ by: "agent_id", down: false });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => {
    const found = rows.filter(
      (row) =>
        (!text ||
          [row.agent_id, row.alias, row.external_id ?? ""].some((each) =>
            each.toLowerCase().includes(text),
          )) &&
        (!state || (row.runtime?.state ?? "none") === state),
    );
    const sign = sort.down ? -1 : 1;
    return found.sort(
      (a, b) =>
        sign * value(a, sort.by).localeCompare(value(b, sort.by)) ||
        a.agent_id.localeCompare(b.agent_id) ||
        a.alias.localeCompare(b.alias),
    );
  }, [rows, text, state, sort]);
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    getItemKey: (index) => shown[index]!.id,
  });
  if (shown.length === 0)
    return (
      <Empty title={narrowed ? "Nothing matches" : "No sandboxes yet"}>
        {narrowed
          ? "Widen the filter above."
          : "Sandboxes belong to agents: create an agent, and its first one comes from a preset."}
      </Empty>
    );
  const chosen = shown.filter((each) => selected.has(each.id));
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const toggle = (id: string) =>
    setSelected((old) => {
      const next = new Set(old);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  return (
    <>
      <Group mb="xs" gap="sm" mih={30}>
        <span className="dim" role="status">
          {shown.length} of {rows.length}
          {more && "+"}
          {chosen.length > 0 && `, ${chosen.length} selected`}
        </span>
        {chosen.length > 0 && <BulkStop chosen={chosen} onDone={() => setSelected(new Set())} />}
      </Group>
      <div className="table-box rows-scroll" ref={box} tabIndex={0} role="region" aria-label="Sandboxes">
        <Table highlightOnHover aria-rowcount={shown.length + 1}>
          <SandboxHead
            agents
            select={{
              all: chosen.length === shown.length && shown.length > 0,
              some: chosen.length > 0,
              toggle: () =>
                setSelected(
                  chosen.length === shown.length ? new Set() : new Set(shown.map((each) => each.id)),
                ),
            }}
            sort={{
              ...sort,
              set: (by) => setSort((old) => ({ by: by as Key, down: old.by === by && !old.down })),
            }}
          />
          <Table.Tbody>
            {before > 0 && <Space height={before} />}
            {items.map((item) => {
              const sandbox = shown[item.index]!;
              return (
                <SandboxRow
                  key={sandbox.id}
                  sandbox={sandbox}
                  agents
                  row={item.index + 2}
                  select={{ on: selected.has(sandbox.id), toggle: () => toggle(sandbox.id) }}
                />
              );
            })}
            {after > 0 && <Space height={after} />}
          </Table.Tbody>
        </Table>
      </div>
    </>
  );
}

/** Room for the rows that are not seen. */
function Space({ height }: { height: number }) {
  return (
    <tr aria-hidden>
      <td colSpan={9} style={{ height, padding: 0 }} />
    </tr>
  );
}

/** Few at once: each stop is a call to an engine. */
const AT_ONCE = 4;

function BulkStop({ chosen, onDone }: { chosen: Sandbox[]; onDone: () => void }) {
  const ask = useAsk();
  const readOnly = useReadOnly();
  const [done, setDone] = useState(0);
  const stop = useAction(
    async (force: boolean) => {
      setDone(0);
      const rest = chosen.filter((each) => each.status === "provisioned");
      const failures: string[] = [];
      let stopped = 0;
      const work = async () => {
        for (let each = rest.pop(); each; each = rest.pop()) {
          const path = { id: each.agent_id, alias: each.alias };
          try {
            await call("POST /api/agents/{id}/sandboxes/{alias}/stop", {
              path,
              ...(force ? { query: { force } } : {}),
            });
            stopped++;
          } catch (failure) {
            failures.push(`${each.agent_id}/${each.alias}: ${(failure as Error).message}`);
          }
          setDone((count) => count + 1);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      if (failures.length > 0)
        throw new Error(`${failures.length} could not be stopped. ${failures.slice(0, 3).join("; ")}`);
      return stopped;
    },
    { changes: [["sandboxes"]], done: (count) => `${count} stopped` },
  );
  const click = async () => {
    const sure = await ask({
      title: `Stop ${chosen.length} sandboxes?`,
      text: "Their files stay, and the next command starts each again. Those in use are left alone unless they are forced to.",
      verb: "Stop them",
      option: "Also those in use: their commands are ended",
    });
    if (sure) stop.mutate(sure.option, { onSettled: onDone });
  };
  return (
    <Button
      variant="default"
      onClick={() => void click()}
      disabled={stop.isPending || readOnly !== undefined}
    >
      {stop.isPending ? `Stopping (${done} done)` : "Stop selected"}
    </Button>
  );
}
