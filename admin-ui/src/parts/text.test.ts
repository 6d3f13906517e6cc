import { expect, test } from "vitest";
import { plain } from "./output";
import { pieces, visible } from "./shown";

const shown = (text: string) =>
  pieces(text)
    .map((each) => each.text)
    .join("");

test("what a screen would hide or reorder is written out", () => {
  expect(shown("a\u202egnp.exe")).toBe("a⟦U+202E⟧gnp.exe");
  expect(shown("\u0000\r\u001b[2K\u200b\u00a0\u2028\ufeff")).toBe(
    "⟦U+0000⟧⟦U+000D⟧⟦U+001B⟧[2K⟦U+200B⟧⟦U+00A0⟧⟦U+2028⟧⟦U+FEFF⟧",
  );
  expect(shown("x\u{e0041}y")).toBe("x⟦U+E0041⟧y");
  expect(shown("⟦U+000A⟧")).toBe("⟦U+27E6⟧U+000A⟧");
  expect(shown("\ud800")).toBe("⟦U+D800⟧");
});

test("what is seen stays as it is", () => {
  const text = "ls -la\t# größe, 日本, 😀\nnext";
  expect(pieces(text)).toEqual([{ text, hidden: false }]);
});

test("a flood of what is hidden becomes few pieces, and nothing of it is lost", () => {
  expect(pieces("\u0001".repeat(200_000))).toEqual([{ text: "⟦U+0001⟧".repeat(200_000), hidden: true }]);
  const alternating = "a\u0001".repeat(100_000);
  expect(pieces(alternating).length).toBeLessThan(1_010);
  expect(shown(alternating)).toBe("a⟦U+0001⟧".repeat(100_000));
});

test("in one string it is the same", () => {
  const text = "a\u202egnp\u200b\u200b.exe ⟦\ttab";
  expect(visible(text)).toBe(shown(text));
});

test("of output, what moves a cursor or names a window is left out", () => {
  expect(plain("\u001b[31mred\u001b[0m \u001b]8;;javascript:x\u0007link\u001b]8;;\u001b\\ done\r\n")).toBe(
    "red link done\n",
  );
  expect(plain("\u001b[2J\u001b(B\u001b7x")).toBe("x");
  expect(plain("progress 1\rprogress 2\r\n")).toBe("progress 1\rprogress 2\n");
});
