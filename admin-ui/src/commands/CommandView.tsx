import { Button, CloseButton, Group } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { address, call } from "../api/client";
import { useEvents } from "../api/events";
import type { ExecNotice, ExecOutput, ExecResync, ExecSummary } from "../api/types";
import { useReadOnly } from "../app/me";
import { useAction } from "../parts/actions";
import { MOST_SHOWN, Output } from "../parts/output";
import { Ago, bytes, millis, State } from "../parts/parts";
import { Shown } from "../parts/shown";
import { toastFailure } from "../parts/toasts";
import { textOf } from "./text";

type Stream = "stdout" | "stderr";

/** One command and what it prints, as it prints it; after its end what was kept. */
export function CommandView({
  path,
  execId,
  onClose,
}: {
  path: { id: string; alias: string };
  execId: string;
  onClose: () => void;
}) {
  const [exec, setExec] = useState<ExecSummary>();
  const [text, setText] = useState<Record<Stream, string>>({ stdout: "", stderr: "" });
  const [notes, setNotes] = useState<string[]>([]);
  const client = useQueryClient();
  const gathered = useRef<Record<Stream, string>>({ stdout: "", stderr: "" });
  const url = address("/api/agents/{id}/sandboxes/{alias}/execs/{exec_id}/events", {
    ...path,
    exec_id: execId,
  });
  const state = useEvents(
    url,
    (event) => {
      const data: unknown = JSON.parse(event.data);
      switch (event.type) {
        case "start":
          setExec(data as ExecSummary);
          break;
        case "stdout":
        case "stderr":
          gathered.current[event.type] = (gathered.current[event.type] + (data as ExecOutput).data).slice(
            -MOST_SHOWN,
          );
          break;
        case "notice":
          setNotes((before) => [...before, (data as ExecNotice).message]);
          break;
        case "resync":
          setNotes((before) => [
            ...before,
            `${(data as ExecResync).stream} before byte ${(data as ExecResync).offset} is not held any more`,
          ]);
          break;
        case "end":
          setText({ ...gathered.current });
          setExec(data as ExecSummary);
          void client.invalidateQueries({ queryKey: ["execs"] });
          return "done";
      }
      return undefined;
    },
    toastFailure,
  );
  // Output may come in thousands of pieces a second; the screen changes a few times.
  useEffect(() => {
    const timer = setInterval(() => {
      const now = gathered.current;
      setText((before) =>
        before.stdout === now.stdout && before.stderr === now.stderr ? before : { ...now },
      );
    }, 150);
    return () => clearInterval(timer);
  }, []);
  const cancel = useAction(
    () =>
      call("DELETE /api/agents/{id}/sandboxes/{alias}/execs/{exec_id}", {
        path: { ...path, exec_id: execId },
      }),
    { changes: [["execs"]] },
  );
  const readOnly = useReadOnly() !== undefined;
  return (
    <section className="panel chosen" aria-label="The chosen command">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div className="mono command-line">{exec ? <Shown text={textOf(exec)} /> : "…"}</div>
        <Group gap="xs" wrap="nowrap">
          {exec && exec.state !== "ended" && (
            <Button
              size="compact-xs"
              variant="light"
              color="red"
              disabled={readOnly}
              loading={cancel.isPending}
              onClick={() => cancel.mutate(undefined)}
            >
              Cancel it
            </Button>
          )}
          <CloseButton size="sm" aria-label="Close command" onClick={onClose} />
        </Group>
      </Group>
      {exec && (
        <dl className="facts small">
          <dt>State</dt>
          <dd>
            <State state={exec.state} /> {exec.end_reason && <State state={exec.end_reason} />}{" "}
            {state === "lost" && <span className="dim">connection lost; coming back</span>}
          </dd>
          {exec.state === "ended" && (
            <>
              <dt>Code</dt>
              <dd>
                {exec.exit_code ?? "—"}
                {exec.signal && ` (${exec.signal})`} after {millis(exec.duration_ms)}
              </dd>
            </>
          )}
          <dt>In</dt>
          <dd className="mono">
            <Shown text={exec.cwd} />
          </dd>
          <dt>By</dt>
          <dd>
            {exec.caller}, <Ago at={exec.created_at} />
          </dd>
          <dt>Printed</dt>
          <dd>
            {bytes(exec.stdout_bytes)} to stdout, {bytes(exec.stderr_bytes)} to stderr
          </dd>
          {exec.error && (
            <>
              <dt>Not started</dt>
              <dd>
                <Shown text={exec.error.detail} />
              </dd>
            </>
          )}
          {[...new Set([...exec.notes, ...notes])].map((note, index) => (
            <div key={index} className="contents">
              <dt>Note</dt>
              <dd>
                <Shown text={note} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {text.stdout && <Output text={text.stdout} label="Standard output" />}
      {text.stderr && <Output text={text.stderr} error label="Standard error" />}
      {exec?.state === "ended" && !text.stdout && !text.stderr && (
        <p className="dim">It printed nothing that is kept.</p>
      )}
    </section>
  );
}
