"""Agents' own reports as JSON: a role, pass or fail, and a summary."""

from __future__ import annotations

from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.hub.output import find_contradiction
from handoff_tui.handoffs.reading.claim_words import build_claim, quote
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft
from handoff_tui.handoffs.reading.json_document import JsonNode

_COMMIT: Final = compile_later(r"^[0-9a-fA-F]{7,64}$")
_OUTPUT_KEYS: Final = ("raw_output", "output", "raw")


def add_report(root: JsonNode, draft: HandoffDraft) -> None:
    role = root.scalar("role") or root.scalar("agent") or "agent"
    status = (root.scalar("status") or "").strip().lower()
    name = f"{role} report"
    draft.add_producer(role)
    where = root.place_of("status")
    draft.add_claims([build_claim(ClaimKind.CHECK, where, f"{name}: {status}", subject=name, value=status)])
    summary = root.get("summary")
    if summary is not None and isinstance(summary.value, str):
        draft.add_fact(f"{name} summary", quote(summary.value), summary.where)
    _add_details(root, name, draft)
    output = next((text for key in _OUTPUT_KEYS if isinstance(text := _value_of(root, key), str)), None)
    if status == "pass" and output is not None:
        contradiction = find_contradiction(output, None)
        if contradiction is not None:
            root.document.report(("status",), f"the {name} is doubtful: {contradiction[0]}")


def _add_details(root: JsonNode, name: str, draft: HandoffDraft) -> None:
    """Plain values of the report and of its details; a commit among them is a claim."""
    for holder in (root, root.get("details")):
        for member in holder.members() if holder is not None else ():
            key = str(member.pointer[-1])
            if key in {"role", "agent", "status", "summary", *_OUTPUT_KEYS} or isinstance(member.value, dict | list):
                continue
            text = member.as_text() or ""
            if "commit" in key and _COMMIT.match(text):
                draft.add_claims([build_claim(ClaimKind.COMMIT, member.where, f"{key}: {text}", value=text)])
            else:
                draft.add_fact(f"{name} {key.replace('_', ' ')}", quote(text), member.where)


def _value_of(root: JsonNode, key: str) -> object:
    member = root.get(key)
    return member.value if member is not None else None
