from __future__ import annotations

import pytest

from handoff_tui.checks.testcode.code_tests import CodeTest
from handoff_tui.checks.testcode.code_text import Code, Family, parse_code
from handoff_tui.checks.testcode.script_tests import find_calls, find_script_tests


def read(text: str) -> tuple[Code, list[CodeTest]]:
    code = parse_code(text, Family.SCRIPT)
    return code, find_script_tests(code)


def names(text: str) -> list[str]:
    return [test.name for test in read(text)[1] if not test.is_group]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("describe('a', () => { context('b', function () { it('c', f) }) ; it('c', f) })", ["a › b › c", "a › c"]),
        ("it.skip('a', f); xit('b', f); fit('c', f); test.todo('d'); it['only']('e', f)", ["a", "b", "c", "d", "e"]),
        ("it.concurrent.each([1])('a', f)", ["a"]),
        ("it.each<[number, string]>([[1, 'x']])('a %i', f)", ["a %i"]),
        ("test.describe('a', () => { test('b', async ({ page }) => {}) })", ["a › b"]),
        ("it(name, () => {}); it(`a ${b}`, f); it('a' + b, () => {})", ["name", "a ${b}", "'a' + b"]),
        ("test(() => {}); test(() => {})", ["(no title)", "(no title) (2)"]),
        ("Deno.test('a', () => {}); t.test('b', () => {})", ["a", "b"]),
        ("it(\n  'a',\n  f,\n)", ["a"]),
    ],
)
def test_tests_are_found_in_their_groups(text: str, found: list[str]) -> None:
    """Whatever stands between the word and the title."""
    assert names(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "// it('a', f)",
        "/* it('a', f) */",
        "const a = \"it('a', f)\"",
        "const a = `it('a', () => {}) ${b}`",
        "x = /it('a', f)/",
        "re.test('a'); unit.it('b'); wait('c'); exit('d'); t.test('a')",
        "test(value); it(); test.beforeEach(() => {}); test.use({ a: 1 }); test.skip(a, b)",
        "const it = 1",
    ],
)
def test_what_only_looks_like_a_test_is_none(text: str) -> None:
    """Comments, strings, templates, patterns, other functions."""
    assert names(text) == []


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("it('a', () => { b({}) })", " b({}) "),
        ("it('a', function named(done) { b() })", " b() "),
        ("it('a', () => b())", "b()"),
        ("it('a', { retry: 1 }, async () => { b() }, 500)", " b() "),
        ("it('a', fakeAsync(() => { b() }))", " b() "),
        ("it('a', b)", ""),
    ],
)
def test_body_is_that_of_the_function(text: str, body: str) -> None:
    """Wherever it stands among the arguments."""
    code, [test] = read(text)
    assert code.code[test.body_start : test.body_end] == body


@pytest.mark.parametrize(
    ("text", "cases"),
    [
        ("it('a', f)", 1),
        ("it.each([[1, 2], [3, 4], [5, 6]])('a', f)", 3),
        ("it.each(table)('a', f)", 1),
        ("it.each`\n a | b\n ${1} | ${2}\n ${3} | ${4}\n`('a', f)", 2),
    ],
)
def test_cases_are_counted(text: str, cases: int) -> None:
    """Those that are written out."""
    assert [test.cases for test in read(text)[1]] == [cases]


def test_calls_keep_their_members() -> None:
    """In brackets and quotes too."""
    code = parse_code("it.concurrent['skip']('a', f)", Family.SCRIPT)
    assert [call.members for call in find_calls(code)] == [["concurrent", "skip"]]
