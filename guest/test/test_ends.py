"""How commands are ended: deadline, cancel, signals, and trees that do not want to go."""
from support import *

OTHER = b"65534" if os.geteuid() == 0 else b"%d" % os.geteuid()


class Ends(KeeperTest):
    def test_timeout_lets_a_trap_run(self):
        path = self.keeper.dir + "/trap"
        r = self.c.sh(f"echo before; trap 'echo bye > {path}; exit 7' TERM; while :; do sleep 0.05; done", timeout=2000).wait()
        self.assertEqual((r.how, r.killed, bytes(r.out)), (TIMED_OUT, 0, b"before\n"))
        self.assertEqual(r.code, 7)
        self.assertTrue(os.path.exists(path))

    def test_timeout_kills_what_ignores_term(self):
        name = mark()
        start = time.monotonic()
        r = self.c.sh(f"trap '' TERM; (setsid sh -c 'trap \"\" TERM; sleep {name}; sleep {name}' &); sleep {name}; sleep {name}",
                      timeout=1500, grace=150).wait()
        self.assertEqual((r.how, r.killed), (TIMED_OUT, 1))
        self.assertLess(time.monotonic() - start, 30)
        self.assertEqual(processes(name), [])

    def test_cancel_takes_the_tree_along(self):
        name = mark()
        r = self.c.sh(f"setsid setsid sleep {name} & (setsid sleep {name} &) ; sleep {name}").started()
        self.assertTrue(eventually(lambda: len(processes(f"sleep\0{name}")) == 3 and not processes(f"setsid\0sleep\0{name}")))
        r.send(CANCEL).wait()
        self.assertEqual((r.how, r.killed), (CANCELLED, 0))
        self.assertEqual(processes(name), [])

    def test_stopped_processes_hear_term(self):
        r = self.c.sh("kill -STOP $$; sleep 5").started()
        time.sleep(0.1)
        r.send(CANCEL).wait()
        self.assertEqual((r.how, r.killed), (CANCELLED, 0))

    def test_first_process_that_ends_within_the_grace_still_counts_as_timed_out(self):
        name = mark()
        r = self.c.sh(f"(trap '' TERM; sleep {name} & wait; sleep {name}) & sleep {name}", timeout=1500, grace=300).wait()
        self.assertEqual((r.how, r.killed), (TIMED_OUT, 1))
        self.assertEqual(processes(name), [])

    def test_no_deadline_for_what_stays_in_the_background(self):
        name = mark()
        r = self.c.sh(f"sleep {name} & true", timeout=2000, grace=50).wait()
        self.assertEqual(r.how, EXITED)
        time.sleep(2.5)
        self.assertEqual(len(processes(name)), 1)
        os.kill(processes(name)[0], 9)

    def test_a_fork_bomb_dies(self):
        script = ("import os, signal, time\n"
                  "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                  "while True:\n"
                  "    try:\n"
                  "        os.fork()\n"
                  "    except OSError:\n"
                  "        time.sleep(0.001)\n")
        name = "bomb" + mark()
        # The limit stands in for the container's pids limit: it counts this user's processes.
        r = self.c.sh(f"ulimit -p 150 2>/dev/null || ulimit -u 150; exec python3 -c '{script}' {name}", user=b"54321", grace=100).started()
        self.assertTrue(eventually(lambda: len(processes(name)) > 60, 20), "it is no bomb")
        r.send(CANCEL).wait(15)
        self.assertEqual((r.how, r.killed), (CANCELLED, 1))
        self.assertEqual(processes(name), [])
        self.assertEqual(self.c.sh("echo on").wait().out, b"on\n")

    def test_a_signal_goes_to_the_group(self):
        r = self.c.sh("trap 'echo got; exit 4' USR1; echo ready; while :; do sleep 0.02; done")
        r.until(lambda r: b"ready" in r.out).send(SIGNAL, bytes([10])).wait()
        self.assertEqual((r.how, r.code, bytes(r.out)), (EXITED, 4, b"ready\ngot\n"))
        r = self.c.sh("sleep 50").started().send(SIGNAL, bytes([9])).wait()
        self.assertEqual((r.how, r.signal), (SIGNALED, 9))

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_another_user_cannot_kill_the_supervisor(self):
        r = self.c.sh("[ $(id -u) != 0 ] || exit 9; kill -9 $PPID && echo killed; kill -9 -1; sleep 0.1; echo alive", user=OTHER).wait()
        self.assertNotIn(b"killed", r.out)
        self.assertIn(r.how, (EXITED, SIGNALED))
        self.assertEqual(self.c.sh("echo on").wait().out, b"on\n")

    def test_a_killed_supervisor_ends_its_command(self):
        name = mark()
        before = self.c.sh("echo other; sleep 0.7; echo done")
        r = self.c.sh(f"(setsid sleep {name} &); sleep {name} & kill -9 $PPID; sleep {name}")
        collect(self.c, [r, before])
        self.assertEqual((r.how, r.signal), (SIGNALED, 9))
        self.assertTrue(eventually(lambda: not processes(name)))
        self.assertEqual((before.how, bytes(before.out)), (EXITED, b"other\ndone\n"), "another command was hit")

    def test_a_stopped_supervisor_does_not_outlive_the_deadline_for_ever(self):
        name = mark()
        r = self.c.sh(f"kill -STOP $PPID; sleep {name}", timeout=100, grace=100)
        r.wait(12)
        # Also if it was stopped before it had said that the program began: that is then said, and nothing is refused.
        self.assertIsNotNone(r.pid)
        self.assertEqual(r.how, SIGNALED)
        self.assertEqual(processes(name), [])

    def test_term_ends_the_keeper_and_all(self):
        k, name = Keeper(BINARY), mark()
        c = k.connect()
        self.addCleanup(c.close)
        c.sh(f"trap '' TERM; (setsid sleep {name} &); sleep {name}; sleep {name}").started()
        self.assertTrue(eventually(lambda: len(processes(name)) >= 2))
        self.assertEqual(k.stop(), 0)
        self.assertTrue(eventually(lambda: not processes(name)))
        self.assertFalse(os.path.exists(k.path))


if __name__ == "__main__":
    unittest.main()
