"""Packages built in parallel waves: each wave is complete before the next, and an integration handoff follows."""

from __future__ import annotations

import re
from collections import defaultdict

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import Findings, RuleFinding, medium_rule
from handoff_tui.checks.rules.builder.documents import find_results, list_documents
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.handoff import DocumentRole, Handoff, RegistryState

_INTEGRATION = compile_later(r"\bintegrat(?:e|es|ion)\b", re.IGNORECASE)


@medium_rule(
    holds="Every declared wave is complete, and an integration handoff joins its packages into one system.",
    reads="waves and integration handoffs declared in specs, and results",
    remedy="Finish the wave. Then write an integration handoff that connects the packages and tests them together.",
)
def wave_is_integrated(context: Context) -> Findings:
    reviewed = {handoff.id for handoff in context.handoffs("builder")}
    everything = [handoff for handoff in context.every_handoff() if handoff.dialect == "builder"]
    integrations = [handoff for handoff in everything if _is_integration(handoff)]
    waves: dict[int, list[Handoff]] = defaultdict(list)
    for handoff in everything:
        number = _find_wave(handoff)
        if number is not None and handoff not in integrations:
            waves[number].append(handoff)
    members = [handoff for wave in waves.values() for handoff in wave]
    if not any(handoff.id in reviewed for handoff in (*members, *(integrations if members else ()))):
        context.skip("no builder handoff belongs to a wave")
    passing = context.settings.builder.passing_statuses
    found = [
        *_find_overtaken(waves, passing),
        *_find_early_integration(members, integrations, passing),
        *_find_missing_integration(context, members, integrations, passing),
    ]
    unfinished = [handoff.id for handoff in members if not _is_complete(handoff, passing)]
    if not found and unfinished:
        context.skip(f"the waves are still being built: {', '.join(unfinished)}")
    yield from found


def _find_wave(handoff: Handoff) -> int | None:
    value = next((fact.value for fact in handoff.facts if fact.name == "wave"), "")
    return int(value) if value.isdecimal() else None


def _is_integration(handoff: Handoff) -> bool:
    """Decides by the title of the spec, because other specs mention the integration to come."""
    titles = [handoff.title, *(document.title for document in list_documents(handoff, DocumentRole.SPEC))]
    said = any(fact.name == "integration handoff" for fact in handoff.facts)
    return said and any(title and _INTEGRATION.search(title) for title in titles)


def _is_complete(handoff: Handoff, passing: tuple[str, ...]) -> bool:
    if handoff.registry is RegistryState.SUPERSEDED:
        return True
    return find_results(handoff) is not None and handoff.status in passing


def _find_overtaken(waves: dict[int, list[Handoff]], passing: tuple[str, ...]) -> Findings:
    for number, wave in sorted(waves.items()):
        later = [other for after, others in waves.items() if after > number for other in others if find_results(other)]
        for handoff in wave:
            if later and not _is_complete(handoff, passing):
                message = f"wave {number} lacks {handoff.id}, but {later[0].id} of a later wave has results"
                place = Place(path=handoff.documents[0].path)
                expected = f"results of {handoff.id} that say {' or '.join(passing)}"
                yield RuleFinding(message, f"{handoff.id} wave", place, expected, handoff.status or "no results")


def _find_early_integration(members: list[Handoff], integrations: list[Handoff], passing: tuple[str, ...]) -> Findings:
    unfinished = [handoff.id for handoff in members if not _is_complete(handoff, passing)]
    for handoff in integrations:
        results = find_results(handoff)
        if results is not None and unfinished:
            message = f"{handoff.id} integrated the waves before {', '.join(unfinished)} had passed"
            expected = "all handoffs of the waves have passed"
            actual = f"not yet: {', '.join(unfinished)}"
            yield RuleFinding(message, f"{handoff.id} integration", Place(path=results.path), expected, actual)


def _find_missing_integration(
    context: Context, members: list[Handoff], integrations: list[Handoff], passing: tuple[str, ...]
) -> Findings:
    least = context.settings.builder.integration_packages_minimum
    if integrations or len(members) < least or not all(_is_complete(handoff, passing) for handoff in members):
        return
    names = ", ".join(handoff.id for handoff in members)
    message = f"the waves are complete ({names}), but no integration handoff follows"
    expected = "a spec of an integration handoff"
    yield RuleFinding(message, "integration handoff", Place(path=members[-1].documents[0].path), expected, "none")
