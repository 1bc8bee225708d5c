"""What lies beside notes: the repository's own templates, documents of other formats, decisions of QA and review."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.work_tree.listing import list_below
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim
from handoff_tui.handoffs.formats.notes.recognition import find_topics, is_structured, is_template, recognise
from handoff_tui.handoffs.handoff import DocumentRole, Handoff
from handoff_tui.handoffs.reading import claim_words
from handoff_tui.handoffs.reading.candidates import SPEAKS_OF_HANDOFF
from handoff_tui.handoffs.reading.format import FormatFiles, FormatReading, Source

_TEMPLATE: Final = compile_later(
    r"hand[-_ ]?(?:off|over)[^/]*template|template[^/]*hand[-_ ]?(?:off|over)|handoffs?/[^/]*template", re.IGNORECASE
)
_BUILDER: Final = compile_later(r"(?:_RESULTS|BUILDER_HANDOFF|AGENT_PROMPT|/RESULTS|/REVIEW_REPORT)[^/]*\.md$")
_BESIDE: Final = compile_later(
    r"(?:^|[-_ .])(?:(?:qa|review|code[-_ ]review)[-_ .](?:decision|verdict|report|summary|sign[-_ ]?off|gate)"
    r"|decision|verdict)s?"
    r"(?:[-_ .][^/]*)?\.(?:md|ya?ml|json)$",
    re.IGNORECASE,
)
"""Names of decisions; they count where there is a note beside them."""
_ROLE_WORDS: Final = frozenset(
    {"qa", "review", "reviewer", "code", "decision", "verdict", "report", "summary", "signoff", "sign", "off", "gate"}
    | {"handoff", "handover", "notes", "story", "task", "issue"}
)


def learn_headings(files: FormatFiles) -> frozenset[str]:
    """The headings of the repository's own templates for handoffs, in lower case."""
    named = [path for path in files.list_containing("template") if _TEMPLATE.search(path) and path.endswith(".md")]
    sections = (section for path in named for section in files.source(path).outline.sections)
    return frozenset(section.name.casefold() for section in sections if section.level > 1)


def is_beside_another(source: Source, files: FormatFiles) -> bool:
    """A loose text beside the documents of a builder is no handoff of its own, unless its name or headings say so."""
    if SPEAKS_OF_HANDOFF.search(source.name) or is_structured(source.path) or find_topics(source):
        return False
    return any(_BUILDER.search(path) for path in list_below(files.paths, source.folder))


def report_unknown(source: Source, learnt: frozenset[str]) -> None:
    """Says once that a document has headings, none of which is understood."""
    if is_structured(source.path) or not source.readable:
        return
    headings = [section for section in source.outline.sections if section.level > 1]
    if headings and not find_topics(source) and not any(one.name.casefold() in learnt for one in headings):
        source.report("no heading is understood, so little of what it says is measured", headings[0].line)


def file_decisions(
    reading: FormatReading, named: dict[str, Source], files: FormatFiles, read: Callable[[Source], Handoff]
) -> None:
    """Adds decisions of QA and review to the note they are about: by the words of their names, or the only one there.

    `named` are those that were recognised by themselves; others only count beside a note.
    """
    by_folder: dict[str, list[int]] = defaultdict(list)
    for number, handoff in enumerate(reading.handoffs):
        by_folder[handoff.documents[0].path.rpartition("/")[0]].append(number)
    for folder, numbers in by_folder.items():
        for source in _list_decisions(folder, reading, named, files):
            words = _list_subject(source.name)
            subjects = {number: _list_subject(reading.handoffs[number].documents[0].path) for number in numbers}
            fitting = [number for number in numbers if words and subjects[number] == words]
            if len(fitting) == 1 or len(numbers) == 1:
                number = (fitting or numbers)[0]
                reading.handoffs[number] = _add_decision(reading.handoffs[number], source, read(source))
                reading.used.add(source.path)


def _list_decisions(
    folder: str, reading: FormatReading, named: dict[str, Source], files: FormatFiles
) -> Iterator[Source]:
    shown = {document.path for handoff in reading.handoffs for document in handoff.documents}
    for path in list_below(files.paths, folder):
        place, _, name = path.rpartition("/")
        if place != folder or path in shown or not (path in named or _BESIDE.search(name)):
            continue
        source = files.source(path)
        if source.text.strip() and not is_template(source.text):
            yield source


def _add_decision(about: Handoff, source: Source, own: Handoff) -> Handoff:
    """The note with the document, and with what it decided."""
    verdict = claim_words.parse_status(own.status or "")
    said = next((claim for claim in own.claims if claim.kind in {ClaimKind.STATUS, ClaimKind.VERDICT}), None)
    claims: tuple[Claim, ...] = ()
    if said is not None and verdict is not None:
        claims = (build_claim(ClaimKind.VERDICT, said.where, said.text, subject=source.name, value=verdict),)
    document = source.document(DocumentRole.REVIEW, confidence=recognise(source))
    return about.model_copy(update={"documents": (*about.documents, document), "claims": (*about.claims, *claims)})


def _list_subject(path: str) -> frozenset[str]:
    """The words of a file name that say what it is about."""
    words = re.findall(r"[^\W_]+", path.rpartition("/")[2].rpartition(".")[0].casefold())
    return frozenset(words) - _ROLE_WORDS
