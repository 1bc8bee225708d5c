"""Histories with merges, made in one go, whose commits each say how a check ends there; and what git finds in them."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.support.repositories import RepositoryBuilder, build_git_environment

VERDICT = "verdict"
"""The file in which every commit says how the check ends: good, bad, or skip."""
SCRIPT = 'case "$(cat verdict)" in good) exit 0;; bad) exit 1;; *) exit 125;; esac'
_IDENTITY = "Ada Example <ada@example.org>"
_FIRST_SECOND = 1_750_000_000
_FOUND = re.compile(r"^([0-9a-f]{40}) is the first bad commit", re.MULTILINE)
_ANY_OF = re.compile(r"^The first bad commit could be any of:\n((?:[0-9a-f]{40}\n)+)", re.MULTILINE)


class Told(NamedTuple):
    """A commit in the making: the numbers of its parents, what the check says there, and seconds since the last."""

    parents: tuple[int, ...]
    verdict: str
    later: int = 60


class History(NamedTuple):
    """A repository, and its commits in the order in which they were told."""

    builder: RepositoryBuilder
    commits: tuple[str, ...]


def build_history(folder: Path, told: Sequence[Told]) -> History:
    """The last commit is HEAD of `main`, and everything should lead to it."""
    builder = RepositoryBuilder.init(folder)
    stream: list[str] = []
    moment = _FIRST_SECOND
    for number, one in enumerate(told, start=1):
        moment += one.later
        lines = [f"commit refs/heads/main\nmark :{number}\ncommitter {_IDENTITY} {moment} +0000\ndata 1\n{number % 10}"]
        for place, parent in enumerate(one.parents):
            lines.append(f"{'merge' if place else 'from'} :{parent + 1}")
        content = f"{one.verdict}\n"
        lines.append(f"M 100644 inline {VERDICT}\ndata {len(content)}\n{content}")
        lines.append(f"M 100644 inline number\ndata {len(str(number))}\n{number}\n")
        stream += lines
    marks = builder.folder / ".git" / "marks"
    builder.git("fast-import", "--quiet", "--force", f"--export-marks={marks}", stdin="\n".join(stream).encode())
    known = dict(line.split(" ") for line in marks.read_text(encoding="ascii").splitlines())
    builder.git("reset", "--quiet", "--hard", "main")
    return History(builder, tuple(known[f":{number}"] for number in range(1, len(told) + 1)))


def ask_git(history: History, good: str, bad: str) -> set[str]:
    """What `git bisect run` says with the script: one commit, or those that it cannot tell apart."""
    builder = history.builder
    builder.git("bisect", "start", "--no-checkout", bad, good)
    script = SCRIPT.replace("cat verdict", f"git show BISECT_HEAD:{VERDICT}")
    done = subprocess.run(
        ["git", "-C", str(builder.folder), "bisect", "run", "sh", "-c", script],
        capture_output=True,
        check=False,
        env=build_git_environment(),
    )
    said = os.fsdecode(done.stdout + done.stderr)
    builder.git("bisect", "reset")
    if found := _FOUND.search(said):
        return {found[1]}
    any_of = _ANY_OF.search(said)
    if any_of is None:
        raise AssertionError(said)
    return set(any_of[1].split())


def clone_at(builder: RepositoryBuilder, folder: Path, commit: str) -> RepositoryBuilder:
    """A clone with all tags and notes that stands at a commit."""
    builder.git("clone", "--quiet", "--template=", str(builder.folder), str(folder))
    clone = RepositoryBuilder(folder)
    clone.git("fetch", "--quiet", "origin", "refs/notes/*:refs/notes/*", "refs/tags/*:refs/tags/*")
    return clone.step("checkout", "--quiet", "--detach", builder.head(commit))
