"""Assertions and skips in test code."""

from __future__ import annotations

import pytest

from handoff_tui.checks.testcode import go, java, javascript, rust
from handoff_tui.checks.testcode.code_text import Family, parse_code
from handoff_tui.checks.testcode.find import find_skips
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


@pytest.mark.parametrize(
    ("path", "text", "keys"),
    [
        ("a.py", "class A:\n    @mark.xfail\n    def test_b(self): ...\n", [("mark.xfail", "A.test_b")]),
        ("a.py", "x = [pytest.param(1, marks=pytest.mark.skip)]\n", [("pytest.mark.skip", "module")]),
        ("a.py", "class A:\n    __test__ = False\n", [("__test__", "A")]),
        ("a.py", "def test_a(self):\n    self.skipTest('x')\n", [("self.skipTest", "test_a")]),
        ("a.py", "skip = 1\nprint(skip, row.skip())\n", []),
        ("a.py", "print(__test__)\n", []),
        ("a.py", "def broken(: skip\n", []),
        ("a.js", "it.concurrent.skip('a', f)\nfit('b', f)", [("it.concurrent.skip", "a"), ("fit", "b")]),
        ("a.js", "music.skip()\nprofit('b')", []),
        ("a.txt", "it.skip('a')", []),
        ("a.js", "describe('a', () => { it.skip(\n'b', f) })", [("it.skip", "a › b")]),
        ("a.js", "it['skip']('a', f)", [("it['skip']", "a")]),
        ("a.js", "it.only.each([1])('a', f)", [("it.only.each", "a")]),
        ("a.js", "test.todo('a'); test.skipIf(b)('c', f)", [("test.todo", "a"), ("test.skipIf", "c")]),
        ("a.js", "xdescribe('a', () => {})", [("xdescribe", "a")]),
        ("a.js", "it('a', function () { this.skip() })", [("this.skip", "a")]),
        ("a.js", "it('a', () => { pending() })", [("pending", "a")]),
        ("a.js", "test('a', { skip: true }, () => {})", [("skip:", "a")]),
        ("a.js", "const it2 = it.skip", [("it.skip", "")]),
        ("a_test.go", "func TestA(t *testing.T) {\n\tt.Skipf(`x`)\n}", [("t.Skipf", "TestA")]),
        (
            "a_test.go",
            'func TestA(x *testing.T) { x.Run("b", func(x *testing.T) { x.SkipNow() }) }',
            [("x.SkipNow", "TestA › b")],
        ),
        ("a_test.go", "func (s *S) TestA() { s.T().Skip() }", [("s.T().Skip", "S.TestA")]),
        ("a_test.go", "//go:build never\n\npackage a\n", [("//go:build never", "")]),
        ("a.rs", '#[test]\n#[ignore = "]"]\nfn a() {}', [('#[ignore = "]"]', "a")]),
        ("a.rs", "#[cfg_attr(miri, ignore)]\n#[test]\nfn a() {}", [("#[cfg_attr(miri, ignore)]", "a")]),
        ("a.rs", "#[test]\n#[cfg(any())]\nfn a() {}", [("#[cfg(any())]", "a")]),
        ("a.rs", "#[test]\n#[should_panic]\nfn a() {}", [("#[should_panic]", "a")]),
        ("A.java", 'class A { @Test\n@Disabled("x")\nvoid b() {} }', [("@Disabled", "A › b")]),
        ("A.java", "@Ignore\npublic class A { @Test void b() {} }", [("@Ignore", "A")]),
        ("A.java", "class A { @Test(enabled = false) void b() {} }", [("@Test(enabled = false)", "A › b")]),
        ("A.java", "class A { @Test void b() { assumeTrue(c); } }", [("assumeTrue", "A › b")]),
        ("A.kt", 'class A { @Test @EnabledIf("x") fun `b c`() {} }', [("@EnabledIf", "A › b c")]),
    ],
)
def test_marks_are_found_with_what_they_stand_on(path: str, text: str, keys: list[tuple[str, str]]) -> None:
    """Each way to keep a test from running, over lines too."""
    assert [mark.key for mark in find_skips(path, text)] == keys


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", "// it.skip('a', f)\nit('it.skip', f); `xit('b')`"),
        ("a.js", "music.skip(); profit('b'); test('a', { skip: false }, () => {}); const o = { skip: true }"),
        ("a_test.go", "func TestA(t *testing.T) { reader.Skip(3) } // t.Skip()"),
        ("a_test.go", "package a\n\n//go:build never\n"),
        ("a.rs", '#[should_panic(expected = "a")]\n#[cfg(unix)]\nfn a() {}\n// #[ignore]\n'),
        ("a.rs", "#[cfg(test)]\nmod tests {\n#[test]\nfn a() {}\n}"),
        ("A.java", 'class A { @Test(enabled = true) void b() { c("@Disabled"); /* @Ignore */ } }'),
    ],
)
def test_what_keeps_no_test_from_running_is_no_mark(path: str, text: str) -> None:
    """Comments, strings, other names."""
    assert list(find_skips(path, text)) == []
