import { Button, Group, Table, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { Link, useNavigate } from "react-router";
import { all, call } from "../api/client";
import type { Agent } from "../api/types";
import { useIsAdmin, useMe, useReadOnly } from "../app/me";
import { LATER } from "../app/queries";
import { useAction } from "../parts/actions";
import { useAsk } from "../parts/dialogs";
import { Ago, Empty, Loaded, Page, Why } from "../parts/parts";
import { Shown } from "../parts/shown";
import { CreateAgent } from "./CreateAgent";

export function AgentsPage() {
  const [creating, setCreating] = useState(false);
  const readOnly = useReadOnly();
  const why = useMe().creates_agents ? readOnly : "On this gateway only the admin makes agents";
  const agents = useQuery({
    queryKey: ["agents"],
    queryFn: ({ signal }) => all("GET /api/agents", { signal }),
    refetchInterval: LATER,
  });
  const create = (
    <Why why={why}>
      <Button onClick={() => setCreating(true)} disabled={why !== undefined}>
        Create agent
      </Button>
    </Why>
  );
  return (
    <Page title="Agents" actions={create}>
      <Loaded query={agents}>
        {({ items, more }) =>
          items.length === 0 ? (
            <Empty title="No agents yet">
              An agent has sandboxes of its own, in which its commands run. Create one to begin; the first
              sandbox comes from a preset.
            </Empty>
          ) : (
            <AgentTable agents={items} more={more} />
          )
        }
      </Loaded>
      <GoTo />
      {creating && <CreateAgent onClose={() => setCreating(false)} />}
    </Page>
  );
}

function AgentTable({ agents, more }: { agents: Agent[]; more: boolean }) {
  const [text, setText] = useState("");
  const wanted = text.toLowerCase();
  const shown = agents.filter((each) => each.id.includes(wanted) || each.name.toLowerCase().includes(wanted));
  return (
    <>
      <div className="filters">
        <TextInput
          aria-label="Filter agents"
          placeholder="Filter by id or name"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <span className="dim">
          {shown.length} of {agents.length}
          {more && "+"}
        </span>
      </div>
      <div className="table-box rows-scroll" tabIndex={0} role="region" aria-label="Agents">
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Id</Table.Th>
              <Table.Th>Name</Table.Th>
              <Table.Th>Created</Table.Th>
              <Table.Th>Changed</Table.Th>
              <Table.Th>
                <span className="dim">Actions</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.slice(0, 500).map((agent) => (
              <AgentRow key={agent.uid} agent={agent} />
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {shown.length > 500 && <p className="dim">The first 500 are shown: filter to see others.</p>}
    </>
  );
}

function AgentRow({ agent }: { agent: Agent }) {
  const admin = useIsAdmin();
  const remove = useDeleteAgent();
  return (
    <Table.Tr>
      <Table.Td>
        <Link to={`/agents/${agent.id}`}>{agent.id}</Link>
      </Table.Td>
      <Table.Td className="wrap">
        <Shown text={agent.name} />
      </Table.Td>
      <Table.Td>
        <Ago at={agent.created_at} />
      </Table.Td>
      <Table.Td>
        <Ago at={agent.updated_at} />
      </Table.Td>
      <Table.Td>
        <div className="row-actions">
          <Button component={Link} to={`/agents/${agent.id}/sessions`} variant="subtle" size="compact-xs">
            Sessions
          </Button>
          {admin && (
            <Button variant="subtle" color="red" size="compact-xs" onClick={() => void remove(agent)}>
              Delete
            </Button>
          )}
        </div>
      </Table.Td>
    </Table.Tr>
  );
}

export function useDeleteAgent(): (agent: { id: string }) => Promise<boolean> {
  const ask = useAsk();
  const remove = useAction((id: string) => call("DELETE /api/agents/{id}", { path: { id } }), {
    changes: [["agents"], ["sandboxes"]],
    done: (_, id) => `Agent ${id} is deleted`,
  });
  return async ({ id }) => {
    const sure = await ask({
      title: `Delete agent ${id}?`,
      text: "Its containers and its workspace are destroyed with all their files. Machines in a cloud stay, and are listed as leftovers.",
      verb: "Delete agent",
    });
    if (!sure) return false;
    return remove.mutateAsync(id).then(
      () => true,
      () => false,
    );
  };
}

/** People see the agents that they are members of; others are found by their id only. */
function GoTo() {
  const [id, setId] = useState("");
  const navigate = useNavigate();
  const admin = useIsAdmin();
  if (admin) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (id.trim()) void navigate(`/agents/${encodeURIComponent(id.trim())}`);
  };
  return (
    <Group component="form" onSubmit={submit} mt="lg" align="flex-end">
      <TextInput
        label="Another agent"
        description="You see the agents that you are a member of. Others can be joined by their id."
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
      />
      <Button type="submit" variant="default">
        Go there
      </Button>
    </Group>
  );
}
