"""Finds where a handoff says that something was removed, skipped or lowered. A mere mention explains nothing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.handoff import Handoff


class Drop(StrEnum):
    """How something can be less than it was."""

    REMOVED = "removed"
    SKIPPED = "skipped"
    LOWERED = "lowered"


_NO_LONGER_RUNS: Final = r"disabl(?:e|ed|es|ing)|deselect(?:ed|ing)?|exclud(?:e|ed|es|ing)|ignor(?:e|ed|es|ing)"
_WORDS: Final = {
    Drop.REMOVED: (
        r"remov(?:e|ed|es|ing|al)|delet(?:e|ed|es|ing|ion)|drop(?:s|ped|ping)?|retir(?:e|ed|es|ing)|eliminat(?:e|ed|ing)"
        r"|replac(?:e|ed|es|ing)|supersed(?:e|ed|es|ing)|renam(?:e|ed|es|ing)|mov(?:e|ed|es|ing)|merg(?:e|ed|es|ing)"
        r"|consolidat(?:e|ed|ing)|fold(?:ed|ing)?|uninstall(?:ed|ing)?|discard(?:ed|ing)?|prun(?:e|ed|ing)|purg(?:e|ed|ing)"
        r"|no longer (?:runs?|exists?|there|needed|used|present|part|included|collected|required|installed|shipped)"
        r"|gone|taken out|comment(?:ed|ing)? out|" + _NO_LONGER_RUNS
    ),
    Drop.SKIPPED: (
        r"skip(?:s|ped|ping)?|xfail(?:s|ed)?|quarantin(?:e|ed|es|ing)|deactivat(?:e|ed|ing)|mut(?:e|ed|ing)|"
        + _NO_LONGER_RUNS
    ),
    Drop.LOWERED: (
        r"lower(?:s|ed|ing)?|drop(?:s|ped|ping)?|decreas(?:e|ed|es|ing)|reduc(?:e|ed|es|ing)|fell|falls?|fallen|down"
        r"|declin(?:e|ed|es|ing)|less"
    ),
}
# part of a name or path, a word means nothing
_WORD: Final = {
    drop: re.compile(rf"(?<![\w./:-])(?:{words})(?![\w/-]|[.:][\w:])", re.IGNORECASE) for drop, words in _WORDS.items()
}
_ANY_WORD: Final = compile_later("|".join(pattern.pattern for pattern in _WORD.values()), re.IGNORECASE)
_NEGATION: Final = compile_later(
    r"\b(?:no(?! longer)|not|never|without|nor|cannot|would|could|might|may|0)\b|n['’]t\b", re.IGNORECASE
)
_NONE: Final = compile_later(r"\b(?:none|neither|nothing|nobody)\b", re.IGNORECASE)
_CLAUSE_END: Final = compile_later(r"[,:;.!?](?=\s|$)|[()|–—]| -{1,2} ")
_BRACKETS: Final = compile_later(r"\([^()]*\)|[^\w\s'’-]")
_LONGEST_HEADING: Final = 6
_CELL_BEGINNING: Final = 2
_OPPOSITE: Final = compile_later(
    r"\b(?:add(?:ed|s|ing)?|new|creat(?:ed|ing)|kept|fix(?:ed|es)|modified|changed|updated|introduced|pass(?:ed|es|ing)?)\b",
    re.IGNORECASE,
)
_KEPT: Final = compile_later(
    r"\b(?:still|kept|keeps?|remains?|remained|unchanged|restored|re-?added|retained|intact|pass(?:es|ed|ing)?|green)\b"
    r"|^\W*not\b",
    re.IGNORECASE,
)


def find_drops(words: str) -> frozenset[Drop]:
    """The drops a clause reports: "test_a was removed", but not "none of them was removed"."""
    if _ANY_WORD.search(words) is None:
        return frozenset()
    ends = [match.end() for match in _CLAUSE_END.finditer(words)]
    return frozenset(drop for drop, pattern in _WORD.items() if _reports(words, pattern, ends))


def find_heading_drops(words: str) -> frozenset[Drop]:
    """The drops a heading reports for everything listed under it: "Removed tests", "Files deleted (3)".

    A heading that is a sentence, or also about other things, doesn't count.
    """
    plain = _BRACKETS.sub(" ", words).split()
    if len(plain) > _LONGEST_HEADING or has_opposite(words):
        return frozenset()
    return find_drops(" ".join(plain[:1])) | find_drops(" ".join(plain[-1:]))


def find_introduction_drops(words: str) -> frozenset[Drop]:
    """The drops a line reports for the list below it: "The following were removed, since nobody used them:"."""
    return frozenset() if has_opposite(words) else find_drops(words)


def find_row_drops(words: str) -> frozenset[Drop]:
    """The drops a table row reports: a cell must start with the word; "supersedes" deep inside doesn't count."""
    cells = (cell.split() for cell in words.split("|"))
    return frozenset().union(*(find_drops(" ".join(cell[:_CELL_BEGINNING])) for cell in cells))


