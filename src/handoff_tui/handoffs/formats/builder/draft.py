"""One handoff in the making: its spec, and everything its own documents say, before others are looked at."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from handoff_tui.config.settings.root import Builder
from handoff_tui.core.classes import NamedTuple, dataclass, field, replace
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place, ProblemLevel
from handoff_tui.core.tasks import Attempt, Fact, Question
from handoff_tui.handoffs.claim import quote
from handoff_tui.handoffs.formats.builder import sections as outlines
from handoff_tui.handoffs.formats.builder.names import (
    EARLIER_STANDARD,
    HandoffFiles,
    NamedSource,
    find_ids,
    is_earlier_spec,
    strip_id,
)
from handoff_tui.handoffs.formats.builder.prompts_and_reviews import (
    PromptReading,
    ReviewReading,
    may_ask,
    read_answers,
    read_prompt,
    read_questions,
    read_review,
)
from handoff_tui.handoffs.formats.builder.recognition import recognise
from handoff_tui.handoffs.formats.builder.registry_state import RegistryFacts
from handoff_tui.handoffs.formats.builder.results import ResultsReading, read_results
from handoff_tui.handoffs.grammar.tokens import clean_path
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff, HandoffDraft, RegistryState
from handoff_tui.handoffs.reading.claim_words import parse_status
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import list_fields, plain

_SUPERSEDED: Final = compile_later(r"\bSUPERSEDED\b")

_BLOCKED_BY: Final = compile_later(
    r"(?:blocked by|depends on|depends|dependencies|dependency|prerequisites?|requires)\b"
)


_ACTION: Final = compile_later(r"\b(CREATE|MODIFY|DELETE|EDIT|REWRITE|REBUILD|MOVE|RENAME|UPDATE)", re.IGNORECASE)


_INTEGRATION: Final = compile_later(r"\bintegration handoff\b", re.IGNORECASE)


_WAVE: Final = compile_later(r"\bwave\s*#?\s*([0-9]{1,3})\b", re.IGNORECASE)


@dataclass(slots=True)
class SpecReading:
    """What one spec says."""

    source: Source
    stated_id: str | None = None
    title: str | None = None
    superseded: bool = False
    blocked_by: list[str] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    missing: tuple[str, ...] = ()
    out_of_order: tuple[str, ...] = ()
    prompt: PromptReading | None = None
    mission: Fact | None = None


def read_spec(source: Source, settings: Builder) -> SpecReading:
    """Reads it once per file; callers don't change the result."""
    reading = source.read_once("builder.spec", _read, settings)
    prompt = None if reading.prompt is None else replace(reading.prompt, source=source)
    return replace(reading, source=source, prompt=prompt)


def _read(source: Source, settings: Builder) -> SpecReading:
    reading = SpecReading(source)
    if not source.readable:
        return reading
    reading.missing = outlines.missing_sections(source.outline, settings.spec_sections)
    reading.out_of_order = outlines.misplaced_sections(source.outline, settings.spec_sections)
    _read_identity(reading)
    _read_mission(reading)
    _read_dependencies(reading)
    _read_planned_files(reading)
    _read_leaked_answers(reading)
    _read_remarks(reading)
    prompt = read_questions(source) if may_ask(source.text) else None
    reading.prompt = prompt if prompt is not None and prompt.questions else None
    return reading


def is_expected_answers(heading: str) -> bool:
    words = outlines.normalise(heading).split()
    return "expected" in words and ("answers" in words or "answer" in words)


def _read_identity(reading: SpecReading) -> None:
    """The identity table, and the fields under the title; a status there may retire the spec."""
    source = reading.source
    identity = [
        section for section in outlines.headed(source.outline) if outlines.is_heading_of(section.name, "Identity")
    ]
    for line, name, value in list_fields([*outlines.preamble(source.outline), *identity]):
        if not value:
            continue
        reading.facts.append(source.fact(name, quote(value), line.number))
        if name in {"handoff id", "id", "handoff"}:
            reading.stated_id = reading.stated_id or next(iter(find_ids(value)), None)
        elif name == "title":
            reading.title = reading.title or value
        elif name == "status" and parse_status(value) == "SUPERSEDED":
            reading.superseded = True
    title = source.outline.title or ""
    if _SUPERSEDED.search(title) or any(
        re.match(r"\W*SUPERSEDED\b", line.text)
        for section in outlines.preamble(source.outline)
        for line in section.lines()
    ):
        reading.superseded = True


