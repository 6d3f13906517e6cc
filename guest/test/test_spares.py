"""Supervisors that wait in advance: they serve one command after the other, and nobody notices."""
import tracing
from support import *


class Spares(KeeperTest):
    def children(self, keeper=None):
        pid = (keeper or self.keeper).process.pid
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return sorted(map(int, f.read().split()))

    def setUp(self):
        super().setUp()
        # What the test before has left goes, and one command later a spare one is there again.
        self.assertTrue(eventually(lambda: len(self.children()) <= 2))
        self.assertEqual(self.c.sh("true").wait().code, 0)

    def supervisor(self):
        return int(self.c.sh("echo $PPID").wait().out)

    def test_one_waits_from_the_start(self):
        k = Keeper(BINARY)
        self.addCleanup(k.stop)
        self.assertTrue(eventually(lambda: len(self.children(k)) == 1))

    def test_one_supervisor_serves_many_commands(self):
        self.assertEqual(len({self.supervisor() for _ in range(20)}), 1)

    def test_no_more_than_two_stay_when_many_have_ended(self):
        runs = [self.c.sh(f"sleep 0.2; echo $PPID; exit {i}") for i in range(20)]
        collect(self.c, runs)
        self.assertEqual(len({bytes(r.out) for r in runs}), 20, "two commands had the same supervisor at once")
        self.assertEqual([r.code for r in runs], list(range(20)))
        self.assertTrue(eventually(lambda: len(self.children()) <= 2), self.children())

    def test_a_killed_one_costs_no_command(self):
        killed = self.children()
        self.assertTrue(killed)
        for pid in killed:
            os.kill(pid, 9)
        self.assertTrue(eventually(lambda: not set(killed) & set(self.children())))
        r = self.c.sh("echo on; exit 5").wait()
        self.assertEqual((r.how, bytes(r.out), r.code), (EXITED, b"on\n", 5))

    def test_one_killed_while_it_takes_a_command_is_told_as_any_killed_supervisor(self):
        for _ in range(20):
            for pid in self.children():
                os.kill(pid, 9)
            r = self.c.sh("echo on; exit 5").wait()
            self.assertIn((r.how, r.signal, bytes(r.out), r.code), [(EXITED, 0, b"on\n", 5), (SIGNALED, 9, b"", 0)])
        self.assertTrue(eventually(lambda: len(self.children()) <= 2))

    def test_a_stopped_one_goes_on(self):
        for pid in self.children():
            os.kill(pid, 19)
        r = self.c.sh("echo on").wait()
        self.assertEqual((r.how, bytes(r.out)), (EXITED, b"on\n"))

    def test_nothing_of_a_command_is_left_for_the_next(self):
        first = self.supervisor()
        self.c.sh("cd /usr; umask 077; ulimit -n 20; trap '' TERM; exec 7</etc/passwd; A=1; export A").wait()
        script = "pwd; umask; ulimit -n; ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/self/status; echo ${A-none}; echo $PPID"
        r = self.c.sh(script, cwd=b"/etc").wait()
        self.assertEqual(r.out.split(), [b"/etc", b"0022", self.c.sh("ulimit -n").wait().out.strip(), b"4", b"SigBlk:", b"0" * 16,
                                         b"SigIgn:", b"0" * 16, b"none", b"%d" % first])
        self.assertNotEqual(r.out.split()[2], b"20")

    def test_a_deadline_or_cancel_of_a_command_does_not_reach_the_next(self):
        first = self.c.sh("echo $PPID", timeout=300).wait()
        late = self.c.sh("true").started().send(CANCEL).wait()
        self.assertIn(late.how, (EXITED, CANCELLED))
        r = self.c.sh("echo $PPID; sleep 0.6").wait()
        self.assertEqual((r.how, bytes(r.out)), (EXITED, bytes(first.out)))

    def test_after_a_timeout_it_goes_on(self):
        first = self.supervisor()
        r = self.c.sh("trap '' TERM; sleep 50", timeout=100, grace=50).wait()
        self.assertEqual((r.how, r.killed), (TIMED_OUT, 1))
        r = self.c.sh("echo $PPID").wait()
        self.assertEqual((r.how, r.killed, int(r.out)), (EXITED, 0, first))

    def test_after_a_refusal_it_goes_on(self):
        first = self.supervisor()
        for argv, more in [(["/nowhere/x"], {}), (["true"], {"cwd": b"/nowhere"}), (["true"], {"user": b"nobody-there"})]:
            self.assertIsNotNone(self.c.start(argv, **more).wait().refused)
        self.assertEqual(self.supervisor(), first)

    def test_a_terminal_and_pipes_in_turn(self):
        for _ in range(3):
            self.assertEqual(bytes(self.c.sh("tty", flags=PTY).wait().out[:8]), b"/dev/pts")
            r = self.c.sh("tty; ls /proc/self/fd | wc -l").wait()
            self.assertEqual(bytes(r.out), b"not a tty\n4\n")

    def test_one_with_a_background_child_stays_with_it(self):
        name = mark()
        first = int(self.c.sh(f"sleep {name} & echo $PPID").wait().out)
        self.assertNotEqual(self.supervisor(), first)
        with open(f"/proc/{processes(name)[0]}/stat") as f:
            self.assertEqual(int(f.read().rsplit(")", 1)[1].split()[1]), first)
        os.kill(processes(name)[0], 9)
        self.assertTrue(eventually(lambda: first not in self.children()))

    def test_what_the_keeper_was_started_with_ignored_is_not_handed_on(self):
        k = Keeper(BINARY, prefix=["python3", "-c", "import os, signal, sys\n"
                                   "for s in (1, 13, 17, 34): signal.signal(s, signal.SIG_IGN)\n"
                                   "os.execv(sys.argv[1], sys.argv[1:])"])
        self.addCleanup(k.stop)
        c = k.connect()
        self.addCleanup(c.close)
        for _ in range(2):
            r = c.sh("grep -E 'Sig(Blk|Ign)' /proc/self/status").wait()
            self.assertEqual(r.out.split(), [b"SigBlk:", b"0" * 16, b"SigIgn:", b"0" * 16])

    def test_they_end_with_a_killed_keeper(self):
        k = Keeper(BINARY)
        c = k.connect()
        self.addCleanup(c.close)
        pid = int(c.sh("echo $PPID").wait().out)
        k.process.kill()
        k.process.wait()
        self.assertTrue(eventually(lambda: not os.path.exists(f"/proc/{pid}")))

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_at_the_limit_of_processes_a_command_is_refused_and_a_later_one_runs(self):
        user = 100000 + random.randrange(10**6)
        # The kernel counts this user's processes: the keeper, a supervisor, and one process of a command.
        k = Keeper(BINARY, prefix=["python3", "-c", "import os, resource, sys\n"
                                   f"os.chown(os.path.dirname(os.path.dirname(os.environ['HERMIT_KEEPER_SOCKET'])), {user}, {user})\n"
                                   "resource.setrlimit(resource.RLIMIT_NPROC, (3, 3))\n"
                                   f"os.setgroups([]); os.setgid({user}); os.setuid({user})\n"
                                   "os.execv(sys.argv[1], sys.argv[1:])"])
        self.addCleanup(k.stop)
        os.seteuid(user)  # a keeper listens to its own user only
        try:
            c = k.connect()
        finally:
            os.seteuid(0)
        self.addCleanup(c.close)
        as_user = {"user": b"%d" % user}
        first = c.start(["sleep", "30"], **as_user).started()
        self.assertEqual(c.start(["true"], **as_user).wait().refused, 10)
        first.send(CANCEL).wait()
        self.assertEqual(first.how, CANCELLED)
        self.assertEqual(c.start(["echo", "on"], **as_user).wait().out, b"on\n")


