import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState, type MouseEvent } from "react";
import { Link } from "react-router";
import { call, Refusal } from "../api/client";
import type { Approval, DecideApproval } from "../api/types";
import { useReadOnly } from "../app/me";
import { useAction } from "../parts/actions";
import { Ago, State } from "../parts/parts";
import { Shown } from "../parts/shown";
import { advice, toastFailure } from "../parts/toasts";
import { useInbox } from "./inbox";

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** What will run, and where: nothing of it is hidden, and nothing is run by looking. */
export function Call({ tool, call: asked }: { tool: string; call: Record<string, unknown> }) {
  const { command, argv, cwd, env_names: names, sandbox, ...rest } = asked;
  delete rest["env_sha256"];
  return (
    <>
      {typeof command === "string" && (
        <div className="command" data-testid="command">
          <Shown text={command} />
        </div>
      )}
      {argv !== undefined && (
        <ol className="command argv" data-testid="command">
          {strings(argv).map((each, index) => (
            <li key={index}>
              <Shown text={each} />
            </li>
          ))}
        </ol>
      )}
      <dl className="facts small">
        <dt>Tool</dt>
        <dd>{tool}</dd>
        {typeof sandbox === "string" && (
          <>
            <dt>Sandbox</dt>
            <dd>{sandbox}</dd>
          </>
        )}
        {typeof cwd === "string" && (
          <>
            <dt>Directory</dt>
            <dd className="mono">
              <Shown text={cwd} />
            </dd>
          </>
        )}
        {strings(names).length > 0 && (
          <>
            <dt>Variables</dt>
            <dd className="mono">
              <Shown text={strings(names).join(", ")} />
            </dd>
          </>
        )}
        {Object.entries(rest).map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
      </dl>
    </>
  );
}

function Fact({ name, value }: { name: string; value: unknown }) {
  if (value === null || value === undefined) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd className="mono pre">
        <Shown text={typeof value === "string" ? value : JSON.stringify(value)} />
      </dd>
    </>
  );
}

export function ApprovalCard({ approval, inSession }: { approval: Approval; inSession?: boolean }) {
  const pending = approval.state === "pending";
  return (
    <article className={pending ? "card card-pending" : "card"} aria-label={`Approval of ${approval.tool}`}>
      <Group justify="space-between" mb="xs" gap="xs">
        <Text size="sm">
          <Link to={`/agents/${approval.agent_id}`}>{approval.agent_id}</Link> for {approval.requester}
          {!inSession && (
            <>
              {" · "}
              <Link to={`/agents/${approval.agent_id}/sessions/${approval.session_id}`}>session</Link>
            </>
          )}
        </Text>
        <Group gap="xs">
          <Text size="xs" className="dim">
            asked <Ago at={approval.created_at} />
            {pending && (
              <>
                , ends <Ago at={approval.expires_at} />
              </>
            )}
          </Text>
          <State state={approval.state} />
        </Group>
      </Group>
      <Call tool={approval.tool} call={approval.call} />
      {pending ? <Decide approval={approval} /> : <Decided approval={approval} />}
    </article>
  );
}

function Decided({ approval }: { approval: Approval }) {
  const result = approval.result as {
    exit_code?: number;
    end_reason?: string;
    error?: { detail?: string };
  } | null;
  return (
    <Text size="xs" className="dim" mt="xs">
      {approval.decided_by && (
        <>
          by {approval.decided_by} <Ago at={approval.decided_at} />
        </>
      )}
      {approval.reason && (
        <>
          : <Shown text={approval.reason} />
        </>
      )}
      {result?.end_reason && ` · ${result.end_reason}, code ${result.exit_code ?? "—"}`}
      {result?.error?.detail && (
        <>
          {" · "}
          <Shown text={result.error.detail} />
        </>
      )}
    </Text>
  );
}

const RULES = {
  once: "This call alone.",
  session:
    "The same requester need not ask again for exactly this in this sandbox, as long as the session lasts, at most 24 hours.",
  always:
    "The same requester need not ask again for exactly this in this sandbox, for 30 days, in any session.",
};

/** The second click of a double click was meant for what was there at the first. */
function once(act: () => void) {
  return (event: MouseEvent) => {
    if (event.detail <= 1) act();
  };
}

function Decide({ approval }: { approval: Approval }) {
  const [remember, setRemember] = useState<keyof typeof RULES>("once");
  const [denying, setDenying] = useState(false);
  const [reason, setReason] = useState("");
  const inbox = useInbox();
  const readOnly = useReadOnly();
  const decide = useAction(
    (body: DecideApproval) =>
      call("POST /api/approvals/{approval_id}/decision", { path: { approval_id: approval.id }, body }),
    {
      changes: [["approvals"], ["approval-rules"]],
      done: (decided) => {
        inbox.put(decided);
        return undefined;
      },
      failed: (failure) => {
        // The card shows by then what the other has decided, and has no room for a failure any more.
        if (failure instanceof Refusal && failure.code === "already_decided") toastFailure(failure);
      },
      quiet: true,
    },
  );
  const off = readOnly !== undefined || decide.isPending;
  return (
    <Stack gap="xs" mt="sm">
      {decide.error && (
        <Alert color="red" role="alert">
          <Shown text={advice(decide.error)} />
        </Alert>
      )}
      {denying ? (
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Why not"
            description="The agent is told"
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            className="grow"
            autoFocus
          />
          <Button
            color="red"
            size="sm"
            disabled={off}
            onClick={once(() =>
              decide.mutate({ decision: "deny", ...(reason.trim() ? { reason: reason.trim() } : {}) }),
            )}
          >
            Deny
          </Button>
          <Button variant="default" size="sm" onClick={() => setDenying(false)}>
            Back
          </Button>
        </Group>
      ) : (
        <>
          <fieldset className="choices">
            <legend>Remember</legend>
            {(Object.keys(RULES) as (keyof typeof RULES)[]).map((each) => (
              <label key={each}>
                <input
                  type="radio"
                  name={`remember-${approval.id}`}
                  checked={remember === each}
                  onChange={() => setRemember(each)}
                />
                {each}
              </label>
            ))}
          </fieldset>
          <Text size="xs" className="dim">
            {RULES[remember]}
            {remember !== "once" && (
              <>
                {" The rule: "}
                <span className="mono">
                  <bdi>{approval.shown}</bdi>
                </span>
                {typeof approval.call["cwd"] === "string" && (
                  <>
                    {" in "}
                    <span className="mono">
                      <Shown text={approval.call["cwd"]} />
                    </span>
                  </>
                )}
                , compared as a whole, for {approval.requester}.
              </>
            )}
          </Text>
          <Group gap="xs">
            <Button disabled={off} onClick={once(() => decide.mutate({ decision: "approve", remember }))}>
              {remember === "once" ? "Approve" : `Approve, and remember`}
            </Button>
            <Button variant="default" disabled={readOnly !== undefined} onClick={() => setDenying(true)}>
              Deny…
            </Button>
            {readOnly && (
              <Text size="xs" className="dim">
                {readOnly}
              </Text>
            )}
          </Group>
        </>
      )}
    </Stack>
  );
}
