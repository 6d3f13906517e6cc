import { MutationObserver, QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { Refusal, Unreachable } from "../api/client";
import { COSTLY, forgetAll, isDenied, refresh, SOON } from "./queries";

test("nothing that was sent outlives a logout", async () => {
  const client = new QueryClient();
  client.setQueryData(["me"], "ada");
  client.setQueryData(["agents"], ["secret agent"]);
  const join = new MutationObserver(client, { mutationFn: (token: string) => Promise.resolve(token) });
  await join.mutate("open sesame");
  expect(client.getMutationCache().getAll()).toHaveLength(1);
  forgetAll(client);
  expect(client.getMutationCache().getAll()).toEqual([]);
  expect(client.getQueryData(["agents"])).toBeUndefined();
  expect(client.getQueryData(["me"])).toBe("ada");
});

test("a gateway that is back is asked for what is on the screen, but not to start machines", async () => {
  const client = new QueryClient();
  const asked: string[] = [];
  const look = (name: string, options: object) =>
    new QueryObserver(client, {
      queryKey: [name],
      queryFn: () => {
        asked.push(name);
        return Promise.resolve(name);
      },
      initialData: name,
      staleTime: Infinity,
      ...options,
    }).subscribe(() => undefined);
  const ends = [look("agents", {}), look("files", COSTLY)];
  await refresh(client);
  expect(asked).toEqual(["agents"]);
  ends.forEach((end) => end());
});

test("what is denied is not asked for again by itself", () => {
  const refusal = (status: number) => new Refusal({ status, detail: "no", errors: [] } as never);
  const after = (error: Error | null) => SOON({ state: { error } });
  expect([null, new Unreachable(), refusal(503)].map(after)).toEqual([3_000, 3_000, 3_000]);
  expect([refusal(403), refusal(404)].map(after)).toEqual([false, false]);
  expect(isDenied(refusal(401))).toBe(false);
});
