"""No file of a builder can break the builder dialect."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.core.place import Problem
from handoff_tui.handoffs.formats.builder.format import BUILDER
from handoff_tui.handoffs.reading.format import Confidence, FormatReading
from tests.support.memory_files import MemoryFiles, read_with
from tests.support.strategies import json_texts, line_texts

_KEYS = [
    "package_id",
    "version",
    "schema_version",
    "spec_id",
    "framework_id",
    "plane_id",
    "title",
    "supersedes",
    "dependencies",
    "depends_on",
    "assets",
    "files",
    "path",
    "sha256",
    "classification",
    "hash",
    "artifact",
]
_HASH = "ab12" * 16
_WORDS = ("PKG-LAMP-001", f"sha256:{_HASH}", _HASH, "HOT/lamp.py", "1.0.0", "REVIEW_REPORT.md")
_LINES = (
    "# Results: H-7 — Lamp",
    "# BUILDER HANDOFF 7: Lamp",
    "**Status**: PASS 4/4",
    "**Attempt**: 2",
    "**Agent**: Lamplighter | **Date**: 2031-01-02",
    "## Status: PARTIAL",
    "## Status: PASS | FAIL",
    "## 1. Mission",
    "## 1. Identity",
    "## 9. Files Summary",
    "Blocked-By: H-3 through H-6, FMWK-001",
    "| File | Location | Action |",
    "| Handoff | Status | Blocked By |",
    "|---|---|---|",
    "| H-7 | VALIDATED | H-3 |",
    "| `lamp.py` | `src/` | CREATE |",
    "| **Total** | **9** | ALL PASS |",
    "## Files Created",
    f"- `src/lamp.py` (SHA256 before: 12ab34cd..., after: {_HASH})",
    "## Files Moved",
    "- `a/b.md` -> `c/b.md`",
    "## Test Results",
    "## Full Regression -- ALL STAGED PACKAGES",
    "- Attempt 1:",
    "- Total: 9 tests",
    "- Passed: N/A (collection interrupted)",
    "- New failures introduced by this agent: NONE",
    "## Gate Check Results",
    "- G1: PASS",
    "## Baseline Snapshot",
    "- Package count: 3",
    "## Clean-Room Verification",
    "- 3 packages installed",
    "```",
    "9 passed in 0.1s",
    "Answer these 13 questions:",
    "1. Why PKG-LAMP-001?",
    "Q2: what?",
    "STOP and WAIT for approval.",
    "Contract version: 1.2",
    "## Expected Answers",
    "Greenlight: YES by Ada",
    "Review verdict: PASS",
    "Final verdict: FAIL",
    "H-3 is SUPERSEDED",
)
_MARKDOWN_PATHS = (
    "BUILDER_HANDOFF_7_lamp.md",
    "old/BUILDER_HANDOFF_7_lantern.md",
    "BUILDER_FOLLOWUP_7B_wick.md",
    "RESULTS_HANDOFF_7.md",
    "RESULTS_HANDOFF_7_ATTEMPT_1.md",
    "AGENT_PROMPT_HANDOFF_7.md",
    "handoffs/H-7/H-7_RESULTS.md",
    "handoffs/H-7/H-7_BUILDER_HANDOFF.md",
    "handoffs/H-7/13Q_ANSWERS.md",
    "handoffs/H-7/REVIEW_REPORT.md",
    "handoffs/H-7/H-7_EVALUATION_REPORT.md",
    "FMWK-001_Lamp/SPEC.md",
    "FMWK-001_Lamp/RESULTS_2.md",
    "RESULTS.md",
    "REGISTRY.md",
)
_JSON_PATHS = (
    "PKG-LAMP-001/manifest.json",
    "web/manifest.json",
    "handoffs/H-7/evidence.json",
    "handoffs/H-7/runs/events.jsonl",
)
_files = st.builds(
    lambda documents, data: documents | data,
    st.dictionaries(st.sampled_from(_MARKDOWN_PATHS), line_texts(_LINES), max_size=5),
    st.dictionaries(st.sampled_from(_JSON_PATHS), json_texts(_KEYS, _WORDS), max_size=3),
)


def _read(files: dict[str, str]) -> tuple[FormatReading, list[Problem]]:
    shelf = MemoryFiles(files)
    reading = read_with(BUILDER, shelf)
    return reading, [problem for path in shelf.paths for problem in shelf.source(path).problems()]


@given(_files)
@settings(max_examples=100, deadline=None)
def test_builder_reading_never_raises_and_is_repeatable(files: dict[str, str]) -> None:
    """Any content under a builder's names is read without an exception, and twice the same."""
    assert _read(files) == _read(dict(reversed(files.items())))


@given(_files)
@settings(max_examples=100, deadline=None)
def test_builder_file_that_was_recognised_is_a_document(files: dict[str, str]) -> None:
    """What the dialect owns or uses is listed under some handoff, and ids are given once."""
    shelf = MemoryFiles(files)
    owned = {p for p in files if BUILDER.may_own(p) and BUILDER.recognise(shelf.source(p)) >= Confidence.POSSIBLE}
    reading = read_with(BUILDER, shelf)
    listed = {document.path for handoff in reading.handoffs for document in handoff.documents}
    ids = [handoff.id for handoff in reading.handoffs]
    assert owned | reading.used == listed
    assert len(ids) == len(set(ids))


@given(st.lists(st.text(max_size=12), min_size=1, max_size=3), st.text(max_size=80))
@settings(max_examples=100, deadline=None)
def test_builder_path_of_any_shape_is_judged(parts: list[str], text: str) -> None:
    """Any path and any text get a confidence between nothing and certainty."""
    for name in ("RESULTS_%s.md", "%s_RESULTS.md", "BUILDER_HANDOFF_%s.md", "BUILDER_BUGFIX_%s.md", "%s/SPEC.md"):
        path = name % "/".join(parts)
        shelf = MemoryFiles({path: text})
        if BUILDER.may_own(path):
            assert 0 <= BUILDER.recognise(shelf.source(path)) <= 1
            assert BUILDER.read([shelf.source(path)], shelf.opened).handoffs
