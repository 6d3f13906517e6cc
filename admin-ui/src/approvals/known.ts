import type { Approval } from "../api/types";

type State = Approval["state"];

/** How far each has come: an approval only ever goes on. */
const STEPS: Record<State, number> = {
  pending: 0,
  approved: 1,
  executing: 2,
  done: 3,
  denied: 3,
  expired: 3,
  cancelled: 3,
  unknown: 3,
};

/** Of those that are settled, so many are kept: the last ones, for the lists that show them. */
const MOST_SETTLED = 300;

export type Known = ReadonlyMap<string, Approval>;

/**
 * What is known when one more is heard of. Events, answers to decisions and polls overtake each other on their ways: of
 * two that differ, the one that has come further is the later one.
 */
export function learn(known: Known, heard: Approval): Known {
  const before = known.get(heard.id);
  if (before && STEPS[before.state] > STEPS[heard.state]) return known;
  const after = new Map(known);
  // At the end: so the first ones are those that were not heard of for the longest time.
  after.delete(heard.id);
  after.set(heard.id, heard);
  const settled = [...after.values()].filter((each) => STEPS[each.state] === STEPS.done);
  for (const each of settled.slice(0, Math.max(0, settled.length - MOST_SETTLED))) after.delete(each.id);
  return after;
}

/** The later of what is known of one and what a list says of it. */
export function later(known: Approval | undefined, listed: Approval): Approval {
  return known && STEPS[known.state] >= STEPS[listed.state] ? known : listed;
}

/** Oldest first. */
export function byAge(approvals: Approval[]): Approval[] {
  return approvals.sort((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id));
}
