"""Collects the tests of every package, so that `python3 -m unittest` is the full regression."""

import sys
import unittest
from pathlib import Path

FOLDERS = sorted(Path(__file__).resolve().parent.glob("PKG-*"))
sys.path[:0] = [str(folder) for folder in FOLDERS]


def load_tests(loader, standard_tests, pattern):
    suite = unittest.TestSuite()
    for folder in FOLDERS:
        for path in sorted(folder.glob("test_*.py")):
            suite.addTests(loader.loadTestsFromName(path.stem))
    return suite
