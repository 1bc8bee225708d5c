"""What comes after the questions and after the work: answers, greenlight, review and evaluation, evidence, events."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from handoff_tui.config.settings.root import Builder
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Fact
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.formats.builder.results import is_template
from handoff_tui.handoffs.handoff import DocumentRole
from handoff_tui.handoffs.reading.claim_words import HASH, build_claim, canonical_hash, parse_verdict, quote
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.json_document import JsonNode
from handoff_tui.handoffs.reading.markdown import Item, Section, TextLine, plain

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
_PATH_KEYS: Final = ("path", "file", "artifact", "document", "name")
_HASH_KEYS: Final = ("sha256", "hash", "digest", "sha")
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
            source.report(f"has a verdict that is no known word: {quote(line.text)}", line.number)
            continue
        reading.verdict = verdict
        where = source.place(line.number)
        subject = "review" if role is DocumentRole.REVIEW else "evaluation"
        reading.claims.append(build_claim(ClaimKind.VERDICT, where, line.text, subject=subject, value=verdict))
        allowed = settings.review_verdicts if role is DocumentRole.REVIEW else settings.evaluation_verdicts
        if verdict not in allowed:
            source.report(f"has the verdict {verdict}; the standard knows {', '.join(allowed)}", line.number)
    if not stated:
        source.report("has no verdict line")
    elif role is DocumentRole.REVIEW and stated[-1] is not lines[-1]:
        source.report("has text after its verdict, which must be the last line", stated[-1].number)
    _read_greenlight(reading)
    return reading


def count_events(source: Source) -> Fact:
    """How many events a log holds; lines that are no JSON are problems of the file."""
    events = [document for document in source.json_lines if document.root is not None]
    return Fact(name="events", value=str(len(events)), where=source.place())


def read_evidence(source: Source) -> list[Claim]:
    """Each path that an evidence file ties to a hash. A bare file name is one in the same folder."""
    claims: list[Claim] = []
    for node in source.json.walk() if source.json is not None else ():
        if not isinstance(node.value, dict):
            continue
        for path, value, place in _evidence_pairs(node):
            subject = path if "/" in path or not source.folder else f"{source.folder}/{path}"
            text = f"{path}: {value}"
            claims.append(build_claim(ClaimKind.HASH, place.where, text, subject=subject, value=canonical_hash(value)))
    return claims


def _evidence_pairs(node: JsonNode) -> Iterator[tuple[str, str, JsonNode]]:
    """`{"path": p, "sha256": h}`, or `{"REVIEW_REPORT.md": "sha256:…"}`."""
    members = {str(member.pointer[-1]): member for member in node.members()}
    path = next((m.value for key in _PATH_KEYS if (m := members.get(key)) and isinstance(m.value, str)), None)
    digest = next((members[key] for key in _HASH_KEYS if key in members), None)
    if path and digest is not None and isinstance(digest.value, str) and HASH.search(digest.value):
        yield path, digest.value, digest
    for key, member in members.items():
        if "." in key and isinstance(member.value, str) and HASH.fullmatch(member.value):
            yield key, member.value, member


def _answered_numbers(source: Source) -> Iterator[int]:
    """A heading `Q4` with text below it, an item, or a line that begins with its number."""
    counter = 0
    for section in source.outline.sections:
        heading = _ANSWER.match(plain(section.title)) if section.level > 1 else None
        if heading and any(not _NO_ANSWER.match(line.text) for line in section.lines()):
            yield _number(heading)
        for block in section.blocks:
            if isinstance(block, Item) and block.ordered and block.depth == 1 and heading is None:
                counter = max(counter + 1, block.number or 0)  # a list may leave questions out, or start anew at 1
                if not _NO_ANSWER.match(block.text.rpartition("?")[2]):
                    yield counter
        for line in section.lines():
            match = None if line.code else _ANSWER.match(plain(line.text))
            if match and (match.group(1) or match.group(2)) and not _NO_ANSWER.match(match.group(4).rpartition("?")[2]):
                yield _number(match)


def _number(match: re.Match[str]) -> int:
    return int(match.group(1) or match.group(2) or match.group(3))


def _greenlight_lines(section: Section) -> Iterator[TextLine]:
    """A heading without a decision is read with the first line below it; an empty box is shown as one."""
    boxes = {item.line for item in section.items() if item.checked is False}
    lines = [
        TextLine(line.number, f"[ ] {line.text}") if line.number in boxes else line
        for line in section.lines()
        if not line.code and line.text.strip()
    ]
    heading = _GREENLIGHT.match(plain(section.title)) if section.level > 1 else None
    if heading and not heading.group("rest").strip(_BARE):
        yield TextLine(section.line, f"{section.title}: {lines[0].text if lines else ''}")
    elif heading:
        yield TextLine(section.line, section.title)
    yield from (line for line in lines if line.number not in boxes)


def _read_greenlight(reading: ReviewReading) -> None:
    source = reading.source
    for section in source.outline.sections:
        for line in _greenlight_lines(section):
            match = _GREENLIGHT.match(plain(line.text))
            if match is None:
                continue
            rest = match.group("rest")
            where = source.place(line.number)
            if _REFUSED.search(rest) or (not rest.strip(_BARE) and line.text.rstrip("* ").endswith(":")):
                reading.greenlit = reading.greenlit or False
            elif _NOT_HUMAN.search(rest):
                source.report(f"has a greenlight that no person gave: {quote(line.text)}", line.number)
                reading.greenlit = reading.greenlit or False
            else:
                reading.greenlit = True
                reading.facts.append(Fact(name="greenlight", value=quote(plain(line.text)), where=where))
