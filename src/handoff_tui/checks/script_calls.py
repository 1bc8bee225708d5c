"""Whether a hook, a CI file or a prompt really calls a script: a mention in prose or in a comment is no call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"^\s*(?:>\s*)*(?:[-*]\s+)?(```+|~~~+)")
_CODE_SPAN = re.compile(r"`([^`]+)`")
_COMMENT = re.compile(r"(?:^|\s)(?:#|//).*")
_TALK = re.compile(r"^(?:-\s+)?(?:run:\s*)?(?:echo|printf)\b(?!.*(?:&&|\|\||;))")
_SHRUG = re.compile(r"\|\|\s*(?:true\b|:|exit 0\b|echo\b|printf\b)")
_REFUSAL = re.compile(r"\b(?:do not|don't|never|no need to|must not|skip|instead of)\b[^.;]*$", re.IGNORECASE)
_HIDDEN = re.compile(r"<!--.*?-->", re.DOTALL)
_INTERPRETER = r"\b(?:python[\d.]*|bash|dash|zsh|sh)\s+(?:-\S+\s+)*"
_MARKDOWN = (".md", ".markdown")


@dataclass(frozen=True, slots=True)
class Call:
    """A line that calls a script; an interpreter in front of it needs no permission to execute it."""

    line: int
    by_interpreter: bool


def find_calls(path: str, text: str, wanted: str) -> list[Call]:
    """The calls of a script, or of a command such as `tool check`, in a file; not those whose answer is thrown away."""
    words = r"\s+".join(re.escape(word) for word in wanted.split())
    called = re.compile(rf"(?<![\w.-]){words}(?![\w.-])")
    interpreted = re.compile(rf"{_INTERPRETER}[\"']?[^\s\"']*{words}")
    lines = _find_code_lines(text) if path.lower().endswith(_MARKDOWN) else enumerate(text.split("\n"), start=1)
    return [
        Call(number, bool(interpreted.search(command)))
        for number, line in lines
        if called.search(command := _COMMENT.sub("", line))
        and not _TALK.match(command.strip())
        and not _SHRUG.search(command)
    ]


def _find_code_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of fenced code, and code spans in prose that does not say to leave them."""
    fence = ""
    visible = _HIDDEN.sub(lambda hidden: "\n" * hidden[0].count("\n"), text)
    for number, line in enumerate(visible.split("\n"), start=1):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif fence:
            yield number, line
        else:
            for span in _CODE_SPAN.finditer(line):
                if not _REFUSAL.search(line[: span.start()]):
                    yield number, span[1]
