import { useQuery } from "@tanstack/react-query";
import { memo } from "react";
import { call } from "../api/client";
import { ApprovalCard, Call } from "../approvals/ApprovalCard";
import { useInbox } from "../approvals/inbox";
import { Output } from "../parts/output";
import { Ago, millis, State } from "../parts/parts";
import { Shown } from "../parts/shown";
import type { Item, TextItem, ToolCallItem } from "./conversation";

export const ItemView = memo(function ItemView({ item, owner }: { item: Item; owner: boolean }) {
  switch (item.kind) {
    case "text":
      return <Text item={item} />;
    case "call":
      return <ToolCall item={item} owner={owner} />;
    case "line":
      return (
        <div className={item.bad ? "event event-head bad" : "event event-head"}>
          <Shown text={item.text} /> <Ago at={item.at} />
        </div>
      );
  }
});

function Text({ item }: { item: TextItem }) {
  return (
    <article className={item.said ? "event said" : "event"}>
      <div className="event-head">
        <span className="mono">{item.author || (item.said ? "somebody" : "agent")}</span>
        <Ago at={item.at} />
      </div>
      <div className="event-text">
        <Shown text={item.text} />
        {item.unfinished && <span aria-label="More is to come"> …</span>}
      </div>
    </article>
  );
}

function ToolCall({ item, owner }: { item: ToolCallItem; owner: boolean }) {
  const code = item.result?.["exit_code"];
  const took = item.result?.["duration_ms"];
  return (
    <article className="event">
      <div className="event-head">
        <span className="mono">{item.author}</span> calls <span className="mono">{item.tool}</span>
        <State state={item.state} />
        {typeof code === "number" && <span>code {code}</span>}
        {typeof took === "number" && <span>{millis(took)}</span>}
        <Ago at={item.at} />
      </div>
      {item.state === "pending" && item.approvalId ? (
        <Waiting item={item} id={item.approvalId} owner={owner} />
      ) : (
        <div className="card">
          <Call tool={item.tool} call={item.call} />
          {item.failure && (
            <p className="bad">
              <Shown text={item.failure} />
            </p>
          )}
          {item.stdout && <Output text={item.stdout} label="Standard output" />}
          {item.stderr && <Output text={item.stderr} error label="Standard error" />}
          {!item.stdout && item.result && <Result result={item.result} />}
        </div>
      )}
    </article>
  );
}

/** Of a command's result, what is not in the head of its card already. */
function Result({ result }: { result: Record<string, unknown> }) {
  if ("exit_code" in result) return null;
  const content = result["content"];
  return (
    <Output text={typeof content === "string" ? content : JSON.stringify(result, null, 2)} label="Result" />
  );
}

function Waiting({ item, id, owner }: { item: ToolCallItem; id: string; owner: boolean }) {
  const inbox = useInbox();
  const known = inbox.find(id);
  const asked = useQuery({
    queryKey: ["approvals", id],
    queryFn: ({ signal }) => call("GET /api/approvals/{approval_id}", { path: { approval_id: id }, signal }),
    enabled: owner && !known,
  });
  const approval = known ?? asked.data;
  if (approval) return <ApprovalCard approval={approval} inSession />;
  return (
    <div className="card card-pending">
      <Call tool={item.tool} call={item.call} />
      <p className="dim">It waits for an owner of the agent to approve it.</p>
    </div>
  );
}
