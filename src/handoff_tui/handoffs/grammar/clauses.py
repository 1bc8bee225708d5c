"""The tokens of a sentence, its clauses, and the verb that governs a place in it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.grammar import stance
from handoff_tui.handoffs.grammar.lexicon import SIGNS, Effect, Form, Verb, find_verb, spell_phrases, word_set

PATH_SIGN: Final = "§"
_TOKEN: Final = compile_later(
    rf"§+|{SIGNS}|[\u3000-\uffff](?:(?!{SIGNS})[\u3000-\uffff])*"
    r"|[^\W\d_][\w'\u2019]*(?:-[^\W\d_]\w*)*|\d[\w.,%]*|->|=>|[^\w\s*`_]"
)
_HARD: Final = word_set("; : ! ? . \u2014 \u2013 | but because since although though while whereas")
ARROWS: Final = word_set("-> => \u2192 \u27a1 \u279c")
RELATIVE: Final = word_set("which that who where whose")
SUBJECTS: Final = word_set("i we they it he she there this these those nobody somebody everything nothing")
AUX: Final = word_set(
    "was were is are has have had been be being got gets get wurde wurden habe haben hat ist sind été fue fueron ha se "
    "ho hanno stato stata è sono werd heb zijn был была были"
)
FINITE: Final = word_set("was were is are has have had will does do did can should must would could may might")
ADVERBS: Final = word_set(
    "also now then just brand all both newly only already finally first too even subsequently since either "
    "slightly again today yesterday myself ourselves manually recently completely auch ich ebenfalls aussi también "
    "anche ook тоже также も を が は 을 를 은 는 也 已 了 已经"
)
INTO: Final = word_set("in into to inside within under onto across throughout")
PREPOSITIONS: Final = INTO | word_set(
    "of for with via using by on at against per after before like as from about without except over than "
    "until when around called named through instead beside besides between beyond near unlike including "
    "so if behind"
)
DETERMINERS: Final = word_set("the a an our my this that its their existing new same old whole main")
FILE_NOUNS: Final = word_set(
    "file files module modules script scripts config configuration class component page document doc docs "
    "table template migration test tests suite spec manifest schema workflow helper folder directory "
    "package both one ones"
)
LISTED_BY: Final = word_set(", and & + plus or / und et y e en и と")
_ADJECTIVES: Final = word_set("updated rewritten refactored reworked renamed removed deleted extended revised")
_BY_DOING: Final = frozenset({"by", "finished", "done", "completed", "after", "up"})
_THIS_WORK: Final = compile_later(
    r"\b(?:this|the|my|our|that|last|latest) (?:\w+ )?(?:commit|pr|pull request|mr|merge request|change|changes"
    r"|changeset|patch|branch|work|session|diff|handoff|phase|iteration|pass)\b[^,;]*$|^\W*(?:commit|pr)\b[^,;]*$|^\W*this\s*$",
    re.IGNORECASE,
)
_BEFORE_GERUND: Final = (
    AUX | PREPOSITIONS | ADVERBS | LISTED_BY | SUBJECTS | _BY_DOING
    | word_set("started began begun stopped kept spent tried finished involved required avoided considered i'm i've")
)  # fmt: skip
"""Behind another word, `handling` is a noun: session handling."""
_COMPARING: Final = word_set("unlike like besides beside after before without")
_DID: Final = frozenset({"did", "managed", "able", "went"})
_CLAUSE: Final = compile_later(r"[;:!?\u2014]|\b(?:but|because|since|although|while|so that)\b", re.IGNORECASE)
_NO_VERB: Final = Verb(Effect.OTHER, Form.PAST)
"""A past tense that isn't known."""


class PathSpan(NamedTuple):
    """A path in a text."""

    start: int
    end: int
    path: str


class Token(NamedTuple):
    """A word, a sign, or a path; in lower case."""

    text: str
    start: int
    end: int
    verb: Verb | None


def mask(text: str, words: Sequence[PathSpan]) -> str:
    """The text with every path as one sign, at the same places."""
    masked = text
    for word in words:
        masked = masked[: word.start] + PATH_SIGN * (word.end - word.start) + masked[word.end :]
    return masked


