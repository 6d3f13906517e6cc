import { address, call, Refusal } from "../api/client";

export interface TerminalPath {
  id: string;
  alias: string;
  tid: string;
}

/** What the terminal's connection tells whoever shows it. */
export interface Viewer {
  write(bytes: Uint8Array): void;
  /** What was shown is not what comes next: it begins anew. */
  reset(): void;
  controls(controller: boolean): void;
  size(cols: number, rows: number): void;
  state(state: ConnectionState): void;
  /** The gateway refuses something that was sent. */
  refused(detail: string): void;
}

export type ConnectionState =
  | { is: "connecting" }
  | { is: "connected" }
  | { is: "lost" }
  | { is: "ended"; how: string }
  | { is: "refused"; why: string };

type Message =
  | { type: "takeover"; controller: boolean }
  | { type: "resize"; cols: number; rows: number }
  | { type: "replay"; offset: number; bytes: number; dropped: number }
  | { type: "exit"; exit_code: number | null; end_reason: string; signal: string | null }
  | { type: "error"; code: string; detail: string };

const SHORTEST_PAUSE = 250;
const LONGEST_PAUSE = 4_000;
/** So many handshakes are refused, one after the other, before this viewer gives up. */
const MOST_REFUSED = 4;
/** The gateway takes messages of up to 256 KiB; what is pasted may be longer. */
const LONGEST_MESSAGE = 64 << 10;

/**
 * One viewer of a terminal. Comes back by itself when the connection is cut, also by a restart of the gateway, and shows
 * what was printed meanwhile, once.
 */
export class TerminalConnection {
  private socket: WebSocket | undefined;
  private closed = false;
  /** Of the bytes that the terminal has printed, how many have been shown. */
  private position: number | undefined;
  /** Of the next bytes, how many have been shown already. */
  private skip = 0;
  private pause = SHORTEST_PAUSE;
  /** Handshakes since the last one that was taken, although the gateway had answered in words before each. */
  private refused = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private wantsControl: boolean;

  constructor(
    private readonly path: TerminalPath,
    private readonly viewer: Viewer,
    takeover: boolean,
  ) {
    this.wantsControl = takeover;
    void this.open();
  }

  private async open() {
    const url = address("/api/agents/{id}/sandboxes/{alias}/terminals/{tid}", this.path);
    this.viewer.state({ is: "connecting" });
    try {
      const { ticket } = await call("POST /api/auth/ticket", { body: { path: url } });
      // The gateway says nothing about why it refuses a handshake to a page: this asks in words first.
      const terminal = await call("GET /api/agents/{id}/sandboxes/{alias}/terminals/{tid}", {
        path: { ...this.path },
      });
      if (this.closed) return;
      if (terminal.state === "ended") return this.end(terminal.end_reason, terminal.exit_code);
      const query = new URLSearchParams({ ticket, ...(this.wantsControl ? { takeover: "true" } : {}) });
      this.listen(new WebSocket(`${location.origin.replace(/^http/, "ws")}${url}?${query}`));
    } catch (failure) {
      if (this.closed) return;
      if (failure instanceof Refusal && failure.status < 500 && failure.status !== 429) {
        this.closed = true;
        return this.viewer.state({ is: "refused", why: failure.message });
      }
      this.refused = 0;
      this.again();
    }
  }

  private listen(socket: WebSocket) {
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    let taken = false;
    socket.onopen = () => {
      taken = true;
      this.refused = 0;
      this.pause = SHORTEST_PAUSE;
      this.viewer.state({ is: "connected" });
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      if (typeof event.data === "string") this.read(JSON.parse(event.data) as Message);
      else this.show(new Uint8Array(event.data));
    };
    socket.onclose = () => {
      if (this.closed) return;
      if (!taken && ++this.refused >= MOST_REFUSED) {
        this.closed = true;
        return this.viewer.state({ is: "refused", why: "The gateway does not let this page look on" });
      }
      this.again();
    };
  }

  private read(message: Message) {
    switch (message.type) {
      case "takeover":
        this.wantsControl = message.controller;
        return this.viewer.controls(message.controller);
      case "resize":
        return this.viewer.size(message.cols, message.rows);
      case "replay":
        return this.replay(message.offset);
      case "exit":
        return this.end(message.end_reason, message.exit_code);
      case "error":
        return this.viewer.refused(message.detail);
    }
  }

  private replay(offset: number) {
    // Of an earlier replay that was cut, what was to be skipped had been shown, too.
    const known = this.position === undefined ? undefined : this.position + this.skip;
    if (known !== undefined && offset <= known) {
      this.skip = known - offset;
    } else {
      this.skip = 0;
      if (known !== undefined) this.viewer.reset();
    }
    this.position = offset;
  }

  private show(bytes: Uint8Array) {
    this.position = (this.position ?? 0) + bytes.length;
    const skipped = Math.min(this.skip, bytes.length);
    this.skip -= skipped;
    if (skipped < bytes.length) this.viewer.write(bytes.subarray(skipped));
  }

  private end(reason: string, code: number | null) {
    this.closed = true;
    this.viewer.state({ is: "ended", how: code === null ? reason : `${reason}, code ${code}` });
  }

  private again() {
    this.viewer.state({ is: "lost" });
    this.timer = setTimeout(() => void this.open(), this.pause);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
  }

  type(bytes: Uint8Array<ArrayBuffer>) {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    for (let at = 0; at < bytes.length; at += LONGEST_MESSAGE)
      this.socket.send(bytes.subarray(at, at + LONGEST_MESSAGE));
  }

  resize(cols: number, rows: number) {
    this.control({ type: "resize", cols, rows });
  }

  takeOver() {
    this.wantsControl = true;
    this.control({ type: "takeover" });
  }

  private control(message: object) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** Looks away; the program goes on. */
  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }
}
