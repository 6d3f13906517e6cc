import { afterEach, expect, test, vi } from "vitest";
import { askAgain } from "../app/queries";
import { call, onReachable, Refusal, Unreachable } from "./client";

function answers(response: Response) {
  vi.stubGlobal("fetch", () => Promise.resolve(response));
}

const problem = (status: number, code: string) =>
  new Response(JSON.stringify({ status, code, detail: "no", errors: [] }), {
    status,
    headers: { "Content-Type": "application/problem+json" },
  });

async function failureOfCall(): Promise<{ failure: Error; told: boolean[] }> {
  const told: boolean[] = [];
  const stop = onReachable((reachable) => told.push(reachable));
  const failure = await call("GET /api/agents").then(
    () => expect.unreachable(),
    (thrown: Error) => thrown,
  );
  stop();
  return { failure, told };
}

afterEach(() => vi.unstubAllGlobals());

test("whoever answers in the gateway's place is not the gateway", async () => {
  answers(new Response("<h1>Bad Gateway</h1>", { status: 502, headers: { "Content-Type": "text/html" } }));
  const { failure, told } = await failureOfCall();
  expect(failure).toBeInstanceOf(Unreachable);
  expect(told).toEqual([false]);
});

test("an answer that is cut is none", async () => {
  answers(new Response('{"items": [', { headers: { "Content-Type": "application/json" } }));
  const { failure, told } = await failureOfCall();
  expect(failure).toBeInstanceOf(Unreachable);
  expect(told).toEqual([true, false]);
});

test("a gateway that says no is there", async () => {
  answers(problem(503, "unavailable"));
  const { failure, told } = await failureOfCall();
  expect(failure).toBeInstanceOf(Refusal);
  expect(told).toEqual([true]);
});

test("what did not reach the gateway is asked until it does, the rest is told", () => {
  const refusal = (status: number) => new Refusal({ status, detail: "no", errors: [] } as never);
  expect(askAgain(1_000, new Unreachable())).toBe(true);
  expect([0, 1, 2].map((failures) => askAgain(failures, refusal(503)))).toEqual([true, true, false]);
  expect(askAgain(0, refusal(404))).toBe(false);
  expect(askAgain(0, new TypeError("a mistake in the page"))).toBe(false);
});
