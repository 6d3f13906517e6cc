"""One keeper for each test class, and what most tests need."""
import os, subprocess, sys, time, unittest

sys.path.insert(0, os.path.dirname(__file__))
from keeper import *

HERE = os.path.dirname(os.path.abspath(__file__))
BINARY = os.environ.get("KEEPER", HERE + "/../build/keeper-amd64")


def processes(text):
    """Pids of living processes whose command line contains the text."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                line = f.read()
            with open(f"/proc/{pid}/stat") as f:
                state = f.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if text.encode() in line and state != "Z" and int(pid) != os.getpid():
            found.append(int(pid))
    return found


def eventually(condition, timeout=5):
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def mark():
    """An argument for sleep that no other process has."""
    return str(10000 + random.randrange(10**8)) + ".5"


class KeeperTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keeper = Keeper(BINARY)

    @classmethod
    def tearDownClass(cls):
        code = cls.keeper.stop()
        assert code == 0, f"the keeper ended with {code}"

    def setUp(self):
        self.assertIsNone(self.keeper.process.poll(), "the keeper has died")
        self.c = self.keeper.connect()

    def tearDown(self):
        self.c.close()
