import { Fragment, memo } from "react";

/**
 * Runs of what a screen would hide, reorder or act upon, but for tab and line feed: by the same rule as `VisibleText` in
 * the gateway, which does it for texts of one line. Nobody can write such a sign themselves: its bracket is written out,
 * too.
 */
const HIDDEN =
  /(?:(?![ \t\n])[\p{C}\p{Z}\u27e6\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\u{e0000}-\u{e0fff}])+/gu;

/** Each piece is an element of the page. What comes after so many is written out in one, or the browser would stand still. */
const MOST_PIECES = 1_000;

function written(run: string): string {
  return Array.from(
    run,
    (each) => `⟦U+${each.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟧`,
  ).join("");
}

/** Text of somebody else's in one string, for where no element can stand: labels, options, notifications. */
export function visible(text: string): string {
  return text.replace(HIDDEN, written);
}

/** Pieces of a text: as it is, or the names of characters that cannot be seen. */
export function pieces(text: string): { text: string; hidden: boolean }[] {
  const found: { text: string; hidden: boolean }[] = [];
  let at = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (found.length >= MOST_PIECES) return [...found, { text: visible(text.slice(at)), hidden: false }];
    if (match.index > at) found.push({ text: text.slice(at, match.index), hidden: false });
    found.push({ text: written(match[0]), hidden: true });
    at = match.index + match[0].length;
  }
  if (at < text.length) found.push({ text: text.slice(at), hidden: false });
  return found;
}

/** Text of somebody else's, with what would be invisible written out. */
export const Shown = memo(function Shown({ text }: { text: string }) {
  return (
    <bdi>
      {pieces(text).map((piece, index) =>
        piece.hidden ? (
          <span key={index} className="hidden-character">
            {piece.text}
          </span>
        ) : (
          <Fragment key={index}>{piece.text}</Fragment>
        ),
      )}
    </bdi>
  );
});
