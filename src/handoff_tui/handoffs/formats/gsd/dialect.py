"""Pairs the state file with its companion and makes one handoff of each paused phase."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.work import Blocker
from handoff_tui.handoffs.claim import Claim
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.formats.gsd.companion import find_tags, read_companion
from handoff_tui.handoffs.formats.gsd.parts import PausedWork
from handoff_tui.handoffs.formats.gsd.state_file import read_state
from handoff_tui.handoffs.handoff import Handoff, HandoffType
from handoff_tui.handoffs.reading.format import CERTAIN, LIKELY, NO, POSSIBLE, Dialect, Reading, Shelf, Source
from handoff_tui.handoffs.reading.json_claims import build_unique_id

_STATE_NAME: Final = compile_later(r"(?:^|/)handoff[^/]*\.json$", re.IGNORECASE)
_COMPANION_NAME: Final = compile_later(r"(?:^|/)\.?continue-here[^/]*\.md$", re.IGNORECASE)
_STATE_PLACE: Final = compile_later(r"(?:^|/)\.planning/(?:.*/)?HANDOFF\.json$")
_OWN_FIELDS: Final = (
    "completed_tasks",
    "remaining_tasks",
    "human_actions_pending",
    "uncommitted_files",
    "context_notes",
    "phase_dir",
    "phase_name",
)
_MANY_OWN_FIELDS = 3
_SOME_OWN_FIELDS = 2
_FRONTMATTER: Final = ("phase", "task", "total_tasks", "status")


def may_own(path: str) -> bool:
    if _COMPANION_NAME.search(path):
        return True
    return bool(_STATE_NAME.search(path)) and not path.lower().endswith(".schema.json")


def recognise(source: Source) -> float:
    return _recognise_companion(source) if _COMPANION_NAME.search(source.path) else _recognise_state(source)


def _recognise_state(source: Source) -> float:
    at_its_place = bool(_STATE_PLACE.search(source.path))
    root = source.json
    if root is None:
        return POSSIBLE if at_its_place else NO
    own = sum(root.has(field) for field in _OWN_FIELDS)
    if own >= _MANY_OWN_FIELDS:
        return CERTAIN
    if own >= _SOME_OWN_FIELDS:
        return LIKELY
    return POSSIBLE if own and at_its_place else NO


def _recognise_companion(source: Source) -> float:
    if not source.text.strip():
        return POSSIBLE
    tags = len(find_tags(source))
    if tags:
        return CERTAIN if tags > 1 else LIKELY
    front = source.frontmatter
    fields = sum(front.has(field) for field in _FRONTMATTER) if front else 0
    return LIKELY if fields >= _SOME_OWN_FIELDS else NO


def read(owned: list[Source], shelf: Shelf) -> Reading:  # noqa: ARG001 - every dialect is given the shelf
    ordered = sorted(owned, key=lambda source: source.path)
    states = [(source, _read_state(source)) for source in ordered if not _COMPANION_NAME.search(source.path)]
    companions = [(source, read_companion(source)) for source in ordered if _COMPANION_NAME.search(source.path)]
    only_two = len(states) == 1 and len(companions) == 1
    reading = Reading()
    taken: set[str] = set()
    for state_source, state in states:
        pair = next((entry for entry in companions if only_two or entry[1].has_same_phase(state)), None)
        if pair is not None:
            companions.remove(pair)
            _report_differences(pair[0], state, pair[1])
        reading.handoffs.append(_build_handoff([(state_source, state), *([pair] if pair else [])], taken))
    reading.handoffs.extend(_build_handoff([entry], taken) for entry in companions)
    return reading


def _read_state(source: Source) -> PausedWork:
    return read_state(source.json) if source.json is not None else PausedWork()


def _report_differences(companion: Source, state: PausedWork, other: PausedWork) -> None:
    for name in ("task", "total_tasks", "status"):
        here, there = getattr(other, name), getattr(state, name)
        if here is not None and there is not None and here != there:
            front = companion.frontmatter
            line = front.place_of(name).line if front else None
            companion.report(f"{name} is {here} here, but {there} in the state file", line)
    if other.names() and state.names() and not other.has_same_phase(state):
        companion.report(f"is about phase {other.slug()}, but the state file is about {state.slug()}")


def _build_handoff(entries: list[tuple[Source, PausedWork]], taken: set[str]) -> Handoff:
    """The first entry leads; what it does not say is taken from the second."""
    sources = [source for source, _ in entries]
    works = [work for _, work in entries]
    lead = works[0]
    other = works[1] if len(works) > 1 else PausedWork()
    slug = lead.slug() or other.slug() or sources[0].path
    return Handoff(
        id=build_unique_id(taken, sources[0].path, "gsd", slug),
        dialect="gsd",
        title=lead.phase_name or other.phase_name or lead.phase or other.phase,
        type=HandoffType.PHASE_TRANSITION,
        source_phase=lead.phase or lead.phase_name or other.phase,
        status=lead.status or other.status,
        message=lead.message or other.message,
        next_action=lead.next_action or other.next_action,
        claims=_join_claims(lead.claims, other.claims),
        tests=lead.tests or other.tests,
        documents=tuple(
            source.document(
                DocumentRole.CONTEXT if _COMPANION_NAME.search(source.path) else DocumentRole.STATE,
                confidence=recognise(source),
            )
            for source in sources
        ),
        tasks=lead.tasks or other.tasks,
        blockers=_join_blockers(lead.blockers, other.blockers),
        facts=(*lead.facts, *other.facts),
        created=lead.created or other.created,
    )


def _join_claims(lead: tuple[Claim, ...], other: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """A claim that both files make is kept once, where it was made first."""
    said = {(claim.kind, claim.subject, claim.value) for claim in lead}
    return (*lead, *(claim for claim in other if (claim.kind, claim.subject, claim.value) not in said))


def _join_blockers(lead: tuple[Blocker, ...], other: tuple[Blocker, ...]) -> tuple[Blocker, ...]:
    titles = {blocker.title.lower() for blocker in lead}
    added = [blocker for blocker in other if blocker.title.lower() not in titles]
    renamed = [blocker.model_copy(update={"id": f"companion-{blocker.id}"}) if lead else blocker for blocker in added]
    return (*lead, *renamed)


GSD: Final = Dialect(id="gsd", may_own=may_own, recognise=recognise, read=read)
