"""As PID 1 of a namespace of its own, with the capabilities of a sandbox and no new privileges."""
from support import *

PREFIX = ["unshare", "--fork", "--pid", "--mount-proc", "--mount", "--kill-child"]


def possible():
    return os.geteuid() == 0 and subprocess.run([*PREFIX, "true"], capture_output=True).returncode == 0


class Namespaced(Keeper):
    """The socket lies on a tmpfs of the namespace: a bridge carries bytes out, as an engine's exec does."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="keeper-")
        os.mkdir(self.dir + "/k", 0o700)
        self.path = self.dir + "/k/keeper.sock"
        self.process = subprocess.Popen([*PREFIX, "sh", HERE + "/pid1.sh", os.path.abspath(BINARY), self.path])
        self.bridges = []

    def inside(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as f:
            return (f.read().split() or ["none"])[0]

    def ready(self):
        pid = self.inside()
        return os.path.exists(f"/proc/{pid}/root{self.path}")

    def connect(self, hello=True):
        ours, theirs = socket.socketpair()
        self.bridges.append(subprocess.Popen(["nsenter", "-t", self.inside(), "-m", "-p", BINARY, "bridge"], stdin=theirs, stdout=theirs,
                                             env={**os.environ, "HERMIT_KEEPER_SOCKET": self.path}))
        theirs.close()
        return Connection(ours, hello)

    def stop(self):
        os.kill(int(self.inside()), 15)
        code = self.process.wait(10)
        for b in self.bridges:
            b.wait(10)
        return code


@unittest.skipUnless(possible(), "needs root and namespaces")
class PidOne(KeeperTest):
    @classmethod
    def setUpClass(cls):
        cls.keeper = Namespaced()
        assert eventually(cls.keeper.ready), "no keeper in the namespace"

    def test_capabilities_and_privileges(self):
        r = self.c.sh("grep -E 'CapBnd|CapEff|NoNewPrivs' /proc/self/status; cat /proc/1/comm").wait()
        self.assertEqual(r.out.split(), b"CapEff: 00000000000000eb CapBnd: 00000000000000eb NoNewPrivs: 1 keeper-amd64".replace(
            b"keeper-amd64", os.path.basename(BINARY).encode()[:15]).split())
        r = self.c.sh("grep -E 'CapEff|CapPrm' /proc/self/status; id -u", user=b"12345").wait()
        self.assertEqual(r.out.split(), b"CapPrm: 0000000000000000 CapEff: 0000000000000000 12345".split())

    def test_another_users_tree_is_killed_without_ptrace(self):
        r = self.c.sh("trap '' TERM; (setsid sleep 700 &); sleep 700; sleep 700", user=b"12345", timeout=2000, grace=100).wait()
        self.assertEqual((r.how, r.killed), (TIMED_OUT, 1))
        self.assertEqual(self.c.sh("ps ax | grep -c '[s]leep 700'").wait().out, b"0\n")

    def test_no_zombies_stay(self):
        for _ in range(30):
            self.c.sh("(sleep 0.05 &) ; true").wait()
        time.sleep(0.3)
        self.assertEqual(self.c.sh("ps axo stat= | grep -c ^Z").wait().out, b"0\n")

    def test_root_inside_cannot_kill_the_keeper_and_a_killed_supervisor_is_noticed(self):
        # Never outside of the namespace: there it would be everybody.
        r = self.c.sh("[ $(readlink /proc/self/ns/pid) != '%s' ] || exit 9; kill -9 1; kill -9 -1; echo alive" % os.readlink("/proc/self/ns/pid"))
        with self.assertRaises(Closed):  # the bridge is one of those it hits
            r.until(lambda r: False)
        self.c.close()
        self.c = self.keeper.connect()
        self.assertEqual(self.c.attach(r.id).wait().how, SIGNALED)
        r = self.c.sh("(setsid sleep 701 &); kill -9 $PPID; sleep 701").wait()
        self.assertEqual((r.how, r.signal), (SIGNALED, 9))
        self.assertEqual(self.c.sh("ps ax | grep -c '[s]leep 701'").wait().out, b"0\n")

    def test_a_terminal_for_a_user(self):
        r = self.c.sh("stty size; echo x > /dev/tty; stat -c %u $(tty)", flags=PTY, user=b"12345", cols=99, rows=33).wait()
        self.assertEqual(r.out.split(), [b"33", b"99", b"x", b"12345"])


if __name__ == "__main__":
    unittest.main()
