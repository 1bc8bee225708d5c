"""The verbs with which people say what became of a file, in all their forms. Pure.

A verb is a word or a phrase (`got rid of`). What a sentence says with it is for `sentences` to judge.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.claim import ClaimKind

CREATED, MODIFIED, DELETED = ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED, ClaimKind.FILE_DELETED
READ, DIRTY = ClaimKind.FILE_REFERENCED, ClaimKind.UNCOMMITTED


def word_set(words: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(words.split())


class Act(StrEnum):
    """What a verb does to its object."""

    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"
    MOVE = "move"
    COPY = "copy"
    EXTRACT = "extract"
    REPLACE = "replace"
    PUT = "put"
    """Only the place where something was put has changed."""
    REVERT = "revert"
    WRITE_DOWN = "write-down"
    """`is documented in x` points to x; `I documented it in x` changed x."""
    OTHER = "other"


KIND_OF: Final = {
    Act.CREATE: CREATED,
    Act.CHANGE: MODIFIED,
    Act.DELETE: DELETED,
    Act.MOVE: DELETED,
    Act.EXTRACT: CREATED,
    Act.REPLACE: MODIFIED,
}


class Form(StrEnum):
    """A form of a verb: only some of them assert."""

    BASE = "base"
    PAST = "past"
    THIRD = "third"
    GERUND = "gerund"


class Verb(NamedTuple):
    """What a word says, and in which form."""

    act: Act
    form: Form


_LEMMAS: Final = {
    Act.CREATE: (
        "create add write introduce generate scaffold author draft contribute produce compose bootstrap craft "
        "prototype stub codify autogenerate"
    ),
    Act.CHANGE: (
        "modify change update edit refactor touch extend rewrite adjust patch fix rework tweak improve bump migrate "
        "harden simplify correct amend alter revise expand polish restructure reorganise reorganize tidy wire rewire "
        "hook reformat optimise optimize convert port enhance augment enrich upgrade tighten loosen instrument "
        "annotate trim shorten streamline overhaul repair mend redo implement build finish complete strengthen "
        "parametrise parametrize parameterize inline reorder restyle unify consolidate decouple modernise modernize "
        "localise localize correct debug style retype reword rephrase refresh regenerate deduplicate harmonise "
        "harmonize rebuild reimplement generalise generalize flesh deliver enable disable configure reconfigure "
        "clean downgrade"
    ),
    Act.DELETE: "delete remove drop purge prune retire eliminate nuke erase discard scrap axe bin",
    Act.MOVE: "rename move relocate",
    Act.COPY: "copy duplicate clone",
    Act.EXTRACT: "extract split factor",
    Act.REPLACE: "replace swap",
    Act.PUT: "put place insert store append register export expose declare define handle cover test centralise",
    Act.REVERT: "revert undo restore",
    Act.WRITE_DOWN: "document describe explain specify record list outline detail capture summarise summarize note",
    Act.OTHER: (
        "read review run check keep leave see find look use need depend start break pass fail hold take get give "
        "consider discuss decide plan propose suggest verify confirm inspect study skim open ask want mention "
        "reference link point import call rely reuse ignore skip exclude avoid investigate notice spot"
    ),
}
_IRREGULAR: Final = {
    "write": ("wrote", "written", "writing"),
    "rewrite": ("rewrote", "rewritten", "rewriting", "re-wrote", "re-written"),
    "redo": ("redid", "redone", "redoing"),
    "undo": ("undid", "undone", "undoing"),
    "build": ("built", "building"),
    "rebuild": ("rebuilt", "rebuilding"),
    "split": ("split", "splitting"),
    "put": ("put", "putting"),
    "read": ("read", "reading"),
    "run": ("ran", "run", "running"),
    "keep": ("kept", "keeping"),
    "leave": ("left", "leaving"),
    "see": ("saw", "seen", "seeing"),
    "find": ("found", "finding"),
    "break": ("broke", "broken", "breaking"),
    "hold": ("held", "holding"),
    "take": ("took", "taken", "taking"),
    "get": ("got", "getting"),
    "give": ("gave", "given", "giving"),
}
_DOUBLED: Final = word_set("drop trim scrap strip swap stub skip plan spot bin")
_PHRASES: Final = {
    "deleted": (
        r"(?:got|getting|gotten) rid of|did away with|done away with|(?:threw|thrown) (?:away|out)|ripped out"
        r"|took out|taken out"
    ),
    "created": (
        r"(?:knocked|put|pulled|cobbled|slapped|thrown|threw) together|(?:knocked|whipped|drew|drawn|wrote|mocked) up"
        r"|brought in|(?:stood|set|spun) up|stubbed out|dropped in(?=\s+(?:a|an|the)\b)|came up with"
    ),
    "changed": (
        r"(?:made|making) (?:(?:some|a few|several|small|minor|the|further|major|the necessary) )*"
        r"(?:changes?|edits?|modifications?|adjustments?|improvements?|tweaks?|fixes?) (?:to|in|on)"
        r"|worked (?:on|over)|gave (?=§)|cleaned up|tidied up|touched up|fleshed out|finished off|checked in"
        r"|(?:changes?|edits?|modifications?|fixes) (?:were |was |have been |has been )?(?:made|applied) (?:to|in)"
        r"|went into|brought(?=[^.;]*? up to date)|(?<=^)fix(?:\([\w-]+\))?:|(?:my|our|the|all) (?:changes?"
        r"|edits?) (?:are |were |is )?(?:confined|limited) to"
    ),
}
"""Phrases, and the verb that says the same."""
PHRASE: Final = compile_later("|".join(rf"(?P<{word}>\b(?:{look}))" for word, look in _PHRASES.items()), re.IGNORECASE)


def spell_phrases(text: str) -> str:
    """A text of the same length with one verb in place of each phrase."""

    def replace(match: re.Match[str]) -> str:
        return (match.lastgroup or "").ljust(len(match.group()))[: len(match.group())]

    return PHRASE.sub(replace, text)


@cache
def _verbs() -> dict[str, Verb]:
    found: dict[str, Verb] = {}
    for act, lemmas in _LEMMAS.items():
        for lemma in lemmas.split():
            stem = lemma + lemma[-1] if lemma in _DOUBLED else lemma.removesuffix("e")
            past = stem[:-1] + "ied" if lemma[-1] == "y" and lemma[-2] not in "aeiou" else stem + "ed"
            third = past[:-1] + "s" if past.endswith("ied") else lemma + ("es" if lemma[-1] in "shx" else "s")
            forms = _IRREGULAR.get(lemma, (past, stem + "ing"))
            found.setdefault(lemma, Verb(act, Form.BASE))
            found.setdefault(third, Verb(act, Form.THIRD))
            for form in forms:
                found[form] = Verb(act, Form.GERUND if form.endswith("ing") else Form.PAST)
    return found


def find_verb(word: str) -> Verb | None:
    """The verb that a word in lower case is a form of; `re-wrote` and `newly-added` count, `auto-generated` doesn't."""
    verbs = _verbs()
    found = verbs.get(word)
    if found is None and "-" in word:
        head, _, rest = word.partition("-")
        found = verbs.get(head + rest) or (verbs.get(rest) if head in {"newly", "freshly", "re", "then"} else None)
    return found
