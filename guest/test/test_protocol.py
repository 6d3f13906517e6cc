"""Frames, at-most-once, attaching, and what a gateway that misbehaves meets."""
from support import *


class Protocol(KeeperTest):
    def ends_with(self, bytes_, code, hello=True, channel=0):
        c = self.keeper.connect(hello=hello)
        c.sock.sendall(bytes_)
        type, got_channel, payload = c.receive()
        self.assertEqual((type, got_channel, number(fields(payload), 1)), (ERROR, channel, code), bytes_)
        if channel == 0:
            with self.assertRaises(Closed):
                c.receive()
        c.close()

    def test_hello(self):
        self.assertEqual(number(self.c.hello, 1), 1)
        self.assertEqual(len(self.c.hello[3]), 16)
        self.assertIn(self.c.hello[4], (b"amd64", b"arm64"))
        other = self.keeper.connect()
        self.assertEqual(other.hello[3], self.c.hello[3], "the boot id is that of init")
        other.close()

    def test_ping(self):
        for data in (b"", b"x", b"12345678"):
            self.c.send(PING, 0, data)
            self.assertEqual(self.c.receive(), (PONG, 0, data))

    def test_versions(self):
        self.ends_with(frame(HELLO, 0, field(1, 2) + field(2, 9)), 2, hello=False)
        self.ends_with(frame(HELLO, 0, field(1, 0) + field(2, 0)), 2, hello=False)
        c = self.keeper.connect(hello=False)
        c.send(HELLO, 0, field(1, 0) + field(2, 77))
        self.assertEqual(c.receive()[0], HELLO)
        c.close()

    def test_malformed_frames(self):
        self.ends_with(struct.pack(">I", 4) + b"\x02\0\0\0", 1)
        self.ends_with(struct.pack(">I", 65542) + b"\x02\0\0\0\0", 1)
        self.ends_with(struct.pack(">I", 0xffffffff), 1)
        self.ends_with(frame(PING, 0), 1, hello=False)
        self.ends_with(frame(START, 1), 1, hello=False)
        self.ends_with(frame(HELLO, 0, field(1, 1) + field(2, 1)), 1)
        self.ends_with(frame(HELLO, 1, field(1, 1) + field(2, 1)), 1, hello=False)
        for bad in (b"", field(1, 1), field(1, 1) + field(2, 1) + field(3, 1), field(1, 1) * 2 + field(2, 1),
                    b"\x01\0\0\0\x09" + b"\0" * 8, field(1, b"\1") + field(2, 1), b"\x01\0"):
            self.ends_with(frame(HELLO, 0, bad), 1, hello=False)
        self.ends_with(frame(0x77, 0), 1)
        self.ends_with(frame(0x77, 5), 1)
        self.ends_with(frame(PING, 0, b"123456789"), 1)
        self.ends_with(frame(PING, 7), 1)
        self.ends_with(frame(START, 0), 1)
        self.ends_with(frame(FORGET, 0, b"x"), 1)
        self.ends_with(frame(FORGET, 3, field(1, exec_id())), 1)
        self.ends_with(frame(STARTED, 4), 1)
        for type, payload in ((CREDIT, b"123"), (SIGNAL, b""), (RESIZE, b"12345"), (STDIN_EOF, b"1"), (CANCEL, b"1"), (DETACH, b"x")):
            self.ends_with(frame(type, 4, payload), 1, channel=4)
        self.ends_with(frame(ATTACH, 4, field(1, b"short")), 1, channel=4)
        self.ends_with(frame(ATTACH, 4, field(1, exec_id()) + field(5, 2)), 1, channel=4)
        self.assertEqual(self.c.sh("echo on").wait().out, b"on\n")

    def test_malformed_starts_are_refused_and_the_channel_is_free_again(self):
        id = exec_id()
        good = start_payload(id, [b"true"])
        bad = [b"", good[:-1], good + b"\0", good + field(15, 1), good + field(13, 1),
               good + field(13, 1) + field(14, b"here"), good + field(13, 1) + field(14, b"/a\0b"),
               good + field(13, 1 << 62) + field(14, b"/"), good + field(13, 1) + field(14, b"/" * 4096), good + field(6, 1), field(1, b"x" * 15) + good[21:],
               good.replace(b"true", b"tr\0e"), start_payload(id, []), start_payload(id, [b"true"], cwd=b"here"),
               start_payload(id, [b"true"], user=b""), start_payload(id, [b"true"], env=[b"novalue"]),
               start_payload(id, [b"true"], env=[b"=x"]), start_payload(id, [b"true"], flags=32),
               start_payload(id, [b"true"], cols=65536), good[21:]]
        for payload in bad:
            self.c.send(START, 9, payload)
            type, channel, answer = self.c.receive()
            self.assertEqual((type, channel, number(fields(answer), 1)), (REFUSED, 9, 1), payload)
        self.c.next = 9
        self.assertEqual(self.c.sh("echo ok", id=id).wait().out, b"ok\n")

    def test_frames_in_single_bytes_and_many_at_once(self):
        c = self.keeper.connect(hello=False)
        for b in frame(HELLO, 0, field(1, 1) + field(2, 1)) + frame(PING, 0, b"x"):
            c.sock.sendall(bytes([b]))
        self.assertEqual([c.receive()[0], c.receive()[0]], [HELLO, PONG])
        c.sock.sendall(b"".join(frame(PING, 0, struct.pack(">Q", i)) for i in range(5000)))
        for i in range(5000):
            self.assertEqual(c.receive(), (PONG, 0, struct.pack(">Q", i)))
        c.close()

    def test_late_frames_on_a_free_channel_are_ignored(self):
        r = self.c.sh("true").wait()
        for type, payload in ((CREDIT, b"\0\0\0\1"), (STDIN, b"x"), (STDIN_EOF, b""), (SIGNAL, b"\1"), (CANCEL, b""),
                              (RESIZE, b"\0\1\0\1"), (DETACH, b"")):
            r.send(type, payload)
        self.c.send(PING, 0, b"")
        self.assertEqual(self.c.receive()[0], PONG)

    def test_a_taken_channel_and_a_bad_signal_close_the_channel_only(self):
        r = self.c.sh("sleep 0.3; echo end").started()
        self.c.send(ATTACH, r.channel, field(1, r.id))
        r.wait()
        self.assertEqual(r.error, 1)
        again = self.c.attach(r.id).until(lambda r: r.attached)
        again.send(SIGNAL, b"\x41").until(Run.done)
        self.assertEqual(again.error, 1)
        self.assertEqual(self.c.attach(r.id).wait().out, b"end\n")

    def test_a_long_request_that_is_given_up(self):
        for channel in range(50, 70):
            self.c.send(MORE, channel, b"x" * 1000)
            self.c.send(DETACH, channel)
        for channel in range(50, 58):
            self.c.send(MORE, channel, b"x" * 1000)
        self.c.send(MORE, 58, b"x")
        type, channel, payload = self.c.receive()
        self.assertEqual((type, channel, number(fields(payload), 1)), (ERROR, 0, 11))

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_the_socket_is_for_its_owner_alone(self):
        st = os.stat(self.keeper.path)
        self.assertEqual(st.st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(os.path.dirname(self.keeper.path)).st_mode & 0o777, 0o700)
        # Even where the modes would let others in, the peer's uid is looked at.
        for path, mode in ((self.keeper.dir, 0o755), (os.path.dirname(self.keeper.path), 0o755), (self.keeper.path, 0o666)):
            os.chmod(path, mode)
        code = ("import socket; s = socket.socket(socket.AF_UNIX); s.settimeout(5); s.connect('%s')\n"
                "try: print(len(s.recv(1)))\nexcept ConnectionResetError: print(0)" % self.keeper.path)
        out = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", code],
                             capture_output=True, timeout=10, check=True)
        self.assertEqual(out.stdout.strip(), b"0")

    def test_it_is_not_dumpable(self):
        r = self.c.sh("sleep 5").started()
        with open(f"/proc/{r.pid}/stat") as f:
            supervisor = int(f.read().rsplit(")", 1)[1].split()[1])
        if os.geteuid() == 0:  # what is not dumpable belongs to root; so this says something in a user's keeper only
            with open(f"/proc/{supervisor}/comm") as f:
                self.assertEqual(f.read().strip(), "keeper-command")
        else:
            self.assertEqual(os.stat(f"/proc/{supervisor}/environ").st_uid, 0)
        r.send(CANCEL).wait()


