"""What a sentence says became of the files it names: who does what to them, and whether it is asserted at all. Pure.

Each file is judged by what stands right behind it (`x` was added; `x`, which I wrote; `x` (new)), else by the verb that
governs it and the words between them (added `x`; added a test to `x`; added a test for `x`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.grammar import stance
from handoff_tui.handoffs.grammar.clauses import (
    ADVERBS,
    ARROWS,
    AUX,
    DETERMINERS,
    FILE_NOUNS,
    FINITE,
    INTO,
    LISTED_BY,
    PATH_SIGN,
    PREPOSITIONS,
    RELATIVE,
    SUBJECTS,
    Clauses,
    PathSpan,
    find_clause_end,
)
from handoff_tui.handoffs.grammar.lexicon import (
    CREATED,
    DELETED,
    KIND_OF,
    MODIFIED,
    NEW,
    Effect,
    Form,
    Verb,
    find_verb,
    word_set,
)

_LISTING: Final = word_set("including namely called named")
_CHANGING: Final = word_set("gained gains grew received lost")
_SOME: Final = word_set("some more another several two three four five six")
_OBJECTS_ABOUT: Final = word_set(
    "reference references link links pointer pointers path paths import imports call calls according "
    "compared due similar thanks next prior addition up related relative dependency dependencies respect "
    "access usage usages dependence mention mentions"
)
_MODAL: Final = word_set(
    "will shall should must would could can may might needs need cannot still stays stay remains remain"
)
_UNCHANGED: Final = word_set("not never untouched unchanged unmodified")
_BEHIND_PRONOUN: Final = ADVERBS | LISTED_BY | PREPOSITIONS | word_set("because too while since when")
_VERB_LAST: Final = word_set("wurde wurden habe haben hat werd heb heeft")
_PRONOUNS: Final = word_set("it them both")
_SAME: Final = word_set("likewise ebenso ditto également también anche igualmente")
_GONE: Final = word_set("gone dead history")
_OF: Final = word_set("of de di du des von van")
_APART: Final = NEW | word_set("own separate dedicated")
_TAKING: Final = {Effect.DELETE, Effect.EXTRACT, Effect.PUT, Effect.MOVE}
_MOST_NOUNS = 9
"""More words between a verb and a path are another thought."""
_NEAR = 4
_MOST_STEPS = 5
_Said = ClaimKind | bool | None
"""A kind of claim; False if it is denied, planned or undone; None if nothing is said."""
_POINTS: Final = compile_later(
    r"(?:^|[.:;,(\u2014]\s*|\bfor \w+(?: \w+)?,?\s+"
    r"|\b(?:please|then|also|first|and|should|must|to|you can|or)\s+)[\W\d]*(?:read|see|refer to"
    r"|start (?:with|at|from|in|by reading)|consult|open|check(?: out)?|look (?:at|in|into)|review|follow"
    r"|have a look at|run|execute|begin with|go through|study|skim|cf\.?|compare)\b[\s*_:]*(?:(?:the|our"
    r"|through)\s+)?(?:\w+\s+){0,3}(?:(?:in|at|of|and)\s+)?(?:the\s+)?[(\s`*]*$",
    re.IGNORECASE,
)
_LIES_IN: Final = compile_later(
    r"\b(?:(?:lives?|lie|lies|sits?|resides?|stays?|starts?|begins?|happens?|remains?)|(?:is|are|can be|was|were"
    r"|'s)(?: \w+ly)?(?: now| still| all| both| also)? (?:\w+ly )?(?:documented|described|explained|defined|specified"
    r"|recorded|listed|outlined|detailed|captured|summari[sz]ed|noted|found|located|kept|stored|tracked|covered"
    r"|implemented|written up|written down|configured|declared|handled|laid out|set out|spelled out|collected|held"
    r"|based)|(?:is|are)(?: now)?) (?:in|at|under|inside|on|by)\s+(?:the\s+)?(?:\w+\s+)?[(\s`*]*$|\b(?:is"
    r"|are) now\s+[(\s`*]*$|\b(?:entry ?point|starting point|source of truth|details|documentation|docs|spec|design"
    r"|full \w+|more|background) (?:is|are|in|lives? in)\s+(?:the\s+)?[(\s`*]*$",
    re.IGNORECASE,
)
_CONTAINS: Final = compile_later(
    r"^[`*)\]\s]*(?:contains?|holds?|explains?|describes?|documents?|defines?|has(?! (?:not|never|been|no)\b)"
    r"|implements?|exports?|covers|shows?|lists?|says?|configures?|handles?|provides?|wraps?|owns?|exposes?"
    r"|is (?:now )?(?:the|where|a|an|our)|are the|keeps?|does|reads?|drives?|starts?|runs?|calls?|uses?)\b",
    re.IGNORECASE,
)
_FEW = 9
_ELSEWHERE: Final = compile_later(
    r"^[`*)\s]*(?:in|on|from|of) (?:the |an? |my |our |their |its )?(?:own|old|other|another|previous|deleted|former"
    r"|upstream|separate|\S+ (?=branch|repo))\S* ?(?:branch|repo\w*|project|release|version)"
    r"|^[`*),\s]*if (?:it|they) (?:exists?|is there|are there)\b",
    re.IGNORECASE,
)
_NOT_HERE: Final = compile_later(
    r"\b(?:does(?:n['\u2019]t| not) exist|do(?:n['\u2019]t| not) exist|is missing|are missing|is gone|no longer exists?"
    r"|not there|there(?: is|['\u2019]s| are| was) no|other repo\w*|another repo\w*|own repo\w*"
    r"|separate repo\w*|not part of|upstream|outside (?:of )?th(?:is|e) repo\w*|is a typo|used to)\b",
    re.IGNORECASE,
)


def read_sentence(
    masked: str, start: int, end: int, words: Sequence[PathSpan], *, done: bool | None
) -> list[tuple[PathSpan, ClaimKind]]:
    """What is said of each path between two positions of a masked text; a path of which nothing is said is left out.

    `done`: whether the context says that what stands here in the imperative was done; None below a file.
    """
    if "?" in masked[start:end].rstrip(" *_)")[-1:]:
        return []
    by_start = {word.start: word for word in words}
    reading = _Reading(Clauses(masked, start, end, done=done), by_start)
    return [(by_start[at], kind) for at, kind in reading.judge() if at in by_start]


class _Reading:
    def __init__(self, clauses: Clauses, words: Mapping[int, PathSpan]) -> None:
        self.words = words
        self.clauses, self.text, self.tokens = clauses, clauses.text, clauses.tokens

    def judge(self) -> list[tuple[int, ClaimKind]]:
        """Where a path stands, and what is said of it."""
        found: list[tuple[int, ClaimKind]] = []
        before: _Said = None
        for first, last in self.clauses.list_groups():
            behind = self._read_behind(last + 1)
            is_same = self.text(first - 2) == "so" and self.text(first - 1) in AUX
            if not ((is_same or self.text(first - 1) in _SAME) and found):
                before = None if behind is not None else self._read_before(first)
            else:
                before = found[-1][1]  # `a` was added, and so was `x`
            for number in filter(self.clauses.is_path, range(first, last + 1)):
                own = self._read_annotation(number + 1)
                kind = own if own is not None else behind if behind is not None else before
                moved = self._read_arrow(number, kind)
                kind = moved if moved is not None else kind
                kind = self._read_pronoun(first, last) if kind is None else kind
                if isinstance(kind, ClaimKind):
                    found.append((self.tokens[number].start, kind))
        return found

    def _read_pronoun(self, first: int, last: int) -> _Said:
        """We don't need `x`, so I deleted it; not what only stands in a file: a flag in `x`, so I deleted it."""
        inside = self.text(first - 1) in PREPOSITIONS
        for number in range(last + 1, len(self.tokens)):
            if self.clauses.is_path(number):
                return None
            verb = self.clauses.verb(number)
            if verb is None or verb.form is not Form.PAST or self.text(number + 1) not in _PRONOUNS:
                continue
            ends = self.text(number + 2)
            subject = {self.text(number - 1), self.text(number - 2)} & {"i", "we", "and"}
            if subject and (not ends or not ends[0].isalpha() or ends in _BEHIND_PRONOUN):
                kind = self._kind_behind(number, verb)
                return kind if kind is MODIFIED or not inside else None
        return None

    def _read_annotation(self, number: int) -> _Said:
        """A bracket behind a path: (new), (deleted), (+12 -3); False if it denies."""
        if self.text(number) != "(":
            return None
        return stance.read_annotation(self.clauses.after(number), done=bool(self.clauses.done))

    def _read_arrow(self, number: int, kind: _Said) -> ClaimKind | None:
        """`a` -> `b`, where something was moved; `a` became `b`."""
        for other, sign, moved in ((number + 2, number + 1, DELETED), (number - 2, number - 1, CREATED)):
            if self.text(sign) == "became" and self.clauses.is_path(other) and self.clauses.is_told(sign):
                return moved
        if (
            self.text(number - 1) == "en"
            and self.clauses.is_path(number - 2)
            and kind is DELETED
            and self._is_move(number - 2)
        ):
            return CREATED  # renommé `a` en `b`
        if self.text(number + 1) in ARROWS and self.clauses.is_path(number + 2) and kind is DELETED:
            return DELETED
        if self.text(number - 1) in ARROWS and self.clauses.is_path(number - 2):
            return CREATED if self._is_move(number - 2) else None
        return None

    def _is_move(self, number: int) -> bool:
        """Whether a verb that governs a path moves it."""
        at = self.clauses.find_governing(number)
        verb = None if at is None else self.clauses.verb(at)
        return verb is not None and verb.act is Effect.MOVE

    # what stands behind a group

    def _read_behind(self, number: int) -> _Said:
        """Reads `… was added`, `…, which I wrote`, `… is new`."""
        number = self.clauses.skip_brackets(number)
        comma = self.text(number) == ","
        number += comma
        number += self.text(number) in RELATIVE
        text, after = self.text(number), self.text(number + 1)
        if text in {"i", "we"}:
            return self._read_own_deed(number + 1, is_relative=self.text(number - 1) in RELATIVE)
        is_grown = text == "now" and after.endswith("s") and after not in AUX | FINITE
        is_grown = is_grown or (text in {"got", "gets"} and (after in DETERMINERS | _SOME or after.isdigit()))
        if text in _CHANGING or is_grown:
            return MODIFIED if self.clauses.is_told(number) else None
        if text in _VERB_LAST and (last := self._find_last(number)) is not None:
            return self._kind_behind(last, self.clauses.verb(last))
        helpers: list[str] = []
        while (
            (text := self.text(number)) in AUX
            or text in ADVERBS
            or text.endswith("ly")
            or (helpers and text == "to")
            or (text in NEW and self.clauses.verb(number + 1) is not None)
            or (helpers and helpers[-1] in AUX and self._is_adverb(number))
        ):
            helpers.append(text)
            number += 1
        if text.endswith(("n't", "n\u2019t")) or (text in _UNCHANGED and (helpers or not comma)):
            return False
        if text in _MODAL and not set(helpers) & AUX:
            return False
        return self._read_passive(number, helpers)

    def _find_last(self, number: int) -> int | None:
        """The participle with which a clause ends: wurde um eine Route erweitert."""
        while self.text(number + 1)[:1].isalnum() and not self.clauses.is_path(number + 1):
            number += 1
        verb = self.clauses.verb(number)
        return number if verb is not None and verb.form is Form.PAST else None

    def _is_adverb(self, number: int) -> bool:
        """Whether an unknown word between a helper and a participle can only be an adverb: has likewise been added."""
        text, verb = self.text(number + 1), self.clauses.verb(number + 1)
        follows = text in AUX or (verb is not None and verb.form is Form.PAST)
        word = self.text(number)
        return (
            follows and word.isalpha() and word not in _MODAL | _UNCHANGED | NEW and self.clauses.verb(number) is None
        )

    def _read_passive(self, number: int, helpers: list[str]) -> _Said:
        """`was also added`, `had to be changed`, `is new`; a participle alone, as in `x updated`."""
        text, verb, helped = self.text(number), self.clauses.verb(number), [one for one in helpers if one in AUX]
        if "to" in helpers:
            finished = "had" in helpers and "be" in helpers and verb is not None
            return self._kind_behind(number, verb) if finished else False
        article = text in {"made", "a", "an"}
        is_new = self.text(number + article) in NEW
        if helped and (is_new or text in _GONE):
            kind = CREATED if is_new else DELETED
            return kind if self.clauses.is_told(number) else None
        if (
            is_new
            and not helped
            and number
            and self._governs_nothing(number)
            and self.clauses.find_governing(number - 1) is None
        ):
            return CREATED if self.clauses.is_told(number) else None  # Done: `x` new
        if verb is None or verb.form is not Form.PAST:
            return None
        if not helped:
            at = self.clauses.find_governing(number - 1)
            lone = at is None or self.text(self._find_group(number) - 1) == "(" or self._is_passive(at)
            return self._kind_behind(number, verb) if lone and self._governs_nothing(number) else None
        return self._read_helped(number, helpers, helped, verb)

    def _find_group(self, number: int) -> int:
        """Where the paths before a position begin."""
        number -= 1
        while number > 0 and not self.clauses.is_path(number):
            number -= 1
        while number > 0 and (self.clauses.is_path(number - 1) or self.text(number - 1) in LISTED_BY):
            number -= 1
        return number

    def _read_helped(self, number: int, helpers: list[str], helped: list[str], verb: Verb) -> _Said:
        """A participle behind `was`, `has been`; behind `is`, it may be what a program does whenever it runs."""
        is_now = "now" in helpers or "been" in helped or self.clauses.done or verb.act is Effect.DELETE
        if ({"is", "are"} & set(helped) and not is_now) or helped[-1] in {"gets", "get"}:
            return None
        return False if helped == ["be"] else self._kind_behind(number, verb)

    def _kind_behind(self, number: int, verb: Verb | None) -> _Said:
        if verb is None or verb.act in {Effect.OTHER, Effect.WRITE_DOWN, Effect.COPY}:
            return None
        if (
            verb.act is Effect.REVERT
            or stance.UNDONE.search(after := self.clauses.after(number))
            or stance.is_of_earlier(after[: find_clause_end(after, 0, len(after))])
            or not self.clauses.is_told(number)
        ):
            return False
        return MODIFIED if verb.act in {Effect.EXTRACT, Effect.PUT} else KIND_OF[verb.act]

    def _read_own_deed(self, number: int, *, is_relative: bool) -> _Said:
        """Reads `x`, which I have also rewritten; in `x` I changed the timeout."""
        while (text := self.text(number)) in AUX | ADVERBS or text.endswith("ly"):
            number += 1
        if text.endswith(("n't", "n\u2019t")) or text in _UNCHANGED:
            return False
        verb = self.clauses.verb(number)
        if verb is None or verb.form is not Form.PAST or verb.act in {Effect.OTHER, Effect.WRITE_DOWN}:
            return None
        if not is_relative and self._is_inside(number):
            return MODIFIED
        is_object = not self.clauses.is_path(number + 1) and self._governs_nothing(number)
        return self._kind_behind(number, verb) if is_object else None

    def _is_inside(self, number: int) -> bool:
        """Whether the path before a deed is where it was done: in `x` I changed the timeout."""
        back = number
        while back >= 0 and not self.clauses.is_path(back):
            back -= 1
        while back > 0 and (self.clauses.is_path(back) or self.text(back) in LISTED_BY):
            back -= 1
        return back <= 2 and self.text(back) in INTO  # noqa: PLR2004 - it begins the sentence

    def _governs_nothing(self, number: int) -> bool:
        """Whether no object follows a participle."""
        after = self.text(number + 1)
        ends = not after or not after[0].isalnum() or after.endswith("ly")
        ends = ends or after > "\u2fff"
        return ends or after in PREPOSITIONS | ADVERBS | LISTED_BY | RELATIVE | {"because", "but"}

    # what stands before a group

    def _read_before(self, first: int) -> ClaimKind | None:
        at = self.clauses.find_governing(first)
        if at is None or self._is_called_new(first):
            return self._read_new(first)
        verb = self.clauses.verb(at)
        if verb is None or verb.act is Effect.OTHER or not self.clauses.is_asserted(at):
            is_new = self.text(first - 1) in NEW and self.text(first - 2) in {"a", "an"}
            return self._read_new(first) if is_new else None  # you'll find a new `x`
        behind = self.clauses.after(first)
        if stance.UNDONE.search(behind) or stance.is_of_earlier(behind[: find_clause_end(behind, 0, len(behind))]):
            return None
        texts = [token.text for token in self.clauses.list_between(at + 1, first)]
        if verb.form is Form.GERUND and texts[:1] and texts[0] in _OF:
            texts = texts[1:]  # removal of `x`
        kind = self._judge_gap(verb, texts, at)
        is_whole = verb.act is Effect.DELETE and texts[-1:] == ["("] and self._is_named(first, texts)
        return DELETED if kind is MODIFIED and is_whole else kind

    def _is_named(self, number: int, texts: list[str]) -> bool:
        """Whether words say what a file is called: removed the old fines (`src/fines.ts`)."""
        word = self.words.get(self.tokens[number].start)
        name = word.path.rpartition("/")[2].partition(".")[0].lower() if word is not None else ""
        return bool(name) and any(text.rstrip("s") == name.rstrip("s") for text in texts)

    def _is_called_new(self, first: int) -> bool:
        """Whether `new` stands right before a path, as one more deed in a list: changed `a`, new `b`."""
        return self.text(first - 1) in NEW and self.text(first - 2) in {",", "and", ";", ":", "(", "+"}

    def _read_new(self, first: int) -> ClaimKind | None:
        """A new helper, `x`; new file: `x`."""
        for back in range(first - 1, max(first - 1 - _MOST_STEPS, -1), -1):
            text = self.text(back)
            if text in NEW and self.text(back - 1) in AUX:
                return None  # `a` is new, `x` calls it
            if text in NEW:
                between = {self.text(one) for one in range(back + 1, first)} - _LISTING
                finite = set() if between <= FILE_NOUNS | {"is", "are", ":"} else FINITE  # the only new file is `x`
                if not self.clauses.is_told(back) or between & (PREPOSITIONS - INTO - {"at"} | finite | RELATIVE):
                    return None
                inside = between & INTO  # new endpoint in `x`
                return CREATED if not inside else MODIFIED if not back and self.text(first - 1) in INTO else None
            if not text.isalpha() and text not in {",", "(", ":", "-"}:
                return None
        return None

    def _judge_gap(self, verb: Verb, texts: list[str], at: int) -> ClaimKind | None:
        """What a verb says of a path, given the words between them."""
        if len(texts) == 1 and texts[0] in AUX and FILE_NOUNS & {self.text(back) for back in range(at)}:
            return KIND_OF.get(verb.act)  # the only file I changed is `x`
        is_past = any(text[0] == PATH_SIGN for text in texts) or self.text(at - 1) not in AUX
        if stance.is_denied(said := " ".join(texts)) or stance.is_of_earlier(said) or (set(texts) & FINITE and is_past):
            return None
        places = [number for number, text in enumerate(texts) if text in PREPOSITIONS]
        if not places:
            renamed = verb.act is Effect.MOVE and not texts  # `a` was renamed `x`
            return _judge_direct(verb, texts) if not self._is_passive(at) else CREATED if renamed else None
        preposition, far, near = texts[places[-1]], texts[: places[-1]], texts[places[-1] + 1 :]
        if preposition in _LISTING or preposition in {"at", "as"}:
            kind = CREATED if preposition == "as" and verb.act is Effect.MOVE else KIND_OF.get(verb.act, MODIFIED)
            return None if verb.act in {Effect.PUT, Effect.WRITE_DOWN} else kind
        is_purpose = preposition == "to" and verb.act is not Effect.CREATE and near and near[0] not in DETERMINERS
        if near and near[-1] == "(" and (is_purpose or preposition not in INTO):
            return _judge_direct(verb, [*far, "("])  # a migration was added for the table (`x`)
        is_pointer = verb.act is Effect.WRITE_DOWN and self.text(at - 1) in AUX | {",", ""}
        if not far and self._has_path_before(at):
            far = [PATH_SIGN]  # `a` was renamed to `x`
        judge = _judge_into if preposition in INTO and not is_pointer else _judge_beside
        return judge(verb, preposition, far, near)

    def _is_passive(self, at: int) -> bool:
        """Whether a path is the subject of a verb: `a` was added."""
        return self.text(at - 1) in AUX | ADVERBS and self._has_path_before(at)

    def _has_path_before(self, at: int) -> bool:
        while at > 0 and self.text(at - 1) in AUX | ADVERBS:
            at -= 1
        return self.clauses.is_path(at - 1)


