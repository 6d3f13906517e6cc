import { Alert, Badge, Button, Loader, Text, Title, Tooltip } from "@mantine/core";
import { useEffect, useState, type ReactNode } from "react";
import { Link } from "react-router";
import { Refusal } from "../api/client";
import { isDenied } from "../app/queries";
import { Shown, visible } from "./shown";
import { advice } from "./toasts";

/** Head and body of a page. */
export function Page({
  title,
  above,
  actions,
  children,
}: {
  title: ReactNode;
  above?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <>
      <header className="page-head">
        <div>
          {above && (
            <nav aria-label="Where this is" className="crumbs">
              {above}
            </nav>
          )}
          <Title order={1}>{title}</Title>
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="section" aria-label={title}>
      <div className="section-head">
        <Title order={2}>{title}</Title>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** Nothing is there yet: says what would be, and how it comes about. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <Text fw={600}>{title}</Text>
      {children && (
        <Text size="sm" component="div" className="dim">
          {children}
        </Text>
      )}
    </div>
  );
}

/** Something could not be had. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <Alert
      color="red"
      title={error instanceof Refusal && error.status === 404 ? "Not found" : "This did not work"}
      role="alert"
    >
      <Text size="sm">
        <Shown text={advice(error)} />
      </Text>
      {retry && (
        <Button mt="sm" variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

/**
 * What a query has: its failure, that it is on its way, or what `children` make of it. What was there stays over a failure
 * that may pass, but not where the gateway says that it is not for whoever looks.
 */
export function Loaded<T>({
  query,
  children,
}: {
  query: { data: T | undefined; error: unknown; refetch: () => unknown };
  children: (data: T) => ReactNode;
}) {
  if (isDenied(query.error)) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return (
    <div className="loading">
      <Loader size="sm" aria-label="Loading" />
    </div>
  );
}

const UNITS: [number, string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
];

export function span(seconds: number): string {
  const size = Math.abs(seconds);
  const [unit, name] = UNITS.find(([each]) => size >= each) ?? [1, "s"];
  return `${Math.floor(size / unit)} ${name}`;
}

/** A clock for what is on the screen. */
export function useNow(every = 10_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

/** How long ago, or until when; the exact time at a look. */
export function Ago({ at }: { at: string | null | undefined }) {
  const now = useNow();
  if (!at) return <span className="dim">—</span>;
  const seconds = (now - Date.parse(at)) / 1000;
  const text = seconds < -1 ? `in ${span(seconds)}` : seconds < 5 ? "now" : `${span(seconds)} ago`;
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {text}
    </time>
  );
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = size;
  let unit = -1;
  do {
    value /= 1024;
    unit++;
  } while (value >= 1024 && unit < units.length - 1);
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

export function millis(value: number | null): string {
  if (value === null) return "—";
  if (value < 1000) return `${value} ms`;
  if (value < 60_000) return `${(value / 1000).toFixed(1)} s`;
  return span(value / 1000);
}

const COLORS: Record<string, string> = {
  running: "teal",
  up: "teal",
  ready: "teal",
  intact: "teal",
  done: "teal",
  exited: "gray",
  open: "teal",
  provisioned: "teal",
  pending: "yellow",
  starting: "blue",
  stopping: "blue",
  approved: "blue",
  executing: "blue",
  degraded: "orange",
  absent: "orange",
  unknown: "orange",
  timed_out: "orange",
  cancelled: "gray",
  expired: "gray",
  denied: "red",
  error: "red",
  failed: "red",
  down: "red",
  unavailable: "red",
  broken: "red",
  oom_killed: "red",
  sandbox_lost: "red",
};

/** A word of the API's. */
export function State({ state, hint }: { state: string; hint?: string | null | undefined }) {
  const badge = (
    <Badge variant="dot" color={`${COLORS[state] ?? "gray"}.6`} size="sm" className="state">
      {state}
    </Badge>
  );
  return hint ? (
    <Tooltip label={visible(hint)}>
      <span tabIndex={0}>{badge}</span>
    </Tooltip>
  ) : (
    badge
  );
}

/** Why something is not offered. */
export function Why({ why, children }: { why: string | undefined; children: ReactNode }) {
  return why ? (
    <Tooltip label={why} events={{ hover: true, focus: true, touch: true }}>
      <span className="why" tabIndex={0}>
        {children}
      </span>
    </Tooltip>
  ) : (
    children
  );
}

export function Crumbs({ steps }: { steps: [string, string][] }) {
  return steps.map(([name, to]) => (
    <span key={to}>
      <Link to={to}>{name}</Link>
      <span aria-hidden> / </span>
    </span>
  ));
}
