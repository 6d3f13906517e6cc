import { Button, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { all, call } from "../api/client";
import type { Token } from "../api/types";
import { useIsAdmin, useMe, useReadOnly } from "../app/me";
import { LATER } from "../app/queries";
import { useAction } from "../parts/actions";
import { useAsk } from "../parts/dialogs";
import { Ago, Empty, Loaded, Page } from "../parts/parts";
import { Shown } from "../parts/shown";
import { personLabel } from "./label";
import { MakeToken } from "./MakeToken";

export function TokensPage() {
  const [making, setMaking] = useState(false);
  const admin = useIsAdmin();
  const me = useMe();
  const readOnly = useReadOnly();
  const tokens = useQuery({
    queryKey: ["tokens"],
    queryFn: ({ signal }) => all("GET /api/tokens", { signal }),
    refetchInterval: LATER,
  });
  const people = useQuery({
    queryKey: ["users"],
    queryFn: ({ signal }) => all("GET /api/users", { signal }),
    enabled: admin,
  });
  const names = new Map(people.data?.items.map((each) => [each.id, personLabel(each)]));
  return (
    <Page
      title={admin ? "Tokens" : "Your tokens"}
      actions={
        <Button onClick={() => setMaking(true)} disabled={readOnly !== undefined} title={readOnly}>
          Make token
        </Button>
      }
    >
      {me.user && (
        <Text size="xs" className="dim" mb="xs">
          Your id, for owners who add you to their agents: <span className="mono">{me.user.id}</span>
        </Text>
      )}
      <Loaded query={tokens}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No tokens">
              A token stands for a person, a program of an agent, or an adapter of a channel. The admin token
              is not among them: it is the operator's, and no row.
            </Empty>
          ) : (
            <div className="table-box" tabIndex={0} role="region" aria-label="Tokens">
              <Table highlightOnHover>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>Stands for</Table.Th>
                    <Table.Th>Ends in</Table.Th>
                    <Table.Th>Scope</Table.Th>
                    <Table.Th>Made</Table.Th>
                    <Table.Th>Expires</Table.Th>
                    <Table.Th>Last used</Table.Th>
                    <Table.Th>
                      <span className="dim">Actions</span>
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map((each) => (
                    <Row
                      key={each.id}
                      token={each}
                      person={each.user_id ? names.get(each.user_id) : undefined}
                    />
                  ))}
                </Table.Tbody>
              </Table>
            </div>
          )
        }
      </Loaded>
      {making && <MakeToken holder={{ kind: "self" }} onClose={() => setMaking(false)} />}
    </Page>
  );
}

function Row({ token, person }: { token: Token; person: string | undefined }) {
  const ask = useAsk();
  const readOnly = useReadOnly() !== undefined;
  const revoke = useAction(() => call("DELETE /api/tokens/{token_id}", { path: { token_id: token.id } }), {
    changes: [["tokens"]],
    done: () => `${token.name} is revoked`,
  });
  return (
    <Table.Tr>
      <Table.Td className="wrap">
        <Shown text={token.name} />
      </Table.Td>
      <Table.Td className="wrap">
        {token.kind === "user" && <Shown text={person ?? token.user_id ?? ""} />}
        {token.kind === "channel" && <Shown text={`channel ${token.channel}`} />}
        {token.kind === "agent" && (
          <>
            program of <span className="mono">{token.agent_uid}</span>
          </>
        )}
      </Table.Td>
      <Table.Td className="mono">…{token.hint}</Table.Td>
      <Table.Td>{token.scope}</Table.Td>
      <Table.Td>
        <Ago at={token.created_at} />
      </Table.Td>
      <Table.Td>
        <Ago at={token.expires_at} />
      </Table.Td>
      <Table.Td>
        <Ago at={token.last_used_at} />
      </Table.Td>
      <Table.Td>
        <div className="row-actions">
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            disabled={readOnly}
            loading={revoke.isPending}
            onClick={() =>
              void ask({
                title: "Revoke this token?",
                text: (
                  <>
                    <Shown text={token.name} /> (…{token.hint}) opens nothing any more, and what was opened
                    with it ends within seconds.
                  </>
                ),
                verb: "Revoke",
              }).then((sure) => sure && revoke.mutate(undefined))
            }
          >
            Revoke
          </Button>
        </div>
      </Table.Td>
    </Table.Tr>
  );
}
