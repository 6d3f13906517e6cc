import { Alert, Badge, Button, Group, Tabs, Textarea, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent } from "react";
import { Link, useNavigate, useParams } from "react-router";
import { call } from "../api/client";
import type { Sandbox } from "../api/types";
import { useReadOnly } from "../app/me";
import { SOON } from "../app/queries";
import { CommandsTab } from "../commands/CommandsTab";
import { FilesTab } from "../files/FilesTab";
import { fieldError, otherErrors, useAction } from "../parts/actions";
import { useDraft } from "../parts/draft";
import { Overtaken } from "../parts/Overtaken";
import { Ago, Crumbs, Loaded, Page, Section, State } from "../parts/parts";
import { Shown } from "../parts/shown";
import { Terminals } from "../terminal/Terminals";
import { drift, pathOf, useSandboxActions } from "./rows";

const TABS = ["overview", "commands", "files", "terminals"] as const;

export function SandboxPage() {
  const { id = "", alias = "" } = useParams();
  const sandbox = useQuery({
    queryKey: ["sandbox", id, alias],
    queryFn: ({ signal }) => call("GET /api/agents/{id}/sandboxes/{alias}", { path: { id, alias }, signal }),
    refetchInterval: SOON,
  });
  return <Loaded query={sandbox}>{(found) => <Found sandbox={found} />}</Loaded>;
}

