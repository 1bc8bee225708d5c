"""Claims and facts from the members of JSON objects: status, paths, commits, plain values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Fact
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.handoffs.reading.claim_words import build_claim, parse_status
from handoff_tui.handoffs.reading.format import FormatReading, Source
from handoff_tui.handoffs.reading.json_document import JsonNode

_WORD: Final = compile_later(r"^[A-Za-z][A-Za-z0-9 _-]{0,39}$")
_COMMIT_ID: Final = compile_later(r"^[0-9a-fA-F]{7,64}$")
_LINE_TAIL: Final = compile_later(r":\d+(?:[-,:]\d+)*$")
_NEVER_IN_A_PATH: Final = compile_later(r"://|[*?<>|\n]")
_LONGEST_PATH = 300


def normalise_status(text: str) -> str | None:
    """The canonical status token; an unknown single word in capitals; None for a sentence."""
    token = parse_status(text)
    if token is not None:
        return token
    stripped = text.strip()
    return re.sub(r"[ -]+", "_", stripped).upper() if _WORD.match(stripped) else None


def claim_status(node: JsonNode, key: str) -> list[Claim]:
    """The claim that the status member makes; empty if it is absent."""
    text = node.scalar(key)
    if text is None:
        return []
    return [build_claim(ClaimKind.STATUS, node.place_of(key), text, value=normalise_status(text))]


def parse_path(text: str) -> str | None:
    """A path given as one: relative, inside the repository, no pattern and no address."""
    candidate = _LINE_TAIL.sub("", text.strip()).removeprefix("./")
    if not candidate or len(candidate) > _LONGEST_PATH or _NEVER_IN_A_PATH.search(candidate):
        return None
    if candidate.startswith(("/", "~", "-")) or ".." in candidate.split("/") or "\\" in candidate:
        return None
    return candidate


def claim_paths(nodes: Iterable[JsonNode], kind: ClaimKind) -> list[Claim]:
    """One claim per path; what is no path inside the repository is reported."""
    claims: list[Claim] = []
    seen: set[str] = set()
    for node in nodes:
        text = node.as_text()
        if text is None:
            continue
        path = parse_path(text)
        if path is None:
            node.document.report(node.pointer, f"{node.name} is no path inside the repository")
        elif path not in seen:
            seen.add(path)
            claims.append(build_claim(kind, node.where, text, subject=path))
    return claims


def claim_commit(node: JsonNode, key: str) -> list[Claim]:
    """The commit that a member names; a value that can be no commit id is reported."""
    text = node.scalar(key)
    if text is None or not text.strip():
        return []
    if not _COMMIT_ID.match(text.strip()):
        member = node.get(key)
        if member is not None:
            member.document.report(member.pointer, f"{member.name} is no commit id")
        return []
    return [build_claim(ClaimKind.COMMIT, node.place_of(key), f"{key}: {text}", value=text.strip().lower())]


def build_facts(node: JsonNode, keys: Iterable[str]) -> list[Fact]:
    """One fact per named member with a plain value; one per element if it is a list of plain values."""
    facts: list[Fact] = []
    for key in keys:
        member = node.get(key)
        if member is None:
            continue
        for value in member.elements() if isinstance(member.value, list) else [member]:
            text = value.as_text()
            if text is not None and text.strip():
                facts.append(Fact(name=key, value=text, where=value.where))
    return facts


def read_each(owned: list[Source], build: Callable[[Source, set[str]], Handoff]) -> FormatReading:
    """One handoff per file, in the order of the paths; `build` is given the ids taken so far."""
    taken: set[str] = set()
    return FormatReading([build(source, taken) for source in sorted(owned, key=lambda source: source.path)])


def build_unique_id(taken: set[str], path: str, *parts: str) -> str:
    """The id made of the parts; when another file has it already, the path makes it its own."""
    wanted = build_id(*parts)
    if wanted in taken:
        wanted = build_id(*parts, path)
    number = 2
    unique = wanted
    while unique in taken:
        unique = f"{wanted[:120]}-{number}"
        number += 1
    taken.add(unique)
    return unique
