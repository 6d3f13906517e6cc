import { expect, test } from "vitest";
import { follow } from "./draft";

const given = { access: "private" };
const newer = { access: "public" };

test("what nobody has touched follows the gateway", () => {
  expect(follow({ version: "1", given, draft: { ...given } }, "2", newer)).toEqual({
    version: "2",
    given: newer,
    draft: newer,
  });
});

test("what somebody types is kept when somebody else saves", () => {
  const typed = { version: "1", given, draft: { access: "protected" } };
  expect(follow(typed, "2", newer)).toBe(typed);
});
