import { Button, Group, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "react-router";
import { call } from "../api/client";
import { useReadOnly } from "../app/me";
import { SOON } from "../app/queries";
import { useAction } from "../parts/actions";
import { Ago, Empty, Loaded, State } from "../parts/parts";
import { Pager, usePaging } from "../parts/paging";
import { Shown } from "../parts/shown";

/** - `stranger`: who looks is no member yet, and has none. */
export function AgentSessions({ id, stranger = false }: { id: string; stranger?: boolean }) {
  const navigate = useNavigate();
  const readOnly = useReadOnly();
  const paging = usePaging();
  const { cursor } = paging;
  const sessions = useQuery({
    queryKey: ["agents", id, "sessions", cursor],
    queryFn: ({ signal }) =>
      call("GET /api/agents/{id}/sessions", {
        path: { id },
        query: { limit: 50, ...(cursor ? { cursor } : {}) },
        signal,
      }),
    enabled: !stranger,
    ...(stranger ? { initialData: { items: [], next_cursor: null } } : {}),
    refetchInterval: SOON,
    placeholderData: (before) => before,
  });
  const open = useAction(
    () =>
      call("POST /api/agents/{id}/sessions", {
        path: { id },
        body: { source: { kind: "web", interactive: true } },
      }),
    {
      changes: [["agents"]],
      done: (session) => {
        void navigate(`/agents/${id}/sessions/${session.session_id}`);
        return undefined;
      },
    },
  );
  return (
    <>
      <Group justify="space-between" mb="xs">
        <div>
          <Pager paging={paging} page={sessions} />
        </div>
        <Button
          onClick={() => open.mutate(undefined)}
          loading={open.isPending}
          disabled={readOnly !== undefined}
          title={readOnly}
        >
          Open session
        </Button>
      </Group>
      <Loaded query={sessions}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No sessions yet">
              A session is a conversation with this agent. Programs open them over the API, people here, by
              the command line or on a channel.
            </Empty>
          ) : (
            <div className="table-box" tabIndex={0} role="region" aria-label="Sessions">
              <Table highlightOnHover>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Opened</Table.Th>
                    <Table.Th>State</Table.Th>
                    <Table.Th>Whose</Table.Th>
                    <Table.Th>From</Table.Th>
                    <Table.Th className="number">Events</Table.Th>
                    <Table.Th>Last active</Table.Th>
                    <Table.Th>About</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map((each) => (
                    <Table.Tr key={each.session_id}>
                      <Table.Td>
                        <Link to={`/agents/${id}/sessions/${each.session_id}`}>
                          <Ago at={each.created_at} />
                        </Link>
                      </Table.Td>
                      <Table.Td>
                        <State state={each.state} hint={each.end_reason} />
                      </Table.Td>
                      <Table.Td className="mono">{each.owner}</Table.Td>
                      <Table.Td>
                        <Shown
                          text={
                            [each.channel, each.source["kind"]].filter(Boolean).map(String).join(", ") || "—"
                          }
                        />
                      </Table.Td>
                      <Table.Td className="number">{each.last_event_id}</Table.Td>
                      <Table.Td>
                        <Ago at={each.last_active_at} />
                      </Table.Td>
                      <Table.Td className="wrap">
                        <Shown
                          text={Object.entries(each.metadata)
                            .map(([name, value]) => `${name}: ${String(value)}`)
                            .join(", ")}
                        />
                      </Table.Td>
                    </Table.Tr>
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
