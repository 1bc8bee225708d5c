"""Reads `git status --porcelain=v2 -z --branch`."""

from __future__ import annotations

import os
from typing import NamedTuple

_PATH_BEHIND = {"1": 8, "2": 9, "u": 10, "?": 1, "!": 1}
"""How many spaces come before the path, by the first letter of the line."""


class StatusLine(NamedTuple):
    """What git says about one path. The old name of a renamed file has a line of its own."""

    path: str
    """A folder that is another repository ends with a slash."""
    text: str
    """`1 XY …` changed, `2 XY …` renamed, `u XY …` in conflict, `? …` untracked, `! …` ignored."""

    @property
    def kind(self) -> str:
        return self.text[0]

    @property
    def is_staged(self) -> bool:
        """Whether the index differs from HEAD."""
        return self.text[2] != "."

    @property
    def work_tree_change(self) -> str | None:
        """How the work tree differs from the index, such as `M` or `D`; None if it doesn't."""
        return self.text[3] if self.text[3] != "." else None


class Status(NamedTuple):
    """One answer of `git status`."""

    headers: dict[str, str]
    lines: list[StatusLine]

    @property
    def commit(self) -> str | None:
        """The commit of HEAD; None before the first one."""
        head = self.headers.get("branch.oid")
        return None if head == "(initial)" else head

    @property
    def is_detached(self) -> bool:
        return self.headers.get("branch.head") == "(detached)"

    @property
    def branch(self) -> str | None:
        return None if self.is_detached else self.headers.get("branch.head")

    @property
    def upstream(self) -> str | None:
        return self.headers.get("branch.upstream")


def parse_status(output: bytes) -> Status:
    headers: dict[str, str] = {}
    lines: list[StatusLine] = []
    fields = iter(os.fsdecode(output).split("\0"))
    for field in fields:
        kind = field[:1]
        if kind == "#":
            name, _, value = field[2:].partition(" ")
            headers[name] = value
        elif kind in _PATH_BEHIND:
            lines.append(StatusLine(field.split(" ", _PATH_BEHIND[kind])[-1], field))
            if kind == "2":
                lines.append(StatusLine(next(fields, ""), field))
    return Status(headers, lines)
