"""Whether a hook, a CI file or a prompt really calls a script or this program, and heeds its exit code.

A mention in a comment, in a title or as an argument isn't a call. In prose only code is read as commands; a line that
only names the call counts as a mention.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later

_KEY = compile_later(
    # what stands before a command in YAML, JSON and Jenkins files
    r"""^\s*(?:-\s+)?
        (?:["']?(?:run|script|before_script|command|entry|bash|sh|pwsh|pre-commit|pre-push)["']?\s*(?::|(?=\s*["'(])))?
        \s*\(?\s*(?:script:\s*)?\[?\s*""",
    re.VERBOSE,
)
_LIST = compile_later(r"""\[\s*((?:"[^"]*"|'[^']*')(?:\s*,\s*(?:"[^"]*"|'[^']*'))*)\s*,?\s*\]""")
_LISTED = compile_later(r"""["']([^"']*)["']""")
_VARIABLE = compile_later(r"\$\{\{.*?\}\}|\$\([A-Za-z_]\w*\)|\$\{[A-Za-z_]\w*\}")
_ASSIGNMENT = compile_later(r"[A-Za-z_]\w*=.*")
_OPERATORS = frozenset({";", "&&", "||", "|", "&", "(", ")", "{", "}", "|&", ";;"})
_LEADING = frozenset({"if", "then", "else", "elif", "do", "while", "!", "exec", "command"})
_WRAPPERS = frozenset({"env", "sudo", "time", "timeout", "nice", "nohup", "stdbuf", "xvfb-run"})
"""Programs that run another one, which follows their options and numbers."""
_OPTION = compile_later(r"-.*|\d+(?:\.\d+)?[smhd]?")
_RUNNERS = frozenset({("uv", "run"), ("pipx", "run"), ("poetry", "run"), ("hatch", "run"), ("pdm", "run")})
_INTERPRETER = compile_later(r"(?:python[\d.]*|bash|sh|dash|zsh|source|\.)")
_IGNORED = "-@+"
_COMMENTS = ("#", "//")


class ScriptCommand(NamedTuple):
    """One command: its words as written, and the operator after it."""

    words: tuple[str, ...]
    operator: str

    @property
    def is_ignored(self) -> bool:
        """Whether make ignores its exit code."""
        return bool(self.words) and self.words[0].startswith(("-", "@-"))

    @property
    def program(self) -> tuple[str, ...]:
        """The words from the program on, without assignments, wrappers and runners."""
        rest = list(self.words)
        while rest:
            if rest[0] in _LEADING or _ASSIGNMENT.fullmatch(rest[0]) or rest[0] == "uvx":
                rest = rest[1:]
            elif rest[0] in _WRAPPERS:
                rest = rest[1:]
                while rest and _OPTION.fullmatch(rest[0]):
                    rest = rest[1:]
            elif tuple(rest[:2]) in _RUNNERS:
                rest = rest[2:]
            else:
                break
        return tuple(rest)


def read_name(word: str) -> str:
    """The name of a program, without its folder and the prefixes of make."""
    bare = word.lstrip(_IGNORED)
    return PurePosixPath(bare).name or bare


def is_interpreter(word: str) -> bool:
    """Whether a word is an interpreter; its script need not be executable."""
    return _INTERPRETER.fullmatch(read_name(word)) is not None


def list_commands(line: str) -> list[ScriptCommand]:
    """The commands on a line: of a shell, or written as lists; none in a comment."""
    if line.lstrip().startswith(_COMMENTS):
        return []
    listed = [command for match in _LIST.finditer(line) for command in _read_list(_LISTED.findall(match[1]))]
    return [*_split(line), *listed]


def _read_list(words: list[str]) -> list[ScriptCommand]:
    """A list is one command word by word, or, if a word has spaces, one command each."""
    if any(" " in word for word in words):
        return [command for word in words for command in _split(word)]
    return [ScriptCommand(tuple(words), "")]


def _split(line: str) -> list[ScriptCommand]:
    """The commands of a shell line; none if a quote is left open, as in prose."""
    outer = _KEY.sub("", _VARIABLE.sub("VARIABLE", line), count=1).strip().rstrip(",")
    inner = outer.rstrip("])").rstrip()
    for quote in "\"'":
        if len(inner) > 1 and inner[0] == quote == inner[-1]:
            outer = inner[1:-1].replace(f"\\{quote}", quote)
            break
    lexer = shlex.shlex(outer, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # an open quote
        return []
    commands: list[ScriptCommand] = []
    current: list[str] = []
    for word in words:
        if word in _OPERATORS:
            commands.append(ScriptCommand(tuple(current), word))
            current = []
        else:
            current.append(word)
    return [*commands, ScriptCommand(tuple(current), "")]


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
    """Why its exit code would stop nothing; empty if it would."""
    by_interpreter: bool = False
    """Whether an interpreter runs the script, which then need not be executable."""
    mention: bool = False
    """Whether prose only names it."""


def is_prose(path: str) -> bool:
    """Whether a file is text for readers, with commands in between."""
    return path.lower().endswith(_PROSE)


def find_calls(text: str, scripts: tuple[str, ...] = (), *, ours: bool = True, prose: bool = False) -> list[Call]:
    """Lines that run one of the scripts or, with `ours`, `handoff-tui check`."""
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
    """The first line that lets a CI step fail without consequence."""
    return next((number for number, line in enumerate(text.splitlines(), 1) if _TOOTHLESS.match(line)), None)


class _Wanted(NamedTuple):
    """What to look for."""

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
        """The position where a line first names it."""
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


def _find_shrug(command: ScriptCommand, following: tuple[str, ...]) -> str:
    if command.is_ignored:
        return "make ignores its answer"
    if command.operator in {"|", "|&"}:
        return "its answer is lost in a pipe"
    if command.operator == "&":
        return "nobody waits for its answer"
    is_waved_through = following[:2] == ("exit", "0") or (bool(following) and following[0] in _SHRUGS)
    return "its answer is thrown away" if command.operator in {"||", ";"} and is_waved_through else ""


def _find_in_prose(text: str, wanted: _Wanted) -> Iterator[Call]:
    """Calls in fenced code, lines that are commands, and code spans; else mentions. Hidden text does not count."""
    fence = ""
    visible = _HIDDEN.sub(lambda hidden: "\n" * hidden[0].count("\n"), text)
    for number, line in enumerate(visible.splitlines(), 1):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif wanted.is_named_in(line):
            yield from wanted.judge(line, number) if fence else _judge_prose(line, number, wanted)


def _judge_prose(line: str, number: int, wanted: _Wanted) -> Iterator[Call]:
    """One call per line: the first code span that calls, the line itself, or a mention."""
    for span in _CODE_SPAN.finditer(line):
        for call in wanted.judge(span[1], number):
            refused = _REFUSAL.search(line[: span.start()])
            yield call._replace(shrug=_REFUSED) if refused else call
            return
    calls = wanted.judge(line, number)
    mention = wanted.find_mention(line)
    if calls:
        yield calls[0]
    elif mention is not None:
        yield Call(number, _REFUSED if _REFUSAL.search(line[:mention]) else "", mention=True)