def _judge_direct(verb: Verb, texts: list[str]) -> ClaimKind | None:
    """The object of a verb: a path, or a noun that stands for it (`a second script, `x``)."""
    if verb.act in {Effect.PUT, Effect.WRITE_DOWN, Effect.REVERT, Effect.COPY}:
        return None
    last = max((number for number, text in enumerate(texts) if text in LISTED_BY), default=-1)
    nouns = [text for text in texts[last + 1 :] if text[0].isalnum()]
    others = RELATIVE | SUBJECTS - {"it", "these", "those", "this"}
    if len(nouns) > _MOST_NOUNS or others & set(texts):
        return None
    kind = MODIFIED if verb.act is Effect.EXTRACT else KIND_OF[verb.act]
    if kind is DELETED and nouns and texts[-1:] == ["("] and not FILE_NOUNS & set(texts):
        return MODIFIED
    return CREATED if verb.act is Effect.CHANGE and texts[-1:] == ["("] and "new" in texts else kind


def _judge_into(verb: Verb, preposition: str, far: list[str], near: list[str]) -> ClaimKind | None:
    """Added a test to `x`; moved `a` to `x`; split `a` into `x` and `y`."""
    if verb.act is Effect.MOVE and preposition in {"to", "into", "under"}:
        is_whole = (any(text[0] == PATH_SIGN for text in far) and "from" not in far) or {"file", "module"} & set(far)
        return CREATED if is_whole else MODIFIED
    if verb.act is Effect.REVERT:
        return None
    if verb.act is Effect.COPY:
        return CREATED if preposition in {"to", "into"} else None
    if _APART & set(near) or (verb.act is Effect.EXTRACT and preposition in {"into", "to"}):
        return CREATED
    if len(near) > _NEAR:
        return None
    is_other = set(near) - DETERMINERS - FILE_NOUNS - {"(", ":", ","} or (far and far[-1] in _OBJECTS_ABOUT)
    return None if preposition == "to" and is_other else MODIFIED


