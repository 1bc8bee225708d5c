"""Nothing in a repository's files, notes, commits or refs can break the tdd dialect."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.core.place import Problem
from handoff_tui.handoffs.formats.tdd.format import TDD
from handoff_tui.handoffs.reading.format import CommitFact, Confidence, FormatReading, RefFact
from tests.support.memory_files import MemoryFiles, read_with
from tests.support.strategies import json_texts, json_values, line_texts

_KEYS = [
    "phase",
    "nextPhase",
    "cycleNumber",
    "currentTest",
    "completedTests",
    "pendingTests",
    "testResult",
    "error",
    "errorDetails",
    "retryCount",
    "next_phase",
    "cycle",
    "test_file",
    "testFile",
    "implFile",
    "description",
    "type",
    "message",
    "next_agent",
    "agent",
]
_WORDS = ("PLAN", "RED", "green", "PASS", "FAIL", "tests/test_lamp.py", "impl", "2")
_LINES = (
    "phase: RED",
    "nextPhase: GREEN",
    "cycle: 2",
    "agent: test",
    "t1 TEST RED done -> GREEN",
    '{"phase": "RED", "next": "impl"}',
    "# Test List",
    "- [x] lights up",
    "- [ ] dims",
    "Handoff-Phase: RED",
    "Handoff-Cycle: 3",
    "Next-Agent: IMPL",
    "[TEST-AGENT] test: dim | next:IMPL | test_file:tests/a.py",
    "",
)
_whole = st.fixed_dictionaries({key: json_values(_KEYS, _WORDS) for key in _KEYS[:10]}).map(json.dumps)
_states = st.one_of(_whole, json_texts(_KEYS, _WORDS))
_files = st.builds(
    lambda states, texts: states | texts,
    st.dictionaries(
        st.sampled_from((".handoff.json", ".tdd-state.json", ".handoff/current.json", ".handoff/history/1.json")),
        _states,
        max_size=3,
    ),
    st.dictionaries(
        st.sampled_from((".tdd-state.yaml", ".tdd.lock", ".tdd-queue.log", "test-list.md", ".handoff/context/a.md")),
        line_texts(_LINES),
        max_size=3,
    ),
)
_ids = st.text(alphabet="0123456789abcdef", min_size=40, max_size=40)
_any_text = st.one_of(
    line_texts(_LINES), st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=30)
)
_commits = st.lists(st.builds(CommitFact, _ids, _any_text, _any_text, _any_text, st.just("2031-01-01")), max_size=4)
_names = st.sampled_from(
    ("refs/tags/handoff/test-agent/cycle-2", "refs/heads/tdd/cycle-3/green-phase", "refs/handoff/x", "refs/notes/tdd-2")
)
_refs = st.lists(st.builds(RefFact, st.one_of(_names, st.text(max_size=20)), _ids, _any_text), max_size=4)


def _read(
    files: dict[str, str], commits: list[CommitFact], refs: list[RefFact], notes: list[str]
) -> tuple[FormatReading, list[Problem]]:
    texts = {commit.id: text for commit, text in zip(commits, notes, strict=False)}
    shelf = MemoryFiles(
        files,
        git_commits=tuple(commits),
        git_refs=tuple(refs),
        git_notes={"refs/notes/tdd-handoffs": texts, "refs/notes/tdd-2": texts},
    )
    return read_with(TDD, shelf), shelf.problems()


@given(_files, _commits, _refs, st.lists(_states, max_size=4))
@settings(max_examples=80, deadline=None)
def test_tdd_reading_never_raises_and_is_repeatable(
    files: dict[str, str], commits: list[CommitFact], refs: list[RefFact], notes: list[str]
) -> None:
    """Any files, notes, messages and refs are read without an exception, and twice the same."""
    assert _read(files, commits, refs, notes) == _read(dict(reversed(files.items())), commits, refs, notes)


@given(_files)
@settings(max_examples=80, deadline=None)
def test_tdd_file_that_was_recognised_is_a_document(files: dict[str, str]) -> None:
    """What the dialect owns is listed under some handoff, and every id is given once."""
    shelf = MemoryFiles(files)
    owned = {p for p in files if TDD.may_own(p) and TDD.recognise(shelf.source(p)) >= Confidence.POSSIBLE}
    handoffs = read_with(TDD, shelf).handoffs
    listed = {document.path for handoff in handoffs for document in handoff.documents}
    assert owned == listed
    assert len({handoff.id for handoff in handoffs}) == len(handoffs)
