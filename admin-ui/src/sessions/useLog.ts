import { useCallback, useEffect, useRef, useState } from "react";
import { follow, useEvents, type Following, type ServerEvent } from "../api/events";
import type { SessionEvent } from "../api/types";

/** How many events are asked for at once: those that a look at the end needs, and as many again for each look back. */
const PIECE = 400;

export interface Log {
  events: SessionEvent[];
  following: Following;
  /** Whether there are events before those that are here. */
  earlier: boolean;
  loadingEarlier: boolean;
  loadEarlier: () => void;
  refused: Error | undefined;
}

/** A session's log from its end on, live; and backwards, piece by piece, for whoever looks back. */
export function useLog(url: string, lastAtOpening: number): Log {
  const [start] = useState(() => Math.max(0, lastAtOpening - PIECE));
  const [events, setEvents] = useState<SessionEvent[]>([]);
  const [loadingEarlier, setLoadingEarlier] = useState(false);
  const [refused, setRefused] = useState<Error>();
  const waiting = useRef<SessionEvent[]>([]);
  const frame = useRef(0);
  const gone = useRef<AbortController | undefined>(undefined);
  const take = (event: ServerEvent) => {
    waiting.current.push(JSON.parse(event.data) as SessionEvent);
    // Many come at once; the screen changes once for all of them.
    frame.current ||= requestAnimationFrame(() => {
      frame.current = 0;
      const more = waiting.current;
      waiting.current = [];
      setEvents((before) => {
        const last = before.at(-1)?.id ?? 0;
        return [...before, ...more.filter((each) => each.id > last)];
      });
    });
  };
  const following = useEvents(`${url}?after=${start}`, take, setRefused);
  useEffect(() => {
    const abort = new AbortController();
    gone.current = abort;
    return () => {
      abort.abort();
      cancelAnimationFrame(frame.current);
      frame.current = 0;
    };
  }, []);
  const first = events[0]?.id ?? start + 1;
  const earlier = first > 1;
  const loadEarlier = useCallback(() => {
    if (loadingEarlier || first <= 1) return;
    setLoadingEarlier(true);
    const found: SessionEvent[] = [];
    follow(
      `${url}?after=${Math.max(0, first - 1 - PIECE)}`,
      gone.current!.signal,
      (event) => {
        const one = JSON.parse(event.data) as SessionEvent;
        if (one.id < first) found.push(one);
        return one.id >= first - 1 ? "done" : undefined;
      },
      () => undefined,
    )
      .then(() => setEvents((before) => [...found, ...before]))
      .catch((failure: unknown) => setRefused(failure as Error))
      .finally(() => setLoadingEarlier(false));
  }, [url, first, loadingEarlier]);
  return { events, following, earlier, loadingEarlier, loadEarlier, refused };
}