def has_opposite(words: str) -> bool:
    """Whether a heading is about the opposite: "Added" under "Removed and added"."""
    return _OPPOSITE.search(words) is not None


def is_kept(clause: str) -> bool:
    """Whether a clause says that what it names is still there."""
    return _KEPT.search(clause) is not None


def split_clauses(words: str) -> list[tuple[int, int]]:
    """The start and end of each clause."""
    clauses: list[tuple[int, int]] = []
    start = 0
    for match in _CLAUSE_END.finditer(words):
        clauses.append((start, match.start()))
        start = match.end()
    return [*clauses, (start, len(words))]


def _reports(words: str, pattern: re.Pattern[str], ends: list[int]) -> bool:
    none = _NONE.search(words)
    stop = len(words) if none is None else none.start()
    for match in pattern.finditer(words, 0, stop):
        earlier = bisect_right(ends, match.start())
        if not _NEGATION.search(words, ends[earlier - 1] if earlier else 0, match.start()):
            return True
    return False


_HEADING: Final = compile_later(r"(#{1,6})\s+(.*)")
_ITEM: Final = compile_later(r"([ \t]*)(?:[-*+•]|[0-9]{1,4}[.)])[ \t]+(.*)")
_OPEN_BOX: Final = compile_later(r"\[ \]")
_FENCES: Final = ("```", "~~~")
_BOLD_LINE: Final = compile_later(r"(?:\*\*|__)[^*_]+(?:\*\*|__):?$")
_CODE: Final = compile_later(r"`[^`]+`")
_QUOTED: Final = compile_later(r"`([^`]+)`|\"([^\"]{2,200})\"|“([^”]{2,200})”|«([^»]{2,200})»")
# "replaced by x", "moved to x": x is what took its place
_TARGET: Final = compile_later(r"(?:\b(?:to|into|by|with)|→|->)[\s*`\"“«]*\Z")
_LONGEST_TARGET: Final = 10
_LEAD: Final = compile_later(r"(?:[\s|*_~]|\[[xX]\])*")
_BARE: Final = compile_later(r"[^\s`|\"“”«»()]+")
# the end of a sentence, or a word after which it is about something else
_PIECE_END: Final = compile_later(
    r"[.!;](?=\s|$)|\?(?=\s|$)|\b(?:but|while|whereas|except|instead of|rather than|other than|unlike|besides)\b",
    re.IGNORECASE,
)


class NamedDrop(NamedTuple):
    """A name and what is said about it. `marked`: in code marks or quotes, or first in a list item."""

    name: str
    drops: frozenset[Drop]
    line: int
    marked: bool


@dataclass(slots=True)
class _Unit:
    """A paragraph, a list item, or a table row."""

    lines: list[tuple[int, str]]
    indent: int | None = None
    """Of an item or row; None for a paragraph."""
    drops: frozenset[Drop] = frozenset()
    """What the heading or line above the list says about its items."""


@dataclass(slots=True)
class _Position:
    """The reader's position in a document."""

    headings: list[tuple[int, frozenset[Drop]]] = field(default_factory=list)
    introductions: list[tuple[int, frozenset[Drop]]] = field(default_factory=list)
    unit: _Unit | None = None
    fenced: bool = False


