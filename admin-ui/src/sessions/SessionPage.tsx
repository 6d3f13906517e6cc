import { Badge, Button, Group, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState, type FormEvent, type KeyboardEvent } from "react";
import { useNavigate, useParams } from "react-router";
import { address, call } from "../api/client";
import type { Session, SessionEvent } from "../api/types";
import { useReadOnly, useRole } from "../app/me";
import { LATER } from "../app/queries";
import { useAction } from "../parts/actions";
import { useAsk } from "../parts/dialogs";
import { Crumbs, Empty, Failure, Loaded, Page, State } from "../parts/parts";
import { conversation, keeping, type Item } from "./conversation";
import { ItemView } from "./ItemView";
import { useLog } from "./useLog";

export function SessionPage() {
  const { id = "", sid = "" } = useParams();
  const session = useQuery({
    queryKey: ["session", id, sid],
    queryFn: ({ signal }) => call("GET /api/agents/{id}/sessions/{sid}", { path: { id, sid }, signal }),
    refetchInterval: LATER,
  });
  return <Loaded query={session}>{(found) => <Open key={sid} session={found} />}</Loaded>;
}

function Open({ session }: { session: Session }) {
  const path = { id: session.agent_id, sid: session.session_id };
  const navigate = useNavigate();
  const ask = useAsk();
  const readOnly = useReadOnly();
  const role = useRole(session.agent_id);
  const log = useLog(address("/api/agents/{id}/sessions/{sid}/events", path), session.last_event_id);
  const items = useItems(log.events);
  const changes = [
    ["session", path.id, path.sid],
    ["agents", path.id, "sessions"],
  ];
  const cancel = useAction(() => call("POST /api/agents/{id}/sessions/{sid}/cancel", { path }), {
    changes,
    done: (answer) =>
      answer.exec_ids.length + answer.approval_ids.length === 0
        ? "Nothing was under way"
        : `Cancelled: ${answer.exec_ids.length} commands, ${answer.approval_ids.length} that asked`,
  });
  const end = useAction(() => call("POST /api/agents/{id}/sessions/{sid}/end", { path }), { changes });
  const remove = useAction(() => call("DELETE /api/agents/{id}/sessions/{sid}", { path }), { changes });
  const open = session.state === "open";
  return (
    <div className="session-page">
      <Page
        above={
          <Crumbs
            steps={[
              ["Agents", "/agents"],
              [path.id, `/agents/${path.id}`],
              ["sessions", `/agents/${path.id}/sessions`],
            ]}
          />
        }
        title="Session"
        actions={
          <>
            <Button
              variant="default"
              disabled={readOnly !== undefined || !open}
              loading={cancel.isPending}
              onClick={() => cancel.mutate(undefined)}
              title="Ends commands that run, and takes back what asks"
            >
              Cancel what runs
            </Button>
            <Button
              variant="default"
              disabled={readOnly !== undefined || !open}
              onClick={() =>
                void ask({
                  title: "End this session?",
                  text: "What was said stays, and nothing more can be said in it. To go on, open another one.",
                  verb: "End",
                }).then((sure) => sure && end.mutate(undefined))
              }
            >
              End
            </Button>
            <Button
              variant="default"
              disabled={readOnly !== undefined}
              onClick={() =>
                void ask({
                  title: "Forget this session?",
                  text: "It ends, and all that was said in it is deleted.",
                  verb: "Forget it",
                }).then(
                  (sure) =>
                    sure &&
                    remove.mutate(undefined, {
                      onSuccess: () => void navigate(`/agents/${path.id}/sessions`),
                    }),
                )
              }
            >
              Forget
            </Button>
            <Group gap={6} align="center">
              <State state={session.state} hint={session.end_reason} />
              <Badge
                size="sm"
                variant="dot"
                color={log.following === "live" ? "teal" : "orange"}
                className="state"
                role="status"
              >
                {log.following === "lost" ? "connection lost; coming back" : log.following}
              </Badge>
            </Group>
          </>
        }
      >
        {log.refused ? (
          <Failure error={log.refused} />
        ) : (
          <Items
            items={items}
            earlier={log.earlier}
            loadingEarlier={log.loadingEarlier}
            loadEarlier={log.loadEarlier}
            owner={role.data?.role === "owner"}
          />
        )}
        <Composer session={session} />
      </Page>
    </div>
  );
}

