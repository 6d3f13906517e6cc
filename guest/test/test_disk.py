"""The limit on what the workspace takes on the disk: measured, and enforced on files and on whole trees of processes."""
import shutil
from support import *

MB = 1 << 20
LIMIT = 8 * MB
NONE, BARRED, ENDED = 0, 1, 2
XFSZ = 25


class Disk(KeeperTest):
    def setUp(self):
        super().setUp()
        # Each test has a keeper of its own: what one has measured is not for the next.
        self.own = Keeper(BINARY)
        self.w = self.own.dir + "/work"
        os.mkdir(self.w)
        self.d = self.own.connect()

    def tearDown(self):
        self.d.close()
        self.assertEqual(self.own.stop(), 0)
        shutil.rmtree(self.own.dir)
        super().tearDown()

    def sh(self, script, limit=LIMIT, **more):
        return self.d.sh(f"cd {self.w}; " + script, disk=(limit, self.w), **more)

    def used(self):
        """What the keeper has measured by now."""
        return self.sh(":").wait().disk[1]

    def until_used(self, condition):
        self.assertTrue(eventually(lambda: condition(self.used()), 30), self.used())

    def fill(self, count, name="f"):
        for i in range(count):
            with open(f"{self.w}/{name}{i}", "wb") as f:
                f.write(os.urandom(MB))

    def test_without_a_limit_nothing_is_said_of_one(self):
        r = self.d.sh("ulimit -f").wait()
        self.assertEqual((r.disk, bytes(r.out)), (None, b"unlimited\n"))

    def test_one_file_cannot_become_larger_than_the_limit(self):
        r = self.sh("exec dd if=/dev/zero of=big bs=1M count=16 2>/dev/null").wait()
        self.assertEqual((r.how, r.signal, r.disk[0], r.disk[2]), (SIGNALED, XFSZ, LIMIT, NONE))
        self.assertEqual(os.path.getsize(self.w + "/big"), LIMIT)

    def test_the_limit_on_files_is_a_hard_one(self):
        r = self.sh("ulimit -Hf; ulimit -f unlimited").wait()
        self.assertEqual(int(r.out) * 512, LIMIT)
        if os.geteuid() != 0:
            self.assertNotEqual(r.code, 0)

    def test_what_is_there_is_measured(self):
        self.fill(3)
        self.until_used(lambda used: 3 * MB <= used < 4 * MB)

    def test_the_largest_file_may_grow_by_what_is_left(self):
        self.fill(5)
        self.until_used(lambda used: used > 0)
        most = int(self.sh("ulimit -f").wait().out) * 512
        self.assertLessEqual(most, 4 * MB)
        self.assertGreater(most, 3 * MB)

    def test_not_even_a_sparse_file_may_grow_beyond_the_limit(self):
        self.fill(1)
        os.truncate(self.w + "/f0", 7 * MB)
        self.until_used(lambda used: used > 0)
        self.assertEqual(int(self.sh("ulimit -f").wait().out) * 512, LIMIT)

    def test_a_new_file_may_be_as_large_as_what_is_left(self):
        self.fill(5)
        self.until_used(lambda used: used > 0)
        r = self.sh("ulimit -f", flags=NEW_FILES).wait()
        self.assertLessEqual(int(r.out) * 512, 3 * MB)
        self.assertGreater(int(r.out) * 512, 2 * MB)

    def test_whoever_fills_it_with_many_files_is_ended_with_all_the_rest(self):
        name = mark()
        left = self.sh(f"sleep {name} & true").wait()
        self.assertEqual(left.how, EXITED)
        other = self.d.start(["sleep", name], disk=(LIMIT, self.w)).started()
        writer = self.sh("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do head -c 1048576 /dev/urandom > f$i; done; sleep 600")
        collect(self.d, [other, writer], 30)
        for r in (other, writer):
            self.assertEqual((r.how, r.signal, r.disk[2]), (SIGNALED, 15, ENDED))
            self.assertGreater(r.disk[1], LIMIT)
        self.assertTrue(eventually(lambda: processes(name) == []))

    def test_what_ignores_term_is_killed(self):
        r = self.sh("trap '' TERM; for i in 1 2 3 4 5 6 7 8 9 10; do head -c 1048576 /dev/urandom > f$i; done; "
                    "while :; do sleep 0.1; done", grace=100).wait(30)
        self.assertEqual((r.how, r.signal, r.killed, r.disk[2]), (SIGNALED, 9, 1, ENDED))

    def test_over_the_limit_files_can_go_but_not_grow_until_there_is_room(self):
        self.fill(10)
        self.until_used(lambda used: used > LIMIT)
        r = self.sh("echo more > new").wait()
        self.assertEqual((r.disk[0], r.disk[2]), (LIMIT, BARRED))
        self.assertNotEqual((r.how, r.code), (EXITED, 0))
        r = self.sh("rm f1 f2 f3").wait()
        self.assertEqual((r.how, r.code, r.disk[2]), (EXITED, 0, BARRED))
        self.until_used(lambda used: used < LIMIT)
        r = self.sh("echo more > new").wait()
        self.assertEqual((r.how, r.code, r.disk[2]), (EXITED, 0, NONE))

    def test_who_makes_room_is_left_alone(self):
        self.fill(10)
        self.until_used(lambda used: used > LIMIT)
        r = self.sh("sleep 1; rm f1; sleep 1; rm f2; sleep 1; rm f3").wait(20)
        self.assertEqual((r.how, r.code, r.disk[2]), (EXITED, 0, BARRED))

    def test_a_smaller_limit_ends_what_runs(self):
        self.fill(4)
        runs = self.sh("sleep 600").started()
        self.until_used_elsewhere(lambda used: used >= 4 * MB)
        other = self.own.connect()
        other.start(["true"], disk=(2 * MB, self.w)).wait()
        other.close()
        runs.wait(30)
        self.assertEqual((runs.how, runs.signal, runs.disk[2]), (SIGNALED, 15, ENDED))

    def until_used_elsewhere(self, condition):
        """The same as until_used, beside a command that is followed on the usual connection."""
        c, self.d = self.d, self.own.connect()
        try:
            self.until_used(condition)
        finally:
            self.d.close()
            self.d = c

    def test_links_count_once_and_are_not_followed(self):
        self.fill(2)
        for i in range(9):
            os.link(self.w + "/f0", f"{self.w}/hard{i}")
        os.symlink("/usr", self.w + "/usr")
        self.until_used(lambda used: 2 * MB <= used < 3 * MB)

    def test_sparse_files_count_for_what_they_hold(self):
        with open(self.w + "/sparse", "wb") as f:
            f.truncate(100 * MB)
        os.mkdir(self.w + "/sub")
        self.fill(1, "sub/f")
        self.until_used(lambda used: MB <= used < 2 * MB)

    def test_empty_files_count(self):
        for i in range(3000):
            open(f"{self.w}/empty{i}", "w").close()
        self.until_used(lambda used: used >= 3000 * 1024)

    def test_many_directories_are_all_seen(self):
        for i in range(300):
            os.makedirs(f"{self.w}/d{i}/a/b")
            with open(f"{self.w}/d{i}/a/b/f", "wb") as f:
                f.write(os.urandom(8192))
        self.until_used(lambda used: used >= 300 * (8192 + 3 * 1024))

    def test_what_is_nested_too_deep_counts_as_too_large(self):
        at = os.open(self.w, os.O_RDONLY)
        for _ in range(300):
            os.mkdir("d", dir_fd=at)
            below = os.open("d", os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = below
        os.close(at)
        self.until_used(lambda used: used >= 1 << 62)
        self.assertEqual(self.sh("rm -r d").wait().code, 0)
        self.until_used(lambda used: used < LIMIT)

    def test_other_file_systems_are_left_out(self):
        os.mkdir(self.w + "/mnt")
        if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", self.w + "/mnt"], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("mounting is not allowed here")
        try:
            self.fill(4, "mnt/f")
            self.fill(1)
            self.until_used(lambda used: MB <= used < 2 * MB)
        finally:
            subprocess.run(["umount", self.w + "/mnt"], check=True)

    def test_a_limit_without_a_path_is_refused(self):
        for path in ("", "work"):
            r = self.d.start(["true"], disk=(LIMIT, path)).wait()
            self.assertEqual(r.refused, 1)


if __name__ == "__main__":
    unittest.main()
