import { expect, test } from "vitest";
import type { SessionEvent } from "../api/types";
import { conversation, keeping } from "./conversation";

let id = 0;
const event = (type: SessionEvent["type"], data: Record<string, unknown>): SessionEvent => ({
  id: ++id,
  type,
  at: "2026-11-01T10:00:00Z",
  data,
});

test("a call is one item with all that became of it, where it began", () => {
  const about = { call_id: "c", tool: "exec", author: "agent:x" };
  const items = conversation([
    event("approval_required", { ...about, approval_id: "a", call: { command: "ls" } }),
    event("user_message", { text: "meanwhile", author: "admin" }),
    event("approval_decided", { call_id: "c", approval_id: "a", state: "approved" }),
    event("tool_call", { ...about, call: { command: "ls" } }),
    event("tool_output", { ...about, stdout: "one\n" }),
    event("tool_output", { ...about, stdout: "two\n", stderr: "oh" }),
    event("tool_result", { ...about, state: "done", result: { exit_code: 0 } }),
  ]);
  expect(items.map((each) => each.kind)).toEqual(["call", "text"]);
  expect(items[0]).toMatchObject({
    approvalId: "a",
    state: "done",
    stdout: "one\ntwo\n",
    stderr: "oh",
    result: { exit_code: 0 },
    call: { command: "ls" },
  });
});

test("what the agent says grows until it is final, and is there once", () => {
  const of = { turn_id: "t", step: 1 };
  const said = [
    event("text_delta", { ...of, attempt: 1, text: "Broken o" }),
    event("text_delta", { ...of, attempt: 2, text: "Hel" }),
    event("text_delta", { ...of, attempt: 2, text: "lo" }),
  ];
  expect(conversation(said)).toMatchObject([{ text: "Hello", unfinished: true }]);
  expect(
    conversation([...said, event("text_final", { text: "Hello!" }), event("turn_end", { reason: "done" })]),
  ).toMatchObject([{ text: "Hello!", unfinished: false }, { text: "turn ended: done" }]);
});

test("a denial says why", () => {
  expect(
    conversation([
      event("approval_required", { call_id: "c", tool: "exec", approval_id: "a" }),
      event("approval_decided", { call_id: "c", state: "denied", reason: "no" }),
    ]),
  ).toMatchObject([{ state: "denied", failure: "no" }]);
});

test("what nothing has happened to stays the very same", () => {
  const events = [
    event("user_message", { text: "one" }),
    event("tool_call", { call_id: "c", tool: "exec" }),
    event("text_delta", { turn_id: "t", step: 1, attempt: 1, text: "two" }),
  ];
  const before = conversation(events);
  const more = [
    ...events,
    event("tool_output", { call_id: "c", stdout: "out" }),
    event("turn_end", { reason: "done" }),
  ];
  const after = keeping(before, conversation(more));
  expect(after[0]).toBe(before[0]);
  expect(after[1]).toMatchObject({ stdout: "out" });
  expect(after[2]).toMatchObject({ text: "two", unfinished: false });
  expect(keeping(after, conversation(more))).toEqual(after);
  expect(keeping(after, conversation(more)).every((each, index) => each === after[index])).toBe(true);
});

test("a text is the same one when its beginning is read later", () => {
  const of = { turn_id: "t", step: 1, attempt: 1 };
  const events = [
    event("text_delta", { ...of, text: "Hel" }),
    event("text_delta", { ...of, text: "lo" }),
    event("text_final", { turn_id: "t", step: 1, text: "Hello" }),
    event("text_final", { turn_id: "t", step: 2, text: "again" }),
  ];
  const keys = [0, 1, 2].map((from) => conversation(events.slice(from)).map((each) => each.key));
  expect(keys[0]).toHaveLength(2);
  expect(new Set(keys[0]).size).toBe(2);
  expect(keys[1]).toEqual(keys[0]);
  expect(keys[2]).toEqual(keys[0]);
});
