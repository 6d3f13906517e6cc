import { Alert, Button, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client";
import type { Leftover } from "../api/types";
import { useReadOnly } from "../app/me";
import { COSTLY } from "../app/queries";
import { useAction } from "../parts/actions";
import { useAsk } from "../parts/dialogs";
import { Ago, Empty, Loaded, Section, State } from "../parts/parts";
import { Shown } from "../parts/shown";

/** Machines that no live sandbox uses. Asking for them asks every provider, so it is done at a look and not by itself. */
export function Leftovers() {
  const leftovers = useQuery({
    queryKey: ["leftovers"],
    queryFn: ({ signal }) => call("GET /api/sandboxes/leftovers", { signal }),
    staleTime: 30_000,
    ...COSTLY,
  });
  return (
    <div className="after-table">
      <Section
        title="Leftovers"
        actions={
          <Button variant="default" loading={leftovers.isFetching} onClick={() => void leftovers.refetch()}>
            Look again
          </Button>
        }
      >
        <Loaded query={leftovers}>
          {({ items, unreachable }) => (
            <>
              {unreachable.map((each) => (
                <Alert key={each.type} color="orange" mb="xs" title={`${each.type} could not be asked`}>
                  <Shown text={each.detail} />
                </Alert>
              ))}
              {items.length === 0 ? (
                <Empty title="Nothing is left over">
                  Machines whose sandbox was deleted are listed here, as long as they may still cost
                  something.
                </Empty>
              ) : (
                <div className="table-box" tabIndex={0} role="region" aria-label="Leftovers">
                  <Table>
                    <Table.Thead>
                      <Table.Tr>
                        <Table.Th>Was</Table.Th>
                        <Table.Th>Type</Table.Th>
                        <Table.Th>Machine</Table.Th>
                        <Table.Th>State</Table.Th>
                        <Table.Th>Deleted</Table.Th>
                        <Table.Th>
                          <span className="dim">Actions</span>
                        </Table.Th>
                      </Table.Tr>
                    </Table.Thead>
                    <Table.Tbody>
                      {items.map((each) => (
                        <Row key={`${each.sandbox_id} ${each.external_id}`} leftover={each} />
                      ))}
                    </Table.Tbody>
                  </Table>
                </div>
              )}
            </>
          )}
        </Loaded>
      </Section>
    </div>
  );
}

function Row({ leftover }: { leftover: Leftover }) {
  const ask = useAsk();
  const readOnly = useReadOnly() !== undefined;
  const reclaim = useAction(
    () => call("POST /api/sandboxes/{uuid}/reclaim", { path: { uuid: leftover.sandbox_id } }),
    { changes: [["leftovers"]], done: () => `${leftover.external_id} is destroyed` },
  );
  return (
    <Table.Tr>
      <Table.Td>
        {leftover.agent_id ? (
          `${leftover.agent_id}/${leftover.alias ?? "?"}`
        ) : (
          <span className="dim">unknown</span>
        )}
      </Table.Td>
      <Table.Td>{leftover.type}</Table.Td>
      <Table.Td>
        <span className="mono">
          <Shown text={leftover.external_id} />
        </span>
      </Table.Td>
      <Table.Td>{leftover.state ? <State state={leftover.state} hint={leftover.detail} /> : "—"}</Table.Td>
      <Table.Td>
        <Ago at={leftover.deleted_at} />
      </Table.Td>
      <Table.Td>
        <div className="row-actions">
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            loading={reclaim.isPending}
            disabled={readOnly}
            onClick={() =>
              void ask({
                title: "Reclaim this machine?",
                text: (
                  <>
                    <Shown text={leftover.external_id} /> is destroyed at its provider, with all that is in
                    it.
                  </>
                ),
                verb: "Reclaim",
              }).then((sure) => sure && reclaim.mutate(undefined))
            }
          >
            Reclaim
          </Button>
        </div>
      </Table.Td>
    </Table.Tr>
  );
}