class AtMostOnce(KeeperTest):
    def test_an_id_is_started_once(self):
        id, path = exec_id(), self.keeper.dir + "/once"
        self.c.sh(f"echo x >> {path}", id=id).wait()
        self.assertEqual(self.c.sh(f"echo x >> {path}", id=id).wait().refused, 3)
        self.c.send(FORGET, 0, field(1, id))
        self.assertEqual(self.c.sh(f"echo x >> {path}", id=id).wait().refused, 3)
        self.assertEqual(self.c.attach(id).wait().error, 5)
        running = self.c.sh("sleep 50").started()
        self.assertEqual(self.c.sh("true", id=running.id).until(lambda r: r.refused).refused, 3)
        running.send(CANCEL).wait()
        with open(path) as f:
            self.assertEqual(f.read(), "x\n")

    def test_forgetting_a_running_command_drops_it_when_it_has_ended(self):
        r = self.c.sh("sleep 0.2; echo end").started()
        self.c.send(FORGET, 0, field(1, r.id))
        self.assertEqual(bytes(r.wait().out), b"end\n")
        self.assertEqual(self.c.attach(r.id).wait().error, 5)


class Attaching(KeeperTest):
    def test_outcome_and_output_wait_for_the_next_connection(self):
        first, go = self.keeper.connect(), self.keeper.dir + "/go"
        r = first.sh(f"echo one; until [ -e {go} ]; do sleep 0.02; done; echo two; exit 9").started()
        r.until(lambda r: b"one" in r.out)
        first.close()
        time.sleep(0.1)
        running = self.c.attach(r.id, out=4).until(lambda r: r.attached)
        self.assertEqual((number(running.attached, 4), number(running.attached, 2)), (0, 4))
        self.assertEqual(number(running.attached, 1), r.pid)
        running.at[0] = 4
        open(go, "w").close()
        running.wait()
        self.assertEqual((running.out, running.code, running.jumps), (b"two\n", 9, []))
        ended = self.c.attach(r.id).wait()
        self.assertEqual((number(ended.attached, 4), ended.out, ended.code), (1, b"one\ntwo\n", 9))
        self.assertGreater(number(ended.attached, 5), 90)
        past = self.c.attach(r.id, out=1 << 63, err=(1 << 64) - 1).wait()
        self.assertEqual((past.out, past.code), (b"", 9))

    def test_a_deadline_holds_without_any_connection(self):
        first = self.keeper.connect()
        r = first.sh("sleep 50", timeout=200).started()
        first.close()
        time.sleep(2)
        again = self.c.attach(r.id).wait()
        self.assertEqual((number(again.attached, 4), again.how), (1, TIMED_OUT))

    def test_two_connections_follow_one_command_with_their_own_credit(self):
        other = self.keeper.connect()
        r = self.c.sh("for i in 1 2 3; do echo $i; sleep 0.1; done").started()
        follower = other.attach(r.id, window=2).until(lambda r: len(r.out) == 2)
        r.wait()
        self.assertEqual((bytes(r.out), bytes(follower.out)), (b"1\n2\n3\n", b"1\n"))
        self.assertTrue(other.quiet(0.1))
        follower.send(CREDIT, b"\0\0\1\0").wait()
        self.assertEqual((bytes(follower.out), follower.code), (b"1\n2\n3\n", 0))
        other.close()

    def test_detach(self):
        r = self.c.sh("echo one; sleep 1.5; echo two").until(lambda r: b"one" in r.out)
        r.send(DETACH)
        self.assertTrue(self.c.quiet(2.5))
        self.assertEqual(self.c.attach(r.id).wait().out, b"one\ntwo\n")

    def test_hold_ends_with_the_connection(self):
        first = self.keeper.connect()
        r = first.sh("head -c 2000000 /dev/zero; echo end >&2", flags=HOLD, head=0, window=0).started()
        time.sleep(0.2)
        first.close()
        again = self.c.attach(r.id).wait()
        self.assertEqual((bytes(again.err), again.out_total), (b"end\n", 2_000_000))

    def test_stdin_from_whoever_follows(self):
        r = self.c.sh("head -n1; sleep 0.1", flags=STDIN_OPEN).started()
        other = self.keeper.connect()
        other.attach(r.id).until(lambda r: r.attached).send(STDIN, b"hello\n").wait()
        self.assertEqual(r.wait().out, b"hello\n")
        other.close()

    def test_an_unknown_id(self):
        self.assertEqual(self.c.attach(exec_id()).wait().error, 5)

    def test_two_hundred_followers(self):
        r = self.c.sh("read x; echo $x", flags=STDIN_OPEN).started()
        followers = [self.c.attach(r.id) for _ in range(200)]
        r.send(STDIN, b"all\n")
        collect(self.c, [r, *followers])
        self.assertTrue(all(bytes(f.out) == b"all\n" and f.code == 0 for f in followers))


if __name__ == "__main__":
    unittest.main()
