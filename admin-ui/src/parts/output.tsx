import { useMemo } from "react";
import { Shown } from "./shown";

/** What moves a cursor, colours or names a window: it means something to a terminal, and here it is left out. */
const ESCAPES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]|\r(?=\n)/g;

/** Output as text alone. */
export function plain(text: string): string {
  return text.replace(ESCAPES, "");
}

/** What one piece of a command's output may hold on the screen, in characters; of more the end is shown. */
export const MOST_SHOWN = 200_000;

export function Output({ text, error, label }: { text: string; error?: boolean; label: string }) {
  const shown = useMemo(() => plain(text.slice(-MOST_SHOWN)), [text]);
  return (
    <pre className={error ? "output output-err" : "output"} tabIndex={0} aria-label={label}>
      <Shown text={shown} />
    </pre>
  );
}
