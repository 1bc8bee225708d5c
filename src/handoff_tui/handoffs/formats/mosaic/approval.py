"""`gemini_approval.json`: another model's verdict, which may never have been asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.formats.mosaic.tasks import build_tasks
from handoff_tui.handoffs.reading.claim_words import build_claim, parse_status, quote
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft
from handoff_tui.handoffs.reading.json_document import JsonNode

_SIMULATED: Final = compile_later(
    r"\bsimulat(?:ed|ion|ing)\b|\b(?:no|missing|without)\b.{0,30}\bapi[ _-]?key\b|"
    r"\bapi[ _-]?key\b.{0,30}\b(?:not|missing)\b",
    re.IGNORECASE,
)

_VERDICT_KEYS: Final = ("verdict", "decision", "approval", "approved")


def add_approval(root: JsonNode, draft: HandoffDraft) -> None:
    draft.add_claims(_claim_verdict(root))
    for key in ("evaluator", "reviewer", "score", "timestamp"):
        draft.add_fact(f"approval {key}", root.scalar(key), root.place_of(key))
    draft.tasks.extend(build_tasks(root.items("required_fixes"), "required-fix", done=False))
    for key in ("note", "notes", "feedback"):
        text = root.text(key)
        if text and _SIMULATED.search(text):
            draft.add_fact("approval", f"simulated: {quote(text)}", root.place_of(key))
            root.document.report((key,), "the approval is simulated")


def _claim_verdict(root: JsonNode) -> Iterator[Claim]:
    key = next((key for key in _VERDICT_KEYS if root.has(key)), "verdict")
    verdict = root.scalar(key)
    if verdict:
        token = {"true": "APPROVED", "false": "REJECTED"}.get(verdict) or parse_status(verdict) or verdict
        evaluator = root.scalar("evaluator") or root.scalar("reviewer")
        yield build_claim(ClaimKind.VERDICT, root.place_of(key), f"{key}: {verdict}", subject=evaluator, value=token)
    criteria = root.object("criteria_results")
    for member in criteria.members() if criteria is not None else ():
        if isinstance(member.value, bool | str):
            name = str(member.pointer[-1])
            text = f"{name}: {member.as_text()}"
            yield build_claim(ClaimKind.CHECK, member.where, text, subject=name, value=member.value)