def _read_mission(reading: SpecReading) -> None:
    section = outlines.find_section(reading.source.outline, "Mission")
    for first in section.paragraphs()[:1] if section is not None else ():
        reading.mission = reading.source.fact("mission", quote(plain(first.text)), first.line)


def _read_dependencies(reading: SpecReading) -> None:
    found: dict[str, None] = {}
    for line, name, value in list_fields(reading.source.outline.sections):
        if _BLOCKED_BY.match(name):
            found.update(dict.fromkeys(find_ids(line.text.partition(" | ")[2] or value)))
    reading.blocked_by = list(found)


def _read_planned_files(reading: SpecReading) -> None:
    """Rows of any table with an action and a file; planned, so not claimed."""
    source = reading.source
    for section in outlines.headed(source.outline):
        for table in section.tables():
            for row in table.rows:
                match = _ACTION.search(plain(table.cell(row, "action")))
                path = outlines.join_folder(table, row, clean_path(plain(table.cell(row, "file", "path"))))
                if match and path:
                    reading.facts.append(source.fact("planned file", f"{match.group(1).upper()} {path}", row.line))


def _read_leaked_answers(reading: SpecReading) -> None:
    source = reading.source
    for section in outlines.headed(source.outline):
        if is_expected_answers(section.name):
            source.report(
                "holds the expected answers of the question gate; they are for the reviewer only", section.line
            )
            reading.facts.append(source.fact("expected answers in the spec", section.name, section.line))


def _read_remarks(reading: SpecReading) -> None:
    """Whether it calls itself an integration handoff, and its wave."""
    source = reading.source
    lowered = source.text.lower()
    if "wave" not in lowered and "integration handoff" not in lowered:
        return
    remarks: dict[str, Fact] = {}
    for section in source.outline.sections:
        for number, text in [
            (section.line, section.title),
            *((line.number, line.text) for line in section.lines() if not line.code),
        ]:
            if _INTEGRATION.search(text):
                remarks.setdefault("integration", source.fact("integration handoff", quote(plain(text)), number))
            if wave := _WAVE.search(text):
                remarks.setdefault("wave", source.fact("wave", wave.group(1), number))
    reading.facts.extend(remarks.values())


class NumberedResults(NamedTuple):
    """A results document and the number of its attempt."""

    number: int
    reading: ResultsReading

    def attempt(self) -> Attempt:
        reading = self.reading
        return Attempt(
            number=self.number,
            agent=reading.agent,
            phase="build",
            status=reading.status,
            summary=reading.summary,
            when=reading.date,
            where=reading.source.place(reading.status_line),
        )


def number_results(members: list[NamedSource], settings: Builder) -> list[NumberedResults]:
    """All results, oldest first. One without a number takes the lowest free one: beside `_ATTEMPT_1` it is newer."""
    readings: list[tuple[int | None, ResultsReading]] = []
    seen: set[str | None] = set()
    for member in members:
        if member.source.readable and member.source.sha256 in seen:
            continue
        seen.add(member.source.sha256)
        reading = read_results(member.source, settings)
        readings.append((member.named.attempt or reading.attempt, reading))
    taken = {number for number, _ in readings if number is not None}
    numbered: list[NumberedResults] = []
    unnumbered: Source | None = None
    for stated, reading in readings:
        number = stated
        if number is None:
            number = next(free for free in range(1, len(readings) + len(taken) + 1) if free not in taken)
            taken.add(number)
            if unnumbered is not None and unnumbered.folder != reading.source.folder:
                reading.source.report(f"gives no attempt, nor does {unnumbered.path}; it is listed as attempt {number}")
            unnumbered = unnumbered or reading.source
        numbered.append(NumberedResults(number, reading))
    numbered.sort(key=lambda results: (results.number, results.reading.source.path))
    for before, after in pairwise(numbered):
        if before.number == after.number:
            after.reading.source.report(f"is attempt {after.number}, as is {before.reading.source.path}")
    return numbered