function useItems(events: SessionEvent[]): Item[] {
  const [shown, setShown] = useState({ events, items: conversation(events) });
  if (shown.events === events) return shown.items;
  const items = keeping(shown.items, conversation(events));
  setShown({ events, items });
  return items;
}

/** Within so many pixels of the end one is at the end, and stays there. */
const NEAR = 60;

function Items({
  items,
  earlier,
  loadingEarlier,
  loadEarlier,
  owner,
}: {
  items: Item[];
  earlier: boolean;
  loadingEarlier: boolean;
  loadEarlier: () => void;
  owner: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const scrolledTo = useRef(0);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => 72,
    overscan: 8,
    getItemKey: (index) => items[index]!.key,
  });
  const total = virtual.getTotalSize();
  useLayoutEffect(() => {
    if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [items.length, total]);
  // What is put before what is seen must not move it.
  const firstKey = items[0]?.key;
  const before = useRef(firstKey);
  useLayoutEffect(() => {
    const last = before.current;
    before.current = firstKey;
    if (last === undefined || last === firstKey || atEnd.current) return;
    const index = items.findIndex((each) => each.key === last);
    virtual.getTotalSize(); // counts what has just been measured
    const added = index > 0 ? virtual.getOffsetForIndex(index, "start") : undefined;
    if (added) virtual.scrollToOffset(scrolledTo.current + added[0]);
  }, [firstKey, items, virtual]);
  const scrolled = () => {
    const element = box.current!;
    scrolledTo.current = element.scrollTop;
    atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    if (element.scrollTop < NEAR && earlier && !loadingEarlier && !atEnd.current) loadEarlier();
  };
  useEffect(() => {
    // What fills no screen cannot be scrolled.
    const element = box.current;
    if (
      element &&
      earlier &&
      !loadingEarlier &&
      items.length > 0 &&
      element.scrollHeight <= element.clientHeight
    )
      loadEarlier();
  }, [earlier, loadingEarlier, items.length, loadEarlier]);
  return (
    <div ref={box} className="log" onScroll={scrolled} tabIndex={0} role="log" aria-label="Conversation">
      {items.length === 0 && (
        <Empty title="Nothing has been said yet">
          Say something below. Without a model, messages are kept, and tools can be called over the API; both
          appear here.
        </Empty>
      )}
      {items.length > 0 && (
        // As high with the one as with the other: what is read stays in its place when the last piece comes.
        <Group justify="center" h={30}>
          {earlier ? (
            <Button variant="subtle" size="compact-xs" loading={loadingEarlier} onClick={loadEarlier}>
              Earlier
            </Button>
          ) : (
            <span className="dim">Here it begins</span>
          )}
        </Group>
      )}
      <div style={{ height: total, position: "relative" }}>
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.key}
            data-index={item.index}
            ref={virtual.measureElement}
            style={{
              position: "absolute",
              top: 0,
              left: 0,
              right: 0,
              transform: `translateY(${item.start}px)`,
            }}
          >
            <ItemView item={items[item.index]!} owner={owner} />
          </div>
        ))}
      </div>
    </div>
  );
}

function Composer({ session }: { session: Session }) {
  const [text, setText] = useState("");
  const readOnly = useReadOnly();
  const path = { id: session.agent_id, sid: session.session_id };
  const post = useAction(
    (said: string) => call("POST /api/agents/{id}/sessions/{sid}/messages", { path, body: { text: said } }),
    {
      changes: [["session", path.id, path.sid]],
      // Beside what has been typed meanwhile.
      failed: (_, said) => setText((now) => (now === "" ? said : `${said}\n${now}`)),
    },
  );
  const send = () => {
    if (!text.trim() || post.isPending) return;
    post.mutate(text);
    setText("");
  };
  const off = readOnly ?? (session.state === "open" ? undefined : "This session has ended");
  return (
    <form
      className="composer"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        send();
      }}
    >
      <Textarea
        aria-label="Message"
        placeholder={off ?? "Say something. Enter sends, Shift and Enter begins a line."}
        autosize
        minRows={1}
        maxRows={8}
        value={text}
        disabled={off !== undefined}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            send();
          }
        }}
      />
      <Button type="submit" size="sm" loading={post.isPending} disabled={off !== undefined || !text.trim()}>
        Send
      </Button>
    </form>
  );
}
