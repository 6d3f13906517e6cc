import { useQuery, useQueryClient } from "@tanstack/react-query";
import { all, request } from "../api/client";
import { LATER, SOON } from "../app/queries";
import { bytes, Failure } from "../parts/parts";
import { between, reading, type Reading } from "./metrics";

/** Of the last six minutes, as long as somebody looks; of what is asked for less often, of the last half hour. */
const KEPT = 120;

export function Charts() {
  const client = useQueryClient();
  const metrics = useQuery({
    queryKey: ["metrics"],
    queryFn: async ({ signal }) => {
      const text = await (await request("/metrics", { signal })).text();
      const before = client.getQueryData<Reading[]>(["metrics"]) ?? [];
      return [...before, reading(text, Date.now())].slice(-KEPT);
    },
    refetchInterval: SOON,
    structuralSharing: false,
  });
  // They are rows and no figure of the gateway's: of all of them, asked for less often.
  const sandboxes = useQuery({
    queryKey: ["sandboxes", "running"],
    queryFn: async ({ signal }) => {
      const { items } = await all("GET /api/sandboxes", {
        query: { type: "docker", status: "provisioned" },
        signal,
      });
      const before = client.getQueryData<number[]>(["sandboxes", "running"]) ?? [];
      return [...before, items.filter((each) => each.runtime?.state === "running").length].slice(-KEPT);
    },
    refetchInterval: LATER,
    structuralSharing: false,
  });
  if (metrics.error && !metrics.data)
    return <Failure error={metrics.error} retry={() => void metrics.refetch()} />;
  const readings = metrics.data ?? [];
  const rates = (figure: Parameters<typeof between>[2]) =>
    readings.slice(1).map((each, index) => between(readings[index]!, each, figure));
  const perMinute = rates(({ commands, seconds }) => (seconds > 0 ? (commands * 60) / seconds : undefined));
  const latency = rates(({ requests, requestSeconds }) =>
    requests > 0 ? (requestSeconds / requests) * 1000 : undefined,
  );
  return (
    <section className="section charts" aria-label="Figures">
      <Chart name="Commands per minute" values={perMinute} show={(value) => value.toFixed(0)} />
      <Chart name="Commands that run" values={readings.map((each) => each.running)} show={String} />
      <Chart name="Request latency" values={latency} show={(value) => `${value.toFixed(1)} ms`} />
      <Chart name="Open streams" values={readings.map((each) => each.streams)} show={String} />
      <Chart name="Heap" values={readings.map((each) => each.memory)} show={bytes} />
      <Chart name="Docker sandboxes that run" values={sandboxes.data ?? []} show={String} />
    </section>
  );
}

/** How many moments fill a chart at first. */
const LEAST = 20;
const WIDTH = 120;
const HEIGHT = 32;

function Chart({
  name,
  values,
  show,
}: {
  name: string;
  values: (number | undefined)[];
  show: (value: number) => string;
}) {
  const known = values.filter((each) => each !== undefined);
  const top = Math.max(1e-9, ...known);
  const room = Math.max(LEAST, values.length);
  const step = WIDTH / (room - 1);
  const first = room - values.length;
  const points = values.flatMap((each, index) =>
    each === undefined ? [] : [[(first + index) * step, HEIGHT - 1 - (each / top) * (HEIGHT - 3)] as const],
  );
  const line = points
    .map(([x, y], index) => `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`)
    .join("");
  const last = known.at(-1);
  return (
    <figure className="card chart" aria-label={name}>
      <figcaption className="dim">{name}</figcaption>
      <div className="chart-value">{last === undefined ? "—" : show(last)}</div>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
        {points.length > 1 && (
          <>
            <path className="area" d={`${line}L${points.at(-1)![0]} ${HEIGHT}L${points[0]![0]} ${HEIGHT}Z`} />
            <path className="line" d={line} />
          </>
        )}
      </svg>
      <div className="dim chart-top">{known.length > 0 && `up to ${show(Math.max(...known))}`}</div>
    </figure>
  );
}
