"""Specs of builder handoffs have every section of the standard, filled and in order."""

from __future__ import annotations

from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable
from handoff_tui.checks.rules.builder.documents import (
    find_empty_sections,
    find_heading,
    list_documents,
    place_heading,
    read_body,
    require_builders,
)
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.document import Document, DocumentRole
from handoff_tui.handoffs.handoff import Handoff, RegistryState

_NUMBERED = compile_later(r"[0-9]{1,3}[.)]\s+\S")
_CONSTRAINTS = "Critical Constraints"


def judge(context: Context) -> Iterator[Found]:
    for handoff in require_builders(context):
        specs = list_documents(handoff, DocumentRole.SPEC)
        if not specs and handoff.registry is not RegistryState.SUPERSEDED:
            yield _build_missing_spec(handoff)
        for spec in specs:
            unreadable = list(find_unreadable(context, {spec.path}))
            yield from unreadable or _judge_spec(context, handoff, spec)


def _build_missing_spec(handoff: Handoff) -> Found:
    first = handoff.documents[0].path
    return Found(
        message=f"{handoff.id} has no spec: nothing says what was to be built",
        subject=f"{handoff.id} spec",
        place=Place(path=first),
        expected="a spec",
        actual="none",
    )


def _judge_spec(context: Context, handoff: Handoff, spec: Document) -> Iterator[Found]:
    names: tuple[str, ...] = context.setting("builder.spec_sections", tuple)
    for name in spec.missing:
        yield Found(
            message=f"the spec of {handoff.id} has no section «{name}»",
            subject=f"section {name}",
            place=Place(path=spec.path),
            expected=f"a section «{name}»",
            actual="missing",
        )
    for name in spec.out_of_order:
        yield Found(
            message=f"the section «{name}» of the spec of {handoff.id} stands after one that should follow it",
            subject=f"order {name}",
            place=place_heading(spec, name),
            expected=f"section {names.index(name) + 1} of {len(names)}" if name in names else None,
            actual="out of order",
        )
    for section in find_empty_sections(context, spec, names):
        yield Found(
            message=f"the section «{section.title}» of the spec of {handoff.id} is empty",
            subject=f"empty {section.title}",
            place=Place(path=spec.path, line=section.line),
            expected="text under the heading",
            actual="nothing",
        )
    yield from _judge_constraints(context, handoff, spec)


def _judge_constraints(context: Context, handoff: Handoff, spec: Document) -> Iterator[Found]:
    """The standard's own constraints are never left out; a spec may add to them."""
    section = find_heading(spec, _CONSTRAINTS)
    body = read_body(context, spec, section) if section else []
    least = context.setting("builder.constraints_minimum", int)
    listed = sum(_NUMBERED.match(text) is not None for _, text in body)
    if section is not None and body and listed < least:
        yield Found(
            message=f"the spec of {handoff.id} leaves out constraints that the standard always wants",
            subject="constraints",
            place=Place(path=spec.path, line=section.line),
            expected=f"at least {least} numbered constraints",
            actual=f"{listed}",
        )


SPEC_SECTIONS_IN_ORDER = Rule(
    id="spec-sections-in-order",
    system=System.BUILDER,
    severity=Severity.HIGH,
    holds="Every spec has the sections of the standard, filled and in order",
    reads="specs of builder handoffs",
    remedy="Add the missing sections to the spec, fill the empty ones, and put all into the order of the standard.",
    judge=judge,
)
