"""Test numbers of results: where they stand, and whether they add up."""

from __future__ import annotations

from handoff_tui.checks.rules.builder.documents import place_heading
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.document import Document
from handoff_tui.handoffs.handoff import Handoff


def place_claim(handoff: Handoff, document: Document, kind: ClaimKind, subject: str | None, heading: str) -> Place:
    """Where a document claims a number, else where the section about it begins."""
    for claim in handoff.claims:
        if claim.kind is kind and claim.subject == subject and claim.where.path == document.path:
            return claim.where
    return place_heading(document, heading)


def place_count(handoff: Handoff, document: Document, scope: str, name: str) -> Place:
    heading = "Full Regression" if scope == "regression" else "Test Results"
    return place_claim(handoff, document, ClaimKind.COUNT, f"{scope}.{name}", heading)


def describe_counts(counts: TestCounts) -> str:
    told = ((name, getattr(counts, name)) for name in ("total", "passed", "failed", "skipped"))
    return ", ".join(f"{name} {number}" for name, number in told if number is not None)


def find_miscount(counts: TestCounts) -> str | None:
    """Why the numbers of one run do not add up; nothing where they do, or where too few were given."""
    if counts.total is None or counts.passed is None:
        return None
    parts = counts.passed + (counts.failed or 0) + (counts.skipped or 0)
    if parts == counts.total:
        return None
    return f"{describe_counts(counts)}: the parts make {parts}"
