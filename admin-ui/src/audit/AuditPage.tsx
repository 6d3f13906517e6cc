import { Button, Group, Table, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useSearchParams } from "react-router";
import { call } from "../api/client";
import type { AuditPage as Piece, AuditRecord, AuditVerification } from "../api/types";
import { useAction } from "../parts/actions";
import { Ago, Empty, Loaded, Page, State } from "../parts/parts";
import { Shown } from "../parts/shown";

const FILTERS = ["agent", "user", "action", "since", "until"] as const;
type Filter = Partial<Record<(typeof FILTERS)[number], string>>;

const LABELS = {
  agent: "Agent",
  user: "Who",
  action: "Action",
  since: "Since",
  until: "Until",
};

/** What was done, newest first. */
export function AuditPage() {
  const [verified, setVerified] = useState<AuditVerification>();
  const verify = useAction(() => call("GET /api/audit/verify"), {
    changes: [],
    done: (found) => (setVerified(found), undefined),
  });
  return (
    <Page
      title="Audit"
      actions={
        <>
          {verified && (
            <Group gap={6}>
              <State
                state={verified.state}
                hint={verified.chains
                  .map((each) =>
                    each.first_broken === null
                      ? `${each.gateway}: ${each.records} records`
                      : `${each.gateway}: broken at ${each.first_broken}`,
                  )
                  .join("\n")}
              />
            </Group>
          )}
          <Button variant="default" loading={verify.isPending} onClick={() => verify.mutate(undefined)}>
            Verify the chains
          </Button>
          <Button
            variant="default"
            component="a"
            href="/api/audit/export"
            download="audit.ndjson"
            title="All records, whatever the list below is narrowed to: only so the chains in it can be verified"
          >
            Export everything
          </Button>
        </>
      }
    >
      <Filtered
        names={FILTERS}
        read={(query, signal) => call("GET /api/audit", { query, signal })}
        queryKey={["audit"]}
      />
    </Page>
  );
}

export function AgentAudit({ id }: { id: string }) {
  return (
    <Filtered
      names={["user", "action", "since", "until"]}
      read={(query, signal) => call("GET /api/agents/{id}/audit", { path: { id }, query, signal })}
      queryKey={["audit", id]}
    />
  );
}

function Filtered({
  names,
  read,
  queryKey,
}: {
  names: readonly (typeof FILTERS)[number][];
  read: (query: Filter & { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Piece>;
  queryKey: string[];
}) {
  const [params, setParams] = useSearchParams();
  const filter: Filter = {};
  for (const name of names) {
    const value = params.get(name);
    const time = name === "since" || name === "until";
    // An address may say anything: what is no time narrows nothing.
    if (value && !(time && Number.isNaN(Date.parse(value))))
      filter[name] = time ? new Date(value).toISOString() : value;
  }
  const records = useInfiniteQuery({
    queryKey: [...queryKey, filter],
    queryFn: ({ pageParam, signal }) =>
      read({ limit: 100, ...filter, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: (before) => before,
  });
  const set = (name: string, value: string) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (value) after.set(name, value);
        else after.delete(name);
        return after;
      },
      { replace: true },
    );
  return (
    <>
      <form className="filters" onSubmit={(event) => event.preventDefault()} role="search">
        {names.map((name) => (
          <Field
            key={name}
            name={name}
            value={params.get(name) ?? ""}
            onChange={(value) => set(name, value)}
          />
        ))}
        <Button
          variant="default"
          size="sm"
          loading={records.isFetching}
          onClick={() => void records.refetch()}
        >
          Reload
        </Button>
      </form>
      <Loaded query={records}>
        {(data) => (
          <Records
            records={data.pages.flatMap((each) => each.items)}
            more={
              records.hasNextPage && (
                <Button
                  variant="default"
                  loading={records.isFetchingNextPage}
                  onClick={() => void records.fetchNextPage()}
                >
                  Older records
                </Button>
              )
            }
          />
        )}
      </Loaded>
    </>
  );
}

/** Takes effect when it is left, or at Enter: not with every letter. */
function Field({
  name,
  value,
  onChange,
}: {
  name: (typeof FILTERS)[number];
  value: string;
  onChange: (value: string) => void;
}) {
  const [draft, setDraft] = useState(value);
  const time = name === "since" || name === "until";
  return (
    <TextInput
      label={LABELS[name]}
      type={time ? "datetime-local" : "text"}
      placeholder={name === "action" ? "agents, or agents.create" : name === "user" ? "admin, or an id" : ""}
      value={draft}
      onChange={(event) => {
        setDraft(event.currentTarget.value);
        if (time) onChange(event.currentTarget.value);
      }}
      onBlur={() => onChange(draft.trim())}
      onKeyDown={(event) => event.key === "Enter" && onChange(draft.trim())}
      spellCheck={false}
    />
  );
}

function Records({ records, more }: { records: AuditRecord[]; more: ReactNode }) {
  if (records.length === 0)
    return (
      <Empty title="No records">
        Everything that changes or opens something is recorded. Widen the filter to see more.
      </Empty>
    );
  return (
    <>
      <div className="table-box" tabIndex={0} role="region" aria-label="Records">
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>When</Table.Th>
              <Table.Th>Who</Table.Th>
              <Table.Th>From</Table.Th>
              <Table.Th>Action</Table.Th>
              <Table.Th>Result</Table.Th>
              <Table.Th>On what</Table.Th>
              <Table.Th>Details</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {records.map((each) => (
              <Table.Tr key={`${each.gateway} ${each.number}`}>
                <Table.Td>
                  <Ago at={each.at} />
                </Table.Td>
                <Table.Td className="mono">
                  <Shown text={each.who} />
                </Table.Td>
                <Table.Td className="mono">{each.address}</Table.Td>
                <Table.Td>{each.action}</Table.Td>
                <Table.Td>
                  <span className={each.result === "ok" || each.result === "exited" ? "" : "bad"}>
                    {each.result}
                  </span>
                </Table.Td>
                <Table.Td className="mono wrap">
                  <Shown text={each.target} />
                </Table.Td>
                <Table.Td className="mono wrap">
                  {Object.entries(each.details).map(([name, value]) => (
                    <div key={name}>
                      <span className="dim">{name}:</span> <Shown text={value} />
                    </div>
                  ))}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      <Group justify="center" mt="sm">
        {more}
      </Group>
    </>
  );
}
