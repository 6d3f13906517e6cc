"""Speaks the keeper's frames, for the tests and for trying things by hand."""
import os, socket, struct, time, subprocess, tempfile, select, random

HELLO, PING, PONG, ERROR = 1, 2, 3, 4
START, STARTED, REFUSED, ATTACH, ATTACHED, DETACH, FORGET, MORE = 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17
OUTPUT, CREDIT, STDIN, STDIN_CREDIT, STDIN_EOF, STDIN_CLOSED = 0x20, 0x21, 0x22, 0x23, 0x24, 0x25
SIGNAL, CANCEL, RESIZE, END = 0x26, 0x27, 0x28, 0x30
STDIN_OPEN, PTY, HOLD, STDIN_BOUND, NEW_FILES = 1, 2, 4, 8, 16
EXITED, SIGNALED, TIMED_OUT, CANCELLED, STDIN_CUT = 1, 2, 3, 4, 5
ENV = [b"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", b"LANG=C.UTF-8"]


def exec_id(ms=None):
    ms = int(time.time() * 1000) if ms is None else ms
    return ms.to_bytes(6, "big") + bytes([0x70 | random.getrandbits(4)]) + os.urandom(9)


def field(tag, value):
    if isinstance(value, int):
        value = struct.pack(">Q", value)
    return struct.pack(">BI", tag, len(value)) + value


def fields(payload):
    got, at = {}, 0
    while at < len(payload):
        tag, size = struct.unpack_from(">BI", payload, at)
        got[tag] = payload[at + 5:at + 5 + size]
        assert len(got[tag]) == size, "a field runs over the end"
        at += 5 + size
    return got


def number(got, tag):
    return struct.unpack(">Q", got[tag])[0]


def start_payload(id, argv, env=ENV, cwd=b"/", user=b"0", timeout=0, grace=2000, flags=0, cols=0, rows=0, head=65536,
                  window=1 << 40, disk=None):
    p = field(1, id) + b"".join(field(2, a) for a in argv) + b"".join(field(3, e) for e in env)
    p += field(4, cwd) + field(5, user)
    for tag, value in ((6, timeout), (7, grace), (8, flags), (9, cols), (10, rows), (11, head), (12, window)):
        p += field(tag, value)
    if disk:
        limit, path = disk
        p += field(13, limit) + field(14, path.encode())
    return p


def frame(type, channel=0, payload=b""):
    return struct.pack(">IBI", len(payload) + 5, type, channel) + payload


class Closed(Exception):
    pass


class Connection:
    def __init__(self, sock, hello=True):
        self.sock, self.buffer, self.next = sock, bytearray(), 1
        if hello:
            self.send(HELLO, 0, field(1, 1) + field(2, 1))
            type, channel, payload = self.receive()
            assert (type, channel) == (HELLO, 0)
            self.hello = fields(payload)

    def send(self, type, channel=0, payload=b""):
        self.sock.sendall(frame(type, channel, payload))

    def receive(self, timeout=10):
        end = time.monotonic() + timeout
        while True:
            if len(self.buffer) >= 4:
                size = struct.unpack_from(">I", self.buffer)[0] + 4
                if len(self.buffer) >= size:
                    one = bytes(self.buffer[:size])
                    del self.buffer[:size]
                    return one[4], struct.unpack_from(">I", one, 5)[0], one[9:]
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.sock], [], [], left)[0]:
                raise TimeoutError("no frame")
            try:
                got = self.sock.recv(1 << 18)
            except ConnectionResetError:
                got = b""
            if not got:
                raise Closed()
            self.buffer += got

    def quiet(self, seconds):
        """True if nothing comes for so long."""
        try:
            self.last = self.receive(seconds)
            return False
        except TimeoutError:
            return True

    def start(self, argv, id=None, **more):
        channel, self.next = self.next, self.next + 1
        id = id or exec_id()
        argv = [a.encode() if isinstance(a, str) else a for a in argv]
        payload = start_payload(id, argv, **more)
        while len(payload) > 65536:
            self.send(MORE, channel, payload[:65536])
            payload = payload[65536:]
        self.send(START, channel, payload)
        return Run(self, channel, id)

    def sh(self, script, **more):
        return self.start(["/bin/sh", "-c", script], **more)

    def attach(self, id, out=0, err=0, window=1 << 40, flags=0):
        channel, self.next = self.next, self.next + 1
        self.send(ATTACH, channel, field(1, id) + field(2, out) + field(3, err) + field(4, window) + field(5, flags))
        return Run(self, channel, id)

    def close(self):
        self.sock.close()


