import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { call } from "../api/client";
import type { Approval } from "../api/types";
import { LATER } from "../app/queries";
import { Empty, Loaded, Page, Section } from "../parts/parts";
import { Pager, usePaging } from "../parts/paging";
import { ApprovalCard } from "./ApprovalCard";
import { useInbox, useNotificationSetting } from "./inbox";
import { byAge } from "./known";

const STATES = ["approved", "executing", "done", "denied", "expired", "cancelled", "unknown"] as const;

/** The inbox over all agents of whoever is logged in; follows events. */
export function ApprovalsPage() {
  const inbox = useInbox();
  const shown = useInPlace(inbox.pending);
  const notifications = useNotificationSetting();
  return (
    <Page
      title="Approvals"
      actions={
        <>
          {notifications.possible && (
            <Button variant="default" onClick={notifications.toggle} aria-pressed={notifications.on}>
              {notifications.on ? "Notifications are on" : "Notify me"}
            </Button>
          )}
          <Button variant="default" component={Link} to="/approvals/rules">
            Remembered rules
          </Button>
        </>
      }
    >
      <Section title={`Waiting (${inbox.pending.length})`}>
        {shown.length === 0 ? (
          <Empty title="Nobody waits for you">
            What an agent wants to do and its policy asks a person about appears here by itself. Silence is a
            no: after 10 minutes it is expired.
          </Empty>
        ) : (
          <div className="cards" aria-live="polite">
            {shown.map((each) => (
              <ApprovalCard key={each.id} approval={inbox.latest(each)} />
            ))}
          </div>
        )}
      </Section>
      <Past without={new Set(shown.map((each) => each.id))} />
    </Page>
  );
}

/** So long nothing has to be decided until those that were make room. */
const MOVES_AFTER = 3_000;

/**
 * Those that wait, and those that have waited until just now: what takes the place of a decided one would come under a
 * finger that is about to press.
 */
function useInPlace(pending: Approval[]): Approval[] {
  const [before, setBefore] = useState(pending);
  const [decided, setDecided] = useState<Approval[]>([]);
  if (before !== pending) {
    setBefore(pending);
    const waits = new Set(pending.map((each) => each.id));
    const gone = before.filter((each) => !waits.has(each.id));
    if (gone.length > 0) setDecided([...decided, ...gone]);
  }
  useEffect(() => {
    if (decided.length === 0) return;
    const timer = setTimeout(() => setDecided([]), MOVES_AFTER);
    return () => clearTimeout(timer);
  }, [decided]);
  return useMemo(() => byAge([...pending, ...decided]), [pending, decided]);
}

function Past({ without }: { without: ReadonlySet<string> }) {
  const [params, setParams] = useSearchParams();
  const state = params.get("state") ?? "";
  const paging = usePaging();
  const { cursor } = paging;
  const inbox = useInbox();
  const past = useQuery({
    queryKey: ["approvals", "past", state, cursor],
    queryFn: ({ signal }) =>
      call("GET /api/approvals", {
        query: {
          limit: 50,
          ...(state ? { state: state as (typeof STATES)[number] } : {}),
          ...(cursor ? { cursor } : {}),
        },
        signal,
      }),
    refetchInterval: LATER,
    placeholderData: (before) => before,
  });
  return (
    <Section
      title="Decided"
      actions={
        <NativeSelect
          aria-label="State"
          size="xs"
          value={state}
          onChange={(event) => {
            paging.go([]);
            setParams(event.currentTarget.value ? { state: event.currentTarget.value } : {}, {
              replace: true,
            });
          }}
          data={[{ value: "", label: "every state" }, ...STATES]}
        />
      }
    >
      <Loaded query={past}>
        {({ items }) => <List approvals={items.filter((each) => !without.has(each.id)).map(inbox.latest)} />}
      </Loaded>
      <Pager paging={paging} page={past} />
    </Section>
  );
}

function List({ approvals }: { approvals: Approval[] }) {
  const settled = approvals.filter((each) => each.state !== "pending");
  if (settled.length === 0) return <Empty title="Nothing has been decided" />;
  return (
    <div className="cards">
      {settled.map((each) => (
        <ApprovalCard key={each.id} approval={each} />
      ))}
    </div>
  );
}

export function AgentApprovals({ id }: { id: string }) {
  const paging = usePaging();
  const { cursor } = paging;
  const inbox = useInbox();
  const approvals = useQuery({
    queryKey: ["approvals", "agent", id, cursor],
    queryFn: ({ signal }) =>
      call("GET /api/agents/{id}/approvals", {
        path: { id },
        query: { limit: 50, ...(cursor ? { cursor } : {}) },
        signal,
      }),
    refetchInterval: LATER,
    placeholderData: (before) => before,
  });
  return (
    <Loaded query={approvals}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title="Nothing has been asked">
            Under a supervised policy, calls of the tools that it names wait here for a person.
          </Empty>
        ) : (
          <div className="cards">
            {items.map((each) => (
              <ApprovalCard key={each.id} approval={inbox.latest(each)} />
            ))}
            <Pager paging={paging} page={approvals} />
          </div>
        )
      }
    </Loaded>
  );
}
