"""Finds where a text runs the checks. A mere mention is no call: the line must run the program and mind its answer."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

PROGRAM = "handoff-tui"
_MODULE = "handoff_tui"

_KEY = re.compile(
    # what stands before a command in YAML, JSON and Jenkins files
    r"""^\s*(?:-\s+)?
        (?:["']?(?:run|script|before_script|command|entry|bash|sh|pwsh|pre-commit|pre-push)["']?\s*(?::|(?=\s*["'(])))?
        \s*\(?\s*(?:script:\s*)?\[?\s*""",
    re.VERBOSE,
)
_VARIABLE = re.compile(r"\$\{\{.*?\}\}|\$\([A-Za-z_]\w*\)|\$\{[A-Za-z_]\w*\}")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*")
_OPERATORS = frozenset({";", "&&", "||", "|", "&", "(", ")", "{", "}", "|&", ";;"})
_LEADING = frozenset({"if", "then", "else", "elif", "do", "while", "!", "time", "exec", "command", "env", "sudo"})
_RUNNERS = frozenset({("uv", "run"), ("pipx", "run"), ("poetry", "run"), ("hatch", "run"), ("pdm", "run")})
_INTERPRETER = re.compile(r"(?:python[\d.]*|bash|sh|dash|zsh|source|\.)")
_SHRUGS = frozenset({"true", ":", "echo", "printf"})
_TOOTHLESS = re.compile(
    r"^\s*-?\s*(?:continue-on-error:\s*true|allow_failure:\s*true|if:\s*(?:false|\$\{\{\s*false\s*\}\})|when:\s*never)(?!\w)"
)
_MENTION = re.compile(r"handoff-tui(?:\s+--repo\s+\S+)?\s+check\b")
_NEGATION = re.compile(r"\b(?:do not|don't|never|no need to|must not|skip|without)\b[^.;]*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Call:
    """A line that runs the checks; `shrug` says why its answer would not stop anything."""

    line: int
    shrug: str = ""


def find_calls(text: str, scripts: tuple[str, ...] = (), *, ours: bool = True) -> list[Call]:
    """Lines that run one of the given scripts or, if it is `ours` that is looked for, `handoff-tui check`."""
    found: list[Call] = []
    names = (*((PROGRAM, _MODULE) if ours else ()), *scripts)
    for number, line in enumerate(text.splitlines(), 1):
        if any(name in line for name in names):
            found.extend(Call(number, shrug) for shrug in _judge_line(line, scripts, ours=ours))
    return found


def find_toothless(text: str) -> int | None:
    """The first line that lets a step of CI fail without consequence."""
    return next((number for number, line in enumerate(text.splitlines(), 1) if _TOOTHLESS.match(line)), None)


def find_mentions(text: str, scripts: tuple[str, ...] = (), *, ours: bool = True) -> list[Call]:
    """Lines of prose that name the call; one that says not to make it has a shrug."""
    found: list[Call] = []
    visible = re.sub(r"<!--.*?-->", lambda hidden: "\n" * hidden[0].count("\n"), text, flags=re.DOTALL)
    for number, line in enumerate(visible.splitlines(), 1):
        starts = [match.start() for match in _MENTION.finditer(line)] if ours else []
        starts += [line.index(script) for script in scripts if script in line]
        if starts:
            refused = _NEGATION.search(line[: min(starts)])
            found.append(Call(number, "says not to" if refused else ""))
    return found


def _judge_line(line: str, scripts: tuple[str, ...], *, ours: bool) -> Iterator[str]:
    """For each call on the line, why it has no teeth, or an empty text."""
    commands = _split_commands(line)
    for position, (words, operator) in enumerate(commands):
        ignored = words and words[0].startswith(("-", "@-"))
        if not _is_script_call(words, scripts) and not (ours and _is_our_call(words)):
            continue
        following = commands[position + 1][0] if position + 1 < len(commands) else []
        if ignored:
            yield "make ignores its answer"
        elif operator in {"|", "|&"}:
            yield "its answer is lost in a pipe"
        elif operator == "&":
            yield "nobody waits for its answer"
        elif operator in {"||", ";"} and _is_shrug(following):
            yield "its answer is thrown away"
        else:
            yield ""


def _is_shrug(words: list[str]) -> bool:
    return words[:2] == ["exit", "0"] or (bool(words) and words[0] in _SHRUGS)


def _split_commands(line: str) -> list[tuple[list[str], str]]:
    """The words of each command on the line, and the operator after it."""
    outer = _KEY.sub("", _VARIABLE.sub("VARIABLE", line), count=1).strip().rstrip(",")
    for quote in "\"'":
        inner = outer.rstrip("])").rstrip()
        if len(inner) > 1 and inner[0] == quote == inner[-1]:
            outer = inner[1:-1].replace(f"\\{quote}", quote)
            break
    lexer = shlex.shlex(outer, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # an open quote: prose, or a part of something longer
        return []
    commands: list[tuple[list[str], str]] = []
    current: list[str] = []
    for word in words:
        if word in _OPERATORS:
            commands.append((current, word))
            current = []
        else:
            current.append(word)
    return [*commands, (current, "")]


def _is_our_call(words: list[str]) -> bool:
    rest = _drop_leading(words)
    if rest and _name(rest[0]) == PROGRAM:
        return "check" in rest[1:]
    if rest and _INTERPRETER.fullmatch(_name(rest[0])) and "-m" in rest:
        module = rest.index("-m") + 1
        return rest[module : module + 1] == [_MODULE] and "check" in rest[module:]
    return False


def _is_script_call(words: list[str], scripts: tuple[str, ...]) -> bool:
    rest = _drop_leading(words)
    if rest and _INTERPRETER.fullmatch(_name(rest[0])):
        rest = [word for word in rest[1:] if not word.startswith("-")]
    return bool(rest) and _is_script(rest[0].lstrip("@+-"), scripts)


def _name(word: str) -> str:
    return PurePosixPath(word.lstrip("@+-")).name


def _drop_leading(words: list[str]) -> list[str]:
    rest = list(words)
    while rest:
        if rest[0] in _LEADING or _ASSIGNMENT.fullmatch(rest[0]):
            rest = rest[1:]
        elif tuple(rest[:2]) in _RUNNERS:
            rest = rest[2:]
        elif rest[0] == "uvx":
            rest = rest[1:]
        else:
            break
    return rest


def _is_script(word: str, scripts: tuple[str, ...]) -> bool:
    path = word.removeprefix("./")
    return any(path == script or path.endswith(f"/{script}") for script in scripts)
