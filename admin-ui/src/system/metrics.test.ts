import { expect, test } from "vitest";
import { between, reading } from "./metrics";

const text = (count: number) => `# HELP x y
hermit_execs_seconds_count{end_reason="exited"} ${count}.0
hermit_execs_seconds_count{end_reason="timed_out"} 1.0
hermit_http_requests_seconds_count{method="GET",route="GET /metrics",status="200"} 99.0
hermit_http_requests_seconds_count{method="GET",route="GET /api/agents",status="200"} ${count}.0
hermit_http_requests_seconds_sum{method="GET",route="GET /api/agents",status="200"} 0.5
jvm_memory_used_bytes{area="heap",id="Eden Space"} 1.5E7
`;

test("figures are read from what the gateway says", () => {
  expect(reading(text(4), 0)).toMatchObject({
    commands: 5,
    requests: 4,
    requestSeconds: 0.5,
    memory: 15_000_000,
  });
});

test("over a restart nothing is said", () => {
  const rate = (change: { seconds: number; commands: number }) => change.commands / change.seconds;
  expect(between(reading(text(4), 0), reading(text(10), 2_000), rate)).toBe(3);
  expect(between(reading(text(10), 0), reading(text(0), 2_000), rate)).toBeUndefined();
});
