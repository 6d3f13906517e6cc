import { Button, Checkbox, Group, Table, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { call } from "../api/client";
import type { ExecSummary, Sandbox } from "../api/types";
import { useReadOnly } from "../app/me";
import { SOON } from "../app/queries";
import { fieldError, otherErrors, useAction } from "../parts/actions";
import { Ago, Empty, Loaded, millis, State } from "../parts/parts";
import { Pager, usePaging } from "../parts/paging";
import { Shown } from "../parts/shown";
import { advice, toast } from "../parts/toasts";
import { CommandView } from "./CommandView";
import { textOf } from "./text";

export function CommandsTab({ sandbox }: { sandbox: Sandbox }) {
  const path = { id: sandbox.agent_id, alias: sandbox.alias };
  const [open, setOpen] = useState(false);
  const paging = usePaging();
  const { cursor } = paging;
  const [chosen, setChosen] = useState<string>();
  const execs = useQuery({
    queryKey: ["execs", sandbox.id, open, cursor],
    queryFn: ({ signal }) =>
      call("GET /api/agents/{id}/sandboxes/{alias}/execs", {
        path,
        query: { limit: 50, ...(open ? { open } : {}), ...(cursor ? { cursor } : {}) },
        signal,
      }),
    refetchInterval: SOON,
    placeholderData: (before) => before,
  });
  return (
    <>
      <Run path={path} onStarted={setChosen} />
      {chosen && (
        <CommandView key={chosen} path={path} execId={chosen} onClose={() => setChosen(undefined)} />
      )}
      <Group mb="xs" justify="space-between">
        <Checkbox
          size="xs"
          label="Only those that run"
          checked={open}
          onChange={(event) => {
            setOpen(event.currentTarget.checked);
            paging.go([]);
          }}
        />
        <Pager paging={paging} page={execs} />
      </Group>
      <Loaded query={execs}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={open ? "Nothing runs" : "No commands yet"}>
              Commands of the agent and of people stand here, with their output for as long as it is kept.
            </Empty>
          ) : (
            <div className="table-box" tabIndex={0} role="region" aria-label="Commands">
              <Table highlightOnHover>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Command</Table.Th>
                    <Table.Th>State</Table.Th>
                    <Table.Th>End</Table.Th>
                    <Table.Th className="number">Code</Table.Th>
                    <Table.Th className="number">Took</Table.Th>
                    <Table.Th>By</Table.Th>
                    <Table.Th>Started</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map((each) => (
                    <Row
                      key={each.exec_id}
                      exec={each}
                      chosen={each.exec_id === chosen}
                      onChoose={setChosen}
                    />
                  ))}
                </Table.Tbody>
              </Table>
            </div>
          )
        }
      </Loaded>
    </>
  );
}

function Row({
  exec,
  chosen,
  onChoose,
}: {
  exec: ExecSummary;
  chosen: boolean;
  onChoose: (id: string) => void;
}) {
  return (
    <Table.Tr aria-selected={chosen}>
      <Table.Td>
        <button type="button" className="link mono cut" onClick={() => onChoose(exec.exec_id)}>
          <Shown text={textOf(exec).slice(0, 300)} />
        </button>
      </Table.Td>
      <Table.Td>
        <State state={exec.state} />
      </Table.Td>
      <Table.Td>
        {exec.state === "ended" && <State state={exec.end_reason!} hint={exec.error?.detail} />}
      </Table.Td>
      <Table.Td className="number">{exec.exit_code ?? "—"}</Table.Td>
      <Table.Td className="number">{millis(exec.duration_ms)}</Table.Td>
      <Table.Td className="mono">{exec.caller}</Table.Td>
      <Table.Td>
        <Ago at={exec.created_at} />
      </Table.Td>
    </Table.Tr>
  );
}

function Run({ path, onStarted }: { path: { id: string; alias: string }; onStarted: (id: string) => void }) {
  const [command, setCommand] = useState("");
  const typed = useRef(command);
  useEffect(() => {
    typed.current = command;
  });
  const [cwd, setCwd] = useState("");
  const readOnly = useReadOnly();
  const run = useAction(
    (sent: string) =>
      call("POST /api/agents/{id}/sandboxes/{alias}/execs", {
        path,
        body: { command: sent, background: true, ...(cwd.trim() ? { cwd: cwd.trim() } : {}) },
      }) as Promise<{ exec_id: string }>,
    {
      changes: [["execs"], ["sandbox", path.id, path.alias]],
      done: (exec) => {
        onStarted(exec.exec_id);
        return undefined;
      },
      // Where the next one is typed already, this one stands in the message.
      failed: (failure, sent) => {
        if (typed.current === "") setCommand(sent);
        else toast(`${advice(failure)} (${sent})`, true);
      },
      quiet: true,
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!command) return;
    run.mutate(command);
    setCommand("");
  };
  return (
    <form onSubmit={submit} className="filters" noValidate>
      <TextInput
        label="Run a command"
        description="For sh -c; it goes on when you leave"
        className="grow mono-input"
        value={command}
        onChange={(event) => setCommand(event.currentTarget.value)}
        error={fieldError(run.error, "command") ?? otherErrors(run.error, ["command", "cwd"])}
        spellCheck={false}
        autoComplete="off"
      />
      <TextInput
        label="Directory"
        description="The agent home if empty"
        className="mono-input"
        value={cwd}
        onChange={(event) => setCwd(event.currentTarget.value)}
        error={fieldError(run.error, "cwd")}
        spellCheck={false}
      />
      <Button
        type="submit"
        size="sm"
        loading={run.isPending}
        disabled={!command || readOnly !== undefined}
        title={readOnly}
      >
        Run
      </Button>
    </form>
  );
}
