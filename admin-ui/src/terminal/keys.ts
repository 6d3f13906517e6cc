/** Of a key that was pressed, what decides whose it is. */
export type Press = Pick<
  KeyboardEvent,
  "type" | "code" | "key" | "ctrlKey" | "shiftKey" | "altKey" | "metaKey" | "getModifierState"
>;

/**
 * Whose a key is:
 *
 * - `copy`: it copies the selection.
 * - `leave`: it goes on to what stands behind the terminal, since Tab is the shell's.
 * - `browser`: the terminal leaves it alone.
 * - `shell`: the terminal has it, and the browser must not act upon it.
 * - `both`: the terminal has it, in the way in which the browser makes text of it.
 */
export type Owner = "copy" | "leave" | "browser" | "shell" | "both";

const ZOOM = ["+", "-", "=", "0"];

export function ownerOf(press: Press): Owner {
  if (press.shiftKey && press.code === "F6") return press.type === "keydown" ? "leave" : "browser";
  if (press.ctrlKey && press.shiftKey && press.code === "KeyC")
    return press.type === "keydown" ? "copy" : "browser";
  // It pastes.
  if (press.ctrlKey && press.shiftKey && press.code === "KeyV") return "browser";
  // On Windows AltGr is Ctrl and Alt: with it @ { } [ ] \ | ~ are written on many keyboards.
  if (!press.ctrlKey || press.metaKey || press.altKey || press.getModifierState("AltGraph")) return "both";
  if (ZOOM.includes(press.key)) return "browser";
  return press.type === "keydown" ? "shell" : "both";
}
