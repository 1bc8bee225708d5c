"""`Previous Agent Work`: each report of an earlier agent, and what in its own output speaks against it."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.config.settings.root import Hub
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Attempt
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.hub.context import read_fields
from handoff_tui.handoffs.formats.hub.output import find_contradiction
from handoff_tui.handoffs.formats.hub.stages import STANDARD, parse_stage
from handoff_tui.handoffs.reading.claim_words import build_claim, quote
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft
from handoff_tui.handoffs.reading.markdown import Code, Section

_AGENT: Final = compile_later(r"^([A-Za-z][\w/-]*(?: [\w/-]+)?) Agent(?:\s*\((.*)\))?$")
_AGENT_LEVEL = 3


def add_attempts(source: Source, draft: HandoffDraft, settings: Hub = STANDARD) -> None:
    for section in source.outline.sections:
        heading = _AGENT.match(section.name) if section.level == _AGENT_LEVEL else None
        if heading is not None:
            _add_attempt(section, heading, source, draft, settings)
    if draft.attempts:
        draft.source_agent = draft.attempts[-1].agent
    count_attempts(draft, settings)


def count_attempts(draft: HandoffDraft, settings: Hub = STANDARD) -> None:
    """The number of tries of the present stage; where it was not tried yet, of development."""
    present = [attempt for attempt in draft.attempts if draft.source_phase and attempt.phase == draft.source_phase]
    development = [attempt for attempt in draft.attempts if attempt.phase == settings.failure_stage]
    draft.attempt = max(1, len(present or development))


def _add_attempt(section: Section, heading: re.Match[str], source: Source, draft: HandoffDraft, settings: Hub) -> None:
    role, when = heading.group(1), heading.group(2)
    fields = read_fields(section, source.path)
    status = fields["status"].value.lower() if "status" in fields else None
    summary = fields["summary"].value if "summary" in fields else None
    where = source.place(section.line)
    status_place = fields["status"].where if "status" in fields else where
    warning = _find_warning(section, summary, source) if status == "pass" else None
    if status is not None and status not in settings.report_statuses:
        known = " nor ".join(settings.report_statuses)
        source.report(f"the {role} report is neither {known}: {quote(status)}", status_place.line)
    draft.attempts.append(
        Attempt(
            number=len(draft.attempts) + 1,
            agent=role,
            phase=parse_stage(role),
            status=status,
            summary=summary,
            when=when,
            where=where,
            warning=warning,
        )
    )
    draft.add_producer(role)
    if status is not None:
        _add_check(role, status, status_place, draft)


def _add_check(role: str, status: str, where: Place, draft: HandoffDraft) -> None:
    text = f"{role} report: {status}"
    draft.add_claims([build_claim(ClaimKind.CHECK, where, text, subject=f"{role} report", value=status)])


def _find_warning(section: Section, summary: str | None, source: Source) -> str | None:
    """Tells the reviewer, and reports as a problem, what an agent's output says against its pass."""
    codes = section.codes() or [Code(section.line, "", "")]
    for code in codes:
        found = find_contradiction(code.text if section.codes() else None, summary)
        if found is not None:
            source.report(f"the report of {section.name} is doubtful: {found[0]}", code.line + found[1])
            return found[0]
    return None
