"""A keeper in a machine that has an init of its own."""
import pty, select, shutil, signal, socket, tempfile
from support import *


class Daemon(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.path = self.dir + "/own/keeper.sock"
        self.env = {**os.environ, "HERMIT_KEEPER_SOCKET": self.path}

    def tearDown(self):
        for pid in self.keepers():
            os.kill(pid, signal.SIGTERM)
        self.assertTrue(eventually(lambda: not self.keepers()))
        shutil.rmtree(self.dir)

    def keepers(self):
        found = []
        for pid in processes("\0daemon\0"):
            try:
                with open(f"/proc/{pid}/comm") as f:
                    if f.read().strip() == "keeper-command":
                        continue
                with open(f"/proc/{pid}/environ", "rb") as f:
                    if self.path.encode() in f.read():
                        found.append(pid)
            except OSError:  # not dumpable: only root may look, and a process that has just ended is not there
                continue
        return found

    def daemon(self, **more):
        return subprocess.run([BINARY, "daemon"], env=self.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, **more)

    def connect(self):
        s = socket.socket(socket.AF_UNIX)
        s.connect(self.path)
        c = Connection(s)
        c.boot = c.hello[3]
        return c

    def test_it_returns_when_the_keeper_listens_and_holds_none_of_the_callers_streams(self):
        done = self.daemon()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))
        c = self.connect()
        self.assertEqual(len(c.boot), 16)
        c.close()
        self.assertEqual(len(self.keepers()), 1)

    def test_the_socket_may_be_named_and_the_environment_printed_in_the_same_call(self):
        for _ in range(2):
            done = subprocess.run([BINARY, "daemon", "--print-env", "--socket", self.path], env={"A": "1"},
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
            self.assertEqual(done.returncode, 0)
            self.assertIn(b"A=1", done.stdout.split(b"\0"))
        self.connect().close()
        for pid in processes("\0daemon\0--print-env\0"):
            os.kill(pid, signal.SIGTERM)

    def test_a_second_one_leaves_the_first_alone(self):
        self.daemon()
        first = self.connect()
        boot = first.boot
        self.assertEqual(self.daemon().returncode, 0)
        second = self.connect()
        self.assertEqual(second.boot, boot)
        first.close()
        second.close()
        self.assertEqual(len(self.keepers()), 1)

    def test_started_many_times_at_once_it_is_one(self):
        all = [subprocess.Popen([BINARY, "daemon"], env=self.env, stdin=subprocess.DEVNULL) for _ in range(8)]
        self.assertEqual([one.wait(20) for one in all], [0] * 8)
        self.assertEqual(len(self.keepers()), 1)

    def test_one_that_was_killed_takes_its_commands_along_and_is_followed_by_another(self):
        self.daemon()
        seconds = mark()
        c = self.connect()
        boot = c.boot
        c.start(["/bin/sh", "-c", f"setsid sleep {seconds}"])
        self.assertTrue(eventually(lambda: processes(seconds)))
        for pid in self.keepers():
            os.kill(pid, signal.SIGKILL)
        self.assertTrue(eventually(lambda: not processes(seconds)), "its command outlived it")
        c.close()
        self.assertEqual(self.daemon().returncode, 0)
        again = self.connect()
        self.assertNotEqual(again.boot, boot)
        again.close()

    def test_a_directory_that_is_open_to_others_is_refused(self):
        os.mkdir(self.dir + "/own", 0o755)
        done = self.daemon()
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"use the directory of", done.stderr)

    def test_every_byte_passes_a_bridge_over_a_terminal(self):
        self.daemon()
        outer, inner = pty.openpty()
        b = subprocess.Popen([BINARY, "bridge", "--terminal"], env=self.env, stdin=inner, stdout=inner, close_fds=True)
        os.close(inner)
        got = b""
        while b"hermit-bridge-up\n" not in got:
            got += os.read(outer, 4096)
        self.assertEqual(got, b"hermit-bridge-up\n")
        data = bytes(range(256)) * 200
        os.write(outer, frame(HELLO, 0, field(1, 1) + field(2, 1)))
        os.write(outer, frame(START, 1, start_payload(exec_id(), [b"/bin/cat"], flags=STDIN_OPEN | HOLD, head=0)))
        got, sent, output, ended = b"", 0, b"", False
        while not ended:
            ready = select.select([outer], [outer] if sent < len(data) else [], [], 10)
            self.assertTrue(ready[0] or ready[1], "nothing moves")
            if ready[0]:
                got += os.read(outer, 65536)
            elif ready[1]:
                piece = data[sent:sent + 1000]
                os.write(outer, frame(STDIN, 1, piece) + (frame(STDIN_EOF, 1) if sent + len(piece) == len(data) else b""))
                sent += len(piece)
            while len(got) >= 4 and len(got) >= 4 + struct.unpack(">I", got[:4])[0]:
                size = struct.unpack(">I", got[:4])[0]
                body, got = got[4:4 + size], got[4 + size:]
                if body[0] == OUTPUT:
                    output += body[5 + 9:]
                ended = ended or body[0] == END
        self.assertEqual(output, data)
        os.close(outer)
        self.assertEqual(b.wait(5), 0)

    def test_a_bridge_without_a_terminal_says_so(self):
        self.daemon()
        done = subprocess.run([BINARY, "bridge", "--terminal"], env=self.env, stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"make the terminal raw", done.stderr)
