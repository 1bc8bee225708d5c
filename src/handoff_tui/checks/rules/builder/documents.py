"""Documents of the builder standard: which results count, and what stands under a heading."""

from __future__ import annotations

import re
from collections.abc import Iterable

from handoff_tui.checks.context import Context
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Fact
from handoff_tui.handoffs.document import Document, DocumentRole, Section
from handoff_tui.handoffs.handoff import Handoff, RegistryState

_OF_A_HANDOFF = frozenset({DocumentRole.SPEC, DocumentRole.PROMPT, DocumentRole.ANSWERS, DocumentRole.RESULTS})
_DONE = frozenset({RegistryState.COMPLETE, RegistryState.VALIDATED})

Finished = tuple[Handoff, Document]
"""A handoff and the results that speak for it."""


def require_builders(context: Context) -> tuple[Handoff, ...]:
    """Builder handoffs under review; packages and registries that belong to none are left out."""
    found = tuple(
        handoff
        for handoff in context.handoffs("builder")
        if any(document.role in _OF_A_HANDOFF for document in handoff.documents)
    )
    return found or context.skip("no builder handoff here")


def require_finished(context: Context) -> tuple[Finished, ...]:
    """The builder handoffs under review that have results, with the newest of these."""
    found = [(handoff, find_results(handoff)) for handoff in require_builders(context)]
    finished = tuple((handoff, results) for handoff, results in found if results is not None)
    return finished or context.skip("no builder handoff here has results yet")


def find_results(handoff: Handoff) -> Document | None:
    """The results of the newest attempt."""
    where = handoff.attempts[-1].where if handoff.attempts else None
    results = list_documents(handoff, DocumentRole.RESULTS)
    return next((document for document in results if where is not None and document.path == where.path), None)


def list_documents(handoff: Handoff, *roles: DocumentRole) -> list[Document]:
    return [document for document in handoff.documents if document.role in roles]


def owes_results(handoff: Handoff, context: Context) -> bool:
    """Whether results are due: the handoff is the one under review, or somebody calls it done."""
    if handoff.registry is RegistryState.SUPERSEDED:
        return False
    said = [fact.value.upper() for fact in handoff.facts if fact.name == "registry says"]
    called_done = any(words.startswith(tuple(state.value for state in _DONE)) for words in said)
    return context.scope == handoff.id or handoff.registry in _DONE or called_done


def find_fact(handoff: Handoff, name: str, document: Document) -> Fact | None:
    """The first fact of a name that one document states."""
    return next(
        (fact for fact in handoff.facts if fact.name == name and fact.where and fact.where.path == document.path),
        None,
    )


def find_heading(document: Document, name: str) -> Section | None:
    """The first section below the title whose heading begins with a name; numbers and signs do not matter."""
    wanted = _normalise(name)
    for section in document.sections[1 if document.title else 0 :]:
        words = re.sub(r"^(?:[0-9]+ )+", "", _normalise(section.title))
        if words == wanted or words.startswith(f"{wanted} "):
            return section
    return None


def place_heading(document: Document, name: str) -> Place:
    """Where a section begins; the document as a whole where it has no such heading."""
    section = find_heading(document, name)
    return Place(path=document.path, line=section.line if section else None)


def read_body(context: Context, document: Document, section: Section) -> list[tuple[int, str]]:
    """The lines under a heading with their numbers, sub-sections included, headings and empty lines left out."""
    text = context.read_text(document.path) or ""
    headings = {heading.line for heading in document.sections}
    end = next(
        (other.line for other in document.sections if other.line > section.line and other.level <= section.level), None
    )
    numbered = enumerate(text.split("\n"), start=1)
    return [
        (number, line.strip())
        for number, line in numbered
        if number > section.line and (end is None or number < end) and number not in headings and line.strip()
    ]


def find_empty_sections(context: Context, document: Document, names: Iterable[str]) -> list[Section]:
    """Sections of the standard that are only a heading: a name with nothing under it records nothing."""
    found = (find_heading(document, name) for name in names)
    return [section for section in found if section is not None and not read_body(context, document, section)]


def _normalise(heading: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", heading.lower()))
