import { useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { call } from "../api/client";
import type { Me } from "../api/types";
import { LATER } from "./queries";

const Context = createContext<Me | undefined>(undefined);
export const MeProvider = Context;

/** Whoever is logged in. */
export function useMe(): Me {
  const me = useContext(Context);
  if (!me) throw new Error("nobody is logged in");
  return me;
}

export function useIsAdmin(): boolean {
  return useMe().kind === "admin";
}

/** Why nothing can be changed by whoever is logged in; undefined where it can. */
export function useReadOnly(): string | undefined {
  return useMe().read_only ? "You are logged in with a token that only reads" : undefined;
}

/** What whoever is logged in is at an agent. */
export function useRole(id: string) {
  return useQuery({
    queryKey: ["agents", id, "me"],
    queryFn: ({ signal }) => call("GET /api/agents/{id}/me", { path: { id }, signal }),
    // Roles are given and taken while their bearers look on.
    refetchInterval: LATER,
  });
}
