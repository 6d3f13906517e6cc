from support import *


class Commands(KeeperTest):
    def test_output_exit_code_and_order_of_frames(self):
        r = self.c.sh("printf out; printf err >&2; exit 3").wait()
        self.assertEqual((r.out, r.err, r.how, r.code, r.signal), (b"out", b"err", EXITED, 3, 0))
        self.assertEqual((r.out_total, r.err_total, r.killed), (3, 3, 0))
        self.assertEqual((r.frames[0], r.frames[-1]), (STARTED, END))
        self.assertGreater(r.micros, 0)

    def test_end_never_overtakes_output(self):
        for _ in range(100):
            r = self.c.sh("printf x; exit 3").wait()
            self.assertEqual((r.out, r.code), (b"x", 3))

    def test_a_signal_is_told(self):
        r = self.c.sh("kill -9 $$").wait()
        self.assertEqual((r.how, r.code, r.signal, r.killed), (SIGNALED, 0, 9, 0))

    def test_environment_cwd_umask_and_descriptors_are_exactly_as_asked(self):
        r = self.c.start(["/usr/bin/env"], env=[b"A=1", b"B=x=y", b"C="]).wait()
        self.assertEqual(r.out, b"A=1\nB=x=y\nC=\n")
        r = self.c.sh("pwd; umask; ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/self/status", cwd=b"/usr/lib").wait()
        self.assertEqual(r.out.split(), b"/usr/lib 0022 4 SigBlk: 0000000000000000 SigIgn: 0000000000000000".split())

    def test_own_session_and_raised_oom_score(self):
        with open("/proc/self/oom_score_adj") as f:
            ours = int(f.read())
        r = self.c.sh("cut -d' ' -f6 /proc/$$/stat; echo $$; cat /proc/self/oom_score_adj").wait()
        session, pid, score = r.out.split()
        self.assertEqual((int(session), int(pid)), (r.pid, r.pid))
        self.assertEqual(int(score), min(1000, ours + 300))

    def test_a_name_without_slash_is_looked_up_in_the_given_path(self):
        self.assertEqual(self.c.start(["sh", "-c", "echo $0"], env=[b"PATH=/nowhere:/bin"]).wait().out, b"sh\n")
        self.assertEqual(self.c.start(["sh", "-c", "true"], env=[b"PATH=/nowhere"]).wait().refused, 8)

    def test_what_cannot_be_started_is_refused_with_its_code(self):
        for code, argv, more in [(6, ["true"], {"cwd": b"/nowhere"}), (6, ["true"], {"cwd": b"/etc/passwd"}),
                                 (7, ["true"], {"user": b"nobody-there"}), (7, ["true"], {"user": b"0:no-group"}),
                                 (8, ["/nowhere/x"], {}), (8, ["nowhere-x"], {}), (9, ["/etc/passwd"], {}), (9, ["/etc"], {}),
                                 (12, ["true", "x" * 140000], {})]:
            r = self.c.start(argv, **more).wait()
            self.assertEqual((r.refused, r.frames), (code, [REFUSED]), (argv, more, r.refused and r.message))

    def test_a_refused_id_may_be_tried_again(self):
        id = exec_id()
        self.assertEqual(self.c.start(["/nowhere/x"], id=id).wait().refused, 8)
        self.assertEqual(self.c.sh("echo ok", id=id).wait().out, b"ok\n")
        self.assertEqual(self.c.sh("echo twice", id=id).wait().refused, 3)

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_users_by_name_number_and_group(self):
        for user, expected in [(b"nobody", b"65534 65534"), (b"65534", b"65534 65534"), (b"12345", b"12345 12345"),
                               (b"12345:678", b"12345 678"), (b"nobody:root", b"65534 0"), (b"0", b"0 0")]:
            r = self.c.sh("echo $(id -u) $(id -g)", user=user).wait()
            self.assertEqual(r.out.strip(), expected, user)
        r = self.c.sh("grep Groups /proc/self/status", user=b"12345").wait()
        self.assertEqual(r.out.split(), [b"Groups:"])

    def test_a_long_request_comes_in_pieces(self):
        argv = ["/bin/sh", "-c", 'echo $# ${#1} ${#20}', "x"] + ["y" * 100000] * 20
        r = self.c.start(argv).wait()
        self.assertEqual(r.refused or bytes(r.out), b"20 100000 100000\n" if r.refused is None else 12)
        big = self.c.start(["true"] + ["z" * 100000] * 45).wait()
        self.assertEqual(big.refused, 12)
        self.assertEqual(self.c.sh("echo on").wait().out, b"on\n")

    def test_a_background_child_does_not_hold_the_end_back(self):
        name = mark()
        for script in (f"sleep {name} & echo hi", f"nohup sleep {name} >&1 & echo hi", f"setsid sleep {name} & echo hi",
                       f"(sleep {name} &) ; echo hi"):
            start = time.monotonic()
            r = self.c.sh(script).wait()
            self.assertEqual((bytes(r.out), r.how, r.code), (b"hi\n", EXITED, 0), script)
            self.assertLess(time.monotonic() - start, 30)
        self.assertTrue(eventually(lambda: len(processes(name)) == 4))
        for pid in processes(name):
            os.kill(pid, 9)
        self.assertTrue(eventually(lambda: not processes(name)))

    def test_a_background_child_may_write_on_and_does_not_die_of_it(self):
        path = self.keeper.dir + "/written"
        r = self.c.sh(f"(sleep 0.2; head -c 300000 /dev/zero && echo fine > {path}) & echo hi").wait()
        self.assertEqual(bytes(r.out), b"hi\n")
        self.assertTrue(eventually(lambda: os.path.exists(path)))

    def test_nothing_is_left_of_children_that_end_later(self):
        for _ in range(30):
            self.c.sh("(sleep 0.1 &) ; true").wait()
        def children():
            with open(f"/proc/{self.keeper.process.pid}/task/{self.keeper.process.pid}/children") as f:
                return f.read().split()
        self.assertTrue(eventually(lambda: not children()), children())

    def test_many_at_once(self):
        runs = [self.c.sh(f"sleep 0.0{i % 10}; echo {i}; exit {i}") for i in range(64)]
        collect(self.c, runs)
        self.assertEqual([(bytes(r.out), r.code) for r in runs], [(b"%d\n" % i, i) for i in range(64)])

    def test_out_of_memory_kills_are_counted(self):
        os.mkdir(self.keeper.dir + "/cgroup")
        for name, text in (("memory.events", "low 0\noom 5\noom_kill %d\n"),):
            path = self.keeper.dir + "/cgroup/" + name
            with open(path, "w") as f:
                f.write(text % 3)
            k = Keeper(BINARY, env={"HERMIT_KEEPER_CGROUP": self.keeper.dir + "/cgroup"})
            c = k.connect()
            self.addCleanup(c.close)
            r = c.sh(f"printf '{text % 5}' > {path}; kill -9 $$").wait()
            self.assertEqual((r.how, r.ooms), (SIGNALED, 2))
            k.stop()


if __name__ == "__main__":
    unittest.main()
