"""The commands on one line of a script, of make, or of a CI file: the words of each, and what follows it."""

from __future__ import annotations

import re
import shlex
from pathlib import PurePosixPath
from typing import NamedTuple

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
"""Programs that run another one; their options and numbers come before it."""
_OPTION = compile_later(r"-.*|\d+(?:\.\d+)?[smhd]?")
_RUNNERS = frozenset({("uv", "run"), ("pipx", "run"), ("poetry", "run"), ("hatch", "run"), ("pdm", "run")})
_INTERPRETER = compile_later(r"(?:python[\d.]*|bash|sh|dash|zsh|source|\.)")
_IGNORED = "-@+"
_COMMENTS = ("#", "//")


class Command(NamedTuple):
    """One command: its words as written, and the operator behind it."""

    words: tuple[str, ...]
    operator: str

    @property
    def is_ignored(self) -> bool:
        """Whether make goes on whatever it answers."""
        return bool(self.words) and self.words[0].startswith(("-", "@-"))

    @property
    def program(self) -> tuple[str, ...]:
        """The words from the program on, without what only leads up to it."""
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
    """The name of a program, without its folder and the signs that make understands."""
    bare = word.lstrip(_IGNORED)
    return PurePosixPath(bare).name or bare


def is_interpreter(word: str) -> bool:
    """Whether it reads a script, which then needs no permission to be executed."""
    return _INTERPRETER.fullmatch(read_name(word)) is not None


def list_commands(line: str) -> list[Command]:
    """Those of a shell, and those that are written as lists; none in a comment."""
    if line.lstrip().startswith(_COMMENTS):
        return []
    listed = [command for match in _LIST.finditer(line) for command in _read_list(_LISTED.findall(match[1]))]
    return [*_split(line), *listed]


def _read_list(words: list[str]) -> list[Command]:
    """A list is one command word by word, or, where a word has spaces, one command each."""
    if any(" " in word for word in words):
        return [command for word in words for command in _split(word)]
    return [Command(tuple(words), "")]


def _split(line: str) -> list[Command]:
    """None for prose with an open quote, and for a part of something longer."""
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
    commands: list[Command] = []
    current: list[str] = []
    for word in words:
        if word in _OPERATORS:
            commands.append(Command(tuple(current), word))
            current = []
        else:
            current.append(word)
    return [*commands, Command(tuple(current), "")]
