"""Documents that could not be read: a rule that depends on one must say so."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import RuleFinding
from handoff_tui.core.place import Place, ProblemLevel


def find_unreadable(context: Context, paths: Collection[str]) -> Iterator[RuleFinding]:
    """What a dialect could not read in the documents that a rule depends on."""
    for problem in context.problems():
        if problem.level is ProblemLevel.ERROR and problem.path in paths:
            yield RuleFinding(
                message=f"{problem.path} cannot be judged: {problem.message}",
                subject=f"unreadable {problem.path}",
                place=Place(path=problem.path, line=problem.line),
                expected="a document that can be read",
                actual=problem.message,
            )


def read_json(context: Context, path: str) -> object:
    """The value of a JSON document; nothing where there is none. What is wrong with it is a problem of its dialect."""
    return parse_json(context.read(path))


def parse_json(content: bytes | None) -> object:
    if content is None:
        return None
    try:
        value: object = json.loads(content.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return value


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
