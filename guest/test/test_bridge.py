from support import *


class Bridge(KeeperTest):
    def bridge(self, **more):
        return subprocess.Popen([BINARY, "bridge"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                                env={**os.environ, "HERMIT_KEEPER_SOCKET": self.keeper.path}, **more)

    def receive(self, pipe):
        head = pipe.read(4)
        if not head:
            return None
        body = b""
        size = struct.unpack(">I", head)[0]
        while len(body) < size:
            body += pipe.read(size - len(body))
        return body[0], struct.unpack_from(">I", body, 1)[0], body[5:]

    def test_frames_pass_both_ways_and_the_end_of_stdin_ends_it(self):
        b = self.bridge()
        b.stdin.write(frame(HELLO, 0, field(1, 1) + field(2, 1)))
        self.assertEqual(self.receive(b.stdout)[0], HELLO)
        script = "head -c 3000000 /dev/zero"
        b.stdin.write(frame(START, 1, start_payload(exec_id(), [b"/bin/sh", b"-c", script.encode()], flags=HOLD, head=0)))
        got = 0
        while (one := self.receive(b.stdout))[0] != END:
            got += len(one[2]) - 9 if one[0] == OUTPUT else 0
        self.assertEqual(got, 3_000_000)
        b.stdin.close()
        self.assertEqual(b.wait(5), 0)
        b.stdout.close()

    def test_it_ends_when_the_keeper_closes(self):
        b = self.bridge()
        b.stdin.write(frame(0x77))
        self.assertEqual(self.receive(b.stdout)[0], ERROR)
        self.assertIsNone(self.receive(b.stdout))
        self.assertEqual(b.wait(5), 0)
        b.stdin.close()
        b.stdout.close()

    def test_it_waits_a_little_for_a_keeper_that_is_just_starting(self):
        path = self.keeper.dir + "/late/keeper.sock"
        b = subprocess.Popen([BINARY, "bridge"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
                             env={**os.environ, "HERMIT_KEEPER_SOCKET": path})
        time.sleep(0.1)
        k = subprocess.Popen([BINARY, "init"], env={**os.environ, "HERMIT_KEEPER_SOCKET": path})
        b.stdin.write(frame(HELLO, 0, field(1, 1) + field(2, 1)))
        self.assertEqual(self.receive(b.stdout)[0], HELLO)
        k.terminate()
        self.assertEqual((b.wait(5), k.wait(5)), (0, 0))
        b.stdin.close()
        b.stdout.close()

    def test_env_and_version(self):
        out = subprocess.run([BINARY, "env"], env={"A": "1", "B": "x\ny"}, capture_output=True, check=True).stdout
        self.assertEqual(set(out.split(b"\0")), {b"A=1", b"B=x\ny", b""} | {e for e in out.split(b"\0") if e.startswith(b"ASAN")})
        self.assertRegex(subprocess.run([BINARY, "version"], capture_output=True, check=True).stdout,
                         rb"^keeper [0-9.]+ protocol 1 (amd64|arm64)\n$")
        self.assertEqual(subprocess.run([BINARY, "nonsense"], capture_output=True).returncode, 2)

    def test_init_refuses_a_directory_that_others_can_enter(self):
        os.mkdir(self.keeper.dir + "/open", 0o755)
        done = subprocess.run([BINARY, "init"], env={"HERMIT_KEEPER_SOCKET": self.keeper.dir + "/open/k.sock"},
                              capture_output=True, timeout=10)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"keeper: listen on", done.stderr)


if __name__ == "__main__":
    unittest.main()
