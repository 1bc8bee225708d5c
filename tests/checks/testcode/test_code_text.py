from __future__ import annotations

from collections.abc import Callable

import pytest

from handoff_tui.checks.testcode.code_text import (
    Family,
    Scanned,
    find_family,
    parse_code,
    scan_go,
    scan_java,
    scan_kotlin,
    scan_rust,
    scan_script,
)


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


Scan = Callable[[str], Scanned]


def strings(scan: Scan, text: str) -> list[str]:
    return [text[start:end] for start, end in scan(text).strings]


def comments(scan: Scan, text: str) -> list[str]:
    return [text[start:end] for start, end in scan(text).comments]


@pytest.mark.parametrize(
    ("scan", "text", "found"),
    [
        (scan_script, "a('x', \"y\")", ["x", "y"]),
        (scan_script, r"a('it\'s')", [r"it\'s"]),
        (scan_script, "`a ${b ? `c ${'}'}` : \"`\"} d` + 'e'", ["a ${b ? `c ${'}'}` : \"`\"} d", "e"]),
        (scan_script, "`a ${ {b: 1} /* } */ // }\n} c` + 'd'", ["a ${ {b: 1} /* } */ // }\n} c", "d"]),
        (scan_script, "x = /['\"`/]{2}/.test('a')", ["['\"`/]{2}", "a"]),
        (scan_script, "return /'/g", ["'"]),
        (scan_script, "a / b / 'c'", ["c"]),
        (scan_script, "f(a) / 2 + '/'", ["/"]),
        (scan_script, "<A b={c} /> + <p>x</p> + 'd'", ["d"]),
        (scan_script, "'open\n'closed'", ["open", "closed"]),
        (scan_script, "`open", ["open"]),
        (scan_go, 'a("x", `y\n"`, \'"\')', ["x", 'y\n"', '"']),
        (scan_go, "`open", ["open"]),
        (scan_rust, 'let a: &\'a str = "x\n\\"y";', ['x\n\\"y']),
        (scan_rust, 'r#"a " b"# + br##"c "# d"## + r"e\\"', ['a " b', 'c "# d', "e\\"]),
        (scan_rust, "'\\'' + '\"' + '\\u{1F600}' + 'x'", ["\\'", '"', "\\u{1F600}", "x"]),
        (scan_rust, 'r#"open', ["open"]),
        (scan_java, '"a" + """\n b " \\""" c""" + \'"\'', ["a", '\n b " \\""" c', '"']),
        (scan_java, '"""open', ["open"]),
        (
            scan_kotlin,
            '"${a["x"]} ${ if (b) "}" else """c""" }" + "d"',
            ['${a["x"]} ${ if (b) "}" else """c""" }', "d"],
        ),
        (scan_kotlin, '"""a " ${"}"} b""" + `it\'s "x"` + \'"\'', ['a " ${"}"} b', 'it\'s "x"', '"']),
        (scan_kotlin, '"open\n"closed"', ["open", "closed"]),
        (scan_kotlin, '"${open', ["${open"]),
    ],
)
def test_strings_are_found_with_what_they_hold(scan: Scan, text: str, found: list[str]) -> None:
    """Escapes, code inside, raw forms; one that is left open ends with its line or with the text."""
    assert strings(scan, text) == found


@pytest.mark.parametrize(
    ("scan", "text", "found"),
    [
        (scan_script, "a // b\n/* c\nd */ 'http://x'", ["// b", "/* c\nd */"]),
        (scan_script, "'/*' + \"//\" + `/* //`", []),
        (scan_script, "a /* open", ["/* open"]),
        (scan_go, "a // b", ["// b"]),
        (scan_java, "/* a /* b */ c */", ["/* a /* b */"]),
        (scan_rust, "/* a /* b */ c */ d", ["/* a /* b */ c */"]),
        (scan_kotlin, "/* a /* b */ c */ d // e", ["/* a /* b */ c */", "// e"]),
        (scan_rust, "/* a /* b */ open", ["/* a /* b */ open"]),
    ],
)
def test_comments_are_found_where_they_are_some(scan: Scan, text: str, found: list[str]) -> None:
    """Nested where the language nests them; never inside a string."""
    assert comments(scan, text) == found


def test_line_of_slashes_takes_no_time() -> None:
    """A line that could begin a regular expression everywhere holds none, and the next line is read as ever."""
    text = "=/[" * 200_000 + "\n= /'/"
    assert strings(scan_script, text) == ["'"]
