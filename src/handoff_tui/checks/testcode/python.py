"""Python tests, their assertions and skips, from the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from handoff_tui.checks.testcode.parts import SkipMark, TestFunction
from handoff_tui.core.lazy_pattern import compile_later

_LOOSE_METHODS = frozenset({"assertTrue", "assertFalse", "assertIsNotNone", "assertIsNone"})
_NAMING = (ast.Eq, ast.Is, ast.In)
_BOUNDING = ("assertGreater", "assertLess", "assertNot", "assertIsNot")
_RAISING = frozenset({"raises", "assertRaises", "assertRaisesRegex", "warns", "assertWarns"})
_BROAD = frozenset({"Exception", "BaseException"})
_FAILING = frozenset({"fail"})
_PAIR = 2
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_SKIP: Final = compile_later(
    r"(?:^|\.)mark\.(?:skip|skipif|xfail)$|^pytest\.(?:skip|xfail|importorskip)$|\.skipTest$"
    r"|^unittest\.(?:skip|skipIf|skipUnless|expectedFailure|SkipTest)$"
    r"|^(?:skipIf|skipUnless|expectedFailure|SkipTest|collect_ignore|collect_ignore_glob|__test__|importorskip)$"
)
_ANY_WORD: Final = compile_later(r"skip|xfail|expectedFailure|SkipTest|collect_ignore|__test__")
_BARE: Final = frozenset({"skip", "xfail"})


def _parse(text: str) -> ast.Module | None:
    """The syntax tree of a file; None if it is not Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def find_tests(text: str) -> list[TestFunction]:
    """Functions and methods whose names begin with "test", in order; none if the file can't be parsed."""
    tree = _parse(text)
    found: list[TestFunction] = []
    waiting: list[tuple[str, ast.AST]] = [("", tree)] if tree is not None else []
    while waiting:
        prefix, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                waiting.append((f"{prefix}{child.name}.", child))
            elif isinstance(child, _Function) and child.name.startswith("test"):
                found.append(_build(f"{prefix}{child.name}", child))
            elif isinstance(child, ast.If | ast.Try | ast.With):
                waiting.append((prefix, child))
    return sorted(found, key=lambda test: test.line)