def find_named_drops(text: str) -> Iterator[NamedDrop]:
    """Every name a document reports as dropped."""
    for unit in _split_units(text):
        yield from _read_unit(unit)


def find_named_drops_in_line(text: str) -> Iterator[NamedDrop]:
    """The same for a single line."""
    yield from _read_unit(_Unit([(1, text)]))


def _split_units(text: str) -> Iterator[_Unit]:
    reader = _Position()
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith(_FENCES):
            yield from _close(reader)
            reader.fenced = not reader.fenced
        elif not stripped:
            yield from _close(reader)
        elif not reader.fenced and (heading := _HEADING.match(line)):
            yield from _close(reader)
            _enter_heading(reader, len(heading.group(1)), heading.group(2))
            yield _Unit([(number, heading.group(2))])
        elif item := _ITEM.match(line):
            yield from _close(reader)
            _open_item(reader, len(item.group(1).expandtabs(4)), number, item.group(2))
        elif stripped.startswith("|") or reader.fenced:
            yield from _close(reader)
            _open_item(reader, 0, number, stripped)
            yield from _close(reader)
        elif reader.unit is not None:
            reader.unit.lines.append((number, stripped))
        else:
            reader.introductions.clear()
            reader.unit = _Unit([(number, stripped)])
    yield from _close(reader)


def _enter_heading(reader: _Position, level: int, title: str) -> None:
    reader.introductions.clear()
    while reader.headings and reader.headings[-1][0] >= level:
        reader.headings.pop()
    above = reader.headings[-1][1] if reader.headings else frozenset[Drop]()
    words = _mask(title)
    drops = find_heading_drops(words) or (frozenset[Drop]() if has_opposite(words) else above)
    if level == 1:  # a document's title says nothing about its lists
        drops = frozenset()
    reader.headings.append((level, drops))


def _open_item(reader: _Position, indent: int, number: int, text: str) -> None:
    while reader.introductions and reader.introductions[-1][0] >= indent:
        reader.introductions.pop()
    drops = reader.headings[-1][1] if reader.headings else frozenset[Drop]()
    if reader.introductions:
        drops = reader.introductions[-1][1]
    reader.unit = _Unit([(number, text)], indent, drops)


def _close(reader: _Position) -> Iterator[_Unit]:
    """Ends the unit; an introduction ("Removed:") is remembered for the items below it."""
    unit, reader.unit = reader.unit, None
    if unit is None:
        return
    last = unit.lines[-1][1].rstrip()
    if last.rstrip("*_").endswith(":") or _BOLD_LINE.fullmatch(last):
        words = _mask(" ".join(line for _, line in unit.lines))
        sentence = words[max((match.end() for match in _PIECE_END.finditer(words)), default=0) :]
        level = -1 if unit.indent is None else unit.indent
        reader.introductions.append((level, find_introduction_drops(sentence)))
    yield unit


def _read_unit(unit: _Unit) -> Iterator[NamedDrop]:
    text = " ".join(line for _, line in unit.lines)
    if _OPEN_BOX.match(text):
        return
    words = _mask(text)
    find = find_row_drops if text.startswith("|") else find_drops
    start = 0
    for end in [*_PIECE_END.finditer(words), None]:
        stop = len(words) if end is None else end.start()
        asked = end is not None and end.group() == "?"
        told = find(words[start:stop]) | (unit.drops if start == 0 else frozenset())
        if told and not asked:
            yield from _read_piece(unit, text, words, (start, stop), told)
        start = stop if end is None else end.end()


def _read_piece(
    unit: _Unit, text: str, words: str, piece: tuple[int, int], drops: frozenset[Drop]
) -> Iterator[NamedDrop]:
    start, stop = piece
    starts = _list_starts(unit)
    lead = _LEAD.match(text)
    head = lead.end() if lead and unit.drops else -1
    for first, last in split_clauses(words[start:stop]):
        if is_kept(words[start + first : start + last]):
            continue
        for name, offset, marked in _find_names(text, start + first, start + last):
            if _TARGET.search(text, max(0, offset - _LONGEST_TARGET), offset):
                continue
            line = unit.lines[bisect_right(starts, offset) - 1][0]
            yield NamedDrop(name, drops, line, marked or offset <= head)


