import { expect, test } from "vitest";
import { ownerOf, type Press } from "./keys";

const press = (key: string, code: string, held: string, type = "keydown"): Press => ({
  type,
  key,
  code,
  ctrlKey: held.includes("ctrl"),
  shiftKey: held.includes("shift"),
  altKey: held.includes("alt"),
  metaKey: held.includes("meta"),
  getModifierState: (name) => name === "AltGraph" && held.includes("graph"),
});

test("what the browser would act upon is the shell's", () => {
  expect(ownerOf(press("w", "KeyW", "ctrl"))).toBe("shell");
  expect(ownerOf(press("r", "KeyR", "ctrl"))).toBe("shell");
  expect(ownerOf(press("a", "KeyA", ""))).toBe("both");
});

test("AltGr writes what stands on the key, as Windows and as Linux tell of it", () => {
  expect(ownerOf(press("@", "KeyQ", "ctrl alt"))).toBe("both");
  expect(ownerOf(press("{", "Digit7", "ctrl alt graph"))).toBe("both");
  expect(ownerOf(press("|", "IntlBackslash", "ctrl graph"))).toBe("both");
});

test("there is a way out of the terminal without a mouse", () => {
  expect(ownerOf(press("F6", "F6", "shift"))).toBe("leave");
  expect(ownerOf(press("Tab", "Tab", ""))).toBe("both");
});

test("zoom, copy and paste stay where they are known from", () => {
  for (const key of ["+", "-", "0"]) expect(ownerOf(press(key, "", "ctrl"))).toBe("browser");
  expect(ownerOf(press("C", "KeyC", "ctrl shift"))).toBe("copy");
  expect(ownerOf(press("C", "KeyC", "ctrl shift", "keyup"))).toBe("browser");
  expect(ownerOf(press("V", "KeyV", "ctrl shift"))).toBe("browser");
});
