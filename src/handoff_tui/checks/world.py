"""What a rule may ask about, whoever answers: the work tree, or the tree of an old commit."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple, Protocol

from handoff_tui.core.place import Problem
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.handoffs.claim import Verdict
from handoff_tui.handoffs.handoff import Handoff


class Change(NamedTuple):
    """A path that differs from the baseline: A added, M modified, D deleted, T type changed, R renamed."""

    status: str
    path: str
    old_path: str | None = None


class CommitInfo(NamedTuple):
    """A commit, as far as rules need it."""

    id: str
    parents: tuple[str, ...]
    author: str
    author_email: str
    date: str
    subject: str
    body: str


class World(Protocol):
    """Answers are the same however often they are asked for within one run."""

    def handoffs(self) -> tuple[Handoff, ...]: ...

    def problems(self) -> tuple[Problem, ...]: ...

    def facts(self) -> RepositoryFacts: ...

    def verdicts(self, handoff: str) -> tuple[Verdict, ...]:
        """The claims of a handoff beside their measurements."""

    def paths(self) -> tuple[str, ...]:
        """Every tracked or untracked path, sorted; ignored ones are not among them."""

    def read(self, path: str) -> bytes | None:
        """A file's content; nothing where it is missing or may not be read."""

    def exists(self, path: str) -> bool: ...

    def find(self, wanted: str, document: str) -> str | None:
        """The path that a document means."""

    def is_executable(self, path: str) -> bool: ...

    def is_writable(self, path: str) -> bool: ...

    def find_program(self, name: str) -> str | None:
        """Where a program is on the search path."""

    def program_answers(self, name: str) -> bool | None:
        """Whether a program of the configuration starts and ends; nothing where it may not be started."""

    def commits(self) -> tuple[CommitInfo, ...]:
        """The newest commits from HEAD, newest first, as many as limits.commits."""

    def commit(self, name: str) -> str | None:
        """The full id of a commit as written."""

    def lag(self, commit: str) -> int | None:
        """How many commits HEAD is ahead of it; nothing when it is not in the history of HEAD."""

    def commit_paths(self, commit: str) -> tuple[str, ...]:
        """The paths a commit changed."""

    def document_commit(self, path: str) -> str | None:
        """The newest commit that touched a path."""

    def is_cut_off(self, commit: str) -> bool:
        """Whether a shallow clone lacks what is before a commit: it seems to have written all that it holds."""

    def read_at(self, commit: str, path: str) -> bytes | None: ...

    def baseline(self) -> str | None:
        """The commit that the work is compared with; nothing when there is none."""

    def changes(self) -> tuple[Change, ...]:
        """What differs between the baseline and the work tree."""

    def remotes(self) -> tuple[tuple[str, str], ...]:
        """Names and addresses of the remotes."""

    def reaches(self, remote: str) -> bool | None:
        """Whether a remote answers; nothing where asking it would need the network and nobody consented."""

    def answers(self, address: str) -> int | str | None:
        """The HTTP status of an address, or why there is none; nothing without consent to use the network."""

    def now(self) -> datetime: ...

    def setting(self, key: str) -> object:
        """A setting by its dotted name."""

    def parameters(self, check: str) -> Mapping[str, object]:
        """What the configuration gives to a check of the user's own."""

    def usual_severity(self, name: str) -> str | None:
        """How severe a rule, by id or declared name, is where the repository's own file says nothing about it."""
