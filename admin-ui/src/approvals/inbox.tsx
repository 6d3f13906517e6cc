import { useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from "react";
import { all } from "../api/client";
import { useEvents, useVisible } from "../api/events";
import type { Approval } from "../api/types";
import { LATER } from "../app/queries";
import { byAge, later, learn, type Known } from "./known";

interface Inbox {
  /** Those that wait, oldest first. */
  pending: Approval[];
  /** The latest that is known of one, whatever became of it. */
  find: (id: string) => Approval | undefined;
  /** The same for one of a list, which may know more. */
  latest: (listed: Approval) => Approval;
  live: boolean;
  /** Takes over what a decision has answered, unless more has been heard of it. */
  put: (approval: Approval) => void;
}

const Context = createContext<Inbox | undefined>(undefined);

/** Follows approvals for as long as somebody is logged in: for the number in the menu, the inbox, and sessions. */
export function InboxProvider({ children }: { children: ReactNode }) {
  const [known, setKnown] = useState<Known>(new Map());
  const client = useQueryClient();
  const visible = useVisible();
  const put = useCallback((approval: Approval) => setKnown((before) => learn(before, approval)), []);
  const state = useEvents("/api/approvals/events", (event) => {
    put(JSON.parse(event.data) as Approval);
    void client.invalidateQueries({ queryKey: ["approvals"] });
  });
  // A page that nobody sees follows nothing; it asks now and then, to call somebody.
  const hidden = useQuery({
    queryKey: ["approvals", "hidden"],
    queryFn: ({ signal }) => all("GET /api/approvals", { query: { state: "pending" }, signal }, 1000),
    enabled: !visible,
    refetchInterval: LATER,
    refetchIntervalInBackground: true,
    // What is asked again out of sight waits until somebody looks, and all later questions behind it.
    retry: false,
  });
  useEffect(() => {
    hidden.data?.items.forEach(put);
  }, [hidden.data, put]);
  const pending = useMemo(
    () => byAge([...known.values()].filter((each) => each.state === "pending")),
    [known],
  );
  useNotifications(pending);
  const inbox = useMemo<Inbox>(
    () => ({
      pending,
      find: (id) => known.get(id),
      latest: (listed) => later(known.get(listed.id), listed),
      live: state === "live",
      put,
    }),
    [pending, known, state, put],
  );
  return <Context value={inbox}>{children}</Context>;
}

export function useInbox(): Inbox {
  const inbox = useContext(Context);
  if (!inbox) throw new Error("nobody is logged in");
  return inbox;
}

export function usePending(): number {
  return useInbox().pending.length;
}

const ASKED = "hermit-notifications";

/** Whether the browser may show notifications of approvals, and asking for it. */
export function useNotificationSetting(): { on: boolean; possible: boolean; toggle: () => void } {
  const possible = "Notification" in window;
  const [on, setOn] = useState(() => wanted());
  const toggle = async () => {
    if (on) {
      localStorage.removeItem(ASKED);
      setOn(false);
    } else if ((await Notification.requestPermission()) === "granted") {
      localStorage.setItem(ASKED, "yes");
      setOn(true);
    }
  };
  return { on, possible, toggle: () => void toggle() };
}

function wanted(): boolean {
  return (
    "Notification" in window && Notification.permission === "granted" && localStorage.getItem(ASKED) === "yes"
  );
}

function useNotifications(pending: Approval[]) {
  const seen = useRef<Set<string> | undefined>(undefined);
  useEffect(() => {
    const before = seen.current;
    seen.current = new Set(pending.map((each) => each.id));
    if (!before || !wanted() || document.visibilityState === "visible") return;
    for (const each of pending)
      if (!before.has(each.id)) {
        const notification = new Notification(`${each.agent_id} asks for ${each.tool}`, {
          body: each.shown.slice(0, 200),
          tag: each.id,
        });
        notification.onclick = () => window.focus();
      }
  }, [pending]);
}
