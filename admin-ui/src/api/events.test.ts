import { expect, test } from "vitest";
import { EventParser } from "./events";

test("events come out as they are completed, however they were cut", () => {
  const text =
    ': a comment\n\nid: 7\nevent: stdout\ndata: {"data":"a\\n"}\n\nevent: end\ndata: one\ndata: two\n\n';
  for (let size = 1; size < text.length; size++) {
    const parser = new EventParser();
    const found = [];
    for (let at = 0; at < text.length; at += size) found.push(...parser.read(text.slice(at, at + size)));
    expect(found).toEqual([
      { id: "7", type: "stdout", data: '{"data":"a\\n"}' },
      { id: undefined, type: "end", data: "one\ntwo" },
    ]);
  }
});
