from __future__ import annotations

import pytest

from handoff_tui.checks.testcode.find import find_skips


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
