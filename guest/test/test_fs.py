import io, resource, shutil, stat, subprocess, tarfile, tempfile
from support import *


def records(data):
    assert data == b"" or data.endswith(b"\0")
    return [r.split(b"\t") for r in data.split(b"\0")[:-1]]


class Files(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="keeper-fs-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def path(self, name):
        return os.path.join(os.fsencode(self.dir), os.fsencode(name))

    def fs(self, *args, input=b"", **more):
        return subprocess.run([BINARY, "fs", *args], input=input, capture_output=True, timeout=30, **more)

    def ok(self, *args, input=b"", **more):
        done = self.fs(*args, input=input, **more)
        self.assertEqual((done.returncode, done.stderr), (0, b""), args)
        return done.stdout

    def fails(self, code, *args, input=b"", **more):
        done = self.fs(*args, input=input, **more)
        self.assertEqual((done.returncode, done.stderr.split(b"\t")[0]), (1, code), (args, done.stderr))
        self.assertEqual(done.stderr.count(b"\n"), 1)
        return done.stdout

    def put(self, name, data=b"data"):
        with open(self.path(name), "wb") as f:
            f.write(data)

    def get(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def no_leftovers(self):
        self.assertEqual([n for n in os.listdir(self.dir) if n.startswith(".keeper")], [])

    # stat, list, read

    def test_stat(self):
        self.put("f", b"12345")
        os.chmod(self.path("f"), 0o640)
        os.utime(self.path("f"), ns=(1, 1234567890123456789))
        os.symlink("a\tb\n\\", self.path("l"))
        os.mkfifo(self.path("p"))
        owner = b"%d %d" % (os.geteuid(), os.getegid())
        self.assertEqual(self.ok("stat", self.path("f")), b"f 640 " + owner + b" 5 1234567890123456789\t\t\0")
        [[head, name, target]] = records(self.ok("stat", self.path("l")))
        self.assertEqual((head[:1], name, target), (b"l", b"", rb"a\x09b\x0a\x5c"))
        self.assertEqual(self.ok("stat", self.path("p"))[:1], b"p")
        self.assertEqual(self.ok("stat", self.dir)[:1], b"d")
        self.assertEqual(self.ok("stat", "/dev/null")[:1], b"c")
        self.fails(b"not_found", "stat", self.path("nothing"))
        self.fails(b"not_a_directory", "stat", self.path("f/x"))
        self.fails(b"bad_path", "stat", "relative")
        self.fails(b"bad_path", "stat", self.path("x" * 300))
        self.fails(b"bad_path", "stat")
        self.fails(b"bad_path", "nonsense", "/")

    def test_list_with_odd_names(self):
        names = [b"plain", b"with space", b"tab\t", b"nl\n", b"back\\slash", b"\xff\xfe", "€".encode(), b"\x01\x7f", b"-n"]
        for n in names:
            self.put(n)
        escaped = {b"plain", b"with space", rb"tab\x09", rb"nl\x0a", rb"back\x5cslash", b"\xff\xfe", "€".encode(), rb"\x01\x7f", b"-n"}
        self.assertEqual({r[1] for r in records(self.ok("list", self.dir, "100"))}, escaped)
        self.assertEqual(len(records(self.ok("list", self.dir, "9"))), 9)
        cut = self.ok("list", self.dir, "4")
        self.assertEqual((len(records(cut)), cut[-2:]), (5, b".\0"))
        self.put("f")
        self.fails(b"not_a_directory", "list", self.path("f"), "10")
        self.fails(b"not_found", "list", self.path("g"), "10")
        self.fails(b"bad_path", "list", self.dir, "x")

    def test_read_ranges(self):
        data = os.urandom(400000)
        self.put("f", data)
        os.symlink("f", self.path("l"))
        for name in ("f", "l"):
            head, body = self.ok("read", self.path(name), "0", "-").split(b"\0", 1)
            self.assertEqual((head.split(b" ")[4], body), (b"400000", data))
        self.assertEqual(self.ok("read", self.path("f"), "100000", "50").split(b"\0", 1)[1], data[100000:100050])
        self.assertEqual(self.ok("read", self.path("f"), "399999", "50").split(b"\0", 1)[1], data[-1:])
        self.assertEqual(self.ok("read", self.path("f"), "500000", "-").split(b"\0", 1)[1], b"")
        self.assertEqual(self.ok("read", self.path("f"), "-10", "-").split(b"\0", 1)[1], data[-10:])
        self.assertEqual(self.ok("read", self.path("f"), "-10", "3").split(b"\0", 1)[1], data[-10:-7])
        self.assertEqual(self.ok("read", self.path("f"), "-500000", "-").split(b"\0", 1)[1], data)
        self.fails(b"bad_path", "read", self.path("f"), "-", "-")
        self.fails(b"bad_path", "read", self.path("f"), "--1", "-")
        self.assertIn(b"Name:", self.ok("read", "/proc/self/status", "0", "-"))
        self.fails(b"is_a_directory", "read", self.dir, "0", "-")
        os.mkfifo(self.path("p"))
        self.fails(b"bad_path", "read", self.path("p"), "0", "-")
        self.fails(b"not_found", "read", self.path("g"), "0", "-")

    def test_read_of_a_huge_sparse_file_does_not_take_memory(self):
        with open(self.path("f"), "wb") as f:
            f.truncate(5 << 30)
        self.assertEqual(self.ok("read", self.path("f"), str((5 << 30) - 3), "-").split(b"\0", 1)[1], b"\0\0\0")

    # write, mkdir, move, delete

    def test_write_is_exact_and_keeps_the_mode(self):
        data = os.urandom(300000)
        out = self.ok("write", self.path("a/b/f"), str(len(data)), "-", input=data)
        self.assertEqual((out[:5], self.get("a/b/f")), (b"f 644", data))
        self.assertEqual(len(records(out)), 1)
        out = self.ok("write", self.path("a/b/f"), "-", "755", input=b"x")
        self.assertEqual(records(out)[1:], [[b"replaced"]])
        self.assertEqual((self.get("a/b/f"), os.stat(self.path("a/b/f")).st_mode & 0o7777), (b"x", 0o755))
        self.ok("write", self.path("a/b/f"), "2", "-", input=b"yyzzz")
        self.assertEqual((self.get("a/b/f"), os.stat(self.path("a/b/f")).st_mode & 0o7777), (b"yy", 0o755))
        self.ok("write", self.path("empty"), "0", "600")
        self.assertEqual(self.get("empty"), b"")
        self.no_leftovers()

    def test_write_that_is_cut_off_changes_nothing(self):
        self.put("f", b"old")
        self.fails(b"io", "write", self.path("f"), "10", "-", input=b"short")
        self.assertEqual(self.get("f"), b"old")
        p = subprocess.Popen([BINARY, "fs", "write", self.path("f"), "10", "-"], stdin=subprocess.PIPE)
        p.stdin.write(b"abc")
        p.stdin.flush()
        self.assertTrue(eventually(lambda: any(n.startswith(".keeper") for n in os.listdir(self.dir))))
        p.terminate()
        self.assertEqual(p.wait(5), 128 + 15)
        p.stdin.close()
        self.assertEqual(self.get("f"), b"old")
        self.no_leftovers()

    def test_silence_on_stdin_ends_what_reads_it(self):
        self.put("f", b"old")
        os.mkdir(self.path("to"))
        env = {"HERMIT_KEEPER_STDIN_SILENCE_MS": "50"}
        for op in (["write", self.path("f"), "10", "-"], ["unpack", self.path("to"), "10", "10"]):
            p = subprocess.Popen([BINARY, "fs", *op], stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
            self.assertEqual((p.wait(30), p.stderr.read().split(b"\t")[0]), (1, b"io"))
            p.stdin.close()
            p.stderr.close()
        self.assertEqual(self.get("f"), b"old")
        self.no_leftovers()

    def test_write_where_it_cannot_be(self):
        self.put("f", b"old")
        os.mkdir(self.path("d"))
        os.mkfifo(self.path("p"))
        self.fails(b"is_a_directory", "write", self.path("d"), "1", "-", input=b"x")
        self.fails(b"is_a_directory", "write", self.path("d/"), "1", "-", input=b"x")
        self.fails(b"not_a_directory", "write", self.path("f/x"), "1", "-", input=b"x")
        self.fails(b"bad_path", "write", self.path("p"), "1", "-", input=b"x")
        self.fails(b"bad_path", "write", self.path("f"), "1", "99", input=b"x")
        os.symlink("/nowhere/else", self.path("l"))
        self.ok("write", self.path("l"), "1", "-", input=b"x")
        self.assertTrue(stat.S_ISREG(os.lstat(self.path("l")).st_mode), "a link is replaced, not followed")

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_denied_and_no_space(self):
        os.chmod(self.dir, 0o755)
        self.put("f")
        as_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        shutil.copy(BINARY, self.path("keeper"))
        done = subprocess.run([*as_user, self.path("keeper"), "fs", "write", self.path("g"), "1", "-"], input=b"x", capture_output=True)
        self.assertEqual(done.stderr.split(b"\t")[0], b"denied")
        os.mkdir(self.path("m"))
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", self.path("m")]).returncode == 0:
            try:
                self.fails(b"no_space", "write", self.path("m/f"), "-", "-", input=b"x" * 200000)
                self.assertEqual(os.listdir(self.path("m")), [])
                # Another file system: a move is a copy then.
                os.makedirs(self.path("src/sub"))
                self.put("src/sub/f", b"moved")
                os.symlink("sub/f", self.path("src/l"))
                os.chmod(self.path("src/sub/f"), 0o751)
                os.utime(self.path("src/sub/f"), ns=(5, 7))
                self.ok("move", self.path("src"), self.path("m/dst"))
                st = os.stat(self.path("m/dst/l"))
                self.assertEqual((st.st_mode & 0o777, st.st_mtime_ns, self.get("m/dst/l")), (0o751, 7, b"moved"))
                self.assertFalse(os.path.exists(self.path("src")))
                # The copy of a move in another sandbox, whose process may have the same number.
                self.put("m/.keeper-move-1", b"another's")
                self.put("f", b"mine")
                subprocess.run(["unshare", "--pid", "--fork", BINARY, "fs", "move", self.path("f"), self.path("m/f")], check=True)
                self.assertEqual((self.get("m/f"), self.get("m/.keeper-move-1")), (b"mine", b"another's"))
                os.unlink(self.path("m/.keeper-move-1"))
                os.unlink(self.path("m/f"))
                self.put("big", b"y" * 100000)
                self.fails(b"no_space", "move", self.path("big"), self.path("m/big"))
                self.assertEqual(os.listdir(self.path("m")), [b"dst"])
                self.assertEqual(len(self.get("big")), 100000)
            finally:
                subprocess.run(["umount", self.path("m")], check=True)

    def test_mkdir(self):
        self.ok("mkdir", self.path("a/b/c/"))
        self.ok("mkdir", self.path("a/b"))
        self.put("f")
        self.fails(b"exists", "mkdir", self.path("f"))
        self.fails(b"not_a_directory", "mkdir", self.path("f/x"))
        self.assertTrue(os.path.isdir(self.path("a/b/c")))

    def test_move(self):
        self.put("f", b"1")
        self.put("g", b"2")
        os.mkdir(self.path("d"))
        self.ok("move", self.path("f"), self.path("g"))
        self.assertEqual((self.get("g"), os.path.exists(self.path("f"))), (b"1", False))
        self.fails(b"exists", "move", self.path("g"), self.path("d"))
        self.fails(b"exists", "move", self.path("d"), self.path("g"))
        self.fails(b"not_found", "move", self.path("f"), self.path("h"))
        self.fails(b"not_found", "move", self.path("g"), self.path("no/h"))
        self.fails(b"bad_path", "move", self.path("d"), self.path("d/e"))
        self.ok("move", self.path("d"), self.path("e"))
        self.assertTrue(os.path.isdir(self.path("e")))

    def test_delete_never_follows_links(self):
        os.makedirs(self.path("keep/sub"))
        self.put("keep/f")
        os.makedirs(self.path("d/e"))
        self.put("d/e/f")
        os.symlink("../keep", self.path("d/l"))
        os.symlink("keep", self.path("l"))
        self.fails(b"not_empty", "delete", self.path("d"), "0")
        self.ok("delete", self.path("d"), "1")
        self.ok("delete", self.path("l"), "1")
        self.assertEqual(sorted(os.listdir(self.path("keep"))), [b"f", b"sub"])
        self.ok("delete", self.path("keep/sub"), "0")
        self.ok("delete", self.path("keep/f"), "0")
        self.fails(b"not_found", "delete", self.path("d"), "1")
        for root in ("/", "//", "/.", "/usr/.."):
            self.fails(b"bad_path", "delete", root, "0")

    def test_empty_leaves_the_directory_and_never_follows_links(self):
        os.makedirs(self.path("keep"))
        os.makedirs(self.path("d/a/b"))
        self.put("keep/f", b"1")
        self.put("d/a/b/c", b"2")
        os.symlink(b"../keep", self.path("d/l"))
        os.symlink(b"d", self.path("link"))
        os.mkfifo(self.path("d/fifo"))
        before = os.stat(self.path("d"))
        self.fails(b"not_a_directory", "empty", self.path("link"))
        self.ok("empty", self.path("d"))
        self.assertEqual((os.listdir(self.path("d")), os.stat(self.path("d")).st_ino), ([], before.st_ino))
        self.assertEqual(self.get("keep/f"), b"1")
        self.ok("empty", self.path("d"))
        self.fails(b"not_found", "empty", self.path("no"))
        self.fails(b"not_a_directory", "empty", self.path("keep/f"))
        self.fails(b"bad_path", "empty", "/")

    def test_delete_of_a_very_deep_tree(self):
        for call in [("delete", self.path("deep"), "1"), ("empty", self.dir)]:
            at = os.open(self.dir, os.O_RDONLY)
            for name in ["deep"] + ["d"] * 700:
                os.mkdir(name, dir_fd=at)
                below = os.open(name, os.O_RDONLY, dir_fd=at)
                os.close(at)
                at = below
            os.close(os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=at))
            os.close(at)
            self.ok(*call)
            self.assertEqual(os.listdir(self.dir), [])

    # pack and unpack

    def test_pack_is_read_by_others(self):
        os.makedirs(self.path("d/" + "long" * 40 + "/x"))
        deep = "d/" + "long" * 40 + "/x/" + "n" * 90
        self.put(deep, b"deep")
        self.put(b"d/\xff odd\n", b"odd" * 1000)
        self.put("d/empty", b"")
        os.symlink("t" * 150, self.path("d/l"))
        os.mkfifo(self.path("d/p"))
        os.chmod(self.path("d/empty"), 0o751)
        out = self.ok("pack", self.path("d"))
        self.assertEqual(len(out) % 512, 0)
        tar = tarfile.open(fileobj=io.BytesIO(out))
        got = {m.name: m for m in tar.getmembers()}
        self.assertEqual(len(got), 8)
        self.assertEqual(tar.extractfile(deep).read(), b"deep")
        self.assertEqual(tar.extractfile(os.fsdecode(b"d/\xff odd\n")).read(), b"odd" * 1000)
        self.assertEqual(got["d/l"].linkname, "t" * 150)
        self.assertEqual((got["d/empty"].mode, got["d/p"].type), (0o751, tarfile.FIFOTYPE))
        self.assertEqual(tarfile.open(fileobj=io.BytesIO(self.ok("pack", self.path("d/empty")))).getnames(), ["empty"])
        self.fails(b"not_found", "pack", self.path("nothing"))
        self.fails(b"bad_path", "pack", "/")

    def test_pack_and_unpack_are_inverse(self):
        os.makedirs(self.path("d/sub"))
        for i in range(40):
            self.put(b"d/sub/\xfe%d" % i, os.urandom(random.randrange(3000)))
        os.symlink("sub/nowhere", self.path("d/l"))
        os.utime(self.path(b"d/sub/\xfe0"), (5, 1700000000))
        os.mkdir(self.path("to"))
        self.assertEqual(self.ok("unpack", self.path("to"), "1000000", "100", input=self.ok("pack", self.path("d"))), b"",)
        self.assertEqual(subprocess.run(["diff", "-r", "--no-dereference", self.path("d"), self.path("to/d")]).returncode, 0)
        self.assertEqual(os.stat(self.path(b"to/d/sub/\xfe0")).st_mtime, 1700000000)

    def tar(self, *entries, format=tarfile.GNU_FORMAT):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=format) as tar:
            for name, more in entries:
                info = tarfile.TarInfo(name)
                data = more.pop("data", b"")
                info.size = len(data)
                for key, value in more.items():
                    setattr(info, key, value)
                tar.addfile(info, io.BytesIO(data))
        return out.getvalue()

    def unpack(self, data, bytes="1000000", entries="100"):
        os.makedirs(self.path("to"), exist_ok=True)
        return [(r[1], r[2]) for r in records(self.ok("unpack", self.path("to"), bytes, entries, input=data))]

    def test_malicious_entries_are_refused_one_by_one(self):
        outside = self.path("outside")
        os.mkdir(outside)
        os.mkdir(self.path("to"))
        os.symlink("../outside", self.path("to/link"))
        H = {"type": tarfile.LNKTYPE}
        data = self.tar(("/abs", {"data": b"1"}), ("../up", {"data": b"2"}), ("a/../../up", {"data": b"3"}),
                        ("link/through", {"data": b"4"}), ("link/dir", {"type": tarfile.DIRTYPE}),
                        ("good", {"data": b"5", "mode": 0o640}), ("hard", {**H, "linkname": "good"}),
                        ("hard2", {**H, "linkname": "/etc/passwd"}), ("hard3", {**H, "linkname": "../outside/x"}),
                        ("hard4", {**H, "linkname": "link/x"}), ("hard5", {**H, "linkname": "link"}), ("hard6", {**H, "linkname": "missing"}),
                        ("dev", {"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 3}), ("fifo", {"type": tarfile.FIFOTYPE}),
                        ("suid", {"data": b"6", "mode": 0o4755}), ("sgid", {"data": b"7", "mode": 0o2755}),
                        ("good/below", {"data": b"8"}), ("", {"data": b"9"}), ("dir", {"type": tarfile.DIRTYPE, "mode": 0o500}),
                        ("dir", {"data": b"10"}), ("dir/f", {"data": b"11"}), ("link", {"type": tarfile.DIRTYPE}), ("self", {**H, "linkname": "self"}),
                        ("n" * 256, {"data": b"12"}), ("last", {"data": b"13"}))
        refused = self.unpack(data)
        self.assertEqual([(r.decode(), n.decode().rstrip("/")) for r, n in refused],
                         [("absolute", "/abs"), ("parent", "../up"), ("parent", "a/../../up"), ("link", "link/through"), ("link", "link/dir"),
                          ("hard_link", "hard2"), ("hard_link", "hard3"), ("hard_link", "hard4"), ("hard_link", "hard5"), ("hard_link", "hard6"),
                          ("device", "dev"), ("device", "fifo"), ("set_id", "suid"), ("set_id", "sgid"), ("not_a_directory", "good/below"),
                          ("name", ""), ("is_a_directory", "dir"), ("link", "link"), ("hard_link", "self"), ("name", "n" * 256)])
        self.assertEqual(os.listdir(outside), [])
        self.assertEqual(os.listdir(self.dir).count("up"), 0)
        self.assertEqual((self.get("to/good"), self.get("to/dir/f"), self.get("to/last")), (b"5", b"11", b"13"))
        self.assertEqual(os.stat(self.path("to/good")).st_nlink, 2)
        self.assertEqual(os.stat(self.path("to/good")).st_mode & 0o7777, 0o640)

    def test_links_that_could_lead_out_are_refused(self):
        out = ["/etc", "..", "../x", "./../x", "d/..", "d/../x", "/"]
        inside = [".", "x", "./x", "d//e", "..x", "...", "d/..x"]
        entries = [("l%d" % i, t) for i, t in enumerate(out)] + [("d/e/l%d" % i, "../" + t) for i, t in enumerate(["../..", "../d/..", ".././../x"])]
        good = [("g%d" % i, t) for i, t in enumerate(inside)] + [("./d/./e/g", "../../x"), ("d/e/h", "../.."), ("d//e/i", "..")]
        link = lambda name, target: (name, {"type": tarfile.SYMTYPE, "linkname": target})
        refused = self.unpack(self.tar(*[link(n, t) for n, t in entries + good]))
        self.assertEqual(refused, [(b"link", n.encode()) for n, _ in entries])
        for name, target in good:
            self.assertEqual(os.readlink(self.path("to/" + name)), target.encode())

    def test_an_existing_link_is_replaced_and_not_written_through(self):
        os.mkdir(self.path("to"))
        self.put("target", b"old")
        os.symlink("../target", self.path("to/f"))
        self.assertEqual(self.unpack(self.tar(("f", {"data": b"new"}))), [])
        self.assertEqual((self.get("target"), self.get("to/f")), (b"old", b"new"))

    def test_long_names_of_both_kinds(self):
        name, target = "d/" + "x" * 200, "t" * 300
        for format in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
            entries = [(name, {"data": b"1"})] if format != tarfile.USTAR_FORMAT else [("p" * 100 + "/" + "n" * 90, {"data": b"1"})]
            if format != tarfile.USTAR_FORMAT:
                entries.append(("l", {"type": tarfile.SYMTYPE, "linkname": target}))
            self.assertEqual(self.unpack(self.tar(*entries, format=format)), [])
            self.assertEqual(self.get("to/" + entries[0][0]), b"1")
            shutil.rmtree(self.path("to"))

    def test_limits(self):
        os.mkdir(self.path("to"))
        data = self.tar(("a", {"data": b"x" * 600}), ("b", {"data": b"y" * 600}))
        self.fails(b"limit", "unpack", self.path("to"), "1199", "10", input=data)
        self.assertEqual(os.listdir(self.path("to")), [b"a"])
        self.fails(b"limit", "unpack", self.path("to"), "1200", "1", input=data)
        self.assertEqual(self.unpack(data, "1200", "2"), [])
        zeros = subprocess.run([BINARY, "fs", "unpack", self.path("to"), "1000", "10"], capture_output=True, timeout=10,
                               input=self.tar(("bomb", {"data": b"\0" * 3000000})))
        self.assertEqual(zeros.stderr.split(b"\t")[0], b"limit")

    def test_bad_archives(self):
        os.mkdir(self.path("to"))
        good = self.tar(("a", {"data": b"x" * 600}))
        for bad in (b"", b"x" * 512, good[:100], good[:600], good[:1536], b"\x1f\x8b" + os.urandom(600),
                    good[:124] + b"7777777777z " + good[136:], good[:150] + b"9" + good[151:]):
            self.fails(b"bad_archive", "unpack", self.path("to"), "1000000", "10", input=bad)
        for records_ in (b"5 a=b\n", b"99 path=x\n", b"x path=y\n", b"8 path=\0\n", b"11 path=x\0y\n", b"10 path=x\0"):
            block = tarfile.TarInfo("pax")
            block.type, block.size = tarfile.XHDTYPE, len(records_)
            data = block.tobuf() + records_.ljust(512, b"\0") + good
            self.fails(b"bad_archive", "unpack", self.path("to"), "1000000", "10", input=data)
        self.fails(b"not_found", "unpack", self.path("nothing"), "1", "1", input=good)
        self.fails(b"not_a_directory", "unpack", "/etc/passwd", "1", "1", input=good)

    def test_a_swap_race_leads_nowhere(self):
        os.makedirs(self.path("to/d"))
        os.mkdir(self.path("outside"))
        stop = time.monotonic() + 1.5
        script = f"cd '{self.dir}/to' && while :; do mv d e; ln -s ../outside d; rm d; mv e d; done 2>/dev/null"
        racer = subprocess.Popen(["/bin/sh", "-c", script], start_new_session=True)
        data = self.tar(*[(f"d/f{i}", {"data": b"x"}) for i in range(50)])
        while time.monotonic() < stop:
            self.fs("unpack", self.path("to"), "100000", "100", input=data)
            self.fs("write", self.path("to/x"), "1", "-", input=b"x")
        os.killpg(racer.pid, 9)
        racer.wait()
        self.assertEqual(os.listdir(self.path("outside")), [])

    # under a disk limit, which is one on the size of files

    def limited(self, size):
        return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))}

    def test_a_write_that_does_not_fit_leaves_nothing(self):
        for length in ("20000", "-"):
            self.put("f", b"old")
            self.fails(b"disk_limit", "write", self.path("f"), length, "-", input=b"x" * 20000, **self.limited(9999))
            self.assertEqual((self.get("f"), os.listdir(self.dir)), (b"old", ["f"]))
        self.ok("write", self.path("f"), "9999", "-", input=b"x" * 9999, **self.limited(9999))

    def test_an_archive_that_does_not_fit_leaves_whole_files_only(self):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for name in ("a", "b", "c"):
                entry = tarfile.TarInfo(name)
                entry.size = 4000
                tar.addfile(entry, io.BytesIO(b"x" * 4000))
        self.fails(b"disk_limit", "unpack", self.dir, "1000000", "10", input=packed.getvalue(), **self.limited(9999))
        self.assertEqual(sorted(os.listdir(self.dir)), ["a", "b"])
        self.assertEqual([len(self.get(name)) for name in ("a", "b")], [4000, 4000])

    def test_an_archive_that_is_cut_off_leaves_whole_files_only(self):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            entry = tarfile.TarInfo("a")
            entry.size = 4000
            tar.addfile(entry, io.BytesIO(b"x" * 4000))
        self.fails(b"bad_archive", "unpack", self.dir, "1000000", "10", input=packed.getvalue()[:2000])
        self.assertEqual(os.listdir(self.dir), [])

    def test_a_copy_that_does_not_fit_leaves_nothing(self):
        other = tempfile.mkdtemp(prefix="keeper-fs-", dir="/dev/shm")
        self.addCleanup(shutil.rmtree, other)
        if os.stat(other).st_dev == os.stat(self.dir).st_dev:
            self.skipTest("there is no second file system here")
        self.put("f", b"x" * 20000)
        self.fails(b"disk_limit", "move", self.path("f"), other + "/f", **self.limited(9999))
        self.assertEqual((os.listdir(other), len(self.get("f"))), ([], 20000))

if __name__ == "__main__":
    unittest.main()
