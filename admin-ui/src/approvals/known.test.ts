import { expect, test } from "vitest";
import type { Approval } from "../api/types";
import { later, learn, type Known } from "./known";

const approval = (state: Approval["state"], id = "a") => ({ id, state }) as Approval;
const after = (...heard: Approval[]) => heard.reduce<Known>(learn, new Map());

test("an older answer does not undo a newer event", () => {
  expect(after(approval("done"), approval("approved")).get("a")!.state).toBe("done");
  expect(after(approval("executing"), approval("pending")).get("a")!.state).toBe("executing");
  expect(after(approval("pending"), approval("approved"), approval("executing")).get("a")!.state).toBe(
    "executing",
  );
});

test("a list that is newer than the last event wins", () => {
  expect(later(approval("pending"), approval("denied")).state).toBe("denied");
  expect(later(approval("done"), approval("executing")).state).toBe("done");
  expect(later(undefined, approval("executing")).state).toBe("executing");
});

test("of those that are settled only the last ones are kept, and all that wait", () => {
  const waiting = Array.from({ length: 400 }, (_, index) => approval("pending", `w${index}`));
  const settled = Array.from({ length: 1_000 }, (_, index) => approval("done", `s${index}`));
  const known = after(...waiting, ...settled);
  expect(known.size).toBe(700);
  expect(known.has("w0")).toBe(true);
  expect(known.has("s699")).toBe(false);
  expect(known.has("s700")).toBe(true);
});
