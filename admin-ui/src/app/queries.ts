import { QueryClient } from "@tanstack/react-query";
import { Refusal, Unreachable } from "../api/client";

/** Whether the gateway has said that this is not for whoever asks: asking again changes nothing, and is written down. */
export function isDenied(failure: unknown): boolean {
  return failure instanceof Refusal && (failure.status === 403 || failure.status === 404);
}

/** Where the API has no events, a list that is looked at is asked for again so often, until that is denied. */
export function every(millis: number) {
  return ({ state }: { state: { error: Error | null } }) => (isDenied(state.error) ? false : millis);
}

export const SOON = every(3_000);
/** For what is large or rarely changes. */
export const LATER = every(15_000);

/** How often a gateway that answers with a failure of its own is asked again by itself. */
const ATTEMPTS_AT_FAILURES = 2;

/**
 * Whether a question that has failed is put again. While nothing answers, the gateway may be restarting: that goes on
 * until it is back. Where it has answered, or the page itself is wrong, whoever looks is told.
 */
export function askAgain(failures: number, failure: Error): boolean {
  if (failure instanceof Unreachable) return true;
  return failure instanceof Refusal && failure.status >= 500 && failures < ATTEMPTS_AT_FAILURES;
}

/**
 * Of questions that start a machine, or that each provider is asked for: they are put by whoever looks, and never again
 * because a page is seen again or the gateway is back.
 */
export const COSTLY = {
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  meta: { costly: true },
} as const;

/** All that is on the screen comes up to date, but for what is costly. */
export function refresh(client: QueryClient) {
  return client.invalidateQueries({ predicate: ({ meta }) => meta?.["costly"] !== true });
}

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: "always",
      staleTime: 1_000,
      retry: askAgain,
      retryDelay: (count) => Math.min(500 * 2 ** count, 4_000),
      refetchOnReconnect: "always",
    },
    mutations: { networkMode: "always" },
  },
});

/**
 * What one person has seen or sent, tokens among it, is not for the next. Who is logged in is kept: the whole page watches
 * that.
 */
export function forgetAll(client: QueryClient) {
  client.getMutationCache().clear();
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
}
