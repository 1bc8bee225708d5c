from __future__ import annotations

import json

from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from handoff_tui.handoffs.handoff import Handoff
from tests.support.memory_files import MemoryFiles, read_with

_PATH = ".mosaic/blockers.json"


def _read(content: dict[str, object]) -> tuple[Handoff, list[str]]:
    shelf = MemoryFiles({_PATH: json.dumps(content, indent=1)})
    handoff = read_with(MOSAIC, shelf).handoffs[0]
    return handoff, [problem.message for problem in shelf.source(_PATH).problems()]


def test_blockers_are_open_until_resolved_or_dropped() -> None:
    """Status decides whether a blocker is open; archived ones are read too."""
    blockers = [
        {"id": "B1", "title": "No key", "severity": "critical", "status": "open", "owner": "user"},
        {"id": "B2", "title": "Slow", "severity": "LOW", "status": "resolving"},
        {"id": "B3", "title": "Old", "severity": "high", "status": "wont-fix", "owner": "user"},
    ]
    archived = [{"id": "B4", "title": "Gone", "severity": "medium", "status": "resolved", "resolution": "see 1a2b3c4"}]
    handoff, problems = _read({"blockers": blockers, "archived_blockers": archived})
    assert [(blocker.id, blocker.open, blocker.needs_human) for blocker in handoff.blockers] == [
        ("B1", True, True),
        ("B2", True, False),
        ("B3", False, False),
        ("B4", False, False),
    ]
    assert handoff.blockers[1].severity is Severity.LOW
    assert handoff.blockers[3].evidence == "see 1a2b3c4"
    assert problems == []


def test_resolved_blockers_claim_their_evidence_or_its_absence() -> None:
    """A resolution is a claim; without a text its value is nothing."""
    blockers = [
        {"id": "B1", "title": "a", "severity": "low", "status": "resolved", "resolution": "patched"},
        {"id": "B2", "title": "b", "severity": "low", "status": "resolved"},
    ]
    handoff, _ = _read({"blockers": blockers})
    claims = [claim for claim in handoff.claims if claim.kind is ClaimKind.BLOCKER_RESOLVED]
    assert [(claim.subject, claim.value) for claim in claims] == [("B1", "patched"), ("B2", None)]


def test_blockers_with_unknown_words_are_reported_and_kept() -> None:
    """A wrong severity is left out, a wrong status kept and open; both are problems with lines."""
    handoff, problems = _read({"blockers": [{"id": "B1", "title": "a", "severity": "awful", "status": "cooking"}]})
    blocker = handoff.blockers[0]
    assert (blocker.severity, blocker.status, blocker.open) == (None, "cooking", True)
    assert any("severity is none of" in message for message in problems)
    assert any("status is none of" in message for message in problems)


def test_blockers_of_wrong_types_are_reported() -> None:
    """An element that is no object is a problem; the others are read."""
    handoff, problems = _read({"blockers": ["loose text", {"title": "kept"}]})
    assert [(blocker.id, blocker.title) for blocker in handoff.blockers] == [("blocker-1", "kept")]
    assert problems == ["blockers[0] should be an object, but is text"]
