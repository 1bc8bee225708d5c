"""Marks that keep tests from running, or make their failure count for nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

from handoff_tui.checks.testcode.code_skips import find_code_skips
from handoff_tui.checks.testcode.code_tests import find_owners
from handoff_tui.checks.testcode.code_text import Code, find_family, parse_code
from handoff_tui.checks.testcode.marked_tests import find_code_tests
from handoff_tui.checks.testcode.python_tests import parse_python
from handoff_tui.core.lazy_pattern import compile_later

_PYTHON: Final = compile_later(
    r"(?:^|\.)mark\.(?:skip|skipif|xfail)$|^pytest\.(?:skip|xfail|importorskip)$|\.skipTest$"
    r"|^unittest\.(?:skip|skipIf|skipUnless|expectedFailure|SkipTest)$"
    r"|^(?:skipIf|skipUnless|expectedFailure|SkipTest|collect_ignore|collect_ignore_glob|__test__|importorskip)$"
)
_ANY_WORD: Final = compile_later(r"skip|xfail|expectedFailure|SkipTest|collect_ignore|__test__")
_BARE: Final = frozenset({"skip", "xfail"})


class SkipMark(NamedTuple):
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
    family = find_family(path)
    if family is not None:
        yield from _find_code(parse_code(text, family))


def _find_code(code: Code) -> Iterator[SkipMark]:
    """Each with the test or the group it stands on; else with the rest of its line."""
    tests = find_code_tests(code)
    marks = sorted(find_code_skips(code, tests), key=lambda mark: (mark.owned_at, mark.start))
    owners = find_owners(tests, (mark.owned_at for mark in marks))
    for mark, owner in zip(marks, owners, strict=True):
        name = owner.name if owner is not None else _read_rest(code, mark.end)
        yield SkipMark(mark.words, name, code.line_of(mark.start))


def _read_rest(code: Code, position: int) -> str:
    end = code.code.find("\n", position)
    return " ".join(code.code[position : end if end >= 0 else len(code.code)].split())


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
