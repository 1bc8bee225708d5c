"""Whether a hook, a CI file or a prompt really calls a script or this program, and minds the answer.

A mention in a comment, in a title or as an argument is no call. In prose only code is read as commands; a line that
merely names the call there is told as a mention.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from handoff_tui.checks.facts.command_words import Command, is_interpreter, list_commands, read_name
from handoff_tui.core.lazy_pattern import compile_later

_PROGRAM = "handoff-tui"
_MODULE = "handoff_tui"
_FENCE = compile_later(r"^\s*(?:>\s*)*(?:[-*]\s+)?(```+|~~~+)")
_CODE_SPAN = compile_later(r"`([^`]+)`")
_HIDDEN = compile_later(r"<!--.*?-->", re.DOTALL)
_REFUSAL = compile_later(
    r"\b(?:do not|don't|never|no need to|must not|skip|without|instead of)\b[^.;]*$", re.IGNORECASE
)
_MENTION = compile_later(r"handoff-tui(?:\s+--repo\s+\S+)?\s+check\b")
_SHRUGS = frozenset({"true", ":", "echo", "printf"})
_TOOTHLESS = compile_later(
    r"^\s*-?\s*(?:continue-on-error:\s*true|allow_failure:\s*true|if:\s*(?:false|\$\{\{\s*false\s*\}\})|when:\s*never)(?!\w)"
)
_PROSE = (".md", ".markdown", ".txt", ".cursorrules")
_REFUSED = "says not to"


class Call(NamedTuple):
    """A line that calls."""

    line: int
    shrug: str = ""
    """Why the answer would not stop anything; empty where it would."""
    by_interpreter: bool = False
    """An interpreter in front of a script needs no permission to execute it."""
    mention: bool = False
    """Whether prose only names it."""


def is_prose(path: str) -> bool:
    """Whether a file is written for readers, with commands in between."""
    return path.lower().endswith(_PROSE)


def find_calls(text: str, scripts: tuple[str, ...] = (), *, ours: bool = True, prose: bool = False) -> list[Call]:
    """Lines that run one of the given scripts or, if it is `ours` that is looked for, `handoff-tui check`."""
    wanted = _Wanted(scripts, ours)
    if prose:
        return list(_find_in_prose(text, wanted))
    return [
        call
        for number, line in enumerate(text.splitlines(), 1)
        if wanted.is_named_in(line)
        for call in wanted.judge(line, number)
    ]


def find_toothless(text: str) -> int | None:
    """The first line that lets a step of CI fail without consequence."""
    return next((number for number, line in enumerate(text.splitlines(), 1) if _TOOTHLESS.match(line)), None)


class _Wanted(NamedTuple):
    """What is looked for."""

    scripts: tuple[str, ...]
    ours: bool

    def is_named_in(self, line: str) -> bool:
        names = (*((_PROGRAM, _MODULE) if self.ours else ()), *self.scripts)
        return any(name in line for name in names)

    def judge(self, line: str, number: int) -> list[Call]:
        """The calls on a line, each kind once."""
        found: list[Call] = []
        commands = list_commands(line)
        for position, command in enumerate(commands):
            words = command.program
            if self._runs_script(words) or (self.ours and _runs_us(words)):
                following = commands[position + 1].words if position + 1 < len(commands) else ()
                found.append(Call(number, _find_shrug(command, following), is_interpreter(words[0])))
        return list(dict.fromkeys(found))

    def find_mention(self, line: str) -> int | None:
        """Where a line first names it."""
        starts = [match.start() for match in _MENTION.finditer(line)] if self.ours else []
        starts += [line.index(script) for script in self.scripts if script in line]
        return min(starts, default=None)

    def _runs_script(self, words: tuple[str, ...]) -> bool:
        rest = words
        if rest and is_interpreter(rest[0]):
            rest = tuple(word for word in rest[1:] if not word.startswith("-"))
        path = rest[0].lstrip("@+-").removeprefix("./") if rest else ""
        return any(path == script or path.endswith(f"/{script}") for script in self.scripts)


def _runs_us(words: tuple[str, ...]) -> bool:
    if words and read_name(words[0]) == _PROGRAM:
        return "check" in words[1:]
    if words and is_interpreter(words[0]) and "-m" in words:
        module = words.index("-m") + 1
        return words[module : module + 1] == (_MODULE,) and "check" in words[module:]
    return False


def _find_shrug(command: Command, following: tuple[str, ...]) -> str:
    if command.is_ignored:
        return "make ignores its answer"
    if command.operator in {"|", "|&"}:
        return "its answer is lost in a pipe"
    if command.operator == "&":
        return "nobody waits for its answer"
    is_waved_through = following[:2] == ("exit", "0") or (bool(following) and following[0] in _SHRUGS)
    return "its answer is thrown away" if command.operator in {"||", ";"} and is_waved_through else ""


def _find_in_prose(text: str, wanted: _Wanted) -> Iterator[Call]:
    """Fenced code, lines that are commands, code spans; else a line that names it. Hidden text does not count."""
    fence = ""
    visible = _HIDDEN.sub(lambda hidden: "\n" * hidden[0].count("\n"), text)
    for number, line in enumerate(visible.splitlines(), 1):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif wanted.is_named_in(line):
            yield from wanted.judge(line, number) if fence else _judge_prose(line, number, wanted)


def _judge_prose(line: str, number: int, wanted: _Wanted) -> Iterator[Call]:
    """One answer a line: the first code span that calls, the line itself, or a mention."""
    for span in _CODE_SPAN.finditer(line):
        for call in wanted.judge(span[1], number):
            refused = _REFUSAL.search(line[: span.start()])
            yield call._replace(shrug=_REFUSED) if refused else call
            return
    whole = wanted.judge(line, number)
    place = wanted.find_mention(line)
    if whole:
        yield whole[0]
    elif place is not None:
        yield Call(number, _REFUSED if _REFUSAL.search(line[:place]) else "", mention=True)
