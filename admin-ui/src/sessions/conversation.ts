import type { SessionEvent } from "../api/types";

/** A call of a tool with all that became of it, gathered from its events. */
export interface ToolCallItem {
  kind: "call";
  key: string;
  at: string;
  author: string;
  tool: string;
  call: Record<string, unknown>;
  stdout: string;
  stderr: string;
  /** As its result says it; `running` or `asking` before. */
  state: string;
  approvalId: string | undefined;
  result: Record<string, unknown> | undefined;
  failure: string | undefined;
}

export interface TextItem {
  kind: "text";
  key: string;
  at: string;
  author: string;
  /** Whether a person has said it; else the agent has. */
  said: boolean;
  text: string;
  /** More of it is to come. */
  unfinished: boolean;
}

export interface LineItem {
  kind: "line";
  key: string;
  at: string;
  text: string;
  bad: boolean;
}

export type Item = ToolCallItem | TextItem | LineItem;

function text(data: Record<string, unknown>, ...keys: string[]): string {
  for (const key of keys) if (typeof data[key] === "string") return data[key];
  return "";
}

function object(value: unknown): Record<string, unknown> | undefined {
  return value && typeof value === "object" && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** What is shown of a log: what belongs together, in the order in which each began. Events come in order of their ids. */
export function conversation(events: SessionEvent[]): Item[] {
  const items: Item[] = [];
  const calls = new Map<string, ToolCallItem>();
  let open: TextItem | undefined;
  const call = (event: SessionEvent): ToolCallItem => {
    const data = event.data as Record<string, unknown>;
    const id = text(data, "call_id") || `event-${event.id}`;
    const known = calls.get(id);
    if (known) return known;
    const made: ToolCallItem = {
      kind: "call",
      key: `call-${id}`,
      at: event.at,
      author: text(data, "author"),
      tool: text(data, "tool"),
      call: object(data["call"]) ?? {},
      stdout: "",
      stderr: "",
      state: "running",
      approvalId: undefined,
      result: undefined,
      failure: undefined,
    };
    calls.set(id, made);
    items.push(made);
    return made;
  };
  for (const event of events) {
    const data = event.data as Record<string, unknown>;
    switch (event.type) {
      case "user_message":
      case "text_final": {
        const said = event.type === "user_message";
        if (!said && open) {
          open.text = text(data, "text");
          open.unfinished = false;
          open = undefined;
          break;
        }
        items.push({
          kind: "text",
          key: `event-${event.id}`,
          at: event.at,
          author: text(data, "author"),
          said,
          text: text(data, "text"),
          unfinished: false,
        });
        break;
      }
      case "text_delta":
        if (!open) {
          open = {
            kind: "text",
            key: `event-${event.id}`,
            at: event.at,
            author: text(data, "author"),
            said: false,
            text: "",
            unfinished: true,
          };
          items.push(open);
        }
        open.text += text(data, "text", "delta");
        break;
      case "tool_call": {
        const item = call(event);
        item.call = object(data["call"]) ?? item.call;
        break;
      }
      case "tool_output": {
        const item = call(event);
        item.stdout += text(data, "stdout");
        item.stderr += text(data, "stderr");
        break;
      }
      case "approval_required": {
        const item = call(event);
        item.approvalId = text(data, "approval_id") || undefined;
        item.call = object(data["call"]) ?? item.call;
        item.state = "pending";
        break;
      }
      case "approval_decided": {
        const item = call(event);
        item.state = text(data, "state");
        item.failure = text(data, "reason") || item.failure;
        break;
      }
      case "tool_result": {
        const item = call(event);
        item.state = text(data, "state");
        item.result = object(data["result"]);
        item.failure = text(object(data["error"]) ?? {}, "detail") || text(data, "reason") || item.failure;
        break;
      }
      case "turn_end":
        if (open) open.unfinished = false;
        open = undefined;
        if (text(data, "reason") && text(data, "reason") !== "done")
          items.push({
            kind: "line",
            key: `event-${event.id}`,
            at: event.at,
            text: `The turn has ended: ${text(data, "reason")}`,
            bad: false,
          });
        break;
      case "notice":
      case "error":
        items.push({
          kind: "line",
          key: `event-${event.id}`,
          at: event.at,
          text: text(data, "message", "detail", "text", "notice") || JSON.stringify(data),
          bad: event.type === "error",
        });
    }
  }
  return items;
}
