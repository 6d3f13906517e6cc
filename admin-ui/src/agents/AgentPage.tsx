import { Alert, Button, PasswordInput, Stack, Tabs, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useNavigate, useParams } from "react-router";
import { call, Refusal } from "../api/client";
import type { Agent, OwnRole } from "../api/types";
import { useReadOnly, useRole } from "../app/me";
import { AgentApprovals } from "../approvals/ApprovalsPage";
import { AgentAudit } from "../audit/AuditPage";
import { fieldError, otherErrors, useAction } from "../parts/actions";
import { Ago, Crumbs, Empty, Loaded, Page } from "../parts/parts";
import { Shown, visible } from "../parts/shown";
import { AgentSessions } from "../sessions/AgentSessions";
import { AgentSkills } from "../skills/SkillsPage";
import { useDeleteAgent } from "./AgentsPage";
import { AgentSandboxes } from "./AgentSandboxes";
import { ConfigTab } from "./ConfigTab";
import { MembersTab } from "./MembersTab";
import { SecurityTab } from "./SecurityTab";

const TABS = {
  sandboxes: AgentSandboxes,
  sessions: AgentSessions,
  approvals: AgentApprovals,
  members: MembersTab,
  security: SecurityTab,
  config: ConfigTab,
  skills: AgentSkills,
  audit: AgentAudit,
};
type Tab = keyof typeof TABS;
const OF_OWNERS: Tab[] = [
  "sandboxes",
  "sessions",
  "approvals",
  "members",
  "security",
  "config",
  "skills",
  "audit",
];

export function AgentPage() {
  const { id = "" } = useParams();
  const agent = useQuery({
    queryKey: ["agents", id, "self"],
    queryFn: ({ signal }) => call("GET /api/agents/{id}", { path: { id }, signal }),
  });
  const role = useRole(id);
  const refusal = agent.error instanceof Refusal ? agent.error : undefined;
  if (refusal?.status === 403) return <Stranger id={id} refusal={refusal} />;
  if (refusal?.status === 404)
    return (
      <Empty title={`There is no agent ${visible(id)}, or it is not for you`}>
        A private agent is seen by its members only. Its owners can add you.
      </Empty>
    );
  return (
    <Loaded query={agent}>
      {(found) => <Loaded query={role}>{(own) => <Found agent={found} own={own} />}</Loaded>}
    </Loaded>
  );
}

function Found({ agent, own }: { agent: Agent; own: OwnRole }) {
  const { tab } = useParams();
  const navigate = useNavigate();
  const remove = useDeleteAgent();
  const readOnly = useReadOnly();
  const owner = own.role === "owner";
  const tabs: Tab[] = owner ? OF_OWNERS : ["sessions"];
  const shown = tabs.find((each) => each === tab) ?? tabs[0]!;
  const Content = TABS[shown];
  return (
    <Page
      above={<Crumbs steps={[["Agents", "/agents"]]} />}
      title={<Shown text={agent.name} />}
      actions={
        owner && (
          <Button
            variant="default"
            disabled={readOnly !== undefined}
            title={readOnly}
            onClick={() => void remove(agent).then((gone) => gone && void navigate("/agents"))}
          >
            Delete agent
          </Button>
        )
      }
    >
      <Text size="xs" className="dim" mb="xs">
        <span className="mono">{agent.id}</span> · created <Ago at={agent.created_at} /> · you are its{" "}
        {own.role}
        {!owner && ": its sandboxes and settings are its owners' business"}
      </Text>
      {tabs.length > 1 && (
        <Tabs
          value={shown}
          onChange={(next) => void navigate(`/agents/${agent.id}/${next}`)}
          mb="md"
          variant="default"
        >
          <Tabs.List aria-label="Of this agent">
            {tabs.map((each) => (
              <Tabs.Tab key={each} value={each}>
                {each[0]!.toUpperCase() + each.slice(1)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={shown} pt="md">
            <Content id={agent.id} />
          </Tabs.Panel>
        </Tabs>
      )}
      {tabs.length === 1 && <Content id={agent.id} />}
    </Page>
  );
}

/** Not a member, and told so: where the agent is protected one may join, where it is public one may talk. */
function Stranger({ id, refusal }: { id: string; refusal: Refusal }) {
  if (refusal.code === "join_required") return <Join id={id} />;
  return (
    <Page above={<Crumbs steps={[["Agents", "/agents"]]} />} title={id}>
      <Text size="sm" mb="md">
        You are no member of this agent. It is public: open a session to talk to it, and you become its guest.
      </Text>
      <AgentSessions id={id} stranger />
    </Page>
  );
}

function Join({ id }: { id: string }) {
  const [token, setToken] = useState("");
  const readOnly = useReadOnly();
  const client = useQueryClient();
  const join = useAction(
    () => call("POST /api/agents/{id}/members", { path: { id }, body: { access_token: token } }),
    {
      // A wrong token changes nothing; asking again would take this form away, and what is said in it.
      changes: [],
      done: () => {
        void client.invalidateQueries({ queryKey: ["agents"] });
        return `You have joined ${id}`;
      },
      quiet: true,
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    join.mutate(undefined);
  };
  return (
    <Page above={<Crumbs steps={[["Agents", "/agents"]]} />} title={`Join ${visible(id)}`}>
      <form onSubmit={submit} className="panel narrow">
        <Stack>
          {join.error && <Alert color="red">{otherErrors(join.error, ["access_token"])}</Alert>}
          <PasswordInput
            label="Access token"
            description="This agent is protected: its owners give out the token"
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            error={fieldError(join.error, "access_token")}
          />
          <Button
            type="submit"
            loading={join.isPending}
            disabled={!token || readOnly !== undefined}
            title={readOnly}
          >
            Join
          </Button>
        </Stack>
      </form>
    </Page>
  );
}
