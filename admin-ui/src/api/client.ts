import type { FieldError, Operations, Problem } from "./types";

/** The gateway has answered, and says no. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: Problem["code"];
  readonly fields: FieldError[];
  /** Seconds, where waiting helps. */
  readonly retryAfter: number | undefined;

  constructor(problem: Problem, retryAfter?: number) {
    super(problem.detail);
    this.status = problem.status;
    this.code = problem.code;
    this.fields = problem.errors;
    this.retryAfter = retryAfter;
  }
}

/** No answer came, or one that is not the gateway's. */
export class Unreachable extends Error {
  constructor() {
    super("The gateway does not answer");
  }
}

export type Operation = keyof Operations;

/** Leaves out what an operation does not take. */
export type Arguments<O extends Operation> = (keyof Operations[O]["path"] extends never
  ? { path?: undefined }
  : { path: Operations[O]["path"] }) &
  (keyof Operations[O]["query"] extends never ? { query?: undefined } : { query?: Operations[O]["query"] }) &
  (Operations[O]["body"] extends undefined ? { body?: undefined } : { body: Operations[O]["body"] }) & {
    headers?: Record<string, string>;
    signal?: AbortSignal;
  };

type Rest<O extends Operation> = Record<never, never> extends Arguments<O> ? [Arguments<O>?] : [Arguments<O>];

type Listener = (reachable: boolean) => void;
const listeners = new Set<Listener>();

/** Tells whether the gateway has answered the last request; what stands before it may answer in its place. */
export function onReachable(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let signedOut: () => void = () => {};

/** What to do when the gateway does not know this browser (any more). */
export function onSignedOut(what: () => void) {
  signedOut = what;
}

/** A path of the API, with its parameters put in place. */
export function address(template: string, path: object = {}, query: object = {}): string {
  const values = path as Record<string, string>;
  const filled = template.replace(/\{([a-z_]+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ""),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") search.set(name, String(value));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/** Sends a request by its address. Answers whatever the gateway answers, if that is a success. */
export async function request(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  // What no page of another site can send.
  headers.set("X-Hermit-CSRF", "1");
  let response: Response;
  try {
    response = await fetch(url, { ...init, headers, credentials: "same-origin", cache: "no-store" });
  } catch (failure) {
    if (init.signal?.aborted) throw failure;
    throw unreachable();
  }
  if (response.ok) {
    listeners.forEach((each) => each(true));
    return response;
  }
  const type = response.headers.get("Content-Type") ?? "";
  if (!type.startsWith("application/problem+json")) throw unreachable();
  const problem = await json<Problem>(response, init.signal);
  listeners.forEach((each) => each(true));
  if (problem.status === 401) signedOut();
  const after = response.headers.get("Retry-After");
  throw new Refusal(problem, after === null ? undefined : Number(after));
}

function unreachable(): Unreachable {
  listeners.forEach((each) => each(false));
  return new Unreachable();
}

/** What an answer says: one that is cut, or is no JSON, is not the gateway's. */
async function json<T>(response: Response, signal: AbortSignal | null | undefined): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (failure) {
    if (signal?.aborted) throw failure;
    throw unreachable();
  }
}

/** Calls an operation, and answers with the response as it came: for headers. */
export function send<O extends Operation>(operation: O, ...rest: Rest<O>): Promise<Response> {
  const [method, template] = operation.split(" ") as [string, string];
  const { path, query, body, headers, signal } = (rest[0] ?? {}) as {
    path?: object;
    query?: object;
    body?: unknown;
    headers?: Record<string, string>;
    signal?: AbortSignal;
  };
  return request(address(template, path, query), {
    method,
    headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
}

/** Calls an operation, and answers with what it says. */
export async function call<O extends Operation>(
  operation: O,
  ...rest: Rest<O>
): Promise<Operations[O]["answer"]> {
  const response = await send(operation, ...rest);
  if (response.status === 204) return undefined as Operations[O]["answer"];
  return json<Operations[O]["answer"]>(response, rest[0]?.signal);
}

type Listing = {
  [O in Operation]: Operations[O]["answer"] extends { items: unknown[]; next_cursor: string | null }
    ? O
    : never;
}[Operation];
type Item<O extends Listing> = Operations[O]["answer"] extends { items: (infer T)[] } ? T : never;

/** All of a list, page after page, up to `most`. */
export async function all<O extends Listing>(
  operation: O,
  args: { path?: object; query?: object; signal?: AbortSignal },
  most = 10_000,
): Promise<{ items: Item<O>[]; more: boolean }> {
  const items: Item<O>[] = [];
  let cursor: string | null = null;
  do {
    const query = { limit: 1000, ...args.query, ...(cursor ? { cursor } : {}) };
    const page = (await call(operation, { ...args, query } as never)) as {
      items: Item<O>[];
      next_cursor: string | null;
    };
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor && items.length < most);
  return { items, more: cursor !== null };
}