class Clauses:
    """A sentence of a masked text as tokens."""

    def __init__(self, masked: str, start: int, end: int, *, done: bool | None) -> None:
        self.masked, self.start, self.end, self.done = masked, start, end, done
        self.said = spell_phrases(masked[start:end])
        self.tokens = [
            Token(text, start + match.start(), start + match.end(), None if text[0] == PATH_SIGN else find_verb(text))
            for match in _TOKEN.finditer(self.said)
            for text in (match.group().lower(),)
        ]

    def text(self, number: int) -> str:
        return self.tokens[number].text if 0 <= number < len(self.tokens) else ""

    def is_path(self, number: int) -> bool:
        return self.text(number)[:1] == PATH_SIGN

    def verb(self, number: int) -> Verb | None:
        return self.tokens[number].verb if 0 <= number < len(self.tokens) else None

    def after(self, number: int) -> str:
        """The words behind a token."""
        return self.said[self.tokens[number].end - self.start :]

    def list_groups(self) -> Iterator[tuple[int, int]]:
        """Paths that are listed together: `a`, `b` (new) and `c`."""
        number = 0
        while number < len(self.tokens):
            if not self.is_path(number):
                number += 1
                continue
            first = last = number
            while True:
                ahead = self.skip_brackets(last + 1)
                listed = ahead
                while self.text(listed) in LISTED_BY and listed - ahead < 2:  # noqa: PLR2004 - `, and`
                    listed += 1
                # a new helper, `x`, and `y` gained a lock
                is_inserted = self.text(first - 1) == "," and last == first and listed - ahead > 1
                is_apart = first == 1 and self.text(0) in _COMPARING and listed - ahead == 1  # unlike `x`, `y` is new
                if listed == ahead or not self.is_path(listed) or is_inserted or is_apart:
                    break
                last = listed
            yield first, last
            number = last + 1

    def skip_brackets(self, number: int) -> int:
        if self.text(number) != "(":
            return number
        for ahead in range(number, min(number + 12, len(self.tokens))):
            if self.text(ahead) == ")":
                return ahead + 1
        return number

    def find_governing(self, first: int) -> int | None:
        """The verb nearest to a position, in the same clause."""
        depth = 0
        for back in range(first - 1, -1, -1):
            token = self.tokens[back]
            if token.text == ")":
                depth += 1
            elif token.text == "(":
                depth = max(0, depth - 1)
            elif depth:
                continue
            elif self._is_border(back):
                return None
            elif (token.verb is not None and self._is_verb(back)) or self._is_other_verb(back):
                return None if self._is_behind(back) else back
            elif token.text in SUBJECTS and back and self.text(back - 1) in {",", "and"}:
                return None
        return None

    def _is_border(self, number: int) -> bool:
        """Whether a token parts two clauses: `which`, a semicolon, or `as` behind a comma."""
        text = self.tokens[number].text
        if text in _HARD:
            return not self._is_colon_of_list(number)
        return (text in RELATIVE and self._is_clause(number)) or (
            text == "as" and self.text(number - 1) == "," and self.text(number + 1) not in AUX
        )

    def _is_colon_of_list(self, number: int) -> bool:
        """Added three files: `a`, `b` and `c`."""
        return self.tokens[number].text == ":" and self.is_path(number + 1) and number > 1

    def _is_behind(self, number: int) -> bool:
        """Whether a participle belongs to the path before it: `a` removed, `b` adjusted."""
        ends = self.text(number + 1) in LISTED_BY
        return ends and self.is_path(number - 1) and (self.verb(number) or _NO_VERB).form is Form.PAST

    def _is_clause(self, number: int) -> bool:
        """Whether `that` begins a clause and doesn't stand for `this`."""
        return self.text(number) != "that" or not self.is_path(number + 1)

    def _is_verb(self, number: int) -> bool:
        """Whether a word that can be a verb is one: `the build`, `two tests` and `updated docs` are nouns here."""
        token = self.tokens[number]
        if token.text in {"called", "named"}:
            return False
        before, form = self.text(number - 1), (self.verb(number) or _NO_VERB).form
        if form in {Form.BASE, Form.THIRD} and (before in DETERMINERS | PREPOSITIONS - {"to"} or before.isdigit()):
            return False
        if form is Form.GERUND and before.isalpha() and before not in _BEFORE_GERUND and not before.endswith("ly"):
            return token.verb is None or (before in DETERMINERS and self.text(number + 1) in {"of", "to"})
        if form is Form.THIRD and self.text(number + 1) in PREPOSITIONS | {",", "and", "."}:
            return False
        if form is Form.BASE and number and self.text(number - 1).isalpha() and not self._may_take_base(number):
            return False
        adjective = form is Form.PAST and before in {"the", "a", "an", "any", "every", "each", "its", "our", "all"}
        return not adjective or (token.text in _ADJECTIVES and self.is_path(number + 1))

    def _may_take_base(self, number: int) -> bool:
        before = self.text(number - 1)
        return (
            before in SUBJECTS | ADVERBS | LISTED_BY | FINITE
            or before in {"to", "not", "please", "you", "then", "never", "still", "t", "x", "done", "task", "n"}
            or before.endswith(("n't", "n\u2019t", "ly", "'ll", "\u2019ll"))
            or number - 1 == 0
        )

    def _is_other_verb(self, number: int) -> bool:
        """A past tense that isn't known: `and benchmarked `x``."""
        text = self.tokens[number].text
        if not text.endswith("ed") or len(text) < 5 or "-" in text or self.tokens[number].verb is not None:  # noqa: PLR2004 - `need`
            return False
        return number == 0 or self.text(number - 1) in {"and", ",", "then", "also", "i", "we", "which"} | AUX

    def is_told(self, number: int) -> bool:
        """Whether the clause before a position neither plans nor denies, and is about this work."""
        if self.tokens[number].text > "\u2fff" and stance.is_unfinished(self.after(number)):
            return False
        start = self._clause_start(number)
        words = self.masked[start : self.tokens[number].start]
        return stance.is_assertion(words) and stance.is_unconditional(
            self.masked[self.start : self.tokens[number].start]
        )

    def _clause_start(self, number: int) -> int:
        for back in range(number - 1, -1, -1):
            token = self.tokens[back]
            if token.text in _HARD:
                return token.end
            subject = token.text in SUBJECTS
            if not back or not (subject or self.is_path(back)):
                continue
            before, first = self.text(back - 1), back
            while before in ADVERBS:
                before, first = self.text(first - 2), first - 1
            if before in RELATIVE or (before in {",", "and"} and (subject or not self.is_path(first - 2))):
                return token.start
            if token.text in {"i", "we"} and (self.is_path(first - 1) or before in {"so", "hence", "therefore"}):
                return token.start  # instead of adding `a` I extended `b`
        return self.start

    def is_asserted(self, at: int) -> bool:
        form = (self.verb(at) or _NO_VERB).form
        if not self.is_told(at):
            return False
        if form is Form.PAST:
            return self.text(at - 1) not in {"be", "being"} and not self._is_runtime(at)
        if form is Form.GERUND:
            return self.text(at - 1) in _BY_DOING or bool(self.done and at <= 1)
        if form is Form.THIRD:
            return self._leads(at) or _THIS_WORK.search(self.masked[self.start : self.tokens[at].start]) is not None
        helped = {self.text(at - 1), self.text(at - 2), self.text(at - 3)} & _DID
        return bool(helped) or (self.text(at - 1) == "to" and self.text(at - 2) == "had") or bool(self.done)

    def _leads(self, at: int) -> bool:
        """Whether a verb without a subject begins the sentence: introduces `x`. Below a file it is about that file."""
        return self.done is not None and at <= self.done

    def _is_runtime(self, at: int) -> bool:
        """`is created on start`: what a program does whenever it runs."""
        return not self.done and self.text(at - 1) in {"is", "are", "gets", "get"}

    def list_between(self, start: int, end: int) -> list[Token]:
        found: list[Token] = []
        number = start
        while number < end:
            ahead = self.skip_brackets(number)
            if ahead != number and ahead <= end:
                number = ahead
                continue
            found.append(self.tokens[number])
            number += 1
        return found


def find_clause(text: str, start: int, end: int) -> int:
    """Where the clause begins that a place in a text belongs to."""
    found = start
    for match in _CLAUSE.finditer(text, start, end):
        found = match.end() if text[match.end() : end].strip(" *_`§") else found
    return found


def find_clause_end(text: str, start: int, end: int) -> int:
    match = _CLAUSE.search(text, start, end)
    return match.start() if match else end
