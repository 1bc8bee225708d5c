"""What authors conclude in their own words: statuses, decisions, verdicts, and whether something blocks. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind, quote
from handoff_tui.handoffs.grammar.stance import is_silent_heading
from handoff_tui.handoffs.handoff import AuthorWord, WordSort
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.json_document import JsonNode
from handoff_tui.handoffs.reading.markdown import Section, list_fields, parse_field, plain

_BETWEEN_CHOICES: Final = compile_later(r"\||\s/\s")

_NAME: Final = compile_later(
    r"^(?:(?:overall|current|final|project|task|story|code|peer|review|qa|test|security|gate|block|build|release"
    r"|handoff|session|phase|work|ticket|closing|evaluation|approval)\s+)*(?:status|decision|verdict|result|outcome"
    r"|review|sign[- ]?off|approval|state|conclusion|assessment|disposition|readiness|go no go|health|stand|statut"
    r"|estado|stato|статус|状态|状態|상태)$",
    re.IGNORECASE,
)
"""What a field with a conclusion may be called."""
_CLOSING: Final = compile_later(
    r"^(?:(?:overall|final|closing) (?:status|verdict|decision|result|outcome|assessment|conclusion)"
    r"|(?:qa|review|gate|release) (?:verdict|decision)|verdict|conclusion|sign[- ]?off|disposition)$",
    re.IGNORECASE,
)
"""What a field below the head has to be called: other statuses there are those of parts."""
_HEADING: Final = compile_later(
    r"^\W*(?P<name>[A-Za-z][A-Za-z -]{2,40}?)\s*[:\u2014\u2013-]+\s*(?P<text>\S.*)$",
)
_ASKED: Final = compile_later(
    r"^(?:is (?:it |this )?)?(?:ready(?: (?:for|to) [\w ]+)?|approved|accepted|mergeable|shippable|signed off|lgtm|go"
    r"|safe to (?:merge|deploy|ship)|can (?:merge|ship|deploy))\??$",
    re.IGNORECASE,
)
"""A field that asks: `Ready to merge: no`."""
_ANSWER: Final = compile_later(r"^\W*(?:(?P<no>no|false|not yet|n)|(?P<yes>yes|true|y))\b", re.IGNORECASE)
_OF_BADGE: Final = compile_later(r"^(?:qa|review|gate|ci gate|release|code review)$", re.IGNORECASE)
_BADGE: Final = compile_later(r"!\[(?P<alt>[^\]]*)\]\([^)]*/badge/(?P<name>[^-)/]+)-(?P<text>[^-)]+)-[^)]*\)")
_SORTS: Final = (
    (
        WordSort.BAD,
        compile_later(
            r"❌|🔴|⛔|🛑|✗|✘|\bfail\w*(?!\w|\s*[:=]\s*0\b)|\breject\w*|\bblocked\b|\bbroken\b|\berrors?\b|\bno-?go\b"
            r"|\bneeds? (?:\w+ )?(?:work|changes|rework|fix\w*|revision)\b|\brequest(?:s|ed)? changes\b"
            r"|\bchanges requested\b|\brequires? (?:re)?work\b|\bdenied\b|\bnot (?:yet )?(?:ready|passed|passing"
            r"|approved|accepted|done|completed?|met|ok|working|verified|good)\b|\bblockiert\b|\bfehlgeschlagen\b"
            r"|\bbloqu[ée]|\béchou|\bfall(?:id[oa]|ito)\b|失[败敗]|실패"
            r"|\b(?:did|does|do)(?: not|n['\u2019]t) (?:pass|work|meet)\b|\babort\w*|\bcancel\w*|\bescalate\w*"
            r"|\bretry\b|\broll(?:ed)?[ -]?back\b|\bunresolved\b"
            r"|\bwithheld\b|\bdegraded\b|^\W*red\b(?! (?:phase|step|done|complete))|\bcrash\w*|\bregress(?:ed|ion)\b",
            re.IGNORECASE,
        ),
    ),
    (
        WordSort.UNDER_WAY,
        compile_later(
            r"🚧|⏳|🟡|🔄|\bin[ _-]?progress\b|\bwip\b|\bwork in progress\b|\bpaused?\b|\bpending\b|\bpartial\w*"
            r"|\bdraft\b|\bwaiting\b|\bin arbeit\b|\ben (?:cours|curso)\b|\bin corso\b|进行中|進行中|진행|\bawaiting\b"
            r"|\bactive\b|\bongoing\b|\bstarted\b|\bunder ?way\b|\btodo\b|\bopen\b|\bplanned\b|\bincomplete\b"
            r"|\bunfinished\b|\bnot started\b|\btesting\b|\bin review\b|\bon hold\b",
            re.IGNORECASE,
        ),
    ),
    (
        WordSort.GOOD,
        compile_later(
            r"✅|🟢|✔|✓|\b(?:no|0|zero|without) (?:fail\w*|errors?|issues|blockers|problems)\b|\bfail\w*\s*[:=]\s*0\b"
            r"|\bunblocked\b|\bpass\w*|\bcomplete[d]?\b|\bdone\b|\bapproved?\b|\baccept\w*|\bsuccess\w*|\bready\b"
            r"|\bresolved\b|\bvalidated\b|\bverified\b|\bmerged\b|\bclosed\b|\bshipped\b|\bdeployed\b|\bfertig\b"
            r"|\berledigt\b|\bterminée?\b|\bhecho\b|\bcompletad[oa]\b|\bcompletato\b|完[了成]|완료|\bgreen\b|\bok\b"
            r"|\blgtm\b|\bgo\b|\bfinished\b|\bimplemented\b|\bworking\b|\blive\b",
            re.IGNORECASE,
        ),
    ),
)
_HEAD_LINES = 60


def sort_words(text: str) -> WordSort:
    """Whether words say good, bad, or that work is left; the first that says anything decides."""
    words = plain(text)
    found = [
        (match.start(), number, sort) for number, (sort, look) in enumerate(_SORTS) if (match := look.search(words))
    ]
    return min(found)[2] if found else WordSort.UNKNOWN


def find_words(source: Source, sections: Iterable[Section]) -> tuple[AuthorWord, ...]:
    """The conclusions in the head of a document: front matter, fields, badges, and headings (`QA decision: FAIL`)."""
    found = [*words_of_members(source.frontmatter), *_find_in_sections(source, list(sections))]
    unique = {(word.name.lower(), word.text): word for word in reversed(found)}
    return tuple(sorted(unique.values(), key=lambda word: word.where.line or 0))


def word_of(node: JsonNode, key: str) -> tuple[AuthorWord, ...]:
    """The conclusion that a member of an object states."""
    text = node.scalar(key)
    if text is None or not text.strip():
        return ()
    words = text.replace("_", " ")
    return (AuthorWord(name=key, text=quote(text), sort=sort_words(words), where=node.place_of(key)),)


def words_of_claims(claims: Iterable[Claim], status: str | None) -> Iterator[AuthorWord]:
    """The status that counts, and the last report of each role, as a format with fixed fields claims them."""
    last: dict[str, Claim] = {}
    for claim in claims:
        if claim.kind is ClaimKind.CHECK or (claim.kind is ClaimKind.STATUS and claim.value == status):
            last[claim.subject or "status"] = claim
    for name, claim in last.items():
        text = claim.text.partition(":")[2].strip() or str(claim.value)
        yield AuthorWord(name=name, text=quote(text), sort=sort_words(text.replace("_", " ")), where=claim.where)


def words_of_members(node: JsonNode | None) -> Iterator[AuthorWord]:
    """The conclusions among the members of an object: front matter, or a note in JSON or YAML."""
    for member in node.members() if node else ():
        text = None if isinstance(member.value, dict | list | bool) else member.as_text()
        name = member.key.replace("_", " ").replace("-", " ")
        if isinstance(member.value, bool) and _ASKED.match(name):
            yield _answer(name, str(member.value).lower(), member.where, good=member.value)
        if text and text.strip() and _NAME.match(name):
            yield AuthorWord(name=name, text=quote(text), sort=sort_words(text.replace("_", " ")), where=member.where)


def _find_in_sections(source: Source, sections: list[Section]) -> Iterator[AuthorWord]:
    is_head = True
    closing: list[AuthorWord] = []
    for section in sections:
        heading = _HEADING.match(section.name) if section.level > 1 else None
        if heading is not None and _NAME.match(heading["name"].strip()):
            yield _build(source, heading["name"], heading["text"], section.line)
        elif section.level > 1 and _NAME.match(section.name):
            first = next((line for line in section.lines() if line.text.strip() and not line.code), None)
            if first is not None and parse_field(first.text) is None and sort_words(first.text) is not WordSort.UNKNOWN:
                yield _build(source, section.name, first.text, first.number)
        if section.level <= 1 or (is_head and not is_silent_heading(section.name)):
            yield from _find_in_head(source, section)
        elif not is_silent_heading(section.name):
            closing.extend(_find_closing(source, section))
        is_head = is_head and not section.blocks
    names = Counter(word.name.lower() for word in closing)
    yield from (word for word in closing if names[word.name.lower()] == 1)  # several are of parts


def _find_in_head(source: Source, section: Section) -> Iterator[AuthorWord]:
    """Fields and badges above everything else, or in the first section that has any text."""
    for line, name, value in list_fields([section]):
        if line.number <= _HEAD_LINES and value:
            if _NAME.match(name):
                if not _is_choice(value):
                    yield _build(source, name, value, line.number)
            elif _ASKED.match(name) and (answer := _ANSWER.match(value)) and not _is_choice(value):
                yield _answer(name, value, source.place(line.number), good=answer["yes"] is not None)
    for line in section.lines():
        for badge in () if line.code else _BADGE.finditer(line.text):
            named = [text.replace("_", " ").strip() for text in (badge["name"], badge["alt"])]
            if any(_NAME.match(text) or _OF_BADGE.match(text) for text in named):
                yield _build(source, badge["name"], badge["text"], line.number)


def _find_closing(source: Source, section: Section) -> Iterator[AuthorWord]:
    """A conclusion on a line of its own, in whichever section it stands."""
    for line, name, value in list_fields([section]):
        if _CLOSING.match(name) and " | " not in line.text and sort_words(value) is not WordSort.UNKNOWN:
            yield _build(source, name, value, line.number)


def _answer(name: str, text: str, where: Place, *, good: bool) -> AuthorWord:
    sort = WordSort.GOOD if good else WordSort.BAD
    return AuthorWord(name=name, text=quote(" ".join(plain(text).split())), sort=sort, where=where)


def _is_choice(text: str) -> bool:
    """Whether it is the unfilled choice of a template: `PASS | FAIL | PARTIAL`."""
    parts = [part for part in _BETWEEN_CHOICES.split(text) if part.strip()]
    return len(parts) > 1 and all(sort_words(part) is not WordSort.UNKNOWN for part in parts)


def _build(source: Source, name: str, text: str, line: int) -> AuthorWord:
    words = " ".join(plain(text).split())
    return AuthorWord(name=name.strip(), text=quote(words), sort=sort_words(words), where=source.place(line))


_NOTHING: Final = compile_later(
    r"^\W*(?:there (?:are|is)\s+)?(?:currently\s+)?(?:none|nothing|no|not|n/?a|nil|empty|0|zero|keine?r?|ingen"
    r"|aucune?|ninguno|all clear|clear|unblocked|-+)\b(?:\s+(?:known|open|current|active|outstanding|remaining"
    r"|at this time|right now|currently|blockers?|blocked|blocking|issues?|problems?|impediments?|yet|so far"
    r"|identified|found|for now|of note))*\W*$",
    re.IGNORECASE,
)
_BEGINS_WITH_NONE: Final = compile_later(
    r"^\W*(?:none|nothing(?: blocking\b|\W+(?:good|all|clear|ready)\b|\W*$)|(?:there (?:are"
    r"|is) )?(?:currently )?no (?:known |open |current |active )?blockers?)\b",
    re.IGNORECASE,
)
_SETTLED: Final = compile_later(
    r"^\W{0,4}(?:✅|✔|☑|🟢|~~|\[x\])|^\W*(?:resolved|fixed|closed|cleared|unblocked)\b|(?<!un)(?<!not )\bresolved\b"
    r"|\|\s*(?:closed|done|fixed)\s*$|(?:✅|✔)\W*(?:done|closed|fixed|resolved|complete)?\W*$",
    re.IGNORECASE,
)


def says_nothing(text: str) -> bool:
    """Whether a text only says that there is nothing: `None`, `0`, `Nothing blocking.`, `No known blockers.`."""
    words = plain(text)
    return not words or bool(_NOTHING.match(words)) or bool(_BEGINS_WITH_NONE.match(words))


def is_settled(text: str, *, checked: bool | None = None) -> bool:
    """Whether an entry among blockers is ticked, struck out, or said to be resolved."""
    return bool(checked) or bool(_SETTLED.search(text))
