from __future__ import annotations

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rule import NotApplicableError, RuleFinding
from handoff_tui.checks.rules.mosaic.referenced_files_exist import REFERENCED_FILES_EXIST
from handoff_tui.core.place import Problem
from handoff_tui.handoffs.claim import ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.reading.format import SourceFile
from tests.support.memory_files import MemoryFiles
from tests.support.session_states import build_state
from tests.support.world import MemoryWorld, judge

PRESENT = frozenset({ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED, ClaimKind.FILE_REFERENCED})
TASK = {"task_id": "t", "objective": "o", "status": "open", "details": {"artifacts_created": ["docs/piers.md"]}}
SESSION = "# SESSION HANDOFF\n\n## FILES CREATED\n\n- `lib/piers.py`\n\n## NEXT\n\nRun `scripts/watch.sh` first.\n"
NOTE = "# Handoff\n\nRead `docs/tolls.md` before anything else.\n"


class MeasuredWorld(MemoryWorld):
    """A world in which claims on files are measured against its own files."""

    def verdicts(self, handoff: str) -> tuple[Verdict, ...]:
        return tuple(self._measure(verdict) for verdict in super().verdicts(handoff))

    def _measure(self, verdict: Verdict) -> Verdict:
        claim = verdict.claim
        if claim.kind not in PRESENT:
            return verdict
        there = self.find(claim.subject or "", claim.where.path) is not None
        return Verdict(claim=claim, state=VerdictState.HOLDS if there else VerdictState.CONTRADICTED)


def build_world(*present: str) -> MeasuredWorld:
    documents = {".mosaic/SESSION_HANDOFF_1.md": SESSION, "HANDOFF.md": NOTE}
    return MeasuredWorld(files={**build_state(current_task=TASK), **documents, **dict.fromkeys(present, "x")})


def describe(found: list[RuleFinding]) -> list[tuple[str, int | None, str]]:
    return [(finding.place.path, finding.place.line, finding.subject) for finding in found if finding.place]


def test_files_that_exist_pass() -> None:
    """State files, session documents and notes may name what is there."""
    world = build_world("docs/piers.md", "lib/piers.py", "scripts/watch.sh", "docs/tolls.md")
    assert judge(REFERENCED_FILES_EXIST, world) == []


def test_missing_files_of_every_document_are_found() -> None:
    """State file, session document and the note of another dialect: each missing file with its place."""
    assert describe(judge(REFERENCED_FILES_EXIST, build_world())) == [
        (".mosaic/current_task.json", 7, "docs/piers.md"),
        (".mosaic/SESSION_HANDOFF_1.md", 5, "lib/piers.py"),
        (".mosaic/SESSION_HANDOFF_1.md", 9, "scripts/watch.sh"),
        ("HANDOFF.md", 3, "docs/tolls.md"),
    ]


def test_finding_says_what_the_document_says() -> None:
    """A file said to be created reads otherwise than one that is only named."""
    messages = [found.message for found in judge(REFERENCED_FILES_EXIST, build_world("docs/piers.md"))]
    assert messages == [
        ".mosaic/SESSION_HANDOFF_1.md says it created lib/piers.py, which does not exist",
        ".mosaic/SESSION_HANDOFF_1.md names scripts/watch.sh, which does not exist",
        "HANDOFF.md names docs/tolls.md, which does not exist",
    ]


def test_only_the_handoff_under_review_is_judged() -> None:
    """The references of other handoffs are not its fault."""
    found = judge(REFERENCED_FILES_EXIST, build_world(), scope="mosaic")
    assert "docs/tolls.md" not in {finding.subject for finding in found}
    assert len(found) == 3


def test_file_that_a_document_says_is_deleted_is_not_missed() -> None:
    """To say that a file was deleted names it; that it is gone is what was said, and it is told on a pass."""
    text = "# SESSION HANDOFF\n\n## FILES DELETED\n\n- `lib/old.py`\n"
    world = MeasuredWorld(files={**build_state(), ".mosaic/SESSION_HANDOFF_1.md": text})
    context = Context(Answers(world))
    assert list(REFERENCED_FILES_EXIST.judge(context)) == []
    assert context.notes == ["1 named files are said to have been deleted"]


def test_file_that_cannot_be_told_is_not_found() -> None:
    """A name that may mean several files, or no file, is unverified, which is no contradiction."""
    world = MemoryWorld(files={**build_state(), "HANDOFF.md": NOTE})
    assert judge(REFERENCED_FILES_EXIST, world) == []


def test_link_to_nothing_is_found() -> None:
    """A dangling link to the newest session document is a reference to a file that is not there."""
    files = {path: str(text) for path, text in build_state().items()}
    latest = ".mosaic/LATEST_HANDOFF.md"
    shelf = MemoryFiles({**files, latest: ""})
    problem = Problem(path=latest, message="is a link to nothing")
    shelf.read[latest] = SourceFile(latest, "", readable=False, problems=[problem])
    [found] = judge(REFERENCED_FILES_EXIST, MemoryWorld(files={**files, latest: b""}, shelf=shelf))
    assert "is a link to nothing" in found.message
    assert found.place is not None
    assert found.place.path == latest


def test_document_that_cannot_be_read_is_found() -> None:
    """What a broken document names is not known, and that is no pass."""
    world = MeasuredWorld(files={**build_state(), ".ai-agents/handoff_0304.json": '{"commit": "ab'})
    [found] = judge(REFERENCED_FILES_EXIST, world)
    assert "is not valid JSON" in found.message


def test_documents_that_name_no_file_do_not_apply() -> None:
    """There is nothing to look for."""
    with pytest.raises(NotApplicableError, match="names a file"):
        judge(REFERENCED_FILES_EXIST, MemoryWorld(files=build_state()))
