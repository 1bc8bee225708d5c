"""Approvals in a handoff's documents, and whether a name is a person's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import read_json, walk_objects
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.handoffs.handoff import Handoff

_FENCE = compile_later(r"^ {0,3}(?:```|~~~)")
_DECORATION = compile_later(r"[*_`>#|\[\](){}\"']+")
_BLANK = compile_later(r"_{3,}|<[^>]*>|\.{3,}|…")
_NAME_KEYS = ("name", "by", "approved_by", "approver", "user")
_WORD = compile_later(r"[\w@./+-]+")


class WrittenApproval(NamedTuple):
    """A document says that someone approved. `name` is None if it names nobody."""

    field: str
    value: str
    name: str | None
    place: Place
    beside: str
    """The text around it."""


def find_approvals(context: Context, handoff: Handoff) -> Iterator[WrittenApproval]:
    """Every approval in the handoff's documents, without those that say nobody has approved yet."""
    fields = [_normalise(field) for field in context.settings.approvals.fields]
    refusing = {word.lower() for word in context.settings.approvals.refusing_words}
    nameless = {word.lower() for word in context.settings.approvals.nameless_words}
    for document in handoff.documents:
        found = _find_in_json if document.path.lower().endswith(".json") else _find_in_lines
        for field, value, line, beside in found(context, document.path, fields):
            words = [word.lower() for word in _WORD.findall(value)]
            if not words or words[0] in refusing or _BLANK.search(value):
                continue
            named = [word for word in words if word not in nameless]
            yield WrittenApproval(
                field, value, value if named else None, Place(path=document.path, line=line), f"{value}\n{beside}"
            )


def find_unsigned(context: Context, handoff: Handoff, name: str) -> str | None:
    """Says that an approval in a document is only a claim; None if somebody approved the handoff in the signed log."""
    signers = context.signers(handoff.id)
    if signers:
        return None
    missing = "there is no signed log here" if signers is None else "the signed log has no such decision"
    return f"{handoff.id} says it was approved by {name}; {missing}"


def describe_unsigned(claims: list[str]) -> str:
    """One sentence for approvals that nobody signed."""
    unique = list(dict.fromkeys(claims))
    return unique[0] + (f" (and {len(unique) - 1} more like this)" if len(unique) > 1 else "")


def is_agent(context: Context, handoff: Handoff, name: str) -> bool:
    """Whether a name is that of an agent, a role, or the one who did the work."""
    lowered = _normalise(name)
    words = set(re.split(r"[^\w-]+", lowered)) | set(re.split(r"[^a-z]+", lowered))
    if words & {word.lower() for word in context.settings.approvals.agent_words}:
        return True
    roles = context.settings.hub.roles
    known = [
        *handoff.producers,
        *([handoff.source_agent] if handoff.source_agent else []),
        *(attempt.agent for attempt in handoff.attempts if attempt.agent),
        *context.settings.agents,
        *roles,
        *(str(getattr(role, "title", "")) for role in roles.values()),
    ]
    return any(_names(lowered, _normalise(agent)) for agent in known if agent)


def _names(name: str, agent: str) -> bool:
    return bool(agent) and agent in name and re.search(rf"(?<!\w){re.escape(agent)}(?!\w)", name) is not None


def _normalise(text: str) -> str:
    return " ".join(text.replace("_", " ").lower().split())


def _find_in_lines(context: Context, path: str, fields: list[str]) -> Iterator[tuple[str, str, int | None, str]]:
    """Lines `field: value` outside code, with the lines near them."""
    lines = (context.read_text(path) or "").split("\n")
    near = context.settings.approvals.near_lines
    in_code = False
    for number, line in enumerate(lines, start=1):
        if _FENCE.match(line):
            in_code = not in_code
        label, colon, value = line.partition(":")
        if in_code or not colon:
            continue
        field = _normalise(_DECORATION.sub(" ", label)).lstrip("-+ 0123456789.")
        if field.replace("-", " ") in [known.replace("-", " ") for known in fields]:
            beside = "\n".join(lines[max(0, number - 1 - near) : number + near])
            yield field, _DECORATION.sub(" ", value).strip() if not _BLANK.search(value) else "", number, beside


def _find_in_json(context: Context, path: str, fields: list[str]) -> Iterator[tuple[str, str, int | None, str]]:
    """Members with those names in any object, with the texts of the object."""
    known = {field.replace("-", " ") for field in fields}
    for node in walk_objects(read_json(context, path)):
        for key, member in node.items():
            field = _normalise(key).replace("-", " ")
            if field not in known or member is None or member is False:
                continue
            value = member
            if isinstance(member, dict):
                value = next((member[name] for name in _NAME_KEYS if isinstance(member.get(name), str)), "true")
            holders = [node, *([member] if isinstance(member, dict) else [])]
            beside = "\n".join(text for holder in holders for text in holder.values() if isinstance(text, str))
            yield field, str(value).strip() if value is not True else "true", None, beside
