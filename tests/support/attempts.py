"""Attempts at one handoff with a real log, stored evidence and real commits: what decisions leave, without asking."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from handoff_tui.changes.snapshots.snapshot import FindingRecord, Snapshot, TestOutcome, write_snapshot
from handoff_tui.git.objects.private_objects import build_commit_tree
from handoff_tui.git.repository import open_repository
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.log.entry import Decision, DecisionVerb, Entry, EntryKind, LogVerdict, Subject, Work
from handoff_tui.log.index import LogIndex, build_log_index
from handoff_tui.log.open_log import OpenLog, open_log
from handoff_tui.log.review_record import Comment, ReviewRecord, ShownCheck, ShownFinding
from handoff_tui.log.storage.evidence import write_review
from tests.support.logs import FIRST_VERSION_SUBJECT
from tests.support.real_log import RealLog
from tests.support.repositories import NOTE_ON_ADDING, RepositoryBuilder

HANDOFF = "notes/HANDOFF.md"
PHASE = "review"
CODE = "def add(a, b):\n    return a + b\n"
_BLOCKING = frozenset({"claims-hold", "tests"})


def build_shown(check: str, outcome: str, *findings: str) -> ShownCheck:
    """A check as a reviewer was shown it; each finding is a word that is its fingerprint too."""
    return ShownCheck(
        id=check,
        outcome=outcome,
        severity="high",
        blocking=check in _BLOCKING,
        summary=f"{check}: {outcome}",
        findings=tuple(ShownFinding(fingerprint=word, message=f"found {word}") for word in findings),
    )


class AttemptStory:
    """A repository whose agent is claude; alice and bob decide. Evidence is stored as a decision stores it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.builder = RepositoryBuilder.init(folder / "repository")
        self.builder.write("src/app.py", CODE).write("HANDOFF.md", NOTE_ON_ADDING).commit("the work")
        self.base = self.builder.head()
        self.log = RealLog(self.builder)
        self.log.begin()

    @property
    def root(self) -> Path:
        return self.builder.folder

    def work(self, text: str, path: str = "src/app.py", message: str = "more work") -> str:
        """A commit of the agent; its id."""
        self.builder.write(path, text)
        self.builder.moment += 60
        self.builder.git("add", "--", path)
        self.builder.git("commit", "--quiet", "--no-verify", "-m", message)
        return self.builder.head()

    def decide(
        self,
        verb: str,
        attempt: int,
        *checks: ShownCheck,
        actor: str = "alice",
        tests: dict[str, str] | None = None,
        comments: tuple[Comment, ...] = (),
        reason: str | None = None,
        **changes: Any,  # noqa: ANN401 - any field of an entry, or of its work
    ) -> str:
        """Somebody decides on what is committed; the id of the entry."""
        subject = self._store_subject(checks, tests)
        work = {"handoff": changes.pop("handoff", HANDOFF), "phase": changes.pop("phase", PHASE), "attempt": attempt}
        record = ReviewRecord(**work, subject=subject, check_baseline=self.base, checks=checks, comments=comments)
        review = write_review(self.root, record)
        if reason is not None:
            changes["reason"] = reason
        return self.log.decide(actor, verb, subject=subject, review=review, **work, **changes)

    def submit(
        self,
        attempt: int,
        *checks: ShownCheck,
        tests: dict[str, str] | None = None,
        **changes: Any,  # noqa: ANN401 - as above
    ) -> str:
        """The agent hands over what is committed; the id of the entry."""
        subject = self._store_subject(checks, tests)
        return self.log.submit(
            **{"handoff": HANDOFF, "phase": PHASE, "attempt": attempt, "subject": subject, **changes}
        )

    def open(self) -> tuple[Session, OpenLog]:
        desk = open_session(self.root)
        return desk, open_log(desk.repository)

    def _store_subject(self, checks: tuple[ShownCheck, ...], tests: dict[str, str] | None) -> Subject:
        commit = self.builder.head()
        tree = build_commit_tree(open_repository(self.root), commit, self.folder / "cache")
        snapshot = Snapshot(
            tree=tree,
            commit=commit,
            tests={name: TestOutcome(outcome) for name, outcome in (tests or {}).items()},
            checks={check.id: check.outcome for check in checks},
            findings={
                found.fingerprint: FindingRecord(check=check.id, message=found.message)
                for check in checks
                for found in check.findings
            },
        )
        digest = write_snapshot(self.root, snapshot)
        return FIRST_VERSION_SUBJECT.model_copy(update={"commit": commit, "tree": tree, "snapshot": digest})


def tell_story(folder: Path) -> AttemptStory:
    """Sent back twice: first for a claim and two lines, of which one was mended; then for what came of it."""
    story = AttemptStory(folder)
    story.decide(
        "reject",
        1,
        build_shown("claims-hold", "fail", "gone"),
        build_shown("problems-absent", "pass"),
        build_shown("tests", "fail", "test_b"),
        tests={"test_a": "pass", "test_b": "fail", "test_c": "pass"},
        comments=(
            Comment(text="why in this order?", path="src/app.py", line=2),
            Comment(text="say what was tested", path="HANDOFF.md"),
            Comment(text="all in all thin"),
        ),
        reason="no tests, and the claim is false",
        time="2026-01-02T10:00:00Z",
    )
    story.work(CODE.replace("a + b", "b + a"), message="turn it round")
    story.work("text\n", "docs/tests.md", message="say what was tested, elsewhere")
    story.submit(
        2,
        build_shown("claims-hold", "pass"),
        tests={"test_a": "pass", "test_b": "pass", "test_d": "pass"},
        time="2026-01-02T12:30:00Z",
    )
    story.decide(
        "retry",
        2,
        build_shown("claims-hold", "pass"),
        build_shown("problems-absent", "fail", "odd"),
        build_shown("tests", "error"),
        actor="bob",
        tests={"test_a": "pass", "test_b": "pass", "test_d": "pass"},
        reason="the tests do not start any more",
        time="2026-01-02T13:00:00Z",
    )
    story.work("def add(a, b):\n    return sum((a, b))\n", message="start again")
    return story


def build_entry(number: int, actor: str, attempt: int, verb: str | None = None, **subject: str) -> Entry:
    """An entry of a log in memory, bound to nothing in particular; a submission without a verb."""
    decision = None
    if verb is not None:
        decision = Decision(verb=DecisionVerb(verb), reason=f"reason {number}", regards=(), review="f" * 64)
    return Entry(
        id=f"sha256:{number:064x}",
        kind=EntryKind.SUBMISSION if verb is None else EntryKind.DECISION,
        actor=actor,
        seq=number,
        time=f"2026-01-01T00:{number // 60 % 60:02d}:{number % 60:02d}Z",
        parents=(),
        work=Work(
            handoff=HANDOFF,
            phase=PHASE,
            attempt=attempt,
            producers=("claude",),
            policy="sha256:" + "0" * 64,
            subject=FIRST_VERSION_SUBJECT.model_copy(update=subject),
        ),
        decision=decision,
    )


def build_index(*entries: Entry, void: tuple[str, ...] = ()) -> LogIndex:
    """These entries as a verified log."""
    return build_log_index(LogVerdict(entries=entries, void=dict.fromkeys(void, "revoked")))
