import "@xterm/xterm/css/xterm.css";
import { Badge, Button } from "@mantine/core";
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { useEffect, useRef, useState } from "react";
import { useNavigate, useParams } from "react-router";
import { call } from "../api/client";
import { useReadOnly } from "../app/me";
import { useAction } from "../parts/actions";
import { useAsk } from "../parts/dialogs";
import { Crumbs, Failure, Page } from "../parts/parts";
import { Shown } from "../parts/shown";
import { TerminalConnection, type ConnectionState } from "./connection";

/** The address ends with the terminal's id, or with `new`, which makes one. */
export default function TerminalPage() {
  const { id = "", alias = "", tid = "" } = useParams();
  const sandbox = `/agents/${id}/sandboxes/${alias}`;
  return (
    <div className="terminal-page">
      <Page
        above={
          <Crumbs
            steps={[
              ["Agents", "/agents"],
              [id, `/agents/${id}`],
              [alias, sandbox],
              ["terminals", `${sandbox}/terminals`],
            ]}
          />
        }
        title={`Terminal in ${id}/${alias}`}
      >
        {tid === "new" ? (
          <NewTerminal id={id} alias={alias} />
        ) : (
          <View key={tid} id={id} alias={alias} tid={tid} />
        )}
      </Page>
    </div>
  );
}

/** Makes one as large as there is room, and goes there. */
function NewTerminal({ id, alias }: { id: string; alias: string }) {
  const box = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const readOnly = useReadOnly();
  const asked = useRef(false);
  const [failure, setFailure] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (readOnly || asked.current) return;
    asked.current = true;
    const { cols, rows } = room(box.current!);
    setFailure(undefined);
    call("POST /api/agents/{id}/sandboxes/{alias}/terminals", {
      path: { id, alias },
      body: { cols, rows },
    }).then(
      (terminal) =>
        void navigate(`/agents/${id}/sandboxes/${alias}/terminals/${terminal.id}`, { replace: true }),
      (error: unknown) => {
        asked.current = false;
        setFailure(error);
      },
    );
  }, [id, alias, navigate, readOnly, attempt]);
  return (
    <div ref={box} className="terminal-box" role="status">
      {failure !== undefined ? (
        <Failure error={failure} retry={() => setAttempt(attempt + 1)} />
      ) : (
        <p className="terminal-wait">
          {readOnly ??
            "Bringing the machine up and opening a terminal. An image that is not here yet is fetched first."}
        </p>
      )}
    </div>
  );
}

const OPTIONS = {
  fontFamily: 'ui-monospace, SFMono-Regular, "DejaVu Sans Mono", Menlo, Consolas, monospace',
  fontSize: 14,
  scrollback: 5_000,
  cursorBlink: false,
  theme: { background: "#10141a", foreground: "#d6dde6", cursor: "#8ee0c0", selectionBackground: "#2f5d50" },
};

function room(box: HTMLElement): { cols: number; rows: number } {
  const terminal = new Terminal(OPTIONS);
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(box);
  const found = fit.proposeDimensions();
  terminal.dispose();
  return { cols: Math.max(found?.cols || 80, 20), rows: Math.max(found?.rows || 24, 5) };
}

