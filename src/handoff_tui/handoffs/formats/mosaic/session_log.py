"""`session_log.jsonl`: one line per step of each session."""

from __future__ import annotations

from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.formats.mosaic.json_claims import (
    claim_commit_fields,
    claim_commits_in_prose,
    claim_counts_in_prose,
    claim_files,
)
from handoff_tui.handoffs.reading.claim_words import quote
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft
from handoff_tui.handoffs.reading.json_document import JsonNode

_SHOWN = 10
"""So many of the newest entries are shown; the file has them all."""


def add_session_log(source: Source, draft: HandoffDraft) -> None:
    entries: list[JsonNode] = []
    for line in source.json_lines:
        if line.root is not None and isinstance(line.root.value, dict):
            entries.append(line.root)
        elif line.root is not None:
            line.root.report_type("an object")
    draft.add_fact("session log entries", str(len(entries)), source.place())
    for entry in entries[-_SHOWN:]:
        draft.add_fact("session log", _describe(entry), entry.where)
    files: dict[str | None, Claim] = {}
    for entry in entries:
        draft.add_claims(claim_commit_fields(entry))
        for key in ("action", "outcome", "details"):
            text = entry.scalar(key)
            draft.add_claims(claim_commits_in_prose(text, entry.where))
            draft.add_claims(claim_counts_in_prose(text, "session_log", entry.where))
        for claim in claim_files(entry.items("files"), ClaimKind.FILE_REFERENCED):
            files.setdefault(claim.subject, claim)
    draft.add_claims(files.values())


def _describe(entry: JsonNode) -> str:
    told = " ".join(text for key in ("timestamp", "agent", "mode", "action") if (text := entry.scalar(key)))
    outcome = entry.scalar("outcome")
    return quote(f"{told}: {outcome}" if outcome else told)
