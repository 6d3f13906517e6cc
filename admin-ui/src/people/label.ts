import type { User } from "../api/types";

/** Of an id, what is enough to tell two people apart who call themselves the same. */
export function idEnd(id: string): string {
  return `…${id.slice(-6)}`;
}

/**
 * Who somebody is, where one is chosen among others. Names are chosen by those who bear them: what the gateway knows of
 * them stands behind it, and last what nobody can choose. Not written out: whoever shows it does that.
 */
export function personLabel(user: Pick<User, "id" | "name" | "identities">): string {
  const known = user.identities.map((each) => `${each.channel}: ${each.channel_user_id}`);
  return [user.name, ...known, idEnd(user.id)].join(" · ");
}