def _build(name: str, function: _Function) -> TestFunction:
    assertions = exact = 0
    trivial: list[str] = []
    for node in _walk_reached(function):
        kind = _judge(node)
        if kind is None:
            continue
        if kind == "trivial":
            trivial.append(_quote(node))
        else:
            assertions += 1
            exact += kind == "exact"
    body = "\n".join(ast.dump(statement) for statement in function.body)
    return TestFunction(
        name=name,
        title=function.name,
        line=function.lineno,
        assertions=assertions,
        exact=exact,
        trivial=tuple(trivial),
        cases=_count_cases(function),
        empty=all(_does_nothing(statement) for statement in function.body),
        body=sha256(body.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def _does_nothing(statement: ast.stmt) -> bool:
    """Whether a statement is a pass, a docstring, an ellipsis, or a return of nothing."""
    if isinstance(statement, ast.Return):
        return statement.value is None
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _walk_reached(function: _Function) -> Iterator[ast.AST]:
    """Everything inside, except after a return that is always taken."""
    for statement in function.body:
        if isinstance(statement, ast.Return):
            return
        if isinstance(statement, ast.If) and isinstance(statement.test, ast.Constant) and not statement.test.value:
            continue
        yield from ast.walk(statement)


def _judge(node: ast.AST) -> str | None:
    """How strong an assertion is: exact, loose or trivial; None if the node is none."""
    if isinstance(node, ast.Assert):
        if is_always_true(node.test):
            return "trivial"
        return _judge_truth(node.test)
    if isinstance(node, ast.Call):
        return _judge_call(node)
    if isinstance(node, ast.ExceptHandler) and _swallows(node):
        return "trivial"
    return None


def _judge_truth(test: ast.expr | None) -> str:
    """Exact if it names a value; a bound, and a value that it isn't, allow many."""
    is_exact = isinstance(test, ast.Compare) and all(isinstance(one, _NAMING) for one in test.ops)
    return "exact" if is_exact else "loose"


def _judge_call(call: ast.Call) -> str | None:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in _RAISING:
        expected = call.args[0] if call.args else None
        return "trivial" if isinstance(expected, ast.Name) and expected.id in _BROAD else "exact"
    if name in _LOOSE_METHODS:
        argument = call.args[0] if call.args else None
        if argument is not None and name == "assertTrue" and is_always_true(argument):
            return "trivial"
        return _judge_truth(argument)
    if name.startswith(_BOUNDING):
        return "loose"
    if name.startswith("assert"):
        same = len(call.args) >= _PAIR and ast.dump(call.args[0]) == ast.dump(call.args[1])
        return "trivial" if same else "exact"
    return "loose" if name in _FAILING else None


def is_always_true(test: ast.expr) -> bool:
    """Whether a condition always holds: `True`, `x or True`, `x == x`, `len(x) >= 0`, a tuple with elements."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.Tuple | ast.List):
        return bool(test.elts)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return isinstance(test.operand, ast.Constant) and not test.operand.value
    if isinstance(test, ast.BoolOp):
        judged = [is_always_true(value) for value in test.values]
        return any(judged) if isinstance(test.op, ast.Or) else all(judged)
    return isinstance(test, ast.Compare) and len(test.ops) == 1 and _compares_nothing(test)


def _compares_nothing(test: ast.Compare) -> bool:
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(operator, ast.Eq | ast.Is | ast.GtE | ast.LtE):
        if ast.dump(left) == ast.dump(right):
            return True
        measures = isinstance(left, ast.Call) and getattr(left.func, "id", "") == "len"
        return measures and isinstance(operator, ast.GtE) and isinstance(right, ast.Constant) and right.value == 0
    return False


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a handler ignores a failed assertion."""
    caught = handler.type
    names = {getattr(part, "id", "") for part in ast.walk(caught)} if caught is not None else _BROAD
    idle = all(isinstance(statement, ast.Pass | ast.Return | ast.Continue) for statement in handler.body)
    return idle and bool(names & {*_BROAD, "AssertionError"})


def _count_cases(function: _Function) -> int:
    """How many cases the test gets as literals; 1 if it has no parameters."""
    cases = 1
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and getattr(decorator.func, "attr", "") == "parametrize":
            values = decorator.args[1] if len(decorator.args) >= _PAIR else None
            if isinstance(values, ast.List | ast.Tuple | ast.Set):
                cases *= len(values.elts)
    return cases


def _quote(node: ast.AST) -> str:
    if isinstance(node, ast.ExceptHandler):
        return "except that passes over a failed assertion"
    return " ".join(ast.unparse(node).split())[:80]


def find_skips(text: str) -> Iterator[SkipMark]:
    """Decorators, calls and names, but not words in strings; each with its test or class."""
    tree = _parse(text) if _ANY_WORD.search(text) else None
    waiting: list[tuple[str, ast.AST]] = [("module", tree)] if tree is not None else []
    while waiting:
        owner, node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            owner = node.name if owner == "module" else f"{owner}.{node.name}"
        name = _dotted(node)
        if name is not None:
            if _SKIP.search(name) and not _is_harmless(name, node):
                yield SkipMark(name, owner, getattr(node, "lineno", 1))
            continue
        for decorator in getattr(node, "decorator_list", ()):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(called, ast.Name) and called.id in _BARE:
                yield SkipMark(called.id, owner, called.lineno)
        waiting.extend((owner, child) for child in ast.iter_child_nodes(node))


def _is_harmless(name: str, node: ast.AST) -> bool:
    """Whether a name is only read: setting it keeps tests out, reading it doesn't."""
    settable = name in {"collect_ignore", "collect_ignore_glob", "__test__"}
    return settable and not isinstance(getattr(node, "ctx", None), ast.Store)


def _dotted(node: ast.AST) -> str | None:
    """`pytest.mark.skip` for an attribute of that name; None if it is not a plain name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join(reversed([*parts, node.id]))