def _judge_beside(verb: Verb, preposition: str, far: list[str], near: list[str]) -> ClaimKind | None:
    """Removed half of `x`; moved the parser from `x`; replaced `a` with `x`; a test for `x` says nothing of it."""
    if preposition == "from":
        is_whole = verb.act is Effect.MOVE and not set(far) - DETERMINERS - FILE_NOUNS - ADVERBS
        return DELETED if is_whole else MODIFIED if verb.act in _TAKING else None
    if preposition == "of":
        out = verb.act in _TAKING and far[-1:] == ["out"]
        if verb.act is Effect.CREATE:  # the first version of `x`
            return CREATED if {"version", "draft", "half"} & set(far) else None
        return MODIFIED if out or verb.act in {Effect.CHANGE, Effect.DELETE} else None
    if verb.act is Effect.REPLACE and preposition in {"with", "by"}:
        return None if set(near) - DETERMINERS - FILE_NOUNS else CREATED
    if preposition != "with":
        return None
    covers = verb.act is Effect.PUT and "it" in far and not near  # covered it with `x`
    return CREATED if covers else KIND_OF.get(verb.act) if far[-1:] in (["together"], ["along"]) else None


def points_to(before: str) -> bool:
    """Whether the words before a path tell a reader to look at it."""
    return _POINTS.search(before) is not None and stance.is_instruction(before)


def goes_on(between: str) -> bool:
    """Whether a path belongs to the list of files that the one before it began: see `a` for x and `b` for y."""
    words = between.lower().split()
    return (
        len(words) <= _FEW
        and bool({"and", "or", "plus", "&"} & set(words) or "," in between)
        and not any((verb := find_verb(word.strip("`*,()"))) is not None and verb.form is Form.PAST for word in words)
    )


def names_elsewhere(after: str) -> bool:
    """Whether the words behind a path say that it is on another branch, in another repository, or perhaps nowhere."""
    return _ELSEWHERE.match(after) is not None


def lies_there(before: str, after: str, sentence: str) -> bool:
    """Whether a sentence says of a path that something is in it, or what it is: it has to be there."""
    before = before.replace(" can be ", " is ")
    is_told = _LIES_IN.search(before) is not None or (
        _CONTAINS.match(after) is not None
        and re.fullmatch(r"[\W]*(?:(?:the|our|file|module|script|and|also|a)\W+)*", before) is not None
    )
    return (
        is_told
        and _NOT_HERE.search(sentence) is None
        and stance.is_assertion(before)
        and stance.is_unconditional(before)
    )
