import { Fragment } from "react";

/**
 * What a screen would hide, reorder or act upon: control characters (but for tab and line feed), bidirectional marks,
 * invisible and separating characters, tags, and private or unassigned ones.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\uffff\ud800-\udfff]|[\u{e0000}-\u{e0fff}]/gu;

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
