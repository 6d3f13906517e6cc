import { MutationObserver, QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { COSTLY, forgetAll, refresh } from "./queries";

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
