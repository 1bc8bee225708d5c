"""Documents as rules read them: JSON, lenient or strict; problems; and when they were written."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from typing import Final

from handoff_tui.checks.context import Context
from handoff_tui.checks.rule import READABLE, Findings, RuleFinding
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place, ProblemLevel
from handoff_tui.core.text.labels import name_some
from handoff_tui.handoffs.reading import json_document


class JsonBrokenError(Exception):
    """The bytes are not reliable JSON; `line` is where that shows, if known."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def parse_strictly(content: bytes, first_line: int = 1) -> object:
    """The value of a JSON text; refuses repeated keys, and values that JSON does not have."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as invalid:
        line = first_line + content.count(b"\n", 0, invalid.start)
        raise JsonBrokenError("is not UTF-8", line) from invalid
    parsed = json_document.parse_json("", text, first_line=first_line)
    for problem in parsed.problems:
        raise JsonBrokenError(problem.message, problem.line)
    return parsed.value


_COLON: Final = compile_later(r"\s*:\s*")


def find_line(content: bytes, key: str, value: str | None = None) -> int | None:
    """The line of the first member with this name, and this text if given; None if there is none."""
    text = content.decode("utf-8", "replace")
    name, wanted = json.dumps(key), "" if value is None else json.dumps(value, ensure_ascii=False)
    start = text.find(name)
    while start != -1:
        colon = _COLON.match(text, start + len(name))
        if colon is not None and text.startswith(wanted, colon.end()):
            return text.count("\n", 0, start) + 1
        start = text.find(name, start + 1)
    return None


_MOST_NAMED: Final = 3


def is_document_cut_off(context: Context, document: str) -> bool:
    """Whether a document may be older than the commit that seems to have written it: the clone is shallow."""
    commit = context.document_commit(document)
    return commit is not None and context.is_cut_off(commit)


def describe_cut_off(documents: Iterable[str]) -> str:
    """Why a rule can't tell when documents were written."""
    names = list(dict.fromkeys(documents))
    were = "was" if len(names) == 1 else "were"
    return f"this clone is shallow, so it does not show when {name_some(names, _MOST_NAMED)} {were} written"


def find_unreadable(context: Context, paths: Collection[str]) -> Findings:
    """What could not be read in the documents that a rule depends on."""
    for problem in context.problems():
        if problem.level is ProblemLevel.ERROR and problem.path in paths:
            message = f"{problem.path} cannot be judged: {problem.message}"
            place = Place(path=problem.path, line=problem.line)
            yield RuleFinding(message, f"unreadable {problem.path}", place, READABLE, problem.message)


def read_json(context: Context, path: str) -> object:
    """The value of a JSON document; None if it is missing or broken, which its format reports."""
    return parse_json(context.read(path))


def parse_json(content: bytes | None) -> object:
    if content is None:
        return None
    try:
        value: object = json.loads(content.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return value


def parse_moment(written: object) -> datetime | None:
    """A time in ISO 8601, in UTC if it names no zone; None if it isn't one."""
    try:
        moment = datetime.fromisoformat(written.strip()) if isinstance(written, str) else None
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


def walk_objects(value: object) -> Iterator[dict[str, object]]:
    """Every object inside a JSON value, in the order of the file."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(reversed(list(node.values())))
        elif isinstance(node, list):
            waiting.extend(reversed(node))
