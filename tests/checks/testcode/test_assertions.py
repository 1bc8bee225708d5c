from __future__ import annotations

import pytest

from handoff_tui.checks.testcode import go, java, javascript, rust
from handoff_tui.checks.testcode.code_text import Family, parse_code
from handoff_tui.checks.testcode.parts import Strength

FINDERS = {
    Family.SCRIPT: javascript.find_assertions,
    Family.GO: go.find_assertions,
    Family.RUST: rust.find_assertions,
    Family.JAVA: java.find_assertions,
    Family.KOTLIN: java.find_assertions,
}


def find_strengths(family: Family, text: str) -> list[Strength]:
    return [assertion.strength for assertion in FINDERS[family](parse_code(text, family))]


@pytest.mark.parametrize(
    ("family", "text"),
    [
        (Family.SCRIPT, "expect(a).toBe(1)"),
        (Family.SCRIPT, "expect(a)\n  .resolves\n  .toEqual({ b: ')' })"),
        (Family.SCRIPT, "expect.soft(a).toHaveLength(2)"),
        (Family.SCRIPT, "expect(a).to.equal(3)"),
        (Family.SCRIPT, "expect(() => a()).toThrow('b')"),
        (Family.SCRIPT, "assert.equal(a, b)"),
        (Family.SCRIPT, "assert(a === b)"),
        (Family.SCRIPT, "assert.throws(() => a(), /b/)"),
        (Family.SCRIPT, "sinon.assert.calledWith(a, b)"),
        (Family.SCRIPT, "a.should.equal(b)"),
        (Family.SCRIPT, "t.is(a, b)"),
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
    assert find_strengths(family, text) == [Strength.EXACT]


@pytest.mark.parametrize(
    ("family", "text"),
    [
        (Family.SCRIPT, "expect(a).toBeTruthy()"),
        (Family.SCRIPT, "expect(a).toBeDefined()"),
        (Family.SCRIPT, "expect(a).not.toBe(1)"),
        (Family.SCRIPT, "expect(a).toEqual(expect.anything())"),
        (Family.SCRIPT, "expect(() => a()).toThrow()"),
        (Family.SCRIPT, "expect(a).to.exist"),
        (Family.SCRIPT, "expect.assertions(2)"),
        (Family.SCRIPT, "assert(a)"),
        (Family.SCRIPT, "assert.ok(a)"),
        (Family.SCRIPT, "assert.notEqual(a, b)"),
        (Family.SCRIPT, "assert.throws(() => a())"),
        (Family.SCRIPT, "expectValid(a)"),
        (Family.SCRIPT, "t.truthy(a)"),
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
    """So is a denial, any exception, and what anything satisfies."""
    assert find_strengths(family, text) == [Strength.LOOSE]


@pytest.mark.parametrize(
    ("family", "text"),
    [
        (Family.SCRIPT, "expect(true).toBe(true)"),
        (Family.SCRIPT, "expect(a.b( 1 )).toEqual(a.b(1))"),
        (Family.SCRIPT, "expect(1).toBeTruthy()"),
        (Family.SCRIPT, "expect(a)"),
        (Family.SCRIPT, "expect(a);"),
        (Family.SCRIPT, "assert(true)"),
        (Family.SCRIPT, "assert.ok(1)"),
        (Family.SCRIPT, "assert.equal(a, a)"),
        (Family.SCRIPT, "assert(a || true)"),
        (Family.SCRIPT, "t.pass()"),
        (Family.SCRIPT, "try { a() } catch (error) { }"),
        (Family.SCRIPT, "try { a() } catch { /* fine */ }"),
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
    """Compared with itself, without a matcher, always true, or caught."""
    assert find_strengths(family, text) == [Strength.TRIVIAL]


@pytest.mark.parametrize(
    ("family", "text"),
    [
        (Family.SCRIPT, "// expect(a).toBe(1)"),
        (Family.SCRIPT, "'expect(a).toBe(1)'"),
        (Family.SCRIPT, "`expect(a).toBe(1)`"),
        (Family.SCRIPT, "a.expect(b)"),
        (Family.SCRIPT, "unexpected(a)"),
        (Family.SCRIPT, "expect.extend({})"),
        (Family.SCRIPT, "expect.any(Number)"),
        (Family.SCRIPT, "try { a() } catch (error) { throw error }"),
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
    """Comments, strings, other names, and a catch that lets a failed assertion through."""
    assert find_strengths(family, text) == []


@pytest.mark.parametrize(
    ("text", "strength"),
    [
        ("assert(a && true)", Strength.LOOSE),
        ("assert(true || a)", Strength.TRIVIAL),
        ("assert(a.equals(b))", Strength.EXACT),
        ("assert(a.b(() => c))", Strength.LOOSE),
        ("assert('a == b')", Strength.LOOSE),
        ("assert()", Strength.LOOSE),
    ],
)
def test_truth_is_exact_where_it_compares(text: str, strength: Strength) -> None:
    """In code, not in strings."""
    assert find_strengths(Family.SCRIPT, text) == [strength]


def test_assertion_is_quoted_on_one_line() -> None:
    """Only its beginning, if it is long."""
    [assertion] = rust.find_assertions(parse_code("assert!(\n" + "b" * 200 + ")", Family.RUST))
    assert assertion.words.startswith("assert!( bbb")
    assert len(assertion.words) == 80
