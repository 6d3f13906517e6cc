/** Reads what the gateway says in Prometheus' text format: samples by name, with their labels. */
export interface Sample {
  labels: Record<string, string>;
  value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

export function read(text: string): Map<string, Sample[]> {
  const found = new Map<string, Sample[]>();
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) continue;
    const match = LINE.exec(line);
    if (!match) continue;
    const labels: Record<string, string> = {};
    for (const label of (match[2] ?? "").matchAll(LABEL)) labels[label[1]!] = label[2]!;
    const samples = found.get(match[1]!) ?? [];
    samples.push({ labels, value: Number(match[3]) });
    found.set(match[1]!, samples);
  }
  return found;
}

export function sum(
  samples: Sample[] | undefined,
  only: (labels: Record<string, string>) => boolean = () => true,
): number {
  return (samples ?? []).filter((each) => only(each.labels)).reduce((total, each) => total + each.value, 0);
}

/** What the charts show, at one moment. Counters count from the gateway's start. */
export interface Reading {
  at: number;
  commands: number;
  running: number;
  requests: number;
  requestSeconds: number;
  streams: number;
  memory: number;
}

export function reading(text: string, at: number): Reading {
  const found = read(text);
  const api = (labels: Record<string, string>) => labels["route"] !== "GET /metrics";
  return {
    at,
    commands: sum(found.get("hermit_execs_seconds_count")),
    running: sum(found.get("hermit_execs_running")),
    requests: sum(found.get("hermit_http_requests_seconds_count"), api),
    requestSeconds: sum(found.get("hermit_http_requests_seconds_sum"), api),
    streams: sum(found.get("hermit_http_streams_open")),
    memory: sum(found.get("jvm_memory_used_bytes"), (labels) => labels["area"] === "heap"),
  };
}

/** What happened between two moments, as a figure; undefined where nothing can be said, e.g. over a restart. */
export function between(
  before: Reading,
  after: Reading,
  figure: (change: {
    seconds: number;
    commands: number;
    requests: number;
    requestSeconds: number;
  }) => number | undefined,
): number | undefined {
  if (after.requests < before.requests || after.commands < before.commands) return undefined;
  return figure({
    seconds: (after.at - before.at) / 1000,
    commands: after.commands - before.commands,
    requests: after.requests - before.requests,
    requestSeconds: after.requestSeconds - before.requestSeconds,
  });
}
