"""`.ai-agents/emergency_handoff.txt`: a person has stopped the normal course of sessions."""

from __future__ import annotations

from handoff_tui.core.work import Blocker
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.reading.claim_words import quote
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft


def add_emergency(source: Source, draft: HandoffDraft) -> None:
    """The file counts by being there, whatever stands in it."""
    number, line = next(
        ((number, line) for number, line in enumerate(source.text.split("\n"), start=1) if line.strip()), (1, "")
    )
    where = source.place(number)
    draft.documents.append(source.document(DocumentRole.NOTE))
    draft.add_fact("emergency", source.text.strip() or "(the file is empty)", where)
    draft.blockers.append(
        Blocker(
            id="emergency",
            title=quote(line) or "emergency handoff",
            where=where,
            status="open",
            needs_human=True,
        )
    )
