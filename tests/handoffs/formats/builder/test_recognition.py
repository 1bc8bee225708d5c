"""Files are recognised by what they say."""

from __future__ import annotations

import pytest

from handoff_tui.handoffs.formats.builder.recognition import recognise
from handoff_tui.handoffs.reading.format import CERTAIN, LIKELY, NO, POSSIBLE, Source, SourceFile

_RESULTS = "# Results: H-7 — Lamp\n\n## Status: PASS\n\n## Files Created\n- NONE\n\n## Test Results\n- Total: 3\n"
_SPEC = "# Lamp\n\n## 1. Mission\n\n## 2. Critical Constraints\n\n## 6. Test Plan\n"
_MANIFEST = '{"package_id": "PKG-LAMP-001", "assets": []}'


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("RESULTS_HANDOFF_7.md", _RESULTS, CERTAIN),
        ("FMWK-001_Lamp/RESULTS.md", _RESULTS, CERTAIN),
        ("paper/RESULTS.md", _RESULTS, CERTAIN),
        ("paper/RESULTS.md", "# Results\n\n## Test Results\n\nThe accuracy is 93 %.\n", NO),
        ("RESULTS_HANDOFF_7.md", "# Holiday\n\nSun and sea.\n", NO),
        ("RESULTS_HANDOFF_7.md", "# Results: HANDOFF-7\n", LIKELY),
        ("RESULTS_HANDOFF_7.md", "", POSSIBLE),
        ("paper/RESULTS.md", "", NO),
        ("BUILDER_HANDOFF_7_lamp.md", _SPEC, CERTAIN),
        ("BUILDER_HANDOFF_7_lamp.md", "# BUILDER HANDOFF 7\n", LIKELY),
        ("BUILDER_HANDOFF_7_lamp.md", "# Pancakes\n\nFlour and milk.\n", NO),
        ("api/SPEC.md", _SPEC, CERTAIN),
        ("api/SPEC.md", "# Interface\n\n## Test Plan\n", NO),
        ("AGENT_PROMPT_HANDOFF_7.md", "# Agent Prompt\n\nAnswer these questions, then STOP.\n", CERTAIN),
        ("bot/AGENT_PROMPT.md", "You are a helpful parrot.\n", NO),
        ("H-7/13Q_ANSWERS.md", "# Answers\n\n1. a\n2. b\n3. c\n", CERTAIN),
        ("H-7/13Q_ANSWERS.md", "Later.\n", NO),
        ("x/REVIEW_REPORT.md", "Fine.\n\nReview verdict: PASS", CERTAIN),
        ("x/REVIEW_REPORT.md", "# Film review\n\nFine.\n", NO),
        ("H-7/REVIEW_REPORT.md", "# Review of H-7\n\nCut o", POSSIBLE),
        ("PKG-LAMP-001/manifest.json", _MANIFEST, CERTAIN),
        ("lamp/manifest.json", _MANIFEST, CERTAIN),
        ("lamp/manifest.json", '{"manifest_version": 3, "name": "Lamp", "version": "1"}', NO),
        ("PKG-LAMP-001/manifest.json", '{"manifest_version": 3, "files": {}, "spec_id": "x"}', NO),
        ("PKG-LAMP-001/manifest.json", '{"spec_id": "SPEC-LAMP-001", "files": {}}', LIKELY),
        ("PKG-LAMP-001/manifest.json", '{"package_id": ', POSSIBLE),
        ("lamp/manifest.json", '{"package_id": ', NO),
        ("REGISTRY.md", "| Handoff | Status |\n|-|-|\n| H-7 | COMPLETE |\n", LIKELY),
        ("REGISTRY.md", "# Container registry\n", NO),
        ("README.md", _RESULTS, NO),
    ],
)
def test_confidence_follows_the_content(path: str, text: str, expected: float) -> None:
    """A name alone is never more than a possibility, and another's content is never ours."""
    assert recognise(Source.of_text(path, text)) == expected


def test_confidence_of_an_unreadable_file_is_its_name() -> None:
    """A file that could not be read stays where its name puts it."""
    assert recognise(Source(SourceFile("H-7/H-7_RESULTS.md", "", readable=False))) == POSSIBLE
    assert recognise(Source(SourceFile("paper/RESULTS.md", "", readable=False))) == NO