@unittest.skipIf(os.geteuid() != 0, "needs root")
class KilledSpares(KeeperTest):
    """Held still at an exact point of taking a command, and killed there."""

    def only_spare(self):
        k = Keeper(BINARY)
        self.addCleanup(k.stop)
        c = k.connect()
        self.addCleanup(c.close)
        pid = k.process.pid
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return c, int(f.read())

    def test_one_killed_before_it_has_read_the_command_costs_nothing(self):
        c, spare = self.only_spare()
        tracing.hold(spare)
        r = c.sh("cat; echo on; exit 5", flags=STDIN_OPEN).send(STDIN, b"in\n").send(STDIN_EOF)
        self.assertTrue(c.quiet(0.1))
        tracing.kill(spare)
        r.wait()
        self.assertEqual((r.how, bytes(r.out), r.code, r.frames.count(STARTED)), (EXITED, b"in\non\n", 5, 1))
        self.assertNotEqual(r.pid, 0)

    def test_one_killed_between_fork_and_execve_costs_nothing(self):
        c, spare = self.only_spare()
        tracing.watch(spare)
        r = c.sh("echo on; exit 5")
        tracing.stop_at(spare, tracing.EVENT_VFORK)
        tracing.kill(spare)
        r.wait()
        self.assertEqual((r.how, bytes(r.out), r.code), (EXITED, b"on\n", 5))

    def test_one_killed_at_execve_is_told_as_a_command_that_may_have_begun(self):
        c, spare = self.only_spare()
        tracing.watch(spare)
        marker = self.keeper.dir + "/ran"
        r = c.sh(f"echo >>{marker}; sleep 50")
        tracing.stop_at(spare, tracing.EVENT_VFORK)
        child = tracing.child_of(spare)
        tracing.stop_at(child, tracing.EVENT_STOP)
        tracing.go_on(child)
        tracing.stop_at(child, tracing.EVENT_EXEC)
        tracing.kill(spare)
        r.wait()
        self.assertEqual((r.how, r.signal, r.pid, bytes(r.out)), (SIGNALED, 9, 0, b""))
        self.assertFalse(os.path.exists(marker))

    def test_a_terminal_whose_supervisor_was_killed_before_it_began_is_refused_and_may_be_asked_for_again(self):
        c, spare = self.only_spare()
        tracing.hold(spare)
        r = c.sh("echo on", flags=PTY)
        self.assertTrue(c.quiet(0.1))
        tracing.kill(spare)
        self.assertEqual(r.wait().refused, 13)
        self.assertIn("before the program began", r.message)
        self.assertEqual(c.sh("echo on", id=r.id, flags=PTY).wait().code, 0)

    def test_one_killed_after_the_command_was_cancelled_does_not_run_it(self):
        c, spare = self.only_spare()
        tracing.hold(spare)
        r = c.sh("echo on").send(CANCEL)
        self.assertTrue(c.quiet(0.1))
        tracing.kill(spare)
        r.wait()
        self.assertEqual((r.how, r.pid, bytes(r.out)), (CANCELLED, 0, b""))

    def test_a_process_killed_before_execve_is_no_command_that_began(self):
        c, spare = self.only_spare()
        tracing.watch(spare)
        r = c.sh("echo on")
        tracing.stop_at(spare, tracing.EVENT_VFORK)
        child = tracing.child_of(spare)
        tracing.stop_at(child, tracing.EVENT_STOP)
        tracing.kill(child)
        tracing.let_go(spare)
        self.assertEqual(r.wait().refused, 13)
        self.assertIn("before the program began", r.message)


if __name__ == "__main__":
    unittest.main()
