import { useQuery, useQueryClient } from "@tanstack/react-query";
import { request } from "../api/client";
import { SOON } from "../app/queries";
import { bytes, Failure } from "../parts/parts";
import { between, reading, type Reading } from "./metrics";
import { useRunningSandboxes } from "./SystemPage";

/** Of the last six minutes, as long as somebody looks. */
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
  const sandboxes = useRunningSandboxes();
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
      <div className="card chart">
        <div className="dim">Docker sandboxes that run</div>
        <div className="chart-value">{sandboxes ?? "—"}</div>
      </div>
    </section>
  );
}

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
  const step = WIDTH / (KEPT - 1);
  const first = KEPT - values.length;
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
