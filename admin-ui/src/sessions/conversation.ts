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

function turnEnd(data: Record<string, unknown>): string {
  const usage = object(data["usage"]);
  const took =
    typeof data["duration_ms"] === "number" ? `, ${(data["duration_ms"] / 1000).toFixed(1)} s` : "";
  const tokens = usage
    ? `, ${String(usage["input_tokens"])} tokens read, ${String(usage["output_tokens"])} written`
    : "";
  const detail = text(data, "detail");
  return `turn ended: ${text(data, "reason")}${detail ? ` (${detail})` : ""}${took}${tokens}`;
}

/** The notice's own name, and whatever it says. */
function notice(data: Record<string, unknown>): string {
  const { notice: name, turn_id: _turn, author: _author, message, detail, code, ...rest } = data;
  const said = [name, code, message, detail].filter((each) => typeof each === "string");
  const more = Object.entries(rest).map(
    ([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [said.join(": "), more.join(", ")].filter(Boolean).join(" · ");
}

/** What is shown of a log: what belongs together, in the order in which each began. Events come in order of their ids. */
export function conversation(events: SessionEvent[]): Item[] {
  const items: Item[] = [];
  const calls = new Map<string, ToolCallItem>();
  let open: TextItem | undefined;
  let writing: string | undefined;
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
      case "text_delta": {
        // What came with an earlier attempt at the same step counts no more.
        const attempt = `${String(data["turn_id"])} ${String(data["step"])} ${String(data["attempt"])}`;
        if (!open) {
          open = {
            kind: "text",
            key: `event-${event.id}`,
            at: event.at,
            author: text(data, "author") || "assistant",
            said: false,
            text: "",
            unfinished: true,
          };
          items.push(open);
        }
        if (attempt !== writing) open.text = "";
        writing = attempt;
        open.text += text(data, "text");
        break;
      }
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
        items.push({ kind: "line", key: `event-${event.id}`, at: event.at, text: turnEnd(data), bad: false });
        break;
      case "notice":
      case "error":
        items.push({
          kind: "line",
          key: `event-${event.id}`,
          at: event.at,
          text: notice(data),
          bad: event.type === "error",
        });
    }
  }
  return items;
}
