"""Greenlights: whether one was given, and whether a person gave it. A heading or a promise is none."""

from __future__ import annotations

import re
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.approvals import is_agent
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Fact
from handoff_tui.handoffs.handoff import Handoff

_GREENLIGHT: Final = compile_later(r"green-?\s?li(?:ght|t)\b(?P<rest>.*)$", re.IGNORECASE)
_FIELD: Final = compile_later(r"\W*(?P<name>[A-Za-z][A-Za-z ]{0,30}?)\W*:\W*(?P<value>.+)$")
_MAIL: Final = compile_later(r"<[^>]*>")
_WORD: Final = compile_later(r"[^\W\d_][\w'-]*")
_STATED: Final = compile_later(r"\W*:|\s*by\b", re.IGNORECASE)
"""After the word follows who gave it."""
_LINKING: Final = frozenset({"by", "on", "at", "the", "and", "of", "for", "to", "with", "utc", "z", "t", "was", "is"})


def find_greenlight_gap(context: Context, handoff: Handoff) -> tuple[str, Fact | None] | None:
    """Why no greenlight of a handoff counts, and the one that comes nearest; nothing when one counts."""
    gap: tuple[str, Fact | None] = ("no greenlight was given", None)
    for fact in (fact for fact in handoff.facts if fact.name == "greenlight"):
        reason = _judge_greenlight(context, handoff, fact)
        if reason is None:
            return None
        gap = (reason, fact)
    return gap


def _judge_greenlight(context: Context, handoff: Handoff, fact: Fact) -> str | None:
    match = _GREENLIGHT.search(fact.value)
    rest = match.group("rest") if match else ""
    words = _list_words(rest)
    if words & _setting(context, "approvals.refusing_words"):
        return "the greenlight is held back"
    givers = [rest, *_read_givers(context, fact)]
    named = [name for giver in givers if (name := _name_person(context, giver))]
    given = words & _setting(context, "builder.questions.greenlight_words")
    if not given and not (_STATED.match(rest) and re.search(r"\b[A-Z]", _name_person(context, rest) or "")):
        return "a greenlight is mentioned, but not given"
    if any(is_agent(context, handoff, giver) for giver in givers):
        return "the greenlight was not given by a person"
    return None if named else "the greenlight names no person who gave it"


def _read_givers(context: Context, fact: Fact) -> list[str]:
    """Who is named in the fields right below a greenlight."""
    if fact.where is None or fact.where.line is None:
        return []
    text = context.read_text(fact.where.path) or ""
    near = context.setting("approvals.near_lines", int)
    fields = _setting(context, "builder.questions.greenlight_fields")
    found: list[str] = []
    for line in text.split("\n")[fact.where.line : fact.where.line + near]:
        if line.startswith("#"):
            break
        match = _FIELD.match(line)
        if match and match.group("name").strip().lower() in fields:
            found.append(match.group("value").strip())
    return found


def _name_person(context: Context, text: str) -> str | None:
    """What is left of a text without the words that name nobody."""
    passed_over = _LINKING | _setting(context, "approvals.nameless_words")
    passed_over |= _setting(context, "builder.questions.greenlight_words")
    words = [word for word in _WORD.findall(_MAIL.sub(" ", text)) if word.lower() not in passed_over]
    return " ".join(words) or None


def _list_words(text: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Za-z][A-Za-z/-]*", _MAIL.sub(" ", text))}


def _setting(context: Context, key: str) -> frozenset[str]:
    return frozenset(context.setting(key, tuple))
