"""A world in memory, for tests of rules: files and git facts as given, handoffs read from the files by the formats."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeVar

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rule import Rule, RuleFinding
from handoff_tui.checks.run.choose import find_usual_severity
from handoff_tui.checks.world import Change, CommitInfo, Disagreements, HandoffName
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.classes import dataclass, field
from handoff_tui.core.model import Model
from handoff_tui.core.place import Problem
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.handoffs.claim import Verdict, VerdictState
from handoff_tui.handoffs.claims.path_finder import PathFinder
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.reading.read import ReadHandoffs, read_handoffs
from tests.support.memory_files import MemoryFiles

HEAD = "a" * 40
_Model = TypeVar("_Model", bound=Model)


@dataclass
class MemoryWorld:
    """Everything a rule may ask about, set by the test. What is not set is absent."""

    files: dict[str, str | bytes] = field(default_factory=dict)
    repository: RepositoryFacts = field(default_factory=lambda: RepositoryFacts(root="/r", head=HEAD, branch="main"))
    given_settings: Settings = field(default_factory=Settings)
    overrides: dict[str, object] = field(default_factory=dict)
    """Settings by dotted key that differ from the defaults."""
    shelf: MemoryFiles | None = None
    """For git notes, refs and commits that dialects read; by default one over the files."""
    measured: dict[str, tuple[Verdict, ...]] = field(default_factory=dict)
    """Verdicts by handoff id; by default every claim is unverified."""
    own: dict[str, tuple[str, ...]] = field(default_factory=dict)
    disagreeing: dict[str, Disagreements] = field(default_factory=dict)
    """Where documents and own changes disagree, by handoff id."""
    signed: tuple[str, ...] | None = None
    """Who approved every handoff in the log; none without a log."""
    known_commits: dict[str, int | None] = field(default_factory=dict)
    """Commit names that exist here, with their lag (nothing: not in the history of HEAD)."""
    log: tuple[CommitInfo, ...] = ()
    touched: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Paths that a commit changed."""
    documents: dict[str, str] = field(default_factory=dict)
    cut_off: frozenset[str] = frozenset()
    """The newest commit of a path."""
    old_files: dict[tuple[str, str], bytes] = field(default_factory=dict)
    """Contents by commit and path."""
    base: str | None = None
    changed: tuple[Change, ...] = ()
    executables: frozenset[str] = frozenset()
    deleted: tuple[str, ...] = ()
    unwritable: frozenset[str] = frozenset()
    programs: dict[str, str] = field(default_factory=dict)
    known_remotes: dict[str, str] = field(default_factory=dict)
    reached: dict[str, bool | None] = field(default_factory=dict)
    addresses: dict[str, int | str | None] = field(default_factory=dict)
    moment: datetime = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    _handoffs_read: ReadHandoffs | None = None

    def handoffs_read(self) -> ReadHandoffs:
        if self._handoffs_read is None:
            texts = {path: text for path, text in self.files.items() if isinstance(text, str)}
            shelf = self.shelf if self.shelf is not None else MemoryFiles(texts, self.given_settings)
            self._handoffs_read = read_handoffs(shelf, FORMATS)
        return self._handoffs_read

    def handoffs(self) -> tuple[Handoff, ...]:
        return self.handoffs_read().handoffs

    def handoff_names(self) -> tuple[HandoffName, ...]:
        return tuple(HandoffName(handoff.id, handoff.dialect) for handoff in self.handoffs())

    def handoff(self, handoff: str) -> Handoff | None:
        return next((known for known in self.handoffs() if known.id == handoff), None)

    def problems(self) -> tuple[Problem, ...]:
        return self.handoffs_read().problems

    def facts(self) -> RepositoryFacts:
        return self.repository

    def verdicts(self, handoff: str) -> tuple[Verdict, ...]:
        if handoff in self.measured:
            return self.measured[handoff]
        [found] = [known for known in self.handoffs() if known.id == handoff]
        return tuple(Verdict(claim=claim, state=VerdictState.UNVERIFIED) for claim in found.claims)

    def signers(self, handoff: str) -> tuple[str, ...] | None:  # noqa: ARG002 - all have the same
        return self.signed

    def phase_signers(self, handoff: str, phase: str) -> tuple[str, ...]:  # noqa: ARG002 - nobody in any
        return ()

    def paths(self) -> tuple[str, ...]:
        return tuple(sorted(self.files))

    def read(self, path: str) -> bytes | None:
        content = self.files.get(path)
        return content.encode() if isinstance(content, str) else content

    def exists(self, path: str) -> bool:
        return path in self.files or any(known.startswith(f"{path.rstrip('/')}/") for known in self.files)

    def find(self, wanted: str, document: str) -> str | None:
        return PathFinder.over(self.files).find(wanted, document).path

    def is_executable(self, path: str) -> bool:
        return path in self.executables

    def is_writable(self, path: str) -> bool:
        return path not in self.unwritable

    def find_program(self, name: str) -> str | None:
        return self.programs.get(name)

    def commits(self) -> tuple[CommitInfo, ...]:
        return self.log

    def commit(self, name: str) -> str | None:
        return next((known for known in (*self.known_commits, HEAD) if known.startswith(name)), None)

    def lag(self, commit: str) -> int | None:
        return 0 if commit == HEAD else self.known_commits.get(commit)

    def commit_paths(self, commit: str) -> tuple[str, ...]:
        return self.touched.get(commit, ())

    def own_paths(self, handoff: str) -> tuple[str, ...]:
        return self.own.get(handoff, tuple(path for change in self.changes() for path in change[1:] if path))

    def deleted_paths(self, word: str) -> tuple[str, ...]:
        return tuple(path for path in self.deleted if word in path.casefold())

    def disagreements(self, handoff: str) -> Disagreements:
        return self.disagreeing.get(handoff, Disagreements())

    def document_commit(self, path: str) -> str | None:
        return self.documents.get(path)

    def is_cut_off(self, commit: str) -> bool:
        return commit in self.cut_off

    def read_at(self, commit: str, path: str) -> bytes | None:
        return self.old_files.get((commit, path))

    def baseline(self) -> str | None:
        return self.base

    def changes(self) -> tuple[Change, ...]:
        return self.changed

    def remotes(self) -> tuple[tuple[str, str], ...]:
        return tuple(sorted(self.known_remotes.items()))

    def reaches(self, remote: str) -> bool | None:
        return self.reached.get(remote)

    def answers(self, address: str) -> int | str | None:
        return self.addresses.get(address)

    def now(self) -> datetime:
        return self.moment

    def parameters(self, check: str) -> Mapping[str, object]:
        return self.settings.checks[check].parameters if check in self.settings.checks else {}

    def usual_severity(self, name: str) -> str | None:
        return find_usual_severity(Settings(), name)

    @property
    def settings(self) -> Settings:
        settings = self.given_settings
        for key, value in self.overrides.items():
            settings = _override(settings, key.split("."), value)
        return settings


