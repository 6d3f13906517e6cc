"""Runs every test here. They start real processes against real deadlines, which a busy machine can upset: one that fails is tried once
more by itself, and if it then passes it is reported as a flake, by name."""
import os, sys, unittest

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
loader = unittest.TestLoader()
first = unittest.TextTestRunner().run(loader.discover(here))
failed = [test.id() for test, _ in first.failures + first.errors]
if any(not hasattr(test, "_testMethodName") for test, _ in first.failures + first.errors):
    sys.exit(1)  # a whole class could not be set up: that is no flake
if failed:
    again = unittest.TextTestRunner().run(loader.loadTestsFromNames(failed))
    if not again.wasSuccessful():
        sys.exit(1)
    print("flakes:", *failed)
