"""The questions a rule may ask; the work tree or the tree of an old commit answers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from handoff_tui.config.recorded import HasSettings
from handoff_tui.core.classes import NamedTuple
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


class HandoffName(NamedTuple):
    """A handoff's id, the format it was read from, and whether it is past."""

    id: str
    dialect: str
    past: bool = False


class Disagreements(NamedTuple):
    """Where the documents of a handoff and its own changes say different things."""

    undeclared: tuple[str, ...] = ()
    """Paths that its commits change and its documents don't list, if they list any."""
    never_changed: tuple[str, ...] = ()
    """Paths that it declares as changed and that none of its changes touches."""
    changed_by_others: tuple[tuple[str, str], ...] = ()
    """Paths that it declares as changed, each with the handoffs that changed it last."""


class World(HasSettings, Protocol):
    """Every question, and the settings. Within one run, the same question gets the same answer.

    Arguments are strings: with the method's name they identify the question in a record.
    """

    def handoff_names(self) -> tuple[HandoffName, ...]: ...

    def handoff(self, handoff: str) -> Handoff | None: ...

    def problems(self) -> tuple[Problem, ...]: ...

    def facts(self) -> RepositoryFacts: ...

    def verdicts(self, handoff: str) -> tuple[Verdict, ...]:
        """The claims of a handoff beside their measurements."""

    def own_paths(self, handoff: str) -> tuple[str, ...]:
        """The files that belong to a handoff."""

    def deleted_paths(self, word: str) -> tuple[str, ...]:
        """Paths that contain a word (in lower case) and whose last change, committed or not, deleted them."""

    def disagreements(self, handoff: str) -> Disagreements:
        """What the documents of a handoff declare, against the changes that are its own."""

    def signers(self, handoff: str) -> tuple[str, ...] | None:
        """Who approved a handoff in the signed log, whatever has changed since; None if there is no log."""

    def phase_signers(self, handoff: str, phase: str) -> tuple[str, ...]:
        """Who approved a handoff in one phase."""

    def paths(self) -> tuple[str, ...]:
        """Every tracked or untracked path, sorted, without ignored ones."""

    def read(self, path: str) -> bytes | None:
        """A file's content; None if it is missing or may not be read."""

    def exists(self, path: str) -> bool: ...

    def find(self, wanted: str, document: str) -> str | None:
        """The path that a document means by a name it mentions."""

    def is_executable(self, path: str) -> bool: ...

    def is_writable(self, path: str) -> bool: ...

    def find_program(self, name: str) -> str | None:
        """Where a program is on the search path."""

    def commits(self) -> tuple[CommitInfo, ...]:
        """The newest `limits.commits` commits from HEAD, newest first."""

    def commit(self, name: str) -> str | None:
        """The full id of a commit."""

    def lag(self, commit: str) -> int | None:
        """How many commits HEAD is ahead of a commit; None if it is not in the history of HEAD."""

    def commit_paths(self, commit: str) -> tuple[str, ...]:
        """The paths a commit changed."""

    def document_commit(self, path: str) -> str | None:
        """The newest commit that touched a path."""

    def is_cut_off(self, commit: str) -> bool:
        """Whether a shallow clone ends at a commit, so that what seems to be written there may be older."""

    def read_at(self, commit: str, path: str) -> bytes | None: ...

    def baseline(self) -> str | None:
        """The commit that the work is compared with."""

    def changes(self) -> tuple[Change, ...]:
        """What differs between the baseline and the work tree."""

    def remotes(self) -> tuple[tuple[str, str], ...]:
        """Names and addresses of the remotes."""

    def reaches(self, remote: str) -> bool | None:
        """Whether a remote answers; None if that takes the network and nobody consented."""

    def answers(self, address: str) -> int | str | None:
        """The HTTP status of an address, or why there is none; None without consent to use the network."""

    def now(self) -> datetime: ...

    def parameters(self, check: str) -> Mapping[str, object]:
        """`[checks.<id>.parameters]` of the configuration."""

    def usual_severity(self, name: str) -> str | None:
        """How severe a rule, by id or declared name, is if the repository's file says nothing about it."""
