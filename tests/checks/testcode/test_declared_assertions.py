from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from handoff_tui.checks.testcode.code_assertions import Assertion, Strength
from handoff_tui.checks.testcode.code_text import Code, Family, parse_code
from handoff_tui.checks.testcode.declared_assertions import (
    find_go_assertions,
    find_java_assertions,
    find_receivers,
    find_rust_assertions,
)

FINDERS: dict[Family, Callable[[Code], Iterator[Assertion]]] = {
    Family.GO: find_go_assertions,
    Family.RUST: find_rust_assertions,
    Family.JAVA: find_java_assertions,
    Family.KOTLIN: find_java_assertions,
}


def strengths(family: Family, text: str) -> list[Strength]:
    return [assertion.strength for assertion in FINDERS[family](parse_code(text, family))]


@pytest.mark.parametrize(
    ("family", "text"),
    [
        (Family.GO, "assert.Equal(t, 1, a)"),
        (Family.GO, "require.True(t, a == b)"),
        (Family.GO, "s.Require().Len(a, 2)"),
        (Family.RUST, "assert_eq!(a, 1);"),
        (Family.RUST, "assert!(a == b);"),
        (Family.RUST, "assert!(matches!(a, B));"),
        (Family.JAVA, "assertEquals(1, a());"),
        (Family.JAVA, "assertTrue(a == b);"),
        (Family.JAVA, 'assertTrue("message", a > b);'),
        (Family.JAVA, "assertThat(a).hasSize(2).isEqualTo(b);"),
        (Family.JAVA, "assertThat(a, is(b));"),
        (Family.JAVA, "assertThrows(IllegalStateException.class, () -> a());"),
        (Family.JAVA, "mvc.perform(get(a)).andExpect(status().isOk());"),
        (Family.KOTLIN, "assertFailsWith<IllegalStateException> { a() }"),
        (Family.KOTLIN, "a shouldBe b"),
    ],
)
def test_comparison_is_exact(family: Family, text: str) -> None:
    """With something that is named."""
    assert strengths(family, text) == [Strength.EXACT]


@pytest.mark.parametrize(
    ("family", "text"),
    [
        (Family.GO, 't.Errorf("got %v", a)'),
        (Family.GO, "func(tt *testing.T) { tt.Fatal(1) }"),
        (Family.GO, "assert.True(t, a)"),
        (Family.GO, "require.NoError(t, err)"),
        (Family.RUST, "assert!(a.is_ok());"),
        (Family.RUST, "assert_ne!(a, b);"),
        (Family.RUST, 'panic!("x")'),
        (Family.RUST, "a.unwrap_err();"),
        (Family.JAVA, "assertNotNull(a);"),
        (Family.JAVA, "assertThat(a).isNotNull();"),
        (Family.JAVA, "assertThrows(Exception.class, () -> a());"),
        (Family.JAVA, 'fail("x");'),
        (Family.JAVA, "assert a;"),
        (Family.KOTLIN, "assertThrows<Throwable> { a() }"),
        (Family.KOTLIN, "a shouldNotBe b"),
    ],
)
def test_mere_truth_is_loose(family: Family, text: str) -> None:
    """So is what is only denied, and any exception."""
    assert strengths(family, text) == [Strength.LOOSE]


@pytest.mark.parametrize(
    ("family", "text"),
    [
        (Family.GO, "assert.True(t, true)"),
        (Family.GO, "require.Equal(t, a, a)"),
        (Family.GO, "require.NoError(t, nil)"),
        (Family.RUST, "assert!(true);"),
        (Family.RUST, "assert!(a || true);"),
        (Family.RUST, "assert_eq!(a(), a());"),
        (Family.JAVA, "assertTrue(true);"),
        (Family.JAVA, 'assertEquals("message", a, a);'),
        (Family.JAVA, "assertThat(a);"),
        (Family.JAVA, "assertThat(a).isEqualTo(a);"),
        (Family.JAVA, "assertThat(true).isTrue();"),
        (Family.JAVA, "assert true;"),
        (Family.JAVA, "try { a(); } catch (AssertionError error) { }"),
        (Family.KOTLIN, "try { a() } catch (e: Throwable) { /* fine */ }"),
    ],
)
def test_assertion_that_cannot_fail_is_trivial(family: Family, text: str) -> None:
    """Compared with itself, with nothing behind it, always true, or caught."""
    assert strengths(family, text) == [Strength.TRIVIAL]


@pytest.mark.parametrize(
    ("family", "text"),
    [
        (Family.GO, "log.Fatal(err)"),
        (Family.GO, "// t.Fatal(1)"),
        (Family.GO, "assert := assert.New(t)"),
        (Family.GO, "var a = `t.Fatal(1)`"),
        (Family.RUST, 'r#"assert!(a)"#'),
        (Family.JAVA, '"""\nassertTrue(a);\n"""'),
        (Family.JAVA, "try { a(); } catch (IOException error) { }"),
        (Family.KOTLIN, '"assertTrue(a)"'),
    ],
)
def test_what_asserts_nothing_is_none(family: Family, text: str) -> None:
    """Comments, strings, other names, and what catches no failed assertion."""
    assert strengths(family, text) == []


def test_receivers_are_the_names_tests_are_given() -> None:
    """The usual ones, and those of the file."""
    found = find_receivers(parse_code("func TestA(sub *testing.T) {}\nfunc help(tb testing.TB) {}", Family.GO))
    assert found == {"t", "b", "f", "tb", "sub"}
