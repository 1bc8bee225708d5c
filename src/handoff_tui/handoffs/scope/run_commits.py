"""Which commits an agent run made, stored beside the log, so that every clone gives them to the same handoff.

A run's own folder stays on its machine. This record is unsigned, like a commit message that names a handoff: it says
whose work a commit is, and opens no gate.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from handoff_tui.core.errors import HandoffError
from handoff_tui.core.model import Model
from handoff_tui.git.history.commit_changes import ChangedCommit
from handoff_tui.system.files.addressed_files import AddressedFolder

_FOLDER = "runs"
_MOST_BYTES = 4 << 20


class RunCommit(Model):
    """A commit by its id and, for the day when a rebase changes the id, by the digest of what it changes."""

    id: str
    changes: str


class RunCommits(Model):
    """The commits of one agent run, oldest first."""

    schema_version: Literal[1] = 1
    handoff: str
    phase: str
    attempt: int
    run: int
    agent: str = ""
    stated: str = ""
    """The phase that the handoff's documents named when the run began."""
    base: str = ""
    """The commit at which the run began."""
    head: str
    """The commit at which it ended."""
    commits: tuple[RunCommit, ...]


def write_run_commits(root: Path, record: RunCommits) -> None:
    value = record.model_dump(mode="json")
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, indent=1)
    _open(root).write(text.encode("ascii") + b"\n")


def read_run_commits(root: Path) -> tuple[RunCommits, ...]:
    """All records of this repository. One that can't be read says nothing; its commits are assigned as usual."""
    return tuple(read_run_records(root).values())


def read_run_records(root: Path) -> dict[str, RunCommits]:
    """The same by their paths."""
    folder = _open(root)
    try:
        digests = folder.list()
    except HandoffError:
        return {}
    found = {}
    for digest, content in folder.read_many(digests):
        if not isinstance(content, HandoffError):
            with suppress(ValueError):
                found[folder.build_path(digest)] = RunCommits.model_validate_json(content, strict=True)
    return found


def find_run_commits(records: Sequence[RunCommits], history: Sequence[ChangedCommit]) -> Mapping[str, frozenset[str]]:
    """Each handoff with those commits of this history that its runs made."""
    if not records:
        return {}
    present = {commit.id for commit in history}
    missing = {made.changes for one in records for made in one.commits if made.id not in present}
    rewritten: dict[str, list[str]] = defaultdict(list)
    for commit in history if missing else ():
        digest = build_changes_digest(commit)
        if digest in missing:
            rewritten[digest].append(commit.id)
    found: dict[str, set[str]] = defaultdict(set)
    for one in records:
        for made in one.commits:
            found[one.handoff].update([made.id] if made.id in present else rewritten.get(made.changes, ()))
    return {handoff: frozenset(commits) for handoff, commits in found.items()}


def build_run_commits(commits: Iterable[ChangedCommit]) -> tuple[RunCommit, ...]:
    """The commits that change something."""
    return tuple(RunCommit(id=one.id, changes=build_changes_digest(one)) for one in commits if one.changes)


def build_changes_digest(commit: ChangedCommit) -> str:
    """SHA-256 of the paths that a commit changes, each with mode and blob before and after."""
    lines = sorted("\0".join(change) for change in commit.changes)
    return hashlib.sha256(os.fsencode("\0\0".join(lines))).hexdigest()


def _open(root: Path) -> AddressedFolder:
    return AddressedFolder(root, _FOLDER, ".json", max_bytes=_MOST_BYTES)
