from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.checks.testcode.marked_tests import find_marked_tests


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        (
            "a.ts",
            "it(\n  'it\\'s', f); xit(\"b\", f); test.only(`c`, f); describe.each`x`('d', () => { it('e', f) })",
            ["it\\'s", "b", "c", "d › e"],
        ),
        ("a.js", "wait('a'); unit.it('b'); // it('c', f)\n/* it('d') */", []),
        ("a.js", "it('a', f)\nit('a', f)", ["a", "a (2)"]),
        ("a.go", "func TestA(t *testing.T) {}\nfunc helperTest() {}\nfunc FuzzB(f *testing.F) {}", ["TestA", "FuzzB"]),
        (
            "a.rs",
            '#[test]\n#[ignore]\npub(crate) fn a() {}\n#[tokio::test(flavor = "x")]\nasync fn b() {}\nfn c() {}',
            ["a", "b"],
        ),
        ("A.java", '@Test(timeout = 3)\npublic void a() {}\n@DisplayName("x")\nvoid b() {}', ["a"]),
        ("A.kt", "@Test\nfun `rows far`() {}", ["rows far"]),
        ("a.rb", "it 'rows' do", []),
    ],
)
def test_tests_are_found_by_their_marks(path: str, text: str, names: list[str]) -> None:
    """In each language; other languages have none."""
    assert [test.name for test in find_marked_tests(path, text)] == names


@settings(max_examples=50)
@given(st.text(), st.sampled_from(["js", "go", "rs", "java"]))
def test_any_text_is_read_without_raising(text: str, ending: str) -> None:
    """And twice the same."""
    assert list(find_marked_tests(f"a.{ending}", text)) == list(find_marked_tests(f"a.{ending}", text))
