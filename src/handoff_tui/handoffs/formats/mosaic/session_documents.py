"""Session handoffs in Markdown: who worked, what was made, committed, deployed and tested."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim
from handoff_tui.handoffs.grammar.author_words import find_words
from handoff_tui.handoffs.grammar.claims import find_claims
from handoff_tui.handoffs.grammar.counts import claim_counts, parse_counts
from handoff_tui.handoffs.handoff import HandoffDraft
from handoff_tui.handoffs.reading import claim_words
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import TextLine, find_fields

_ADDRESS: Final = compile_later(r"https?://[^\s<>()`\"'|*]+")
_DEPLOYED: Final = compile_later(
    r"\b(live|deployed|deploying|online|healthy|down|offline|unreachable)\b", re.IGNORECASE
)
_FACTS: Final = frozenset({"agent", "status", "session time", "session end", "mode", "ready for", "next agent", "date"})


def add_session_document(source: Source, draft: HandoffDraft) -> None:
    """What a session handoff says, added to the live handoff that it accompanies."""
    lines = list(source.outline.lines())
    for line, name, value in find_fields(lines):
        if name in _FACTS and value:
            _add_field(source.place(line.number), line, name, value, draft)
    draft.words += find_words(source, source.outline.sections)
    draft.add_claims(find_claims(source.outline.sections, source.path, front=source.frontmatter))
    draft.add_claims(_claim_deployments(lines, source.path))
    draft.add_claims(_claim_counts(lines, source.path))


def _add_field(where: Place, line: TextLine, name: str, value: str, draft: HandoffDraft) -> None:
    draft.add_fact(f"session document {name}", value, where)
    if name == "agent":
        draft.add_producer(value)
    status = claim_words.parse_status(value) if name == "status" else None
    if status is not None:
        draft.claim(ClaimKind.STATUS, where, line.text, value=status)


def _claim_deployments(lines: list[TextLine], path: str) -> Iterator[Claim]:
    for line in lines:
        address = None if line.code else _ADDRESS.search(line.text)
        if address is None:
            continue
        state = _DEPLOYED.search(_ADDRESS.sub(" ", line.text))
        if state is not None:
            where = Place(path=path, line=line.number)
            subject = address.group().rstrip(".,;:")
            yield build_claim(ClaimKind.DEPLOYMENT, where, line.text, subject=subject, value=state.group(1).lower())


def _claim_counts(lines: list[TextLine], path: str) -> Iterator[Claim]:
    for line in lines:
        counts = parse_counts(line.text)
        if counts is not None:
            yield from claim_counts(counts, "session", Place(path=path, line=line.number), line.text)
