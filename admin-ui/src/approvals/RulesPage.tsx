import { Button, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { all, call } from "../api/client";
import type { ApprovalRule } from "../api/types";
import { useReadOnly } from "../app/me";
import { LATER } from "../app/queries";
import { useAction } from "../parts/actions";
import { Ago, Crumbs, Empty, Loaded, Page } from "../parts/parts";

export function RulesPage() {
  const rules = useQuery({
    queryKey: ["approval-rules"],
    queryFn: ({ signal }) => all("GET /api/approval-rules", { signal }, 1000),
    refetchInterval: LATER,
  });
  return (
    <Page above={<Crumbs steps={[["Approvals", "/approvals"]]} />} title="Remembered rules">
      <Loaded query={rules}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Nothing is remembered">
              When you approve with “session” or “always”, the exact command is remembered here, until it ends
              or you take it back.
            </Empty>
          ) : (
            <div className="table-box" tabIndex={0} role="region" aria-label="Rules">
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Command</Table.Th>
                    <Table.Th>Agent</Table.Th>
                    <Table.Th>Requester</Table.Th>
                    <Table.Th>Scope</Table.Th>
                    <Table.Th>By</Table.Th>
                    <Table.Th>Ends</Table.Th>
                    <Table.Th className="number">Uses</Table.Th>
                    <Table.Th>Last used</Table.Th>
                    <Table.Th>
                      <span className="dim">Actions</span>
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map((each) => (
                    <Row key={each.id} rule={each} />
                  ))}
                </Table.Tbody>
              </Table>
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function Row({ rule }: { rule: ApprovalRule }) {
  const readOnly = useReadOnly() !== undefined;
  const remove = useAction(
    () => call("DELETE /api/approval-rules/{rule_id}", { path: { rule_id: rule.id } }),
    { changes: [["approval-rules"]], done: () => "It asks again from now on" },
  );
  return (
    <Table.Tr>
      <Table.Td className="mono wrap">
        {/* The gateway has written out already what would be hidden. */}
        <bdi>{rule.shown}</bdi>
      </Table.Td>
      <Table.Td>
        <Link to={`/agents/${rule.agent_id}`}>{rule.agent_id}</Link>
      </Table.Td>
      <Table.Td className="mono">{rule.requester}</Table.Td>
      <Table.Td>
        {rule.session_id ? (
          <Link to={`/agents/${rule.agent_id}/sessions/${rule.session_id}`}>session</Link>
        ) : (
          "always"
        )}
      </Table.Td>
      <Table.Td className="mono">{rule.author}</Table.Td>
      <Table.Td>
        <Ago at={rule.expires_at} />
      </Table.Td>
      <Table.Td className="number">{rule.uses}</Table.Td>
      <Table.Td>
        <Ago at={rule.last_used_at} />
      </Table.Td>
      <Table.Td>
        <div className="row-actions">
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            disabled={readOnly}
            loading={remove.isPending}
            onClick={() => remove.mutate(undefined)}
          >
            Take back
          </Button>
        </div>
      </Table.Td>
    </Table.Tr>
  );
}