function View({ id, alias, tid }: { id: string; alias: string; tid: string }) {
  const box = useRef<HTMLDivElement>(null);
  const connection = useRef<TerminalConnection | undefined>(undefined);
  const terminal = useRef<Terminal | undefined>(undefined);
  const [state, setState] = useState<ConnectionState>({ is: "connecting" });
  const [controls, setControls] = useState(true);
  const [note, setNote] = useState<string>();

  useEffect(() => {
    const screen = new Terminal({
      ...OPTIONS,
      // What a program calls a link may be anything: it is shown in words, and never followed.
      linkHandler: { activate: (_, target) => setNote(`The link says: ${target}`) },
    });
    const fit = new FitAddon();
    screen.loadAddon(fit);
    screen.open(box.current!);
    terminal.current = screen;
    let controller = false;
    const link = new TerminalConnection(
      { id, alias, tid },
      {
        write: (bytes) => screen.write(bytes),
        reset: () => screen.reset(),
        controls: (own) => {
          controller = own;
          setControls(own);
          screen.options.disableStdin = !own;
          if (own) resized();
        },
        size: (cols, rows) => {
          if (!controller) screen.resize(cols, rows);
        },
        state: setState,
        refused: setNote,
      },
      false,
    );
    connection.current = link;
    const resized = () => {
      const wanted = fit.proposeDimensions();
      if (!controller || !wanted?.cols || !wanted.rows) return;
      screen.resize(wanted.cols, wanted.rows);
      link.resize(wanted.cols, wanted.rows);
    };
    const encoder = new TextEncoder();
    screen.onData((text) => link.type(encoder.encode(text)));
    screen.onBinary((text) => link.type(Uint8Array.from(text, (each) => each.charCodeAt(0))));
    screen.attachCustomKeyEventHandler((event) => {
      if (event.type === "keydown" && event.ctrlKey && event.shiftKey && event.code === "KeyC") {
        event.preventDefault();
        copy(screen);
        return false;
      }
      // Ctrl-Shift-V is the browser's: it pastes.
      if (event.ctrlKey && event.shiftKey && event.code === "KeyV") return false;
      // Ctrl-W, Ctrl-R and the like are the shell's, as far as the browser lets a page have them.
      if (event.type === "keydown" && event.ctrlKey && !event.metaKey) event.preventDefault();
      return true;
    });
    const observer = new ResizeObserver(resized);
    observer.observe(box.current!);
    screen.focus();
    return () => {
      observer.disconnect();
      link.close();
      screen.dispose();
    };
  }, [id, alias, tid]);

  // Keys that close the tab cannot be caught: the browser asks first, while there is something to lose.
  const open = state.is !== "ended" && state.is !== "refused";
  useEffect(() => {
    if (!open || !controls) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [open, controls]);

  return (
    <>
      <div ref={box} className="terminal-box" data-testid="terminal" />
      <div className="terminal-foot">
        <Condition state={state} />
        {open && !controls && (
          <>
            <span>Somebody else types here; you look on.</span>
            <Button
              size="compact-xs"
              variant="light"
              onClick={() => {
                connection.current?.takeOver();
                terminal.current?.focus();
              }}
            >
              Take control
            </Button>
          </>
        )}
        <Button size="compact-xs" variant="subtle" onClick={() => terminal.current && copy(terminal.current)}>
          Copy selection
        </Button>
        <Button size="compact-xs" variant="subtle" onClick={() => void wholeScreen(box.current!)}>
          Full screen, with all keys
        </Button>
        {open && <End id={id} alias={alias} tid={tid} />}
        {note && (
          <span role="status">
            <Shown text={note} />
          </span>
        )}
      </div>
    </>
  );
}

function Condition({ state }: { state: ConnectionState }) {
  const text =
    state.is === "ended"
      ? `ended: ${state.how}`
      : state.is === "refused"
        ? state.why
        : state.is === "lost"
          ? "connection lost; coming back"
          : state.is;
  const color = { connecting: "blue", connected: "teal", lost: "orange", ended: "gray", refused: "red" }[
    state.is
  ];
  return (
    <Badge size="sm" variant="dot" color={color} className="state" role="status">
      {text}
    </Badge>
  );
}

function End({ id, alias, tid }: { id: string; alias: string; tid: string }) {
  const ask = useAsk();
  const end = useAction(
    () => call("DELETE /api/agents/{id}/sandboxes/{alias}/terminals/{tid}", { path: { id, alias, tid } }),
    { changes: [["terminals", id, alias]] },
  );
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      color="red"
      onClick={() =>
        void ask({
          title: "End this terminal?",
          text: "Its program gets a hang-up. If you only look away, it goes on, and is ended when nobody has looked for 15 minutes.",
          verb: "End it",
        }).then((sure) => sure && end.mutate(undefined))
      }
    >
      End
    </Button>
  );
}

function copy(terminal: Terminal) {
  const text = terminal.getSelection();
  if (text) void navigator.clipboard.writeText(text);
}

interface KeyboardLock {
  lock(): Promise<void>;
}

/** In full screen a browser that can lets the page have every key, Ctrl-W and Ctrl-N among them. Escape, held, leaves. */
async function wholeScreen(box: HTMLElement) {
  await box.requestFullscreen();
  const keyboard = (navigator as Navigator & { keyboard?: KeyboardLock }).keyboard;
  await keyboard?.lock();
}
