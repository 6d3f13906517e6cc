import { Fragment } from "react";

/**
 * What a screen would hide, reorder or act upon, but for tab and line feed: by the same rule as `VisibleText` in the
 * gateway, which does it for texts of one line. Nobody can write such a sign themselves: its bracket is written out, too.
 */
const HIDDEN =
  /(?![ \t\n])[\p{C}\p{Z}\u27e6\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\u{e0000}-\u{e0fff}]/gu;

/** Pieces of a text: as it is, or the name of a character that cannot be seen. */
export function pieces(text: string): { text: string; hidden: boolean }[] {
  const found: { text: string; hidden: boolean }[] = [];
  let at = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > at) found.push({ text: text.slice(at, match.index), hidden: false });
    const code = match[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
    found.push({ text: `⟦U+${code}⟧`, hidden: true });
    at = match.index + match[0].length;
  }
  if (at < text.length) found.push({ text: text.slice(at), hidden: false });
  return found;
}

/** Text of somebody else's, with what would be invisible written out. */
export function Shown({ text }: { text: string }) {
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
}
