"""A repository full of anything, under the names of every dialect at once."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.core.text.page import Cell, Grid, Page
from handoff_tui.handoffs.claim import Verdict, VerdictState
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.reading.format import CommitFact, Confidence, RefFact
from handoff_tui.handoffs.reading.read import (
    ReadHandoffs,
    ReadingMemory,
    is_candidate,
    list_text_names,
    read_again,
    read_handoffs,
)
from handoff_tui.status.next_move import build_gate
from handoff_tui.status.review_state import ReviewedHandoff, ReviewState, ShownHandoff
from handoff_tui.status.show_page import build_show_json, build_show_page
from handoff_tui.status.status_page import build_status_json, build_status_page
from tests.support.memory_files import MemoryFiles
from tests.support.strategies import json_texts, line_texts

_KEYS = (
    *("last_agent", "handoff_message", "current_task", "blockers", "archived_blockers", "gates_status", "owner"),
    *("package_id", "assets", "dependencies", "sha256", "path", "version", "timestamp", "metadata", "priority"),
    *("handoff_id", "source_phase", "target_phase", "source_agent", "target_agent", "procedures", "executions"),
    *("phase", "nextPhase", "cycleNumber", "currentTest", "testResult", "error", "errorDetails", "cycle"),
    *("from_role", "to_role", "stage", "status", "report", "task_id", "run_id", "vulnerabilities", "bugs", "tasks"),
    *("plan", "task", "completed_tasks", "remaining_tasks", "human_actions_pending", "next_action", "decisions"),
    *("feature", "goal", "scope", "acceptance_criteria", "produced_by", "actor", "changed_files", "checks"),
    *("next_role", "open_points", "id", "title", "name", "severity", "commit", "summary", "description", "file"),
)
_WORDS = (
    *("PASS", "FAIL", "paused", "high", "critical", "H-7", "T007", "PKG-LAMP-001", "src/lamp.py", "abc1234", "human"),
    *("\x1b[2J", "\u202ePASS", "", " ", "TASK-001", "RED", "GREEN", "phase_transition", "sha256:" + "ab" * 32),
)
_LINES = (
    *("# Results: H-7 — Lamp", "# BUILDER HANDOFF 7: Lamp", "# Handoff Context", "# Session Handoff", "# Test List"),
    *("**Status**: PASS 4/4", "**Agent**: heron", "**Contract ID**: LAMP-7", "Run ID: 12 | Project: L | Task: T007"),
    *("## 1. Mission", "## Files Created", "## Next Steps", "## Blockers", "## Full Regression", "## Test Results"),
    *("- `src/lamp.py`", "- [x] lights", "- [ ] dims", "1. Why?", "Q2: what?", "STOP and WAIT.", "- Total: 9 tests"),
    *("| File | Action |", "|---|---|", "| `a.py` | new |", "---", "```", "status: done", "phase: 02-lamp"),
    *("<current_state>", "</current_state>", "<next_action>", "Review verdict: PASS", "Greenlight: YES by Ada"),
    *("\x1b]52;c;ZXZpbA==\x07", "\u202e\u2066\x9b31m", "Blocked-By: H-3", "Handoff-Phase: RED", "Handoff-Cycle: 3"),
)
_JSON_PATHS = (
    *(".mosaic/agent_state.json", ".mosaic/blockers.json", ".mosaic/notes/other.json", ".ai-agents/handoff_1.json"),
    *("PKG-LAMP-001/manifest.json", "H-7/evidence.json", "handoffs/lamp.json", "procedures/lamp.json"),
    *(".handoff.json", ".tdd-state.json", ".handoff/current.json", ".handoff/history/1.json", "T007/bugs.json"),
    *("todo.json", "security_report.json", "runs/12/report.json", ".planning/HANDOFF.json", "HANDOFF.json"),
    *(".claude/handoff.json", "handoff.schema.json", "H-7/runs/events.jsonl", "agent_workspaces/a/handoff_1.json"),
)
_TEXT_PATHS = (
    *(".mosaic/SESSION_HANDOFF_1.md", ".ai-agents/emergency_handoff.txt", "BUILDER_HANDOFF_7_lamp.md"),
    *("old/BUILDER_HANDOFF_7_lantern.md", "RESULTS_HANDOFF_7.md", "H-7/H-7_RESULTS.md", "H-7/13Q_ANSWERS.md"),
    *("H-7/REVIEW_REPORT.md", "FMWK-001_Lamp/SPEC.md", "REGISTRY.md", "AGENT_PROMPT_HANDOFF_7.md", "LAMP_REPORT.md"),
    *(".tdd-state.yaml", ".tdd.lock", ".tdd-queue.log", "test-list.md", ".handoff/context/a.md"),
    *("HANDOFF_12_T007.md", "WORK_CYCLE_12.md", ".continue-here.md", ".planning/phases/02-lamp/.continue-here.md"),
    *("HANDOFF.md", ".claude/HANDOFF.md", "docs/handoffs/lamp.md", "docs/handoffs/README.md", "handover.rst"),
    *(
        "tools/handoff.yaml",
        "HANDOFF",
        "docs/\x1b[2Jhandoff.md",
        "handoff-tui.toml",
        "handoffs/\u202e.txt",
        "README.md",
    ),
)
_OTHER_PATHS = ("proofs/T007/run-12/a.png", "screenshots/b.png", "src/handoff.py", "handoff.pyc")
_files = st.builds(
    lambda data, texts, others: data | texts | others,
    st.dictionaries(st.sampled_from(_JSON_PATHS), json_texts(_KEYS, _WORDS), max_size=8),
    st.dictionaries(st.sampled_from(_TEXT_PATHS), line_texts(_LINES), max_size=8),
    st.dictionaries(st.sampled_from(_OTHER_PATHS), st.text(max_size=5), max_size=2),
)
_commit_ids = st.text(alphabet="0123456789abcdef", min_size=40, max_size=40)
_messages = line_texts(_LINES)
_commits = st.lists(
    st.builds(CommitFact, _commit_ids, st.sampled_from(_LINES), _messages, st.text(max_size=8), st.just("2031-01-02")),
    max_size=3,
    unique_by=lambda commit: commit.id,
)
_ref_names = st.sampled_from(("refs/tags/handoff/test-agent/cycle-2", "refs/heads/tdd/cycle-3/red", "refs/handoff/x"))
_refs = st.lists(st.builds(RefFact, _ref_names, _commit_ids, st.sampled_from(_LINES)), max_size=2)


@st.composite
def _shelves(draw: st.DrawFn) -> MemoryFiles:
    commits = draw(_commits)
    notes = {commit.id: draw(json_texts(_KEYS, _WORDS)) for commit in commits}
    return MemoryFiles(
        draw(_files),
        git_commits=tuple(commits),
        git_refs=tuple(draw(_refs)),
        git_notes={"refs/notes/tdd-handoffs": notes},
    )


_thorough = settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
"""A failing repository is printed whole: to make it smaller takes longer than a test may run."""


def _read_again(shelf: MemoryFiles) -> ReadHandoffs:
    """The same repository, read by another process that met its files in another order."""
    again = MemoryFiles(
        dict(reversed(shelf.files.items())),
        git_commits=shelf.git_commits,
        git_refs=shelf.git_refs,
        git_notes=shelf.git_notes,
    )
    return read_handoffs(again, FORMATS)


def _judge(shelf: MemoryFiles) -> dict[str, float]:
    """How sure the surest dialect is of each file."""
    asked = [path for path in shelf.files if path not in _OTHER_PATHS]
    return {
        path: max(
            (dialect.recognise(shelf.source(path)) for dialect in FORMATS if dialect.may_own(path)),
            default=Confidence.NO,
        )
        for path in asked
    }


def _review(result: ReadHandoffs) -> tuple[ReviewState, list[ShownHandoff]]:
    """As the use cases do it, with nothing measured."""
    by_id = {handoff.id: handoff for handoff in result.handoffs}
    reviewed: list[ReviewedHandoff] = []
    shown: list[ShownHandoff] = []
    for handoff in result.handoffs:
        verdicts = tuple(Verdict(claim=claim, state=VerdictState.UNVERIFIED) for claim in handoff.claims)
        gate = build_gate(handoff, by_id, verdicts, result.problems)
        reviewed.append(ReviewedHandoff(handoff=handoff, gate=gate))
        shown.append(ShownHandoff(reviewed=reviewed[-1], verdicts=verdicts, problems=result.problems))
    facts = RepositoryFacts(root="/r")
    state = ReviewState(repository=facts, handoffs=tuple(reviewed), unknown=result.unknown, problems=result.problems)
    return state, shown


def _list_cells(page: Page) -> Iterator[Cell]:
    for part in page.parts:
        if isinstance(part, Grid):
            yield from (cell for row in part.rows for cell in row)
        else:
            yield from part.cells


def _obeys(character: str) -> bool:
    """Whether a terminal would act on it instead of showing it."""
    directed = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    return (
        unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} or unicodedata.bidirectional(character) in directed
    )


class _SavedFiles(MemoryFiles):
    """Files that are read again after one of them was saved."""

    def save(self, path: str, text: str) -> None:
        self.files[path] = text
        self.read.pop(path, None)


@given(_shelves(), st.data())
@_thorough
def test_reading_again_after_saves_is_a_fresh_reading(shelf: MemoryFiles, data: st.DataObject) -> None:
    """Whatever was kept of files that are as they were: handoffs, problems and what nobody understood are the same."""
    living = _SavedFiles(dict(shelf.files), git_commits=shelf.git_commits, git_refs=shelf.git_refs)
    names, memory = list_text_names(living.paths), ReadingMemory()
    read_again(living, FORMATS, names, memory)
    for path in data.draw(st.lists(st.sampled_from(sorted(shelf.files)), max_size=3)) if shelf.files else ():
        texts = json_texts(_KEYS, _WORDS) if path in _JSON_PATHS else line_texts(_LINES)
        living.save(path, data.draw(texts))
        found = read_again(living, FORMATS, names, memory)
        fresh = MemoryFiles(dict(living.files), git_commits=shelf.git_commits, git_refs=shelf.git_refs)
        assert found == read_handoffs(fresh, FORMATS)


@given(_shelves())
@_thorough
def test_reading_never_raises_and_is_repeatable(shelf: MemoryFiles) -> None:
    """Any content under any mix of names is read without an exception, and twice the same; ids are given once."""
    result = read_handoffs(shelf, FORMATS)
    ids = [handoff.id for handoff in result.handoffs]
    assert len(ids) == len(set(ids))
    assert result == _read_again(shelf)


@given(_shelves())
@_thorough
def test_reading_drops_no_file(shelf: MemoryFiles) -> None:
    """What is recognised by content is a document of a handoff; by its place alone, or its name, at least unknown."""
    result = read_handoffs(shelf, FORMATS)
    judged = _judge(shelf)
    recognised = {path for path, confidence in judged.items() if confidence > Confidence.POSSIBLE}
    placed = {path for path, confidence in judged.items() if confidence == Confidence.POSSIBLE}
    listed = {document.path for handoff in result.handoffs for document in handoff.documents}
    candidates = {path for path in shelf.files if is_candidate(path)}
    assert recognised <= listed
    assert placed | candidates <= listed | set(result.unknown)
    assert not set(result.unknown) & listed
    assert not listed & set(_OTHER_PATHS)


@given(_shelves())
@_thorough
def test_whatever_was_read_can_be_shown(shelf: MemoryFiles) -> None:
    """Both JSON shapes can be written, and no character of both pages is one that a terminal obeys."""
    state, shown = _review(read_handoffs(shelf, FORMATS))
    json.dumps([build_status_json(state), *map(build_show_json, shown)])
    pages = [build_status_page(state, everything=True), *(build_show_page(one, everything=True) for one in shown)]
    for page in pages:
        for cell in _list_cells(page):
            assert not any(map(_obeys, cell.text)), repr(cell.text)