def _list_starts(unit: _Unit) -> list[int]:
    starts, offset = [], 0
    for _, line in unit.lines:
        starts.append(offset)
        offset += len(line) + 1
    return starts


def _find_names(text: str, start: int, stop: int) -> Iterator[tuple[str, int, bool]]:
    for match in _QUOTED.finditer(text, start, stop):
        inside = next(group for group in match.groups() if group is not None)
        yield from ((name, match.start(), True) for name in {inside, *_vary(inside.strip())})
    for match in _BARE.finditer(text, start, stop):
        yield from ((name, match.start(), False) for name in _vary(match.group()))


def _vary(token: str) -> set[str]:
    """A name without surrounding punctuation, with and without brackets."""
    loose = token.lstrip("*~'’").rstrip("*~'’.,;:!?")
    tight = loose.lstrip("[{<*~'’").rstrip("]}>*~'’.,;:!?")
    names = {loose, tight, tight.removesuffix("()"), tight.rstrip("/")}
    return {name.removeprefix("./") for name in names} - {""}


def _mask(text: str) -> str:
    """Blanks out everything in code marks, so a name is never taken for a word."""
    return _CODE.sub(lambda match: "\x01" * len(match.group()), text)


_DISTINCTIVE: Final = compile_later(r"[0-9_./:#@-]|[a-z][A-Z]")
_REMOVED: Final = frozenset({Drop.REMOVED})


@dataclass(frozen=True, slots=True)
class Explanations:
    """Names that handoffs report as dropped, each with the first place that does."""

    named: dict[Drop, dict[str, Place]] = field(default_factory=lambda: {drop: {} for drop in Drop})
    marked: dict[Drop, dict[str, Place]] = field(default_factory=lambda: {drop: {} for drop in Drop})
    """Names in code marks or quotes, or first in a list item: only there can a plain word be a name."""

    def find(self, drop: Drop, names: Iterable[str]) -> Place | None:
        """The place that reports one of these names as dropped; None if there is none."""
        named, marked = self.named[drop], self.marked[drop]
        for name in names:
            place = marked.get(name)
            if place is None and _DISTINCTIVE.search(name):
                place = named.get(name)
            if place is not None:
                return place
        return None

    def find_word(self, drop: Drop, words: Iterable[str]) -> Place | None:
        """The same for an unambiguous plain word, such as `coverage`."""
        return next((place for word in words if (place := self.named[drop].get(word)) is not None), None)


def build_explanations(handoffs: Iterable[Handoff], texts: Iterable[tuple[str, str]]) -> Explanations:
    """Collects explanations from handoffs' claims and messages, and from documents given as path and text."""
    explanations = Explanations()
    for handoff in handoffs:
        for place, drop in _list_claimed(handoff):
            _add(explanations, place, drop)
    for path, text in texts:
        for drop in find_named_drops(text):
            _add(explanations, Place(path=path, line=drop.line), drop)
    return explanations


def _list_claimed(handoff: Handoff) -> Iterator[tuple[Place, NamedDrop]]:
    for claim in handoff.claims:
        if claim.kind is ClaimKind.FILE_DELETED and claim.subject:
            yield claim.where, NamedDrop(claim.subject, _REMOVED, 1, marked=True)
        if claim.kind in {ClaimKind.FILE_DELETED, ClaimKind.FILE_MODIFIED}:
            yield from ((claim.where, drop) for drop in find_named_drops_in_line(claim.text))
    for package in handoff.packages:
        yield from ((package.where, NamedDrop(name, _REMOVED, 1, marked=True)) for name in package.supersedes)
    if handoff.message and handoff.documents:
        place = Place(path=handoff.documents[0].path)
        yield from ((place, drop) for drop in find_named_drops(handoff.message))


def _add(explanations: Explanations, place: Place, found: NamedDrop) -> None:
    for drop in found.drops:
        explanations.named[drop].setdefault(found.name, place)
        if found.marked:
            explanations.marked[drop].setdefault(found.name, place)
