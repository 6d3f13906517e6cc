/** How the gateway begins the script that finds a terminal's shell, where nobody has asked for another program. */
const LOGIN_SHELL = "s=${SHELL:-}\n";

/** What a command is, in words. */
export function textOf(exec: { command: string | null; argv: string[] | null; terminal: boolean }): string {
  if (exec.terminal && exec.command?.startsWith(LOGIN_SHELL)) return "the user's login shell";
  return exec.command ?? exec.argv?.join(" ") ?? "";
}
