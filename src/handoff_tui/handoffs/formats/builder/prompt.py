"""Agent prompts and the question gate: questions first, then stop, until a person says go."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Fact, Question
from handoff_tui.handoffs.formats.builder.sections import normalise
from handoff_tui.handoffs.reading.claim_words import quote
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import Code, Item, Outline, Paragraph, parse_markdown, plain

_INTRODUCTION: Final = compile_later(
    r"\b(?:answer|verification|confirm|gate)\b.*\bquestions?\b|\b1[03]\s*-?\s*(?:Q\b|questions?\b)"
    r"|^\W*(?:[0-9.]+\s*)?(?:verification |gate |the )?questions\W*$",
    re.IGNORECASE,
)
_ANNOUNCED: Final = compile_later(r"\b(1?[0-9])[ -]questions?\b|\b(1[03])\s*-?Q\b", re.IGNORECASE)
_STOP: Final = compile_later(
    r"\bSTOP\b|\bWAIT\b.*\b(?:approval|greenlight|go-ahead|review)\b|\bwait for (?:approval|greenlight)\b"
)
_NUMBERED_LINE: Final = compile_later(r"\W*Q\s?([0-9]{1,2})\b\W*(.*)$", re.IGNORECASE | re.DOTALL)
_EXPECTED: Final = compile_later(r"\W*(?:[0-9]{1,2}[.)]\s*)?expected\b.{0,40}\banswers?\b", re.IGNORECASE)
_CONTRACT: Final = compile_later(r"\bcontract\b[^\n]{0,40}?\bv?([0-9]+(?:\.[0-9]+){0,3})\b", re.IGNORECASE)
_LONGEST_LABEL = 60
_HEADER_LINES = 20


class _Piece(NamedTuple):
    """A piece of the prompt with its line in the file."""

    line: int
    text: str
    heading: bool = False
    item: Item | None = None
    fenced: bool = False


@dataclass(slots=True)
class PromptReading:
    """What one prompt says."""

    source: Source
    questions: list[Question] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    contract: str | None = None


def read_prompt(source: Source) -> PromptReading:
    """A prompt file: its questions, its stop, its contract, and answers that should not be there."""
    return replace(source.read_once("builder.prompt", _read), source=source)


def _read(source: Source) -> PromptReading:
    if not source.readable:
        return PromptReading(source)
    reading = read_questions(source)
    pieces = list(_pieces(source.outline))
    _read_contract(reading, pieces)
    _read_expected_answers(reading, pieces)
    stop = any(fact.name == "stop for approval" for fact in reading.facts)
    if reading.questions and not stop:
        source.report("asks questions but does not tell the agent to stop and wait", reading.questions[-1].where.line)
    return reading


def read_questions(source: Source) -> PromptReading:
    """The questions of a prompt, in a separate file or in a fenced block of the spec."""
    reading = PromptReading(source)
    lists: list[list[Question]] = []
    collecting = False
    announced: int | None = None
    for piece in _pieces(source.outline):
        if _EXPECTED.match(piece.text):
            collecting = False
        elif _is_introduction(piece):
            collecting = True
            lists.append([])
            match = _ANNOUNCED.search(piece.text)
            announced = int(match.group(1) or match.group(2)) if match else announced
        elif collecting and _STOP.search(piece.text) and piece.item is None:
            collecting = False
        elif collecting:
            collecting = _take_question(source, lists[-1], piece)
        _take_stop(reading, piece)
    reading.questions = _choose_questions(lists, announced)
    _check_number(reading, announced)
    return reading


def _choose_questions(lists: list[list[Question]], announced: int | None) -> list[Question]:
    """The last list, since rules may come before the questions; all of them, if they add up to the number."""
    filled = [found for found in lists if found]
    if not filled:
        return []
    together = [question for found in filled for question in found]
    if len(filled[-1]) != announced and len(together) == announced:
        return [question.model_copy(update={"number": n}) for n, question in enumerate(together, start=1)]
    return filled[-1]


def _take_stop(reading: PromptReading, piece: _Piece) -> None:
    if any(fact.name == "stop for approval" for fact in reading.facts):
        return
    for offset, text in enumerate(piece.text.split("\n")):
        if _STOP.search(text):
            where = reading.source.place(piece.line + offset)
            reading.facts.append(Fact(name="stop for approval", value=quote(plain(text)), where=where))
            return


def find_contract_version(source: Source) -> str | None:
    """The version that a prompt contract states under its title."""
    for section in source.outline.sections[:3]:
        for line in section.lines():
            match = re.match(
                r"\W*(?:contract )?version\W+v?([0-9]+(?:\.[0-9]+){0,3})\b", plain(line.text), re.IGNORECASE
            )
            if match:
                return match.group(1)
    match = re.search(r"\bv([0-9]+(?:\.[0-9]+){0,3})\b", source.outline.title or "")
    return match.group(1) if match else None


def _is_introduction(piece: _Piece) -> bool:
    ordered = piece.item is not None and piece.item.ordered
    return not ordered and _INTRODUCTION.search(plain(piece.text)) is not None and "?" not in piece.text


def _take_question(source: Source, questions: list[Question], piece: _Piece) -> bool:
    """Adds a question; says whether more may follow."""
    named = _NUMBERED_LINE.match(plain(piece.text))
    if named and not piece.heading and named.group(2).strip():
        if all(question.number != int(named.group(1)) for question in questions):
            questions.append(_build_question(source, int(named.group(1)), named.group(2), piece.line))
        return True
    if piece.item is not None:
        if piece.item.depth == 1 and piece.item.ordered:
            questions.append(_build_question(source, len(questions) + 1, piece.text, piece.line))
        return True
    return piece.heading or not questions or len(piece.text) <= _LONGEST_LABEL


def _build_question(source: Source, number: int, text: str, line: int) -> Question:
    # a stop without a blank line before it continues the last item
    asked = re.split(r"\n(?=.*\bSTOP\b)", text, maxsplit=1)[0]
    return Question(number=number, text=quote(plain(asked)), where=source.place(line))


def _check_number(reading: PromptReading, announced: int | None) -> None:
    found = len(reading.questions)
    if not found:
        return
    where = reading.questions[0].where
    reading.facts.append(Fact(name="question gate", value=f"{found} questions", where=where))
    if announced is not None and announced != found:
        reading.source.report(f"announces {announced} questions, but {found} were found", where.line)


def _read_contract(reading: PromptReading, pieces: list[_Piece]) -> None:
    for piece in pieces:
        for offset, text in enumerate(piece.text.split("\n")):
            match = _CONTRACT.search(plain(text)) if piece.line + offset <= _HEADER_LINES else None
            if match:
                reading.contract = match.group(1)
                where = reading.source.place(piece.line + offset)
                reading.facts.append(Fact(name="prompt contract", value=match.group(1), where=where))
                return


def _read_expected_answers(reading: PromptReading, pieces: list[_Piece]) -> None:
    source = reading.source
    for piece in pieces:
        if not _EXPECTED.match(plain(piece.text)) or (piece.item is not None and piece.item.ordered):
            continue
        where = source.place(piece.line)
        reading.facts.append(Fact(name="expected answers", value=quote(plain(piece.text)), where=where))
        if piece.fenced:
            source.report("shows the expected answers to the agent, inside the prompt itself", piece.line)


def _pieces(outline: Outline) -> Iterator[_Piece]:
    """The document in order, with fenced prompts opened up: they are Markdown themselves."""
    for section in outline.sections:
        if section.level:
            yield _Piece(section.line, plain(section.title), heading=True)
        for block in section.blocks:
            if isinstance(block, Code) and normalise(block.language) in {"", "text", "markdown", "md", "prompt"}:
                yield from _fenced_pieces(block)
            elif isinstance(block, Item):
                yield _Piece(block.line, block.text, item=block)
            elif isinstance(block, Paragraph):
                yield from _paragraph_pieces(block.line, block.text)


def _fenced_pieces(code: Code) -> Iterator[_Piece]:
    for section in parse_markdown(code.text).sections:
        if section.level:
            yield _Piece(code.line + section.line - 1, plain(section.title), heading=True, fenced=True)
        for block in section.blocks:
            line = code.line + block.line - 1
            if isinstance(block, Item):
                yield _Piece(line, block.text, item=block, fenced=True)
            elif isinstance(block, Paragraph):
                yield from _paragraph_pieces(line, block.text, fenced=True)


def _paragraph_pieces(line: int, text: str, *, fenced: bool = False) -> Iterator[_Piece]:
    """One piece; or one per line where its lines are numbered questions."""
    lines = text.split("\n")
    if len([part for part in lines if _NUMBERED_LINE.match(plain(part))]) > 1:
        for offset, part in enumerate(lines):
            yield _Piece(line + offset, part, fenced=fenced)
    else:
        yield _Piece(line, text, fenced=fenced)
