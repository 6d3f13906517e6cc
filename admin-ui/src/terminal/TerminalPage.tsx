import "@xterm/xterm/css/xterm.css";
import { Badge, Button } from "@mantine/core";
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { useEffect, useRef, useState } from "react";
import { useLocation, useNavigate, useParams } from "react-router";
import { call } from "../api/client";
import { useReadOnly } from "../app/me";
import { useAction } from "../parts/actions";
import { useAsk } from "../parts/dialogs";
import { Crumbs, Failure, Page } from "../parts/parts";
import { Shown } from "../parts/shown";
import { copyText } from "../parts/clipboard";
import { advice } from "../parts/toasts";
import { ownerOf } from "./keys";
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
          <Existing key={tid} id={id} alias={alias} tid={tid} />
        )}
      </Page>
    </div>
  );
}

/**
 * Makes one as large as there is room, and goes there. By itself only for whoever comes from another page here: a link
 * of anybody else's must not start machines.
 */
function NewTerminal({ id, alias }: { id: string; alias: string }) {
  const box = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const fromHere = useLocation().key !== "default";
  const readOnly = useReadOnly();
  const asked = useRef(false);
  const left = useRef(false);
  const [failure, setFailure] = useState<unknown>();
  const [attempt, setAttempt] = useState(fromHere ? 1 : 0);
  useEffect(() => {
    left.current = false;
    return () => {
      left.current = true;
    };
  }, []);
  useEffect(() => {
    if (readOnly || attempt === 0 || asked.current) return;
    asked.current = true;
    const { cols, rows } = room(box.current!);
    setFailure(undefined);
    call("POST /api/agents/{id}/sandboxes/{alias}/terminals", {
      path: { id, alias },
      body: { cols, rows },
    }).then(
      (terminal) => {
        if (left.current) return;
        void navigate(`/agents/${id}/sandboxes/${alias}/terminals/${terminal.id}`, { replace: true });
      },
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
      ) : readOnly === undefined && attempt === 0 ? (
        <Button m="md" onClick={() => setAttempt(1)}>
          Start the machine and open a terminal
        </Button>
      ) : (
        <p className="terminal-wait">
          {readOnly ??
            "Bringing the machine up and opening a terminal. An image that is not here yet is fetched first."}
        </p>
      )}
    </div>
  );
}

/** Whether this browser's user has what is printed read to them. */
const READ_ALOUD = "hermit-terminal-read-aloud";

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

/** Whoever looks on could take control: a token that only reads is not let in. */
function Existing(path: { id: string; alias: string; tid: string }) {
  const readOnly = useReadOnly();
  if (readOnly === undefined) return <View {...path} />;
  return (
    <div className="terminal-box" role="status">
      <p className="terminal-wait">{readOnly}, and terminals are for typing.</p>
    </div>
  );
}

function View({ id, alias, tid }: { id: string; alias: string; tid: string }) {
  const box = useRef<HTMLDivElement>(null);
  const connection = useRef<TerminalConnection | undefined>(undefined);
  const terminal = useRef<Terminal | undefined>(undefined);
  const [state, setState] = useState<ConnectionState>({ is: "connecting" });
  const [controls, setControls] = useState(true);
  const [note, setNote] = useState<string>();
  const foot = useRef<HTMLDivElement>(null);
  const [readAloud, setReadAloud] = useState(() => localStorage.getItem(READ_ALOUD) === "yes");

  useEffect(() => {
    const screen = new Terminal({
      ...OPTIONS,
      screenReaderMode: localStorage.getItem(READ_ALOUD) === "yes",
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
      const owner = ownerOf(event);
      if (owner !== "browser" && owner !== "both") event.preventDefault();
      if (owner === "copy") copy(screen, setNote);
      if (owner === "leave") foot.current?.querySelector("button")?.focus();
      return owner === "shell" || owner === "both";
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

  const toggleReadAloud = () => {
    const wanted = !readAloud;
    setReadAloud(wanted);
    if (wanted) localStorage.setItem(READ_ALOUD, "yes");
    else localStorage.removeItem(READ_ALOUD);
    if (terminal.current) terminal.current.options.screenReaderMode = wanted;
  };

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
      <div ref={foot} className="terminal-foot">
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
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => terminal.current && copy(terminal.current, setNote)}
        >
          Copy selection
        </Button>
        <Button size="compact-xs" variant="subtle" onClick={() => void wholeScreen(box.current!)}>
          Full screen, with all keys
        </Button>
        <Button
          size="compact-xs"
          variant={readAloud ? "light" : "subtle"}
          aria-pressed={readAloud}
          onClick={toggleReadAloud}
        >
          For screen readers
        </Button>
        {open && <End id={id} alias={alias} tid={tid} />}
        <span className="dim">Shift-F6 leaves the terminal</span>
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

function copy(terminal: Terminal, say: (text: string) => void) {
  const text = terminal.getSelection();
  if (text) copyText(text).catch((failure: unknown) => say(advice(failure)));
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
