import { CloseButton } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { Refusal, Unreachable } from "../api/client";
import { visible } from "./shown";

interface Toast {
  id: number;
  text: string;
  bad: boolean;
}

const LASTS = 6_000;
let toasts: Toast[] = [];
let next = 1;
const listeners = new Set<() => void>();

function put(list: Toast[]) {
  toasts = list;
  listeners.forEach((each) => each());
}

/** Says something in passing, whosever words it has. What went wrong stays until it is closed. */
export function toast(text: string, bad = false) {
  const id = next++;
  put([...toasts.slice(-4), { id, text: visible(text), bad }]);
  if (!bad) setTimeout(() => close(id), LASTS);
}

function close(id: number) {
  put(toasts.filter((each) => each.id !== id));
}

/** What an error says to whoever sees it, and what they can do. Not written out: it may have others' words in it. */
export function advice(failure: unknown): string {
  if (failure instanceof Unreachable) return "The gateway does not answer. Try again when it is back.";
  if (failure instanceof Refusal) {
    if (failure.code === "busy") return `${failure.message}. Wait for it, or stop with force.`;
    if (failure.retryAfter !== undefined) return `${failure.message} Try again in ${failure.retryAfter} s.`;
    return failure.message;
  }
  return failure instanceof Error ? failure.message : String(failure);
}

export function toastFailure(failure: unknown) {
  toast(advice(failure), true);
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((each) => (
        <div key={each.id} className={each.bad ? "toast toast-bad" : "toast"}>
          <span>{each.text}</span>
          <CloseButton size="sm" aria-label="Close message" onClick={() => close(each.id)} />
        </div>
      ))}
    </div>
  );
}
