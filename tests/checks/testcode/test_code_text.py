from __future__ import annotations

import pytest

from handoff_tui.checks.testcode.code_text import Family, find_family, parse_code


@pytest.mark.parametrize(
    ("path", "family"),
    [
        ("src/a.test.TSX", Family.SCRIPT),
        ("a_test.go", Family.GO),
        ("a.rs", Family.RUST),
        ("A.java", Family.JAVA),
        ("A.kt", Family.KOTLIN),
        ("a.rb", None),
        ("noending", None),
    ],
)
def test_family_is_told_by_the_end_of_the_name(path: str, family: Family | None) -> None:
    """None for languages that are not known."""
    assert find_family(path) is family


def test_forms_are_as_long_as_the_text_and_have_its_lines() -> None:
    """So that a position means the same in each."""
    text = "a('b(') // c\n/* d\n */ `e\n${f}`"
    code = parse_code(text, Family.SCRIPT)
    assert code.code == "a('b(')     \n    \n    `e\n${f}`"
    assert code.bare == "a('  ')     \n    \n    ` \n    `"
    assert [code.line_of(position) for position in (0, 12, 13, 20, len(text) - 1)] == [1, 1, 2, 3, 4]


def test_brackets_are_paired_whatever_they_hold() -> None:
    """One that is left open ends where one around it closes; one that nothing opened is passed over."""
    code = parse_code("a(b[{c) ] } (d", Family.GO)
    assert code.closing == {1: 6, 3: 6, 4: 6}
    assert code.end_of(12) == len(code.bare)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("(a, b(c, d), [e, f], ')')", ["a", "b(c, d)", "[e, f]", "')'"]),
        ("()", []),
        ("(a,\n b,\n)", ["a", "b"]),
        ("(a, (b", ["a", "(b"]),
    ],
)
def test_arguments_are_those_between_the_outermost_commas(text: str, parts: list[str]) -> None:
    """A comma at the end adds none."""
    code = parse_code(text, Family.SCRIPT)
    assert [code.code[start:end].strip() for start, end in code.list_arguments(0)] == parts


def test_white_space_is_passed_in_both_directions() -> None:
    """A blanked comment is white space."""
    code = parse_code("a /* b */\n c", Family.JAVA)
    assert (code.skip_space(1), code.skip_space_back(11)) == (11, 0)
    assert code.skip_space_back(0) == -1
