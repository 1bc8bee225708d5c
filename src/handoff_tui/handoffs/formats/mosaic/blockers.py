"""`blockers.json`: what stands in the way, and what is offered as proof that it no longer does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from handoff_tui.config.settings.root import Mosaic
from handoff_tui.core.work import Blocker, Severity
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.reading.claim_words import build_claim, quote
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft
from handoff_tui.handoffs.reading.json_document import JsonNode

STANDARD: Final = Mosaic.model_construct()
"""The words of the session state where nothing else is configured."""
_PEOPLE: Final = frozenset({"user", "human", "owner", "operator", "person"})


def add_blockers(root: JsonNode, draft: HandoffDraft, settings: Mosaic = STANDARD) -> None:
    draft.add_fact("blockers updated at", root.scalar("updated_at"), root.place_of("updated_at"))
    nodes = [*root.objects("blockers"), *root.objects("archived_blockers")]
    blockers = [build_blocker(node, number, settings) for number, node in enumerate(nodes, start=1)]
    draft.blockers.extend(blockers)
    draft.add_claims(_claim_resolved(blockers))


def build_blocker(node: JsonNode, number: int, settings: Mosaic = STANDARD) -> Blocker:
    status = node.text("status")
    normal = status.strip().lower().replace("_", "-").replace(" ", "-") if status else None
    known = (*settings.open_statuses, *settings.closed_statuses)
    if normal is not None and normal not in known:
        _report_unknown(node, "status", status, known)
    is_open = normal not in settings.closed_statuses
    owner = node.text("owner")
    return Blocker(
        id=node.scalar("id") or f"blocker-{number}",
        title=quote(node.text("title") or node.text("description") or "(untitled)"),
        where=node.where,
        severity=parse_severity(node),
        status=status,
        open=is_open,
        owner=owner,
        evidence=node.text("resolution") or node.scalar("evidence") or None,
        needs_human=is_open and owner is not None and owner.strip().lower() in _PEOPLE,
    )


def parse_severity(node: JsonNode) -> Severity | None:
    """The severity; one that is not in the list is reported and left out."""
    text = node.text("severity")
    if text is None:
        return None
    known = {severity.value: severity for severity in Severity}
    severity = known.get(text.strip().lower())
    if severity is None:
        _report_unknown(node, "severity", text, tuple(known))
    return severity


def _report_unknown(node: JsonNode, key: str, value: str | None, known: tuple[str, ...]) -> None:
    member = node.get(key)
    if member is not None:
        node.document.report(
            member.pointer, f"{member.name} is none of {', '.join(known)}: {quote(value or '') or 'empty'}"
        )


def _claim_resolved(blockers: list[Blocker]) -> Iterator[Claim]:
    for blocker in blockers:
        if blocker.status is not None and blocker.status.strip().lower() == "resolved":
            text = f"{blocker.id} {blocker.title}: {blocker.evidence or 'resolved'}"
            yield build_claim(
                ClaimKind.BLOCKER_RESOLVED, blocker.where, text, subject=blocker.id, value=blocker.evidence
            )
