"""Output with credit, HOLD and rings; stdin; terminals."""
import hashlib
from support import *

LINES = "seq -f %%015.0f 0 %d"  # 16 bytes a line: each tells its own offset


def is_lines(data, offset=0):
    first = offset // 16
    whole = b"".join(b"%015d\n" % i for i in range(first, first + len(data) // 16 + 2))
    return whole[offset - first * 16:][:len(data)] == bytes(data)


class Output(KeeperTest):
    def test_200_mb_with_hold_are_byte_exact_under_back_pressure(self):
        size, credit = 200_000_000, 1 << 20
        script = f"head -c {size} /dev/zero | tr '\\0' 'a' | cat"
        r = self.c.sh(script, flags=HOLD, head=0, window=credit)
        sum, got, since = hashlib.sha256(), 0, 0
        while True:
            type, channel, payload = self.c.receive(20)
            if type == OUTPUT:
                self.assertEqual(struct.unpack_from(">Q", payload, 1)[0], got)
                got += len(payload) - 9
                since += len(payload) - 9
                self.assertLessEqual(since, credit, "more than was allowed")
                sum.update(payload[9:])
                if since >= credit // 2:
                    r.send(CREDIT, struct.pack(">I", since))
                    since = 0
            if type == END:
                break
        expected = hashlib.sha256()
        for _ in range(size // 1_000_000):
            expected.update(b"a" * 1_000_000)
        self.assertEqual((got, sum.hexdigest()), (size, expected.hexdigest()))

    def test_hold_stops_the_command_itself(self):
        path = self.keeper.dir + "/count"
        r = self.c.sh(f"yes 012345678901234 | (head -c 3000000; echo x > {path})", flags=HOLD, head=0, window=0).started()
        self.assertTrue(self.c.quiet(0.4))
        self.assertFalse(os.path.exists(path), "the writer was not held back")
        r.send(CREDIT, struct.pack(">I", 10_000_000)).wait()
        self.assertEqual((len(r.out), r.jumps), (3_000_000, []))

    def test_without_hold_the_ring_is_overwritten_and_offsets_jump(self):
        r = self.c.sh(LINES % 200000, head=1600, window=0).started()
        other = self.keeper.connect()
        other.attach(r.id, out=1 << 63).wait()
        other.close()
        r.send(CREDIT, struct.pack(">I", 10_000_000)).wait()
        self.assertEqual(r.out_total, 16 * 200001)
        self.assertEqual(len(r.jumps), 1)
        self.assertEqual(r.jumps[0][0], 1600)
        self.assertEqual(r.at[0], r.out_total)
        self.assertGreaterEqual(len(r.out), 1600 + (16 << 10))
        self.assertLessEqual(len(r.out), 1600 + (256 << 10))
        self.assertTrue(is_lines(r.out[:1600]))
        self.assertTrue(is_lines(r.out[1600:], r.jumps[0][1]))

    def test_head_and_ring_join_without_a_gap(self):
        for head in (0, 1, 1000, 1024, 5000):
            r = self.c.sh(LINES % 1000, head=head).wait()
            self.assertEqual((len(r.out), r.jumps), (16016, []), head)
            self.assertTrue(is_lines(r.out))

    def test_credit_is_exact(self):
        r = self.c.sh("printf 0123456789; printf abc >&2", window=4)
        r.until(lambda r: len(r.out) + len(r.err) == 4)
        self.assertTrue(self.c.quiet(0.2))
        r.send(CREDIT, struct.pack(">I", 100)).wait()
        self.assertEqual((r.out, r.err), (b"0123456789", b"abc"))

    def test_endless_output_is_bounded_and_ends_in_time(self):
        runs = [self.c.sh("yes", timeout=400, head=1 << 20, window=1 << 20) for _ in range(4)]
        collect_with_loss(self, runs)
        for r in runs:
            self.assertEqual(r.how, TIMED_OUT)
            self.assertEqual(bytes(r.out[:4]), b"y\ny\n")
        with open(f"/proc/{self.keeper.process.pid}/status") as f:
            peak = [int(line.split()[1]) for line in f if line.startswith("VmHWM")][0]
        if "asan" not in BINARY:
            self.assertLess(peak, 14_000, "kB of memory")

    def test_the_output_of_those_that_ended_longest_ago_goes_first(self):
        first = self.c.sh("head -c 1000000 /dev/zero; exit 5", head=1 << 20).wait()
        for _ in range(9):
            self.c.sh("head -c 1000000 /dev/zero", head=1 << 20).wait()
        again = self.c.attach(first.id).wait()
        self.assertEqual((len(again.out), again.out_total, again.code), (0, 1_000_000, 5))

    def test_a_slow_connection_does_not_hold_up_others(self):
        slow = self.keeper.connect()
        runs = [slow.sh("yes", timeout=60_000, window=1 << 30), slow.sh("yes", timeout=60_000, window=1 << 30, flags=HOLD)]
        time.sleep(0.3)
        start = time.monotonic()
        for _ in range(5):
            self.c.sh("echo quick").wait()
        self.assertLess(time.monotonic() - start, 30)
        slow.close()
        self.assertTrue(runs)

    def test_many_pings_from_a_gateway_that_does_not_read(self):
        rude = self.keeper.connect()
        rude.sock.setblocking(False)
        sent = 0
        try:
            for _ in range(5000):
                sent += rude.sock.send(frame(PING, 0, b"12345678") * 100)
        except BlockingIOError:
            pass
        self.assertLess(sent, 5000 * 1700, "everything was taken, although nothing was read")
        self.assertEqual(self.c.sh("echo on").wait().out, b"on\n")
        rude.close()


def collect_with_loss(test, runs):
    by = {r.channel: r for r in runs}
    while not all(r.done() for r in runs):
        type, channel, payload = test.c.receive(10)
        by[channel].take(type, payload)
        if type == OUTPUT:
            by[channel].send(CREDIT, struct.pack(">I", len(payload) - 9))


class Stdin(KeeperTest):
    def test_closed_by_default(self):
        self.assertEqual(self.c.sh("cat; read x; echo got:$x").wait().out, b"got:\n")

    def test_streamed(self):
        r = self.c.sh("while read x; do echo got:$x; done; echo end", flags=STDIN_OPEN)
        r.send(STDIN, b"one\n").until(lambda r: b"got:one" in r.out)
        r.send(STDIN, b"tw").send(STDIN, b"o\nthree\n").send(STDIN_EOF).wait()
        self.assertEqual(r.out, b"got:one\ngot:two\ngot:three\nend\n")

    def test_a_large_stream_within_the_window(self):
        data = os.urandom(3_000_000)
        r = self.c.sh("sha256sum", flags=STDIN_OPEN)
        window, at = 65536, 0
        while at < len(data):
            part = data[at:at + min(window, 20000)]
            if part:
                r.send(STDIN, part)
                at += len(part)
                window -= len(part)
                continue
            type, channel, payload = self.c.receive()
            if type == STDIN_CREDIT:
                window += struct.unpack(">I", payload)[0]
                self.assertLessEqual(window, 65536)
            else:
                r.take(type, payload)
        r.send(STDIN_EOF).wait()
        self.assertEqual(r.out.split()[0].decode(), hashlib.sha256(data).hexdigest())

    def test_who_does_not_read_holds_the_window(self):
        r = self.c.sh("sleep 50", flags=STDIN_OPEN).started()
        for _ in range(2):
            r.send(STDIN, b"x" * 32768)
        r.send(STDIN, b"more").until(lambda r: r.done() or STDIN_CREDIT in r.frames)
        if r.error is None:  # the pipe took some, and said so: the rest of the window is then too little
            r.send(STDIN, b"x" * 65536).until(Run.done)
        self.assertEqual(r.error, 1)
        again = self.c.attach(r.id)
        again.send(CANCEL).wait()
        self.assertEqual(again.how, CANCELLED)

    def test_nobody_reads_any_more(self):
        r = self.c.sh("exec 0<&-; sleep 0.3; echo end", flags=STDIN_OPEN)
        r.until(lambda r: STDIN_CLOSED in r.frames)
        r.send(STDIN, b"lost").wait()
        self.assertEqual((r.out, r.how, r.code), (b"end\n", EXITED, 0))
        r = self.c.sh("head -c 1 >/dev/null; exec 0<&-; sleep 0.2", flags=STDIN_OPEN)
        r.send(STDIN, b"y" * 65536).wait()
        self.assertIn(STDIN_CLOSED, r.frames)
        self.assertEqual(r.frames.count(STDIN_CLOSED), 1)

    def test_a_command_bound_to_its_feeder_ends_with_it(self):
        feeder = self.keeper.connect()
        r = feeder.sh("cat; sleep 60", flags=STDIN_OPEN | STDIN_BOUND).started()
        r.send(STDIN, b"half").until(lambda r: r.out == b"half")
        feeder.close()
        again = self.c.attach(r.id).wait()
        self.assertEqual((again.how, again.out), (STDIN_CUT, b"half"))

    def test_a_command_that_has_all_of_its_stdin_outlives_its_feeder(self):
        feeder = self.keeper.connect()
        r = feeder.sh("cat; sleep 0.5; echo end", flags=STDIN_OPEN | STDIN_BOUND).started()
        r.send(STDIN, b"all ").send(STDIN_EOF).until(lambda r: r.out == b"all ")
        feeder.close()
        again = self.c.attach(r.id).wait()
        self.assertEqual((again.how, again.out), (EXITED, b"all end\n"))

    def test_a_command_with_an_open_stdin_waits_for_another_feeder(self):
        feeder = self.keeper.connect()
        r = feeder.sh("cat", flags=STDIN_OPEN).started()
        r.send(STDIN, b"one ").until(lambda r: r.out == b"one ")
        feeder.close()
        again = self.c.attach(r.id, out=4)
        again.at[0] = 4
        again.send(STDIN, b"two").send(STDIN_EOF).wait()
        self.assertEqual((again.how, again.out), (EXITED, b"two"))

    def test_stdin_to_a_command_without_it(self):
        r = self.c.sh("sleep 0.2; cat").send(STDIN, b"zzz").wait()
        self.assertEqual((r.out, r.frames.count(STDIN_CLOSED)), (b"", 1))


class Terminal(KeeperTest):
    def test_size_is_right_from_the_first_byte_and_after_a_resize(self):
        r = self.c.sh("stty size; trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.02; done", flags=PTY, cols=100, rows=30)
        r.until(lambda r: b"ready" in r.out).send(RESIZE, struct.pack(">HH", 132, 43)).wait()
        self.assertEqual(r.out.split(), b"30 100 ready 43 132".split())
        self.assertEqual(self.c.sh("stty size", flags=PTY).wait().out.strip(), b"24 80")

    def test_echo_line_editing_and_end_of_file(self):
        r = self.c.sh("tty; cat; echo end", flags=PTY).until(lambda r: b"pts" in r.out)
        r.send(STDIN, b"hellp\x7fo\n").until(lambda r: r.out.count(b"hello") == 1)
        r.send(STDIN_EOF).wait()
        self.assertTrue(r.out.endswith(b"hello\r\nend\r\n"), r.out)

    def test_interrupt_goes_to_the_foreground_group(self):
        r = self.c.start(["/bin/bash", "--norc", "-i"], flags=PTY, env=ENV + [b"PS1=$ "]).until(lambda r: b"$ " in r.out)
        r.send(STDIN, b"sleep 100; echo after\n").until(lambda r: b"after\r\n" in r.out)
        time.sleep(1)
        r.send(STDIN, b"\x03")
        time.sleep(1)
        r.send(STDIN, b"sleep 100 || echo cut:$?\n")
        time.sleep(1)
        r.send(SIGNAL, bytes([15])).until(lambda r: b"cut:143" in r.out)
        r.send(STDIN, b"exit 6\n").wait()
        self.assertEqual((r.how, r.code), (EXITED, 6))

    def test_all_output_comes_before_the_end(self):
        for _ in range(10):
            r = self.c.sh(LINES % 4000, flags=PTY | HOLD).wait()
            self.assertEqual(len(r.out), 17 * 4001)

    def test_a_program_that_lets_go_of_the_terminal_for_a_while(self):
        r = self.c.sh("exec </dev/null >/dev/null 2>&1; sleep 0.2; echo back >/dev/tty", flags=PTY).wait()
        self.assertEqual(r.out, b"back\r\n")

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_the_terminal_belongs_to_the_user(self):
        r = self.c.sh("echo x > $(tty); stat -c %u $(tty)", flags=PTY, user=b"65534").wait()
        self.assertEqual(r.out.split(), [b"x", b"65534"])


if __name__ == "__main__":
    unittest.main()