_ORDER = (
    *(DocumentRole.SPEC, DocumentRole.PROMPT, DocumentRole.ANSWERS, DocumentRole.RESULTS),
    *(DocumentRole.REVIEW, DocumentRole.EVALUATION, DocumentRole.OTHER),
)


@dataclass(slots=True)
class BuilderDraft:
    """What was read of one group of files. Packages, evidence and the registry add to it."""

    group: HandoffFiles
    told: HandoffDraft
    specs: list[SpecReading] = field(default_factory=list)
    prompts: list[PromptReading] = field(default_factory=list)
    results: list[NumberedResults] = field(default_factory=list)
    reviews: list[ReviewReading] = field(default_factory=list)

    @property
    def sources(self) -> list[Source]:
        return self.group.sources(*_ORDER)

    @property
    def newest(self) -> NumberedResults | None:
        return self.results[-1] if self.results else None

    def questions(self) -> list[Question]:
        """The questions of the newest prompt, or of the spec that holds one; answered where an answer was found."""
        asked = [reading.questions for reading in reversed(self.prompts) if reading.questions]
        asked.extend(spec.prompt.questions for spec in self.specs if spec.prompt is not None)
        questions = asked[0] if asked else []
        answers = [reading for reading in self.reviews if reading.role is DocumentRole.ANSWERS]
        if not answers:
            return questions
        answered = set().union(*(reading.answered for reading in answers))
        return [question.model_copy(update={"answered": question.number in answered}) for question in questions]

    def greenlit(self) -> bool | None:
        """Whether a person said go. None if that is not known: before prompts had a contract, it was said in chat."""
        if any(reading.greenlit for reading in self.reviews):
            return True
        has_answers = any(reading.role is DocumentRole.ANSWERS for reading in self.reviews)
        in_chat = bool(self.results) and not has_answers and not any(prompt.contract for prompt in self.prompts)
        return False if (has_answers or self.questions()) and not in_chat else None

    def standing(self, *, superseded: bool) -> RegistryFacts:
        newest = self.newest.reading if self.newest else None
        return RegistryFacts(
            has_prompt=bool(self.prompts),
            has_results=newest is not None,
            status=newest.status if newest else None,
            greenlit=self.greenlit(),
            review=self._verdict(DocumentRole.REVIEW),
            evaluation=self._verdict(DocumentRole.EVALUATION),
            superseded=superseded or any(spec.superseded for spec in self.specs) or bool(newest and newest.superseded),
        )

    def handoff(self, state: RegistryState | None) -> Handoff:
        """The finished handoff; the newest results count."""
        told, newest = self.told, self.newest
        told.title, told.registry = self._title(), state
        told.asked = next((spec.mission for spec in self.specs if spec.mission), None)
        told.source_phase, told.target_phase = _find_phases(self)
        told.questions, told.greenlit = tuple(self.questions()), self.greenlit()
        told.attempts = tuple(results.attempt() for results in self.results)
        for results in self.results:
            told.add_producer(results.reading.agent)
        if newest is not None:
            reading = newest.reading
            told.attempt, told.source_agent, told.status = newest.number, reading.agent, reading.status
            told.message, told.created, told.words = reading.summary, reading.date, reading.words
            told.tests, told.regression, told.baseline = reading.tests, reading.regression, reading.baseline
            told.claims = (*reading.claims, *told.claims)
        return told.build()

    def _title(self) -> str | None:
        stated = next((spec.title for spec in self.specs if spec.title), None)
        titles = [source.outline.title for source in self.sources if source.readable]
        return stated or next((strip_id(title) for title in titles if title), None)

    def _verdict(self, role: DocumentRole) -> str | None:
        """That of the newest report which has one."""
        verdicts = [reading.verdict for reading in self.reviews if reading.role is role and reading.verdict]
        return verdicts[-1] if verdicts else None


