"""Marks that keep tests from running, or make their failure count for nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from handoff_tui.checks.testcode.code_tests import CodeTest, find_owners
from handoff_tui.checks.testcode.code_text import Code, Family, find_family, parse_code
from handoff_tui.checks.testcode.declared_assertions import find_receivers
from handoff_tui.checks.testcode.declared_tests import Mark, find_annotations, find_attributes
from handoff_tui.checks.testcode.marked_tests import find_code_tests
from handoff_tui.checks.testcode.python_tests import parse_python
from handoff_tui.checks.testcode.script_tests import CALL
from handoff_tui.core.lazy_pattern import compile_later

_SCRIPT_MEMBERS: Final = frozenset(
    {"skip", "only", "todo", "failing", "fails", "fixme", "skipIf", "runIf", "if", "ignore"}
)
_SCRIPT_FLAGS: Final = compile_later(r"(?:x(?:it|test|describe|context|specify)|f(?:it|describe))$")
_MEMBER: Final = compile_later(r"\s*(?:\.\s*(?P<name>\w+)|\[\s*(?P<quote>['\"`])\s*(?P=quote)\s*\])")
_SCRIPT_CALLS: Final = compile_later(
    r"(?<![\w.$])(?:this|ctx|context|t|testInfo)\s*\.\s*(?:skip|todo|fixme)\s*(?=\()|(?<![\w.$])pending\s*(?=\()"
)
_SCRIPT_OPTION: Final = compile_later(r"[{,]\s*(?:skip|todo|only|fails)\s*:(?!\s*(?:false|undefined)\b)")
_GO_SKIP: Final = compile_later(r"(?<![\w.])(?P<receiver>\w+)(?:\.T\(\))?\.(?:Skip|Skipf|SkipNow)\s*(?=\()")
_GO_CONSTRAINT: Final = compile_later(r"^//(?:go:build| \+build)[ \t]+\S[^\n]*", re.MULTILINE)
_GO_PACKAGE: Final = compile_later(r"^package\b", re.MULTILINE)
_RUST_IGNORE: Final = compile_later(r"ignore\b|cfg_attr\s*\(.*\bignore\b|should_panic$", re.DOTALL)
_RUST_CONDITION: Final = compile_later(r"cfg\s*\((?!\s*test\s*\)|\s*all\s*\(\s*test\s*\)\s*\))")
_JAVA_SKIP: Final = compile_later(r"(?:\w+\.)*(?:Disabled\w*|Ignore|Ignored|Enabled(?:If|On|For)\w*)$")
_DECLARED: Final = compile_later(r"[({;]")
_JAVA_TEST: Final = compile_later(r"(?:\w+\.)*Test$")
_JAVA_OFF: Final = compile_later(r"\benabled\s*=\s*false\b")
_JAVA_ASSUMPTION: Final = compile_later(r"\bassum(?:e(?:True|False|That|NotNull|NoException)?|ingThat)\s*(?=\()")


class CodeSkip(NamedTuple):
    """A mark in source text. `owned_at` lies inside the test it stands on."""

    words: str
    start: int
    end: int
    owned_at: int


def find_code_skips(code: Code, tests: list[CodeTest]) -> Iterator[CodeSkip]:
    """In no order; `tests` are those of the same text."""
    if code.family is Family.SCRIPT:
        yield from _find_script(code, tests)
    elif code.family is Family.GO:
        yield from _find_go(code)
    elif code.family is Family.RUST:
        yield from _find_rust(code, tests)
    else:
        yield from _find_java(code)


def _build(code: Code, start: int, end: int) -> CodeSkip:
    words = " ".join(code.code[start:end].split()).rstrip(" (")
    return CodeSkip(words, start, end, start)


def _find_script(code: Code, tests: list[CodeTest]) -> Iterator[CodeSkip]:
    for match in CALL.finditer(code.bare):
        end, members = _read_members(code, match.end())
        is_called = code.bare.startswith(("(", "`", "<"), code.skip_space(end))
        if not _SCRIPT_MEMBERS.isdisjoint(members) or (is_called and _SCRIPT_FLAGS.match(match.group())):
            yield _build(code, match.start(), end)
    for match in _SCRIPT_CALLS.finditer(code.bare):
        yield _build(code, match.start(), match.end())
    for test in tests:
        for match in _SCRIPT_OPTION.finditer(code.bare, test.start, max(test.start, test.body_start)):
            start = match.start() + 1
            yield CodeSkip(" ".join(code.code[start : match.end()].split()), start, match.end(), test.start)


def _read_members(code: Code, position: int) -> tuple[int, list[str]]:
    """`it.concurrent["skip"]`: the names behind the word, and where they end."""
    members: list[str] = []
    while (match := _MEMBER.match(code.bare, position)) is not None:
        text = code.code[match.start() : match.end()]
        members.append(match["name"] or text.strip("[ ]\n\t").strip("'\"`"))
        position = match.end()
    return position, members


def _find_go(code: Code) -> Iterator[CodeSkip]:
    """Calls that skip, and the line at the head of a file that says when it is built at all."""
    receivers = find_receivers(code) | {"s", "suite"}
    for match in _GO_SKIP.finditer(code.bare):
        if match["receiver"] in receivers:
            yield _build(code, match.start(), match.end())
    package = _GO_PACKAGE.search(code.bare)
    for match in _GO_CONSTRAINT.finditer(code.text, 0, package.start() if package else len(code.text)):
        yield CodeSkip(" ".join(match.group().split()), match.start(), match.end(), match.start())


def _find_rust(code: Code, tests: list[CodeTest]) -> Iterator[CodeSkip]:
    """What is ignored anywhere, and tests that are compiled under a condition only."""
    starts = {test.start for test in tests if not test.is_group}
    for marks in find_attributes(code):
        for mark in marks:
            is_conditional = marks[0].start in starts and _RUST_CONDITION.match(mark.name)
            if is_conditional or _RUST_IGNORE.match(mark.name):
                yield _build_mark(code, marks, mark)


def _find_java(code: Code) -> Iterator[CodeSkip]:
    for marks in find_annotations(code):
        for mark in marks:
            is_off = _JAVA_TEST.match(mark.name) and _JAVA_OFF.search(code.bare, mark.start, mark.end)
            if is_off or _JAVA_SKIP.match(mark.name):
                yield _build_mark(code, marks, mark)
    for match in _JAVA_ASSUMPTION.finditer(code.bare):
        yield _build(code, match.start(), match.end())


def _build_mark(code: Code, marks: list[Mark], mark: Mark) -> CodeSkip:
    """A mark stands on what follows the last of those beside it."""
    words = " ".join(code.code[mark.start : mark.end].split())
    name = words.partition("(")[0] if words.startswith("@") and "enabled" not in words else words
    following = code.find_near(_DECLARED, marks[-1].end)
    return CodeSkip(name, mark.start, mark.end, following.start() if following else marks[-1].end)


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
