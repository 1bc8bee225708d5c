"""Run as a program: appends entries in a process of its own, or dies while appending, at each system call in turn."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

from tests.support.failing_calls import FailingCalls, die_at
from tests.support.journals import Desk

_DIED = 137


def append_some(root: Path, count: int, name: str) -> list[str]:
    """The ids of entries that were acknowledged."""
    desk = Desk.open(root, timeout=300)
    return [desk.decide(f"{name}-{number}").entry.id for number in range(count)]


def die_everywhere(template: Path, folder: Path) -> dict[str, list[str]]:
    """For each place: a copy of the template in which an append died there, with the calls that were made before."""
    made: dict[str, list[str]] = {}
    for place in range(1, 1000):
        root = folder / str(place)
        shutil.copytree(template, root, symlinks=True)
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            _die(root, place, writer)
        os.close(writer)
        with os.fdopen(reader) as answer:
            said = answer.read()
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code not in {0, _DIED}:
            raise AssertionError(f"at call {place}: exit code {code}")
        made[str(place)] = said.split()
        if code == 0:
            return made
    raise AssertionError("an append has no end")


def _die(root: Path, place: int, writer: int) -> None:
    """In the child: appends; who comes through says which entry was acknowledged."""
    calls = die_at(place)
    desk = Desk.open(root, calls)
    entry = desk.begin() if not desk.verify().entries else desk.decide("H-new")
    os.write(writer, entry.entry.id.encode())
    os._exit(0)


def count_calls(root: Path) -> list[str]:
    calls = FailingCalls()
    Desk.open(root, calls).decide("H-new")
    return calls.made


if __name__ == "__main__":
    if sys.argv[1] == "append":
        answer: object = append_some(Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        answer = die_everywhere(Path(sys.argv[2]), Path(sys.argv[3]))
    sys.stdout.write(json.dumps(answer))
