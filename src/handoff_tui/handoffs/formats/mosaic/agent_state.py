"""`agent_state.json`: who worked last, what they say, and who is next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.formats.mosaic.json_claims import (
    claim_commit_fields,
    claim_commits_in_prose,
    claim_count_fields,
    claim_counts_in_prose,
    claim_document_fields,
)
from handoff_tui.handoffs.reading.claim_words import build_claim
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft
from handoff_tui.handoffs.reading.json_document import JsonNode

_SERVICE_URL: Final = compile_later(r"(?:^|_)(?:service|deployment|backend|production)_url$")


def add_agent_state(root: JsonNode, draft: HandoffDraft) -> None:
    draft.title = draft.title or root.text("current_task")
    draft.source_agent = root.text("last_agent")
    draft.target_agent = root.text("next_agent") or root.text("current_agent")
    draft.source_phase = root.text("last_mode")
    draft.message = root.text("handoff_message")
    draft.created = root.text("last_session_end")
    draft.add_producer(draft.source_agent)
    draft.add_fact("session start", root.text("last_session_start"), root.place_of("last_session_start"))
    draft.add_claims(claim_commit_fields(root, head="last_commit"))
    draft.add_claims(claim_document_fields(root))
    where = root.place_of("handoff_message")
    draft.add_claims(claim_commits_in_prose(draft.message, where))
    draft.add_claims(claim_counts_in_prose(draft.message, "handoff_message", where))
    progress = root.object("implementation_progress")
    if progress is not None:
        _add_progress(progress, draft)
    _add_member_facts(root.object("briefing_acknowledgment"), "briefing", draft)
    _add_decisions(root.object("user_decisions"), draft)
    for question in root.items("open_questions"):
        draft.add_fact("open question", question.as_text(), question.where)


def _add_progress(progress: JsonNode, draft: HandoffDraft) -> None:
    draft.add_claims(claim_count_fields(progress))
    draft.add_claims(_claim_deployment(progress))
    draft.add_fact("implementation progress", f"{len(progress.keys())} entries", progress.where)


def _claim_deployment(progress: JsonNode) -> Iterator[Claim]:
    address = next(
        (text for key in progress.keys() if _SERVICE_URL.search(key) and (text := progress.scalar(key))),  # noqa: SIM118
        None,
    )
    for key in ("deployment_status", "health_check"):
        member = progress.get(key)
        state = member.as_text() if member is not None else None
        if member is not None and state:
            yield build_claim(ClaimKind.DEPLOYMENT, member.where, f"{key}: {state}", subject=address, value=state)


def _add_member_facts(node: JsonNode | None, name: str, draft: HandoffDraft) -> None:
    for member in node.members() if node is not None else ():
        key = str(member.pointer[-1]).removeprefix(f"{name}_").replace("_", " ")
        draft.add_fact(f"{name} {key}", member.as_text(), member.where)


def _add_decisions(node: JsonNode | None, draft: HandoffDraft) -> None:
    for member in node.members() if node is not None else ():
        value = member.as_text()
        if value:
            draft.add_fact("user decision", f"{member.pointer[-1]}: {value}", member.where)
