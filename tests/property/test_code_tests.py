"""Laws of the tests of other languages: nothing raises, and neither comments nor strings make or hide a test."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.checks.testcode.code_text import Family, parse_code
from handoff_tui.checks.testcode.find import find_skips, find_tests
from handoff_tui.checks.testcode.parts import TestFunction

ENDINGS = {
    Family.SCRIPT: "js",
    Family.GO: "go",
    Family.RUST: "rs",
    Family.JAVA: "java",
    Family.KOTLIN: "kt",
}
PIECES = st.sampled_from(
    [
        *("it(", "describe('a', () => {", "test.each`", "xit", ".skip", "expect(a)", ".toBe(1)", "=>", "function () {"),
        *("func TestA(t *testing.T) {", 't.Run("b", func(t *testing.T) {', "t.Skip()", "range a", "a := []int{"),
        *("#[test]", "fn a() {", "#[ignore]", "mod b {", "assert!(", 'r#"', "'a", "/* /*"),
        *("@Test", "void b() {", "@Disabled", "class C {", "fun `d`() =", '"""', "${", "assertThat(a)"),
        *("(", ")", "[", "]", "{", "}", "<", ">", ",", ";", "'", '"', "`", "/", "//", "/*", "*/", "\\", "\n", " ", "é"),
        *("return", "if (false) {", "if (true) return", "catch (e) { }", "1", "true"),
    ]
)
TEXTS = st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=60)
BEFORE = {
    Family.SCRIPT: "describe('g', () => {\n  it('a', () => { expect(b).toBe(1) })\n",
    Family.GO: "func TestA(t *testing.T) {\n\tt.Fatal(1)\n}\n",
    Family.RUST: "mod g {\n#[test]\nfn a() { assert_eq!(b, 1); }\n",
    Family.JAVA: "class G {\n@Test void a() { assertEquals(b, 1); }\n",
    Family.KOTLIN: "class G {\n@Test fun a() { assertEquals(b, 1) }\n",
}
AFTER = {
    Family.SCRIPT: "\n  it.skip('c', () => { assert.equal(d, 2) })\n})\n",
    Family.GO: "\nfunc TestC(t *testing.T) {\n\tt.Skip()\n\trequire.Equal(t, d, 2)\n}\n",
    Family.RUST: "\n#[test]\n#[ignore]\nfn c() { assert!(d); }\n}\n",
    Family.JAVA: "\n@Test @Disabled void c() { assertTrue(d); }\n}\n",
    Family.KOTLIN: "\n@Test @Disabled fun c() { assertTrue(d) }\n}\n",
}
STRINGS = {
    Family.SCRIPT: "  const s = '{}'\n",
    Family.GO: 'var s = "{}"\n',
    Family.RUST: 'const S: &str = "{}";\n',
    Family.JAVA: 'String s = "{}";\n',
    Family.KOTLIN: 'val s = "{}"\n',
}
MARKS = str.maketrans(dict.fromkeys("\\\n'\"`$", " "))


def read(family: Family, text: str) -> tuple[list[TestFunction], list[tuple[str, str]]]:
    path = f"a_test.{ENDINGS[family]}"
    return list(find_tests(path, text)), [mark.key for mark in find_skips(path, text)]


def names(tests: list[TestFunction]) -> list[tuple[str, int, int]]:
    return [(test.name, test.assertions, test.exact) for test in tests]


@given(TEXTS, st.sampled_from(Family))
def test_any_text_is_read_without_raising(text: str, family: Family) -> None:
    """Twice the same, and every form keeps length and lines."""
    assert read(family, text) == read(family, text)
    code = parse_code(text, family)
    for form in (code.code, code.bare):
        assert len(form) == len(text)
        assert [place for place, sign in enumerate(form) if sign == "\n"] == [
            place for place, sign in enumerate(text) if sign == "\n"
        ]


@given(TEXTS, st.sampled_from(Family), st.booleans())
def test_comment_neither_makes_nor_hides_a_test(text: str, family: Family, in_lines: bool) -> None:  # noqa: FBT001
    """Whatever is written in it."""
    whole = BEFORE[family] + AFTER[family]
    inside = text.replace("*/", "").replace("/*", "").replace("*", "").replace("/", "")
    comment = "".join(f"// {line}\n" for line in text.split("\n")) if in_lines else f"/* {inside} */"
    tests, skips = read(family, BEFORE[family] + comment + AFTER[family])
    expected, marks = read(family, whole)
    assert (names(tests), skips) == (names(expected), marks)


@given(TEXTS, st.sampled_from(Family))
def test_string_neither_makes_nor_hides_a_test(text: str, family: Family) -> None:
    """Whatever is written in it."""
    string = STRINGS[family].replace("{}", text.translate(MARKS))
    tests, skips = read(family, BEFORE[family] + string + AFTER[family])
    expected, marks = read(family, BEFORE[family] + AFTER[family])
    assert (names(tests), skips) == (names(expected), marks)


@given(TEXTS, st.sampled_from(Family))
def test_test_that_is_commented_out_is_gone(text: str, family: Family) -> None:
    """Nothing that follows brings it back."""
    commented = "".join(f"// {line}\n" for line in (BEFORE[family] + AFTER[family]).split("\n"))
    quiet = text.translate(MARKS).replace("/", " ").replace("*", " ")
    assert names(read(family, f"{commented}// {quiet}\n")[0]) == []
