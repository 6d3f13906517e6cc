/**
 * Puts a text into the clipboard. A browser offers that to pages that came over HTTPS or from this machine only; for
 * others there is the old way, over a selection.
 */
export async function copyText(text: string): Promise<void> {
  // The type says that it is there; over plain http from elsewhere it is not.
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard) return clipboard.writeText(text);
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!done) throw new Error("This browser lets pages copy over https only: select it, and copy it by hand");
}
