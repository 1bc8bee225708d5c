"""Agent prompts and the question gate; then what comes after: answers, greenlight, reviews."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.config.settings.root import Builder
from handoff_tui.core.classes import NamedTuple, dataclass, field, replace
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Fact, Question
from handoff_tui.handoffs.claim import Claim, ClaimKind, quote
from handoff_tui.handoffs.formats.builder.results import is_template
from handoff_tui.handoffs.formats.builder.sections import normalise
from handoff_tui.handoffs.handoff import DocumentRole
from handoff_tui.handoffs.reading import markdown
from handoff_tui.handoffs.reading.claim_words import parse_verdict
from handoff_tui.handoffs.reading.format import Source

_BEFORE_STOP: Final = compile_later(r"\n(?=.*\bSTOP\b)")

_INTRODUCTION: Final = compile_later(
    r"\b(?:answer|verification|confirm|gate)\b.*\bquestions?\b|\b1[03]\s*-?\s*(?:Q\b|questions?\b)"
    r"|^\W*(?:[0-9.]+\s*)?(?:verification |gate |the )?questions\W*$",
    re.IGNORECASE,
)
_SHORT_INTRODUCTION: Final = compile_later(r"1[03][\s*_`-]*[Qq]\b")
_ANNOUNCED: Final = compile_later(r"\b(1?[0-9])[ -]questions?\b|\b(1[03])\s*-?Q\b", re.IGNORECASE)
_STOP: Final = compile_later(
    r"\bSTOP\b|\bWAIT\b.*\b(?:approval|greenlight|go-ahead|review)\b|\bwait for (?:approval|greenlight)\b"
)
_NUMBERED_LINE: Final = compile_later(r"\W*Q\s?([0-9]{1,2})\b\W*(.*)$", re.IGNORECASE | re.DOTALL)
_EXPECTED: Final = compile_later(r"\W*(?:[0-9]{1,2}[.)]\s*)?expected\b.{0,40}\banswers?\b", re.IGNORECASE)
_CONTRACT: Final = compile_later(r"\bcontract\b[^\n]{0,40}?\bv?([0-9]+(?:\.[0-9]+){0,3})\b", re.IGNORECASE)
_OPENED_LANGUAGES: Final = frozenset({"", "text", "markdown", "md", "prompt"})
_LONGEST_LABEL = 60
_HEADER_LINES = 20


class _Piece(NamedTuple):
    """A piece of the prompt with its line in the file."""

    line: int
    text: str
    heading: bool = False
    item: markdown.Item | None = None
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


def may_ask(text: str) -> bool:
    """A cheap look: questions are announced by that word, or as `13Q`."""
    return "question" in text.lower() or _SHORT_INTRODUCTION.search(text) is not None


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
            fact = reading.source.fact("stop for approval", quote(markdown.plain(text)), piece.line + offset)
            reading.facts.append(fact)
            return


def find_contract_version(source: Source) -> str | None:
    """The version that a prompt contract states under its title."""
    for section in source.outline.sections[:3]:
        for line in section.lines():
            match = re.match(
                r"\W*(?:contract )?version\W+v?([0-9]+(?:\.[0-9]+){0,3})\b", markdown.plain(line.text), re.IGNORECASE
            )
            if match:
                return match.group(1)
    match = re.search(r"\bv([0-9]+(?:\.[0-9]+){0,3})\b", source.outline.title or "")
    return match.group(1) if match else None


def _is_introduction(piece: _Piece) -> bool:
    ordered = piece.item is not None and piece.item.ordered
    return not ordered and _INTRODUCTION.search(markdown.plain(piece.text)) is not None and "?" not in piece.text


def _take_question(source: Source, questions: list[Question], piece: _Piece) -> bool:
    """Adds a question; says whether more may follow."""
    named = _NUMBERED_LINE.match(markdown.plain(piece.text))
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
    asked = _BEFORE_STOP.split(text, maxsplit=1)[0]
    return Question(number=number, text=quote(markdown.plain(asked)), where=source.place(line))


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
            match = _CONTRACT.search(markdown.plain(text)) if piece.line + offset <= _HEADER_LINES else None
            if match:
                reading.contract = match.group(1)
                reading.facts.append(reading.source.fact("prompt contract", match.group(1), piece.line + offset))
                return


def _read_expected_answers(reading: PromptReading, pieces: list[_Piece]) -> None:
    source = reading.source
    for piece in pieces:
        if not _EXPECTED.match(markdown.plain(piece.text)) or (piece.item is not None and piece.item.ordered):
            continue
        reading.facts.append(source.fact("expected answers", quote(markdown.plain(piece.text)), piece.line))
        if piece.fenced:
            source.report("shows the expected answers to the agent, inside the prompt itself", piece.line)


def _pieces(outline: markdown.Outline, *, fenced: bool = False) -> Iterator[_Piece]:
    """The document in order, with fenced prompts opened up: they are Markdown themselves."""
    for section in outline.sections:
        if section.level:
            yield _Piece(section.line, markdown.plain(section.title), heading=True)
        for block in section.blocks:
            if isinstance(block, markdown.Code) and not fenced and normalise(block.language) in _OPENED_LANGUAGES:
                for piece in _pieces(markdown.parse_markdown(block.text), fenced=True):
                    yield piece._replace(line=block.line + piece.line - 1, fenced=True)
            elif isinstance(block, markdown.Item):
                yield _Piece(block.line, block.text, item=block)
            elif isinstance(block, markdown.Paragraph):
                yield from _paragraph_pieces(block.line, block.text)


def _paragraph_pieces(line: int, text: str) -> Iterator[_Piece]:
    """One piece; or one per line where its lines are numbered questions."""
    lines = text.split("\n")
    if len([part for part in lines if _NUMBERED_LINE.match(markdown.plain(part))]) > 1:
        for offset, part in enumerate(lines):
            yield _Piece(line + offset, part)
    else:
        yield _Piece(line, text)


_ANSWER: Final = compile_later(
    r"\W*(?:Q(?:uestion)?\s*#?\s?([0-9]{1,2})|A\s?([0-9]{1,2})|([0-9]{1,2})[.):])\W*(.*)$", re.IGNORECASE
)
_NO_ANSWER: Final = compile_later(r"\W*(?:tbd|todo|n/?a|pending|\.\.\.|…)?\W*$", re.IGNORECASE)
_GREENLIGHT: Final = compile_later(
    r"\W*(?:(?:human|user|reviewer|operator|status|decision|approval|go)\W+){0,2}(?:green-?\s?light|greenlit)\b"
    r"(?P<rest>.*)$",
    re.IGNORECASE,
)
_REFUSED: Final = compile_later(
    r"\b(?:no|not|pending|wait|waiting|awaiting|await|required|requires|needed|denied|withheld|none|tbd|until|before"
    r"|yes\s*[|/]\s*no|requested|when|if|rejected|refused|deferred|hold|blocked)\b|\?|_{3,}|<|\[ ?\]|[❌✗✘☐]",
    re.IGNORECASE,
)
_NOT_HUMAN: Final = compile_later(
    r"\b(?:simulat\w*|auto\w*|script\w*|piped?|bot|agent|ci|pipeline|backfill\w*|self)\b", re.IGNORECASE
)
_BARE: Final = " :*.!"
_LABEL: Final = compile_later(r"\b(?:review|final)\s+verdict\b", re.IGNORECASE)
_STANDARD: Final = Builder.model_construct()


@dataclass(slots=True)
class ReviewReading:
    """What one answers, review or evaluation document says."""

    source: Source
    role: DocumentRole
    verdict: str | None = None
    greenlit: bool | None = None
    answered: set[int] = field(default_factory=set)
    claims: list[Claim] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)


def read_answers(source: Source) -> ReviewReading:
    """Which questions have an answer, and whether a person said go."""
    reading = ReviewReading(source, DocumentRole.ANSWERS)
    if source.readable:
        reading.answered = set(_answered_numbers(source))
        _read_greenlight(reading)
    return reading


def read_review(source: Source, role: DocumentRole, settings: Builder = _STANDARD) -> ReviewReading:
    """The verdict, which must be the last line of a review, and a greenlight if there is one."""
    reading = ReviewReading(source, role)
    if not source.readable:
        return reading
    lines = [line for line in source.outline.lines() if line.text.strip()]
    stated = [line for line in lines if _LABEL.search(line.text) and not is_template(line.text)]
    for line in stated:
        verdict = parse_verdict(line.text)
        if verdict is None:
            source.report(f"has a verdict that is not a known word: {quote(line.text)}", line.number)
            continue
        reading.verdict = verdict
        subject = "review" if role is DocumentRole.REVIEW else "evaluation"
        reading.claims.append(source.claim(ClaimKind.VERDICT, line.number, line.text, subject=subject, value=verdict))
        allowed = settings.review_verdicts if role is DocumentRole.REVIEW else settings.evaluation_verdicts
        if verdict not in allowed:
            source.report(f"has the verdict {verdict}; the standard knows {', '.join(allowed)}", line.number)
    if not stated:
        source.report("has no verdict line")
    elif role is DocumentRole.REVIEW and stated[-1] is not lines[-1]:
        source.report("has text after its verdict, which must be the last line", stated[-1].number)
    _read_greenlight(reading)
    return reading


def _answered_numbers(source: Source) -> Iterator[int]:
    """A heading `Q4` with text below it, an item, or a line that begins with its number."""
    counter = 0
    for section in source.outline.sections:
        heading = _ANSWER.match(markdown.plain(section.title)) if section.level > 1 else None
        if heading and any(not _NO_ANSWER.match(line.text) for line in section.lines()):
            yield _number(heading)
        for block in section.blocks:
            if isinstance(block, markdown.Item) and block.ordered and block.depth == 1 and heading is None:
                counter = max(counter + 1, block.number or 0)  # a list may leave questions out, or start again at 1
                if not _NO_ANSWER.match(block.text.rpartition("?")[2]):
                    yield counter
        for line in section.lines():
            match = None if line.code else _ANSWER.match(markdown.plain(line.text))
            if match and (match.group(1) or match.group(2)) and not _NO_ANSWER.match(match.group(4).rpartition("?")[2]):
                yield _number(match)


def _number(match: re.Match[str]) -> int:
    return int(match.group(1) or match.group(2) or match.group(3))


def _greenlight_lines(section: markdown.Section) -> Iterator[markdown.TextLine]:
    """A heading without a decision is read with the first line below it; an empty box is shown as one."""
    boxes = {item.line for item in section.items() if item.checked is False}
    lines = [
        markdown.TextLine(line.number, f"[ ] {line.text}") if line.number in boxes else line
        for line in section.lines()
        if not line.code and line.text.strip()
    ]
    heading = _GREENLIGHT.match(markdown.plain(section.title)) if section.level > 1 else None
    if heading and not heading.group("rest").strip(_BARE):
        yield markdown.TextLine(section.line, f"{section.title}: {lines[0].text if lines else ''}")
    elif heading:
        yield markdown.TextLine(section.line, section.title)
    yield from (line for line in lines if line.number not in boxes)


def _read_greenlight(reading: ReviewReading) -> None:
    source = reading.source
    for section in source.outline.sections:
        for line in _greenlight_lines(section):
            match = _GREENLIGHT.match(markdown.plain(line.text))
            if match is None:
                continue
            rest = match.group("rest")
            if _REFUSED.search(rest) or (not rest.strip(_BARE) and line.text.rstrip("* ").endswith(":")):
                reading.greenlit = reading.greenlit or False
            elif _NOT_HUMAN.search(rest):
                source.report(f"has a greenlight that no person gave: {quote(line.text)}", line.number)
                reading.greenlit = reading.greenlit or False
            else:
                reading.greenlit = True
                reading.facts.append(source.fact("greenlight", quote(markdown.plain(line.text)), line.number))