def _override(section: _Model, path: list[str], value: object) -> _Model:
    first, *rest = path
    new = _override(getattr(section, first), rest, value) if rest else value
    return section.model_copy(update={first: new})


def judge(rule: Rule, world: MemoryWorld, scope: str | None = None) -> list[RuleFinding]:
    """What a rule finds in a world; NotApplicableError and UndecidableError come through."""
    return list(rule.judge(Context(Answers(world), scope)))


def find_subjects(rule: Rule, world: MemoryWorld, scope: str | None = None) -> list[str]:
    """Returns the subjects of what a rule finds in a world."""
    return [found.subject for found in judge(rule, world, scope)]


BASE = "b" * 40


def build_changed_world(
    before: dict[str, str], now: dict[str, str], renamed: dict[str, str] | None = None
) -> MemoryWorld:
    """`renamed` maps new paths to old ones, as git tells renames; without it they are a deletion and an addition."""
    renamed = renamed or {}
    changes = [Change("R", new, old) for new, old in renamed.items()]
    changes += [
        Change("A" if path not in before else "D" if path not in now else "M", path)
        for path in sorted({*before, *now} - {*renamed, *renamed.values()})
        if before.get(path) != now.get(path)
    ]
    return MemoryWorld(
        dict(now),
        base=BASE,
        changed=tuple(changes),
        old_files={(BASE, path): text.encode() for path, text in before.items()},
    )
