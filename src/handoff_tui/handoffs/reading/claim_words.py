"""What agents' documents claim, found in their words and in the members of JSON objects.

Shared by the formats. Nothing here decides whether a claim is true.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Fact
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim
from handoff_tui.handoffs.handoff import Document, Handoff, build_id
from handoff_tui.handoffs.reading.format import FormatReading, Source
from handoff_tui.handoffs.reading.json_document import JsonNode
from handoff_tui.handoffs.reading.markdown import Item, Section, plain

_JOINTS: Final = compile_later(r"[ -]+")

_STATUS: Final = compile_later(
    r"^\W*(PASS(?:ED)?|FAIL(?:ED|URE)?|PARTIAL(?:LY COMPLETE)?|COMPLETED?|DONE|BLOCKED|IN[ _-]PROGRESS|PAUSED|PENDING|"
    r"SUPERSEDED|SKIPPED|SUCCESS|READY|APPROVED?|REJECT(?:ED)?|VALIDATED|DISPATCHED|NOT DISPATCHED|RETRY|ESCALATE|"
    r"ERROR|WIP|ACTIVE|RESOLVED|OPEN|CLOSED)(?![A-Za-z])",
    re.IGNORECASE,
)
_VERDICT: Final = compile_later(
    r"^\W*(?:(?:final|review|evaluation|overall|closing|qa|gate|code review|security)\s+)*"
    r"(?:verdict|result|decision)\W*:\W*([A-Za-z_ -]+)",
    re.IGNORECASE,
)
_CANONICAL_STATUS: Final = {
    **dict.fromkeys(("PASSED", "SUCCESS"), "PASS"),
    **dict.fromkeys(("FAILED", "FAILURE", "ERROR"), "FAIL"),
    "PARTIALLY COMPLETE": "PARTIAL",
    **dict.fromkeys(("COMPLETED", "DONE"), "COMPLETE"),
    "WIP": "IN_PROGRESS",
    "APPROVE": "APPROVED",
    "REJECT": "REJECTED",
}


def parse_status(text: str) -> str | None:
    """The canonical token a status text begins with: `PASS (with pre-existing …)` → PASS."""
    match = _STATUS.match(plain(text))
    if match is None:
        return None
    token = match.group(1).upper().replace("-", "_")
    token = "IN_PROGRESS" if token.replace("_", " ") == "IN PROGRESS" else token
    return _CANONICAL_STATUS.get(token, token)


def parse_verdict(text: str) -> str | None:
    """The token of a closing line such as `Review verdict: RETRY`."""
    match = _VERDICT.match(plain(text))
    return parse_status(match.group(1)) if match else None


def top_items(section: Section) -> list[Item]:
    """The items of the outermost list."""
    return [item for item in section.items() if item.depth == 1]


def one_line(text: str) -> str:
    return " ".join(plain(text).split())


def section_text(section: Section) -> str:
    """The words of a section without its code."""
    return "\n".join(line.text for line in section.lines() if not line.code).strip()


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
    return _JOINTS.sub("_", stripped).upper() if _WORD.match(stripped) else None


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
    """One claim per path; what is not a path inside the repository is reported."""
    claims: dict[str, Claim] = {}
    for node in nodes:
        text = node.as_text()
        path = None if text is None else parse_path(text)
        if text is not None and path is not None:
            claims.setdefault(path, build_claim(kind, node.where, text, subject=path))
        elif text is not None:
            node.report(f"{node.name} is not a path inside the repository")
    return list(claims.values())


def claim_commit(node: JsonNode, key: str) -> list[Claim]:
    """The commit that a member names; a value that can be no commit id is reported."""
    text = node.scalar(key)
    if text is None or not text.strip():
        return []
    if not _COMMIT_ID.match(text.strip()):
        node.report(f"{node.name}.{key} is not a commit id".lstrip("."), key)
        return []
    return [build_claim(ClaimKind.COMMIT, node.place_of(key), f"{key}: {text}", value=text.strip().lower())]


def build_facts(node: JsonNode, keys: Iterable[str]) -> list[Fact]:
    """One fact per named member with a plain value; one per element if it is a list of plain values."""
    facts: list[Fact] = []
    for key in keys:
        member = node.get(key)
        for value in member.each() if member is not None else ():
            text = value.as_text()
            if text is not None and text.strip():
                facts.append(Fact(name=key, value=text, where=value.where))
    return facts


def read_each(owned: list[Source], build: Callable[[Source, dict[str, str]], Handoff]) -> FormatReading:
    """One handoff per file, in the order of the paths; `build` is given the ids taken so far, and by which file."""
    taken: dict[str, str] = {}
    return FormatReading([build(source, taken) for source in sorted(owned, key=lambda source: source.path)])


def build_unread(source: Source, dialect: str, taken: dict[str, str], document: Document) -> Handoff:
    """The handoff of a file that could not be read: all that is known is that it is there."""
    return Handoff(id=build_unique_id(taken, source, dialect, source.path), dialect=dialect, documents=(document,))


def build_unique_id(taken: dict[str, str], source: Source, *parts: str) -> str:
    """The id made of the parts; when another file has it already, the path makes it its own."""
    wanted = build_id(*parts)
    first = taken.get(wanted)
    if first is not None:
        source.report(f"has the id {wanted}, as has {first}; it is listed under its path")
        wanted = build_id(*parts, source.path)
    number = 2
    unique = wanted
    while unique in taken:
        unique = f"{wanted[:120]}-{number}"
        number += 1
    taken[unique] = source.path
    return unique
