import { useState } from "react";

/** What is typed, and what it is based on. */
export interface Drafted<T> {
  /** Of the gateway's, what the draft began from. */
  version: string;
  given: T;
  draft: T;
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** When the gateway has something newer: what nobody has touched follows it, what somebody types stays. */
export function follow<T>(drafted: Drafted<T>, version: string, current: T): Drafted<T> {
  if (drafted.version === version || !same(drafted.draft, drafted.given)) return drafted;
  return { version, given: current, draft: current };
}

/**
 * What somebody makes of a document that others may change meanwhile: neither is lost.
 *
 * - `current`, `version`: as the gateway has it now.
 */
export function useDraft<T>(current: T, version: string) {
  const [drafted, setDrafted] = useState<Drafted<T>>({ version, given: current, draft: current });
  const followed = follow(drafted, version, current);
  if (followed !== drafted) setDrafted(followed);
  return {
    draft: followed.draft,
    set: (draft: T) => setDrafted((before) => ({ ...before, draft })),
    /** On what the draft is based: to save it only over that. */
    base: followed.version,
    touched: !same(followed.draft, followed.given),
    /** Somebody else has changed it, and the draft is not based on that. */
    overtaken: followed.version !== version,
    /** Gives up the draft for what the gateway has now. */
    drop: () => setDrafted({ version, given: current, draft: current }),
    /** The gateway has taken it: it comes back as it is kept there, and is then followed. */
    saved: (kept: T) => setDrafted((before) => ({ ...before, given: kept, draft: kept })),
  };
}