function Found({ sandbox }: { sandbox: Sandbox }) {
  const { tab } = useParams();
  const navigate = useNavigate();
  const actions = useSandboxActions(sandbox);
  const readOnly = useReadOnly() !== undefined;
  const shown = TABS.find((each) => each === tab) ?? "overview";
  const off = drift(sandbox);
  const agent = `/agents/${sandbox.agent_id}`;
  return (
    <Page
      above={
        <Crumbs
          steps={[
            ["Agents", "/agents"],
            [sandbox.agent_id, agent],
            ["sandboxes", `${agent}/sandboxes`],
          ]}
        />
      }
      title={sandbox.alias}
      actions={
        <>
          <Button component={Link} to={`${pathOf(sandbox)}/terminals/new`}>
            Open terminal
          </Button>
          <Button
            variant="default"
            disabled={readOnly}
            loading={actions.start.isPending}
            onClick={() => actions.start.mutate(undefined)}
          >
            Start
          </Button>
          <Button
            variant="default"
            disabled={readOnly}
            loading={actions.stop.isPending}
            onClick={() => void actions.askToStop()}
          >
            Stop
          </Button>
          <Button
            variant="default"
            disabled={readOnly}
            onClick={() =>
              void actions.askToRemove().then((gone) => gone && void navigate(`${agent}/sandboxes`))
            }
          >
            Remove
          </Button>
        </>
      }
    >
      {off && (
        <Alert color="orange" mb="md" title="The machine differs from its row">
          <Group justify="space-between">
            <Shown text={off} />
            <Button
              color="orange"
              variant="filled"
              autoContrast
              disabled={readOnly}
              loading={actions.start.isPending}
              onClick={() => actions.start.mutate(undefined)}
            >
              Repair
            </Button>
          </Group>
        </Alert>
      )}
      <Tabs value={shown} onChange={(next) => void navigate(`${pathOf(sandbox)}/${next}`)}>
        <Tabs.List aria-label="Of this sandbox">
          {TABS.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {each[0]!.toUpperCase() + each.slice(1)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={shown} pt="md">
          {shown === "overview" && <Overview sandbox={sandbox} />}
          {shown === "commands" && <CommandsTab sandbox={sandbox} />}
          {shown === "files" && <FilesTab key={sandbox.id} sandbox={sandbox} />}
          {shown === "terminals" && <Terminals sandbox={sandbox} />}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

const ORIGIN = {
  sandbox: "set by this sandbox",
  agent: "set by the agent's config",
  default: "the default",
};

function Overview({ sandbox }: { sandbox: Sandbox }) {
  const { lifecycle } = sandbox;
  const from = (origin: keyof typeof ORIGIN) => (
    <Tooltip label={ORIGIN[origin]}>
      <Badge size="sm" variant="outline" color="gray" className="state" ml="xs" tabIndex={0}>
        {origin}
      </Badge>
    </Tooltip>
  );
  return (
    <div className="columns">
      <div>
        <Section title="Now">
          <dl className="facts panel">
            <dt>Lifecycle</dt>
            <dd>
              <State state={sandbox.status} />
            </dd>
            <dt>Runtime</dt>
            <dd>
              {sandbox.runtime ? (
                <>
                  <State state={sandbox.runtime.state} />{" "}
                  {sandbox.runtime.detail && <Shown text={sandbox.runtime.detail} />}{" "}
                  <span className="dim">
                    asked <Ago at={sandbox.runtime.observed_at} />
                  </span>
                </>
              ) : (
                "—"
              )}
            </dd>
            <dt>Machine</dt>
            <dd className="mono">
              <Shown text={sandbox.external_id ?? "none yet: the first command makes it"} />
            </dd>
            <dt>Generation</dt>
            <dd>{sandbox.generation}</dd>
            <dt>Last seen</dt>
            <dd>
              <Ago at={sandbox.last_seen_at} />
            </dd>
            <dt>Created</dt>
            <dd>
              <Ago at={sandbox.created_at} />
            </dd>
            <dt>Id</dt>
            <dd className="mono">{sandbox.id}</dd>
            <dt>Can</dt>
            <dd>{sandbox.capabilities.join(", ") || "—"}</dd>
          </dl>
        </Section>
        <Section title="Lifecycle in force">
          <dl className="facts panel">
            <dt>Starts</dt>
            <dd>
              {lifecycle.start}
              {from(lifecycle.origin.start)}
            </dd>
            <dt>Stops</dt>
            <dd>
              {lifecycle.stop}
              {from(lifecycle.origin.stop)}
            </dd>
            <dt>Idle timeout</dt>
            <dd>
              {lifecycle.idle_timeout_minutes} min
              {from(lifecycle.origin.idle_timeout_minutes)}
            </dd>
          </dl>
        </Section>
      </div>
      <Section title={`Config (${sandbox.type})`}>
        <Config key={sandbox.id} sandbox={sandbox} />
      </Section>
    </div>
  );
}

function Config({ sandbox }: { sandbox: Sandbox }) {
  const current = JSON.stringify(sandbox.config, null, 2);
  const { draft, set, overtaken, drop, saved } = useDraft(current, current);
  const readOnly = useReadOnly();
  let parsed: Record<string, unknown> | undefined;
  let mistake: string | undefined;
  try {
    parsed = JSON.parse(draft) as Record<string, unknown>;
  } catch (failure) {
    mistake = (failure as Error).message;
  }
  const path = { id: sandbox.agent_id, alias: sandbox.alias };
  const save = useAction(
    (config: Record<string, unknown>) =>
      call("PATCH /api/agents/{id}/sandboxes/{alias}", { path, body: { config } }),
    {
      changes: [["sandbox", sandbox.agent_id, sandbox.alias], ["sandboxes"]],
      done: (_, kept) => {
        saved(JSON.stringify(kept, null, 2));
        return "The config is saved; the next command or start makes the machine fit";
      },
      quiet: true,
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (parsed) save.mutate(parsed);
  };
  const others = otherErrors(save.error, ["config"]);
  return (
    <form onSubmit={submit} className="panel">
      <Overtaken by={overtaken} drop={drop} />
      {others && (
        <Alert color="red" role="alert" mb="sm">
          {others}
        </Alert>
      )}
      <Textarea
        aria-label="Config"
        className="mono-input"
        autosize
        minRows={6}
        value={draft}
        onChange={(event) => set(event.currentTarget.value)}
        error={mistake ?? fieldError(save.error, "config")}
        spellCheck={false}
      />
      <Group justify="flex-end" mt="sm">
        <Button type="submit" loading={save.isPending} disabled={!parsed || readOnly !== undefined}>
          Save config
        </Button>
      </Group>
    </form>
  );
}