class Run:
    """What arrives on one channel. Frames of other channels are not expected, except through `collect`."""

    def __init__(self, connection, channel, id):
        self.c, self.channel, self.id = connection, channel, id
        self.out, self.err, self.jumps = bytearray(), bytearray(), []
        self.at = [0, 0]
        self.frames, self.pid, self.refused, self.end, self.error, self.attached = [], None, None, None, None, None

    def send(self, type, payload=b""):
        self.c.send(type, self.channel, payload)
        return self

    def take(self, type, payload):
        self.frames.append(type)
        if type == STARTED:
            self.pid = number(fields(payload), 1)
        elif type == REFUSED:
            self.refused = number(fields(payload), 1)
            self.message = fields(payload)[2].decode()
        elif type == ERROR:
            self.error = number(fields(payload), 1)
        elif type == ATTACHED:
            self.attached = fields(payload)
        elif type == OUTPUT:
            stream, offset = struct.unpack_from(">BQ", payload)
            data = payload[9:]
            assert data and stream in (1, 2)
            if offset != self.at[stream - 1]:
                self.jumps.append((self.at[stream - 1], offset))
            self.at[stream - 1] = offset + len(data)
            (self.out, self.err)[stream - 1].extend(data)
        elif type == END:
            assert self.end is None
            got = fields(payload)
            self.end = [number(got, i) for i in range(1, 9)]
            self.disk = [number(got, i) for i in (9, 10, 11)] if 9 in got else None
            self.how, self.code, self.signal, self.out_total, self.err_total, self.ooms, self.micros, self.killed = self.end

    def done(self):
        return self.end is not None or self.refused is not None or self.error is not None

    def until(self, condition, timeout=10):
        end = time.monotonic() + timeout
        while not condition(self):
            type, channel, payload = self.c.receive(max(0.001, end - time.monotonic()))
            assert channel == self.channel, (type, channel, payload)
            self.take(type, payload)
        return self

    def wait(self, timeout=10):
        return self.until(Run.done, timeout)

    def started(self):
        return self.until(lambda r: r.pid or r.done())


def collect(connection, runs, timeout=20):
    """Waits for all of several runs on one connection."""
    by = {r.channel: r for r in runs}
    end = time.monotonic() + timeout
    while not all(r.done() for r in runs):
        type, channel, payload = connection.receive(max(0.001, end - time.monotonic()))
        by[channel].take(type, payload)


class Keeper:
    def __init__(self, binary, prefix=(), env=None):
        self.dir = tempfile.mkdtemp(prefix="keeper-")
        self.path = self.dir + "/k/keeper.sock"
        self.binary = binary
        self.process = subprocess.Popen([*prefix, binary, "init"], env={**os.environ, "HERMIT_KEEPER_SOCKET": self.path,
                                                                       **(env or {})})
        for _ in range(500):
            if os.path.exists(self.path):
                break
            time.sleep(0.01)

    def connect(self, hello=True):
        for i in range(100):
            s = socket.socket(socket.AF_UNIX)
            try:
                s.connect(self.path)
                return Connection(s, hello)
            except (ConnectionRefusedError, FileNotFoundError):
                s.close()
                time.sleep(0.01)
        raise AssertionError("the keeper does not listen")

    def stop(self):
        self.process.terminate()
        return self.process.wait(10)
