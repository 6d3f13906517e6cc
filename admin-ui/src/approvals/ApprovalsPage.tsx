import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { call } from "../api/client";
import type { Approval } from "../api/types";
import { LATER } from "../app/queries";
import { Empty, Loaded, Page, Section } from "../parts/parts";
import { ApprovalCard } from "./ApprovalCard";
import { useInbox, useNotificationSetting } from "./inbox";

const STATES = ["approved", "executing", "done", "denied", "expired", "cancelled", "unknown"] as const;

/** The inbox over all agents of whoever is logged in; follows events. */
export function ApprovalsPage() {
  const inbox = useInbox();
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
        {inbox.pending.length === 0 ? (
          <Empty title="Nobody waits for you">
            What an agent wants to do and its policy asks a person about appears here by itself. Silence is a
            no: after 10 minutes it is expired.
          </Empty>
        ) : (
          <div className="cards" aria-live="polite">
            {inbox.pending.map((each) => (
              <ApprovalCard key={each.id} approval={each} />
            ))}
          </div>
        )}
      </Section>
      <Past />
    </Page>
  );
}

function Past() {
  const [params, setParams] = useSearchParams();
  const state = params.get("state") ?? "";
  const inbox = useInbox();
  const past = useQuery({
    queryKey: ["approvals", "past", state],
    queryFn: ({ signal }) =>
      call("GET /api/approvals", {
        query: { limit: 50, ...(state ? { state: state as (typeof STATES)[number] } : {}) },
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
          onChange={(event) =>
            setParams(event.currentTarget.value ? { state: event.currentTarget.value } : {}, {
              replace: true,
            })
          }
          data={[{ value: "", label: "every state" }, ...STATES]}
        />
      }
    >
      <Loaded query={past}>
        {({ items }) => <List approvals={items.map((each) => inbox.find(each.id) ?? each)} />}
      </Loaded>
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
  const inbox = useInbox();
  const approvals = useQuery({
    queryKey: ["approvals", "agent", id],
    queryFn: ({ signal }) =>
      call("GET /api/agents/{id}/approvals", { path: { id }, query: { limit: 50 }, signal }),
    refetchInterval: LATER,
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
              <ApprovalCard key={each.id} approval={inbox.find(each.id) ?? each} />
            ))}
          </div>
        )
      }
    </Loaded>
  );
}
