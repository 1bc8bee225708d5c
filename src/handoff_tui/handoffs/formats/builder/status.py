"""The status a document claims: in a heading, in a field under the title, or only in its closing verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from handoff_tui.core.tasks import Fact
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.formats.builder.sections import fields, headed, normalise, preamble
from handoff_tui.handoffs.reading.claim_words import build_claim, parse_status, parse_verdict, quote
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.markdown import TextLine, plain

_STATUS_FIELDS: Final = ("status", "overall status", "result", "overall result", "outcome")


class StatusReading(NamedTuple):
    """A status token, the words it came from, and where they stand."""

    token: str
    text: str
    line: int
    claim: Claim
    facts: tuple[Fact, ...] = ()


def find_status(source: Source) -> StatusReading | None:
    """The first status that can be read; words that are no status are reported."""
    candidates = list(_stated(source))
    for line, text in candidates:
        if is_template(text):
            source.report(f"states no status: {quote(text)} is the choice from the template", line)
        elif (token := parse_status(text)) is not None:
            return _build(source, token, text, line)
        else:
            source.report(f"has a status that is no known word: {quote(text)}", line)
    closing: TextLine | None = None
    for written in source.outline.lines():
        if not written.code and not is_template(written.text) and parse_verdict(written.text) is not None:
            closing = written
    verdict = parse_verdict(closing.text) if closing else None
    return _build(source, verdict, closing.text, closing.number) if closing and verdict else None


def is_template(text: str) -> bool:
    """`PASS | FAIL | PARTIAL` is a choice that nobody made."""
    return len([part for part in text.replace("/", "|").split("|") if parse_status(_after_colon(part))]) > 1


def _after_colon(text: str) -> str:
    return text.rpartition(":")[2]


def _stated(source: Source) -> Iterator[tuple[int, str]]:
    for section in headed(source.outline):
        name = section.name
        if normalise(name).partition(" ")[0] != "status":
            continue
        value = re.sub(r"^\W*status\W*", "", plain(name), flags=re.IGNORECASE)
        if value:
            yield section.line, value
            continue
        first = next((line for line in section.lines() if line.text.strip()), None)
        if first is not None:
            yield first.number, plain(first.text)
    for line, name, value in fields(preamble(source.outline)):
        if name in _STATUS_FIELDS and value:
            yield line.number, value


def _build(source: Source, token: str, text: str, line: int) -> StatusReading:
    claim = build_claim(ClaimKind.STATUS, source.place(line), text, value=token)
    words = quote(plain(text))
    extra = words.upper().strip(" .!*") != token
    facts = (Fact(name="status in words", value=words, where=source.place(line)),) if extra else ()
    return StatusReading(token, text, line, claim, facts)
