"""Run mode: the same frames as base64 lines."""
import base64, shutil, uuid
from support import *


class Lines:
    def __init__(self, *args, first=None):
        self.p = subprocess.Popen([BINARY, "run", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.run = Run(self, 1, None)
        if first is not None:
            self.write(first)

    def write(self, data):
        self.p.stdin.write(base64.b64encode(data) + b"\n")
        self.p.stdin.flush()

    def send(self, type, channel, payload=b""):
        self.write(frame(type, channel, payload))

    def receive(self, timeout=10):
        if not select.select([self.p.stdout], [], [], timeout)[0] and not self.p.stdout.peek(1):
            raise TimeoutError()
        line = self.p.stdout.readline()
        if not line:
            raise Closed()
        data = base64.b64decode(line.rstrip(b"\n"), validate=True)
        assert struct.unpack_from(">I", data)[0] == len(data) - 4
        return data[4], struct.unpack_from(">I", data, 5)[0], data[9:]

    def wait(self):
        self.run.wait()
        code = self.p.wait(10)
        rest = self.p.stdout.read()
        assert rest == b"", rest
        self.close()
        return self.run, code

    def close(self):
        self.p.stdout.close()
        try:
            self.p.stdin.close()
        except BrokenPipeError:
            pass


def sh(script, id=None, **more):
    return start_payload(id or exec_id(), [b"/bin/sh", b"-c", script.encode()], **more)


class RunMode(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="keeper-run-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def test_a_command(self):
        r, code = Lines("-", first=sh("printf out; printf err >&2; exit 3")).wait()
        self.assertEqual((r.out, r.err, r.how, r.code, code), (b"out", b"err", EXITED, 3, 0))
        self.assertEqual((r.frames[0], r.frames[-1]), (STARTED, END))

    def test_a_request_from_a_file_and_a_long_one(self):
        with open(self.dir + "/request", "wb") as f:
            f.write(base64.b64encode(start_payload(exec_id(), [b"/bin/sh", b"-c", b"echo $#", b"x"] + [b"y" * 100000] * 15)))
        self.assertEqual(Lines(self.dir + "/request").wait()[0].out, b"15\n")

    def test_refusals(self):
        self.assertEqual(Lines("-", first=sh("true", cwd=b"/nowhere")).wait()[0].refused, 6)
        self.assertEqual(Lines("-", first=b"nonsense").wait()[0].refused, 1)
        l = Lines("-")
        l.p.stdin.write(b"!!!\n")
        l.p.stdin.flush()
        self.assertEqual(l.wait()[0].refused, 1)
        self.assertEqual(subprocess.run([BINARY, "run"], capture_output=True).returncode, 2)

    def test_stdin_signals_and_end_of_file(self):
        l = Lines("-", first=sh(
            "trap 'got=1' USR1; echo ready; until [ $got ]; do sleep 0.02; done; echo got; while read x; do echo $x; done; echo end",
            flags=STDIN_OPEN))
        l.run.until(lambda r: b"ready" in r.out)
        l.run.send(STDIN, b"hello\n").send(SIGNAL, b"\x0a").until(lambda r: b"hello" in r.out)
        l.run.send(STDIN, b"more\n").until(lambda r: b"more" in r.out)
        l.run.send(STDIN_EOF)
        r, code = l.wait()
        self.assertEqual((b"got" in r.out, r.out.endswith(b"end\n"), code), (True, True, 0))

    def test_timeout_and_cancel_take_the_tree_along(self):
        name = mark()
        r, _ = Lines("-", first=sh(f"trap '' TERM; (setsid sleep {name} &); sleep {name}; sleep {name}", timeout=2000, grace=100)).wait()
        self.assertEqual((r.how, r.killed, processes(name)), (TIMED_OUT, 1, []))
        l = Lines("-", first=sh(f"(setsid sleep {name} &); sleep {name}"))
        l.run.started().send(CANCEL)
        self.assertEqual((l.wait()[0].how, processes(name)), (CANCELLED, []))
        l = Lines("-", first=sh(f"(setsid sleep {name} &); sleep {name}"))
        l.run.started()
        l.p.terminate()
        self.assertEqual((l.wait()[0].how, processes(name)), (CANCELLED, []))

    def test_much_output_with_hold_is_exact(self):
        r, _ = Lines("-", first=sh("seq -f %015.0f 0 400000", flags=HOLD, head=0)).wait()
        self.assertEqual((len(r.out), r.jumps), (16 * 400001, []))

    def test_a_background_child_does_not_hold_it_up_and_lives_on(self):
        name = mark()
        r, code = Lines("-", first=sh(f"sleep {name} & echo hi")).wait()
        self.assertEqual((r.out, r.how, code), (b"hi\n", EXITED, 0))
        self.assertEqual(len(processes(name)), 1)
        os.kill(processes(name)[0], 9)

    def test_nonsense_on_stdin_does_not_hurt_the_command(self):
        l = Lines("-", first=sh("sleep 0.2; echo end"))
        l.write(b"nonsense")
        l.write(frame(FORGET, 0, field(1, exec_id())))
        self.assertEqual(l.wait()[0].out, b"end\n")

    def attach(self, id, out=0, err=0):
        return Lines("--dir", self.dir + "/d", "--attach", str(uuid.UUID(bytes=id)), str(out), str(err))

    def test_a_lost_client_and_its_return(self):
        id, path = exec_id(), self.dir + "/once"
        l = Lines("--dir", self.dir + "/d", "-", first=sh(f"echo one; echo x >> {path}; until [ -e {path}.go ]; do sleep 0.02; done; echo two; exit 5", id))
        l.run.until(lambda r: b"one" in r.out)
        l.p.kill()
        l.p.wait()
        l.close()
        self.assertEqual(Lines("--dir", self.dir + "/d", "-", first=sh(f"echo x >> {path}", id)).wait()[0].refused, 3)
        live = self.attach(id, out=4)
        live.run.at[0] = 4
        live.run.until(lambda r: r.attached)
        open(path + ".go", "w").close()
        r, code = live.wait()
        self.assertEqual((r.out, r.code, number(r.attached, 4), code), (b"two\n", 5, 0, 0))
        self.assertTrue(eventually(lambda: not os.path.exists(f"{self.dir}/d/{id.hex()}.sock")))
        for out, expected in ((0, b"one\ntwo\n"), (4, b"two\n"), (6, b"o\n"), (8, b""), (1 << 40, b"")):
            saved = self.attach(id, out=out)
            saved.run.at[0] = out
            r, code = saved.wait()
            self.assertEqual((bytes(r.out), r.code, number(r.attached, 4), code), (expected, 5, 1, 0))
        self.assertEqual(Lines("--dir", self.dir + "/d", "-", first=sh(f"echo x >> {path}", id)).wait()[0].refused, 3)
        with open(path) as f:
            self.assertEqual(f.read(), "x\n")

    def test_term_to_the_engine_is_cancel(self):
        name = mark()
        l = Lines("-", first=sh(f"(setsid sleep {name} &); sleep {name}"))
        l.run.started()
        with open(f"/proc/{l.run.pid}/stat") as f:
            supervisor = f.read().rsplit(")", 1)[1].split()[1]
        with open(f"/proc/{supervisor}/stat") as f:
            os.kill(int(f.read().rsplit(")", 1)[1].split()[1]), 15)
        self.assertEqual((l.wait()[0].how, processes(name)), (CANCELLED, []))

    def test_what_dir_does_not_know(self):
        os.mkdir(self.dir + "/d", 0o700)
        l = self.attach(exec_id())
        r, code = l.wait()
        self.assertEqual((r.error, code), (5, 1))

    def test_a_refused_id_is_free_again_in_dir(self):
        id = exec_id()
        self.assertEqual(Lines("--dir", self.dir + "/d", "-", first=sh("true", id, cwd=b"/nowhere")).wait()[0].refused, 6)
        self.assertTrue(eventually(lambda: os.listdir(self.dir + "/d") == []))
        self.assertEqual(Lines("--dir", self.dir + "/d", "-", first=sh("echo ok", id)).wait()[0].out, b"ok\n")

    def test_a_keeper_that_was_killed_leaves_no_false_outcome(self):
        id, name = exec_id(), mark()
        l = Lines("--dir", self.dir + "/d", "-", first=sh(f"sleep {name}", id))
        l.run.started()
        with open(f"/proc/{l.run.pid}/stat") as f:
            supervisor = f.read().rsplit(")", 1)[1].split()[1]
        with open(f"/proc/{supervisor}/stat") as f:
            engine = int(f.read().rsplit(")", 1)[1].split()[1])
        os.kill(engine, 9)
        self.assertEqual(l.p.wait(5), 1)
        l.close()
        self.assertTrue(eventually(lambda: not processes(name)), "the command outlives its keeper")
        r, code = self.attach(id).wait()
        self.assertEqual((r.error, code), (13, 1))


if __name__ == "__main__":
    unittest.main()
