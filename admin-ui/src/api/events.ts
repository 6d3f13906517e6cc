import { useEffect, useRef, useState } from "react";
import { request, Refusal } from "./client";

export interface ServerEvent {
  id: string | undefined;
  type: string;
  data: string;
}

/** Takes an event stream apart as it comes (the part of the standard's format that the gateway uses). */
export class EventParser {
  private rest = "";

  /** The events that `text` completes. */
  read(text: string): ServerEvent[] {
    const blocks = (this.rest + text).split("\n\n");
    this.rest = blocks.pop() ?? "";
    return blocks.flatMap((block) => {
      const event: ServerEvent = { id: undefined, type: "message", data: "" };
      const data: string[] = [];
      for (const line of block.split("\n")) {
        const colon = line.indexOf(":");
        if (colon <= 0) continue;
        const value = line.slice(colon + 1).replace(/^ /, "");
        switch (line.slice(0, colon)) {
          case "id":
            event.id = value;
            break;
          case "event":
            event.type = value;
            break;
          case "data":
            data.push(value);
        }
      }
      event.data = data.join("\n");
      return data.length > 0 ? [event] : [];
    });
  }
}

const SHORTEST_PAUSE = 300;
const LONGEST_PAUSE = 5_000;
/** The gateway says something at least every 15 s. Of a connection that is half gone, e.g. after a sleep, nothing else tells. */
const LONGEST_SILENCE = 45_000;

/**
 * Follows a stream for as long as `signal` is not aborted: over cut connections and restarts of the gateway, each time
 * from behind the last event that came. Ends by itself only if the gateway refuses, or `onEvent` answers "done".
 */
export async function follow(
  url: string,
  signal: AbortSignal,
  onEvent: (event: ServerEvent) => "done" | void,
  onLive: (live: boolean) => void,
  last?: string,
): Promise<void> {
  let pause = SHORTEST_PAUSE;
  while (!signal.aborted) {
    try {
      const response = await request(url, {
        signal,
        headers: { Accept: "text/event-stream", ...(last === undefined ? {} : { "Last-Event-ID": last }) },
      });
      onLive(true);
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      const parser = new EventParser();
      for (let piece = await next(reader); !piece.done; piece = await next(reader))
        for (const event of parser.read(piece.value)) {
          pause = SHORTEST_PAUSE;
          if (event.type === "error" && event.id === undefined) continue; // the connection ends, and says why
          last = event.id ?? last;
          if (onEvent(event) === "done") {
            await reader.cancel();
            return;
          }
        }
    } catch (failure) {
      if (signal.aborted) return;
      onLive(false);
      if (failure instanceof Refusal && failure.status < 500 && failure.status !== 429) throw failure;
    }
    onLive(false);
    await new Promise((resolve) => setTimeout(resolve, pause * (0.75 + Math.random() / 2)));
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** What comes next; that it is at its end, after too long a silence. */
async function next(reader: ReadableStreamDefaultReader<string>) {
  const timer = setTimeout(() => void reader.cancel(), LONGEST_SILENCE);
  try {
    return await reader.read();
  } finally {
    clearTimeout(timer);
  }
}

/** Whether anybody can see this page. */
export function useVisible(): boolean {
  const [visible, setVisible] = useState(() => document.visibilityState === "visible");
  useEffect(() => {
    const changed = () => setVisible(document.visibilityState === "visible");
    document.addEventListener("visibilitychange", changed);
    return () => document.removeEventListener("visibilitychange", changed);
  }, []);
  return visible;
}

export type Following = "connecting" | "live" | "lost" | "refused";

/**
 * Follows a stream while the page can be seen, from where it was left. Browsers bear six connections to one gateway,
 * over all of its tabs: those that nobody looks at must not hold them.
 */
export function useEvents(
  url: string | undefined,
  onEvent: (event: ServerEvent) => "done" | void,
  onRefused?: (refusal: Error) => void,
): Following {
  const [state, setState] = useState<Following>("connecting");
  const visible = useVisible();
  const last = useRef<{ url: string; id: string | undefined; done: boolean } | undefined>(undefined);
  const handler = useRef(onEvent);
  const refused = useRef(onRefused);
  useEffect(() => {
    handler.current = onEvent;
    refused.current = onRefused;
  });
  useEffect(() => {
    if (!url || !visible) return;
    if (last.current?.url !== url) last.current = { url, id: undefined, done: false };
    const place = last.current;
    if (place.done) return;
    const abort = new AbortController();
    follow(
      url,
      abort.signal,
      (event) => {
        place.id = event.id ?? place.id;
        const verdict = handler.current(event);
        if (verdict === "done") place.done = true;
        return verdict;
      },
      (live) => setState(live ? "live" : "lost"),
      place.id,
    ).catch((failure: unknown) => {
      if (abort.signal.aborted) return;
      setState("refused");
      refused.current?.(failure as Error);
    });
    return () => abort.abort();
  }, [url, visible]);
  return state;
}
