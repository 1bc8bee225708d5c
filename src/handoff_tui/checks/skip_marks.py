"""Marks that keep tests from running, or make their failure count for nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from handoff_tui.checks.marked_tests import strip_comments
from handoff_tui.checks.python_tests import parse_python

_PYTHON = re.compile(
    r"(?:^|\.)mark\.(?:skip|skipif|xfail)$|^pytest\.(?:skip|xfail|importorskip)$|\.skipTest$"
    r"|^unittest\.(?:skip|skipIf|skipUnless|expectedFailure|SkipTest)$"
    r"|^(?:skipIf|skipUnless|expectedFailure|SkipTest|collect_ignore|collect_ignore_glob|__test__|importorskip)$"
)
_ANY_WORD = re.compile(r"skip|xfail|expectedFailure|SkipTest|collect_ignore|__test__")
_BARE = frozenset({"skip", "xfail"})
_SCRIPT = re.compile(
    r"(?<![\w.$])(?:x(?:it|test|describe|context|specify)|f(?:it|describe))\s*\("
    r"|(?<![\w.$])(?:it|test|describe|context|specify)(?:\.\w+)*\.(?:skip|only|todo|failing|fixme|skipIf|runIf)\b"
    r"|(?<![\w.$])this\.skip\(\)"
)
_OTHERS = {
    "go": re.compile(r"\b[tb]\.(?:Skip|Skipf|SkipNow)\("),
    "rs": re.compile(r"#\[ignore\b[^\]]*\]|#\[cfg_attr\([^\]]*\bignore\b[^\]]*\]|#\[should_panic\]"),
    "java": re.compile(r"@(?:\w+\.)*(?:Disabled\w*|Ignore)\b|\bassume(?:True|False|That)\s*\("),
}
_PATTERNS = {**dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs"), _SCRIPT), **_OTHERS, "kt": _OTHERS["java"]}


@dataclass(frozen=True, slots=True)
class SkipMark:
    """A mark and what it stands on."""

    mark: str
    owner: str
    line: int

    @property
    def key(self) -> tuple[str, str]:
        return self.mark, self.owner


def find_skips(path: str, text: str) -> Iterator[SkipMark]:
    if path.endswith(".py"):
        yield from _find_python(text)
        return
    pattern = _PATTERNS.get(path.rpartition(".")[2])
    for number, line in enumerate(strip_comments(text).split("\n") if pattern else (), start=1):
        for match in pattern.finditer(line) if pattern else ():
            following = " ".join(line[match.end() :].split())
            yield SkipMark(" ".join(match.group().split()).rstrip(" ("), following, number)


def _find_python(text: str) -> Iterator[SkipMark]:
    """Decorators, calls and names, but not words in strings; each with the test or class it stands on."""
    tree = parse_python(text) if _ANY_WORD.search(text) else None
    waiting: list[tuple[str, ast.AST]] = [("module", tree)] if tree is not None else []
    while waiting:
        owner, node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            owner = node.name if owner == "module" else f"{owner}.{node.name}"
        name = _dotted(node)
        if name is not None:
            if _PYTHON.search(name) and not _is_harmless(name, node):
                yield SkipMark(name, owner, getattr(node, "lineno", 1))
            continue
        for decorator in getattr(node, "decorator_list", ()):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(called, ast.Name) and called.id in _BARE:
                yield SkipMark(called.id, owner, called.lineno)
        waiting.extend((owner, child) for child in ast.iter_child_nodes(node))


def _is_harmless(name: str, node: ast.AST) -> bool:
    """A name that is read is no mark of its own: only setting it keeps tests out."""
    settable = name in {"collect_ignore", "collect_ignore_glob", "__test__"}
    return settable and not isinstance(getattr(node, "ctx", None), ast.Store)


def _dotted(node: ast.AST) -> str | None:
    """`pytest.mark.skip` for the attribute of that name; nothing for what is no plain name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join(reversed([*parts, node.id]))
