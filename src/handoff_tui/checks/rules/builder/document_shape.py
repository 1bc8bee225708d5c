"""Builder documents have the names and the sections of the standard."""

from __future__ import annotations

import re
import shlex

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable
from handoff_tui.checks.rule import Findings, RuleFinding, high_rule, medium_rule
from handoff_tui.checks.rules.builder import documents as builder
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff, RegistryState

_ATTEMPT = compile_later(r"(?:_ATTEMPT_[0-9]{1,3})?\.md")


@medium_rule(
    holds="Every builder handoff has an id and file names that fit the standard.",
    reads="ids, titles and paths of builder handoffs",
    remedy="Give the handoff a standard id, and move its files into a folder with that name.",
)
def names_fit_the_standard(context: Context) -> Findings:
    names = context.settings.builder.file_names
    for handoff in builder.require_builders(context):
        documents = [document for document in handoff.documents if document.role.value in names]
        yield from _judge_id(context, handoff, documents)
        for document in documents:
            yield from _judge_place(context, handoff, document, names[document.role.value])


def _judge_id(context: Context, handoff: Handoff, documents: list[Document]) -> Findings:
    patterns = context.settings.builder.id_patterns
    if not _fits(handoff.id, patterns):
        message = f"the id {handoff.id} does not fit the standard"
        place = Place(path=documents[0].path) if documents else None
        expected = "H-<number>, H-<number><letter> or CLEANUP-<number>"
        yield RuleFinding(message, f"{handoff.id} id", place, expected, handoff.id)
    for document in documents:
        words = re.findall(r"[A-Za-z0-9.-]+", document.title or "")
        named = [word for word in words if _fits(word, patterns)]
        if named and handoff.id not in named:
            message = f"{document.path} belongs to {handoff.id}, but its title says {named[0]}"
            place = Place(path=document.path, line=document.sections[0].line if document.sections else None)
            yield RuleFinding(message, "title", place, handoff.id, named[0])


def _judge_place(context: Context, handoff: Handoff, document: Document, word: str) -> Findings:
    folders = context.settings.builder.handoff_folders
    folder, _, name = document.path.rpartition("/")
    above, _, own = folder.rpartition("/")
    stem = f"{handoff.id}_{word}"
    named = name.startswith(stem) and _ATTEMPT.fullmatch(name[len(stem) :]) is not None
    if named and own == handoff.id and any(f"/{above}".endswith(f"/{known}") for known in folders):
        return
    root = folder if any(f"/{folder}".endswith(f"/{known}") for known in folders) else above
    root = root if any(f"/{root}".endswith(f"/{known}") for known in folders) else folders[-1]
    target = f"{root}/{handoff.id}/{name if named else f'{stem}.md'}"
    move = f"git mv {shlex.quote(document.path)} {shlex.quote(target)}"
    message = f"{document.path} is not where the standard wants the {document.role.value} of {handoff.id}"
    command = f"mkdir -p {shlex.quote(f'{root}/{handoff.id}')} && {move}"
    yield RuleFinding(message, "place", Place(path=document.path), target, document.path, command)


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return any(re.match(pattern, name) for pattern in patterns)


_NUMBERED = compile_later(r"[0-9]{1,3}[.)]\s+\S")
_CONSTRAINTS = "Critical Constraints"


@high_rule(
    holds="Every spec has the sections of the standard, filled in and in order.",
    reads="specs of builder handoffs",
    remedy="Add the missing sections, fill in the empty ones, and put them in the order of the standard.",
)
def spec_sections_in_order(context: Context) -> Findings:
    for handoff in builder.list_of_this_standard(context):
        specs = builder.list_documents(handoff, DocumentRole.SPEC)
        if not specs and handoff.registry is not RegistryState.SUPERSEDED:
            yield _build_missing_spec(handoff)
        for spec in specs:
            unreadable = list(find_unreadable(context, {spec.path}))
            yield from unreadable or _judge_spec(context, handoff, spec)


def _build_missing_spec(handoff: Handoff) -> RuleFinding:
    first = handoff.documents[0].path
    message = f"{handoff.id} has no spec: nothing says what was to be built"
    return RuleFinding(message, f"{handoff.id} spec", Place(path=first), "a spec", "none")


def _judge_spec(context: Context, handoff: Handoff, spec: Document) -> Findings:
    names = context.settings.builder.spec_sections
    for name in spec.out_of_order:
        message = f'the section "{name}" of the spec of {handoff.id} comes after one that should follow it'
        expected = f"section {names.index(name) + 1} of {len(names)}" if name in names else None
        yield RuleFinding(message, f"order {name}", builder.place_heading(spec, name), expected, "out of order")
    yield from _find_section_gaps(context, f"the spec of {handoff.id}", spec, names)
    yield from _judge_constraints(context, handoff, spec)


def _find_section_gaps(context: Context, whose: str, document: Document, names: tuple[str, ...]) -> Findings:
    """Finds the sections that a document lacks, and those with nothing under their heading."""
    is_spec = document.role is DocumentRole.SPEC
    for name in document.missing:
        message = f'{whose} {"has" if is_spec else "have"} no section "{name}"'
        yield RuleFinding(message, f"section {name}", Place(path=document.path), f'a section "{name}"', "missing")
    for section in builder.find_empty_sections(context, document, names):
        message = f'the section "{section.title}" of {whose} is empty'
        place = Place(path=document.path, line=section.line)
        expected = "text under the heading" if is_spec else "what was done, or NONE"
        yield RuleFinding(message, f"empty {section.title}", place, expected, "nothing")


def _judge_constraints(context: Context, handoff: Handoff, spec: Document) -> Findings:
    """Finds missing standard constraints; a spec may only add to them."""
    section = builder.find_heading(spec, _CONSTRAINTS)
    body = builder.read_body(context, spec, section) if section else []
    least = context.settings.builder.constraints_minimum
    listed = sum(_NUMBERED.match(text) is not None for _, text in body)
    if section is not None and body and listed < least:
        message = f"the spec of {handoff.id} leaves out constraints that the standard always wants"
        expected = f"at least {least} numbered constraints"
        yield RuleFinding(message, "constraints", Place(path=spec.path, line=section.line), expected, f"{listed}")


_IN_ITS_HEADING = "Status"
"""The one section that may be just a heading."""


@high_rule(
    holds="The newest results of every builder handoff have all sections of the standard.",
    reads="the newest results of builder handoffs",
    remedy="Write the missing sections. Where there was nothing to do, say NONE and why.",
)
def results_sections_present(context: Context) -> Findings:
    for handoff, results in builder.list_due(context) or context.skip(
        "no builder handoff has results, and none are due yet"
    ):
        if results is not None:
            yield from list(find_unreadable(context, {results.path})) or _judge_results(context, handoff, results)
        else:
            message, expected = f"{handoff.id} has no results", f"{handoff.id}_RESULTS.md"
            yield RuleFinding(message, f"{handoff.id} results", Place(path=handoff.documents[0].path), expected, "none")


def _judge_results(context: Context, handoff: Handoff, results: Document) -> Findings:
    names = tuple(name for name in context.settings.builder.results_sections if name != _IN_ITS_HEADING)
    yield from _find_section_gaps(context, f"the results of {handoff.id}", results, names)
