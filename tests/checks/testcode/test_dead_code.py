from __future__ import annotations

import pytest

from handoff_tui.checks.testcode.code_text import Family, parse_code
from handoff_tui.checks.testcode.marked_tests import find_dead, is_empty


def dead(text: str, family: Family = Family.SCRIPT) -> list[str]:
    code = parse_code(text, family)
    return [code.code[start:end].strip(" ;\n") for start, end in find_dead(code, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("return; a()", ["a()"]),
        ("a()\nreturn\nb()", ["b()"]),
        ("a();\nreturn b()\n  .c();\nd()", ["d()"]),
        ("return b()\n  .c()\nd()", ["d()"]),
        ("return b(() => {\n  c()\n})\nd()", ["d()"]),
        ("if (true) return; a()", ["a()"]),
        ("if true {\n return\n}\na()", ["}\na()"]),
        ("if (false) { a() } b()", ["a()"]),
        ("if (0) { a() } if (!true) { b() } c()", ["a()", "b()"]),
    ],
)
def test_what_is_never_reached_is_found(text: str, found: list[str]) -> None:
    """After a return that is always taken, and under a condition that never holds."""
    assert dead(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "if (a) return; b()",
        "if (a)\n  return\nb()",
        "if (a) { return } b()",
        "if (a) b(); else return; c()",
        "while (a) return\nb()",
        "return a()",
        "a(() => { return 1; })\nb()",
        "val a = b ?: return\nc()",
        "// return\na()",
        "'return;'; a()",
        "returned(); a()",
    ],
)
def test_what_may_be_reached_is_not_dead(text: str) -> None:
    """A return that depends on something, and one in a comment."""
    assert [part for part in dead(text) if part] == []


@pytest.mark.parametrize(
    ("text", "empty"),
    [("", True), (" // a\n", True), ("return;", True), ("return\na()", True), ("return a()", False), ("a()", False)],
)
def test_body_is_empty_when_it_does_nothing(text: str, empty: bool) -> None:  # noqa: FBT001 - a table of truths
    """Comments do nothing."""
    assert is_empty(parse_code(text, Family.GO), 0, len(text)) is empty
