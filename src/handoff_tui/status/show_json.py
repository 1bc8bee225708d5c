"""One handoff whole: as the public JSON shape, and as a page."""

from __future__ import annotations

from collections import Counter

from handoff_tui.core.tasks import TestCounts
from handoff_tui.handoffs.claim import ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.status.review_state import ShownHandoff
from handoff_tui.status.status_page import build_gate_json, build_problem_json

SCHEMA = "handoff-tui/show/v1"
_HASHES = frozenset({ClaimKind.HASH, ClaimKind.HASH_BEFORE})


def build_show_json(shown: ShownHandoff) -> dict[str, object]:
    """The shape promised to scripts; a value that could not be read is null."""
    handoff = shown.reviewed.handoff
    return {
        "schema": SCHEMA,
        **_build_heading(handoff),
        "gate": build_gate_json(shown.reviewed),
        "sections": _build_sections(handoff),
        "tests": {"package": _build_counts(handoff.tests), "regression": _build_counts(handoff.regression)},
        "baseline": {
            "packages": handoff.baseline.packages if handoff.baseline else None,
            "tests": handoff.baseline.tests if handoff.baseline else None,
        },
        "hashes": [_build_hash(verdict) for verdict in shown.verdicts if verdict.claim.kind in _HASHES],
        "claims": [_build_claim(verdict) for verdict in shown.verdicts],
        **{name: _dump(handoff, name) for name in _LISTS},
        "greenlit": handoff.greenlit,
        "reviewer": shown.reviewer.model_dump(mode="json") if shown.reviewer else None,
        "history": [revision.model_dump(mode="json") for revision in shown.history],
        "problems": [build_problem_json(problem) for problem in shown.problems],
    }


def count_verdicts(verdicts: tuple[Verdict, ...]) -> dict[VerdictState, int]:
    counted = Counter(verdict.state for verdict in verdicts)
    return {state: counted[state] for state in VerdictState}


_LISTS = (
    "documents",
    "attempts",
    "tasks",
    "findings",
    "proofs",
    "blockers",
    "packages",
    "questions",
    "facts",
)


def _build_heading(handoff: Handoff) -> dict[str, object]:
    return {
        "id": handoff.id,
        "dialect": handoff.dialect,
        "title": handoff.title,
        "original_name": handoff.original_name,
        "type": handoff.type,
        "status_claimed": handoff.status,
        "registry": handoff.registry,
        "blocked_by": list(handoff.blocked_by),
        "phase": handoff.source_phase,
        "next_phase": handoff.target_phase,
        "source_agent": handoff.source_agent,
        "target_agent": handoff.target_agent,
        "producers": list(handoff.producers),
        "priority": handoff.priority,
        "attempt": handoff.attempt,
        "created": handoff.created,
        "message": handoff.message,
        "next_action": handoff.next_action,
    }


def _build_sections(handoff: Handoff) -> dict[str, object]:
    """Over all documents of the handoff; `by_document` keeps them apart."""
    return {
        "present": [section.title for document in handoff.documents for section in document.sections],
        "missing": [title for document in handoff.documents for title in document.missing],
        "by_document": {
            document.path: {
                "present": [section.title for section in document.sections],
                "missing": list(document.missing),
                "out_of_order": list(document.out_of_order),
            }
            for document in handoff.documents
        },
    }


def _build_counts(counts: TestCounts | None) -> dict[str, object]:
    return (counts or TestCounts()).model_dump(mode="json")


def _build_hash(verdict: Verdict) -> dict[str, object]:
    return {
        "path": verdict.claim.subject,
        "claimed": verdict.claim.value,
        "measured": verdict.measured,
        "verdict": verdict.state,
        "before": verdict.claim.kind is ClaimKind.HASH_BEFORE,
        "evidence": verdict.evidence,
    }


def _build_claim(verdict: Verdict) -> dict[str, object]:
    claim = verdict.claim
    return {
        "text": claim.text,
        "kind": claim.kind,
        "where": {"path": claim.where.path, "line": claim.where.line},
        "subject": claim.subject,
        "claimed": claim.value,
        "measured": verdict.measured,
        "verdict": verdict.state,
        "evidence": verdict.evidence,
    }


def _dump(handoff: Handoff, name: str) -> list[object]:
    return [value.model_dump(mode="json") for value in getattr(handoff, name)]
