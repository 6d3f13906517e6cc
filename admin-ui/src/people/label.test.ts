import { expect, test } from "vitest";
import { personLabel } from "./label";

const user = (name: string, id: string, ...channelUsers: string[]) => ({
  id,
  name,
  identities: channelUsers.map((each) => ({ channel: "telegram", channel_user_id: each })),
});

test("those who call themselves the same are told apart", () => {
  expect(personLabel(user("Ada", "0000-abc123"))).toBe("Ada · …abc123");
  expect(personLabel(user("Ada", "0000-def456", "17"))).toBe("Ada · telegram: 17 · …def456");
});

test("whoever takes another's label for a name still ends differently", () => {
  const ada = personLabel(user("Ada", "0000-abc123"));
  expect(personLabel(user(ada, "0000-def456"))).toBe("Ada · …abc123 · …def456");
});
