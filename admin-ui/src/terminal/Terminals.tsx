import { Button, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { all } from "../api/client";
import type { Sandbox } from "../api/types";
import { textOf } from "../commands/text";
import { SOON } from "../app/queries";
import { Ago, Empty, Loaded } from "../parts/parts";
import { Shown } from "../parts/shown";
import { pathOf } from "../sandboxes/rows";

/** Terminals that are open in a sandbox: whoever may, can look at each, or take control. */
export function Terminals({ sandbox }: { sandbox: Sandbox }) {
  const path = { id: sandbox.agent_id, alias: sandbox.alias };
  const terminals = useQuery({
    queryKey: ["terminals", sandbox.agent_id, sandbox.alias],
    queryFn: ({ signal }) => all("GET /api/agents/{id}/sandboxes/{alias}/terminals", { path, signal }),
    refetchInterval: SOON,
  });
  return (
    <Loaded query={terminals}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="No terminal is open">
            <Button component={Link} to={`${pathOf(sandbox)}/terminals/new`} variant="light" mt="xs">
              Open one
            </Button>
          </Empty>
        ) : (
          <div className="table-box" tabIndex={0} role="region" aria-label="Terminals">
            <Table highlightOnHover>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Opened</Table.Th>
                  <Table.Th>By</Table.Th>
                  <Table.Th>Program</Table.Th>
                  <Table.Th>Size</Table.Th>
                  <Table.Th>Viewers</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {items.map((each) => (
                  <Table.Tr key={each.id}>
                    <Table.Td>
                      <Link to={`${pathOf(sandbox)}/terminals/${each.id}`}>
                        <Ago at={each.created_at} />
                      </Link>
                    </Table.Td>
                    <Table.Td>{each.caller}</Table.Td>
                    <Table.Td className="mono">
                      <Shown text={textOf(each)} />
                    </Table.Td>
                    <Table.Td>
                      {each.cols} × {each.rows}
                    </Table.Td>
                    <Table.Td>{each.viewers}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )
      }
    </Loaded>
  );
}