def build_draft(group: HandoffFiles, settings: Builder, *, earlier: bool) -> BuilderDraft:
    """What its own documents say; `earlier` if the standard of today does not judge them."""
    told = HandoffDraft.model_construct(id=group.id, dialect="builder", original_name=group.original)
    draft = BuilderDraft(group, told)
    draft.specs = [read_spec(source, settings) for source in group.sources(DocumentRole.SPEC)]
    draft.prompts = [read_prompt(member.source) for member in _by_attempt(group.of(DocumentRole.PROMPT))]
    draft.results = number_results(group.of(DocumentRole.RESULTS), settings)
    draft.reviews = [read_answers(member.source) for member in _by_attempt(group.of(DocumentRole.ANSWERS))]
    for role in (DocumentRole.REVIEW, DocumentRole.EVALUATION):
        draft.reviews.extend(_read_review(draft, member, role, settings) for member in _by_attempt(group.of(role)))
    for spec in draft.specs:
        told.facts += tuple(spec.facts)
        if spec.prompt is not None and not draft.prompts:
            told.facts += tuple(spec.prompt.facts)
        told.blocked_by += tuple(spec.blocked_by)
        if spec.stated_id and spec.stated_id != group.id and not group.id.startswith(f"{spec.stated_id}-"):
            spec.source.report(f"is named for {group.id}, but says it is {spec.stated_id}")
    for prompt in draft.prompts:
        told.facts += tuple(prompt.facts)
    if draft.newest:
        told.facts += tuple(draft.newest.reading.facts)
    for review in draft.reviews:
        told.claims += tuple(review.claims)
        told.facts += tuple(review.facts)
    told.documents = tuple(
        _excuse(draft, document, EARLIER_STANDARD if earlier else f"{document.role} {EARLIER_STANDARD}")
        if earlier or is_earlier_spec(document, settings.spec_sections)
        else document
        for document in _build_documents(draft)
    )
    return draft


def _find_phases(draft: BuilderDraft) -> tuple[str, str]:
    """The phase that its documents are of, and the next: results before answers, and a prompt asks for these."""
    if draft.results or draft.told.packages:
        return "build", "review"
    asked = draft.prompts or any(reading.role is DocumentRole.ANSWERS for reading in draft.reviews)
    return ("questions", "build") if asked else ("spec", "questions")


def _read_review(draft: BuilderDraft, member: NamedSource, role: DocumentRole, settings: Builder) -> ReviewReading:
    """A verdict on an attempt that has a successor is history: it says nothing about the work as it is."""
    reading = read_review(member.source, role, settings)
    number = member.named.attempt
    if number is not None and draft.newest is not None and number < draft.newest.number:
        for claim in reading.claims:
            draft.told.add_fact(f"{claim.subject} of attempt {number}", str(claim.value), claim.where)
        reading.verdict = None
        reading.claims.clear()
    return reading


def _by_attempt(members: list[NamedSource]) -> list[NamedSource]:
    """Numbered ones in their order; one without a number is the newest."""
    return sorted(members, key=lambda member: (member.named.attempt or 1_000, member.source.path))


def _build_documents(draft: BuilderDraft) -> list[Document]:
    specs = {spec.source.path: spec for spec in draft.specs}
    missing = {results.reading.source.sha256: results.reading.missing for results in draft.results}
    documents: list[Document] = []
    for role in _ORDER:
        for member in draft.group.of(role):
            source = member.source
            spec = specs.get(source.path)
            if source.readable and not source.text.strip():
                source.report("is empty", level=ProblemLevel.ERROR)
            documents.append(
                source.document(
                    role,
                    confidence=recognise(source),
                    missing=spec.missing if spec else missing.get(source.sha256, ()),
                    out_of_order=spec.out_of_order if spec else (),
                )
            )
    return documents


def _excuse(draft: BuilderDraft, document: Document, why: str) -> Document:
    """Documents of the first standard need not have the sections of a later one; what they lack is only told."""
    lacks = ", ".join(document.missing)
    draft.told.add_fact(why, f"without {lacks}" if lacks else "yes", Place(path=document.path))
    return document.model_copy(update={"missing": (), "out_of_order": ()})
