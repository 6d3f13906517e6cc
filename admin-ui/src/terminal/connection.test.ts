import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TerminalConnection, type ConnectionState, type Viewer } from "./connection";

/** The gateway's end of a WebSocket. */
class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  binaryType = "";
  onopen: () => void = () => undefined;
  onmessage: (event: { data: unknown }) => void = () => undefined;
  onclose: () => void = () => undefined;

  constructor(readonly url: string) {
    FakeSocket.all.push(this);
  }

  takes() {
    this.readyState = FakeSocket.OPEN;
    this.onopen();
  }

  says(message: object) {
    this.onmessage({ data: JSON.stringify(message) });
  }

  prints(text: string) {
    this.onmessage({ data: new TextEncoder().encode(text).buffer });
  }

  ends() {
    this.readyState = 3;
    this.onclose();
  }

  close() {
    this.ends();
  }
}

let shown = "";
let states: ConnectionState[] = [];
const viewer: Viewer = {
  write: (bytes) => (shown += new TextDecoder().decode(bytes)),
  reset: () => (shown = ""),
  controls: () => undefined,
  size: () => undefined,
  state: (state) => states.push(state),
  refused: () => undefined,
};
let connection: TerminalConnection;

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  shown = "";
  states = [];
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("location", { origin: "http://gateway" });
  vi.stubGlobal("fetch", (url: string) =>
    Promise.resolve(Response.json(url.endsWith("/ticket") ? { ticket: "t" } : { state: "open" })),
  );
  connection = new TerminalConnection({ id: "main", alias: "default", tid: "1" }, viewer, false);
});

afterEach(() => {
  connection.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The next socket that the connection opens. */
async function socket(number: number): Promise<FakeSocket> {
  await vi.advanceTimersByTimeAsync(4_000);
  expect(FakeSocket.all).toHaveLength(number);
  return FakeSocket.all.at(-1)!;
}

test("what was printed is shown once, also when the replay itself is cut", async () => {
  const first = await socket(1);
  first.takes();
  first.says({ type: "replay", offset: 0, bytes: 0, dropped: 0 });
  first.prints("0123456789");
  first.ends();
  const second = await socket(2);
  second.takes();
  second.says({ type: "replay", offset: 0, bytes: 10, dropped: 0 });
  second.prints("0123");
  second.ends();
  const third = await socket(3);
  third.takes();
  third.says({ type: "replay", offset: 0, bytes: 12, dropped: 0 });
  third.prints("0123456789ab");
  expect(shown).toBe("0123456789ab");
});

test("what the gateway holds no more makes the screen begin anew", async () => {
  const first = await socket(1);
  first.takes();
  first.says({ type: "replay", offset: 0, bytes: 0, dropped: 0 });
  first.prints("old");
  first.ends();
  const second = await socket(2);
  second.takes();
  second.says({ type: "replay", offset: 100, bytes: 3, dropped: 97 });
  second.prints("new");
  expect(shown).toBe("new");
});

test("a gateway that refuses every handshake is not asked for ever", async () => {
  for (let i = 1; i <= 4; i++) (await socket(i)).ends();
  expect(states.at(-1)).toMatchObject({ is: "refused" });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(FakeSocket.all).toHaveLength(4);
});

test("connections that are cut come back however often", async () => {
  for (let i = 1; i <= 10; i++) {
    const each = await socket(i);
    each.takes();
    each.ends();
  }
  expect(states.at(-1)).toEqual({ is: "lost" });
});
