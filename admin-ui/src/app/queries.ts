import { QueryClient } from "@tanstack/react-query";
import { Refusal } from "../api/client";

/** Where the API has no events, a list that is looked at is asked for again this often. */
export const SOON = 3_000;
/** The same, for what is large or rarely changes. */
export const LATER = 15_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: "always",
      staleTime: 1_000,
      // The gateway may be restarting: whatever it refuses it has decided, the rest is asked again.
      retry: (_, failure) => !(failure instanceof Refusal && failure.status < 500),
      retryDelay: (count) => Math.min(500 * 2 ** count, 4_000),
      refetchOnReconnect: "always",
    },
    mutations: { networkMode: "always" },
  },
});

/** What one person has seen is not for the next. Who is logged in is kept: the whole page watches that. */
export function forgetAll(client: QueryClient) {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
}
