import { afterEach, expect, test, vi } from "vitest";
import { EventParser, follow } from "./events";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("events come out as they are completed, however they were cut", () => {
  const text =
    ': a comment\n\nid: 7\nevent: stdout\ndata: {"data":"a\\n"}\n\nevent: end\ndata: one\ndata: two\n\n';
  for (let size = 1; size < text.length; size++) {
    const parser = new EventParser();
    const found = [];
    for (let at = 0; at < text.length; at += size) found.push(...parser.read(text.slice(at, at + size)));
    expect(found).toEqual([
      { id: "7", type: "stdout", data: '{"data":"a\\n"}' },
      { id: undefined, type: "end", data: "one\ntwo" },
    ]);
  }
});

test("a connection over which nothing comes any more is made anew, from behind the last event", async () => {
  vi.useFakeTimers();
  const asked: (string | null)[] = [];
  const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  let cancelled = 0;
  vi.stubGlobal("fetch", (_: string, init: RequestInit) => {
    asked.push(new Headers(init.headers).get("Last-Event-ID"));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => void streams.push(controller),
      cancel: () => void cancelled++,
    });
    return Promise.resolve(new Response(body));
  });
  const live: boolean[] = [];
  const abort = new AbortController();
  const seen: string[] = [];
  void follow(
    "/events",
    abort.signal,
    (event) => void seen.push(event.data),
    (is) => live.push(is),
  );
  await vi.advanceTimersByTimeAsync(1_000);
  streams[0]!.enqueue(new TextEncoder().encode("id: 7\ndata: one\n\n"));
  await vi.advanceTimersByTimeAsync(40_000);
  streams[0]!.enqueue(new TextEncoder().encode(": still here\n\n"));
  await vi.advanceTimersByTimeAsync(40_000);
  expect(asked).toEqual([null]);
  expect(seen).toEqual(["one"]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).toEqual([null, "7"]);
  expect(cancelled).toBe(1);
  expect(live).toEqual([true, false, true]);
  abort.abort();
});
