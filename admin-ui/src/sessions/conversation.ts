import type { SessionEvent } from "../api/types";

/** Of which events an item has come: as long as that is the same, so is the item. */
interface Gathered {
  key: string;
  /** How many events. */
  events: number;
  /** The id of the last one. */
  last: number;
}

/** A call of a tool with all that became of it, gathered from its events. */
export interface ToolCallItem extends Gathered {
  kind: "call";
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

export interface TextItem extends Gathered {
  kind: "text";
  at: string;
  author: string;
  /** Whether a person has said it; else the agent has. */
  said: boolean;
  text: string;
  /** More of it is to come. */
  unfinished: boolean;
}

export interface LineItem extends Gathered {
  kind: "line";
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
  const steps = new Set<string>();
  let open: TextItem | undefined;
  let writing: string | undefined;
  const gathered = (item: Gathered, event: SessionEvent) => {
    item.events++;
    item.last = event.id;
  };
  /** The same wherever in the step one begins to read. */
  const keyOfText = (event: SessionEvent, data: Record<string, unknown>): string => {
    const step = `text-${String(data["turn_id"])}-${String(data["step"])}`;
    if (data["turn_id"] === undefined || steps.has(step)) return `event-${event.id}`;
    steps.add(step);
    return step;
  };
  const call = (event: SessionEvent): ToolCallItem => {
    const data = event.data as Record<string, unknown>;
    const id = text(data, "call_id") || `event-${event.id}`;
    const known = calls.get(id);
    if (known) {
      gathered(known, event);
      return known;
    }
    const made: ToolCallItem = {
      kind: "call",
      key: `call-${id}`,
      events: 1,
      last: event.id,
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
          gathered(open, event);
          open.text = text(data, "text");
          open.unfinished = false;
          open = undefined;
          break;
        }
        items.push({
          kind: "text",
          key: said ? `event-${event.id}` : keyOfText(event, data),
          events: 1,
          last: event.id,
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
            key: keyOfText(event, data),
            events: 0,
            last: 0,
            at: event.at,
            author: text(data, "author") || "assistant",
            said: false,
            text: "",
            unfinished: true,
          };
          items.push(open);
        }
        gathered(open, event);
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
        if (open) {
          gathered(open, event);
          open.unfinished = false;
        }
        open = undefined;
        items.push({
          kind: "line",
          key: `event-${event.id}`,
          events: 1,
          last: event.id,
          at: event.at,
          text: turnEnd(data),
          bad: false,
        });
        break;
      case "notice":
      case "error":
        items.push({
          kind: "line",
          key: `event-${event.id}`,
          events: 1,
          last: event.id,
          at: event.at,
          text: notice(data),
          bad: event.type === "error",
        });
    }
  }
  return items;
}

/** Items as they are now, in which those that nothing has happened to are the very same as before: what shows them rests. */
export function keeping(before: Item[], now: Item[]): Item[] {
  const known = new Map(before.map((each) => [each.key, each]));
  return now.map((each) => {
    const old = known.get(each.key);
    return old && old.events === each.events && old.last === each.last ? old : each;
  });
}
