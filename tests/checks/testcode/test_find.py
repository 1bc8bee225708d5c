"""Tests in source code: strings, comments, names, bodies and cases."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rules.every.tests_not_weakened import compare_tests
from handoff_tui.checks.testcode.code_text import (
    Family,
    Scanned,
    parse_code,
    scan_go,
    scan_java,
    scan_kotlin,
    scan_rust,
    scan_script,
)
from handoff_tui.checks.testcode.find import find_dead, find_tests
from tests.support.world import build_changed_world


def test_forms_are_as_long_as_the_text_and_have_its_lines() -> None:
    """So that a position means the same in each."""
    text = "a('b(') // c\n/* d\n */ `e\n${f}`"
    code = parse_code(text, Family.SCRIPT)
    assert code.code == "a('b(')     \n    \n    `e\n${f}`"
    assert code.bare == "a('  ')     \n    \n    ` \n    `"
    assert [code.line_of(position) for position in (0, 12, 13, 20, len(text) - 1)] == [1, 1, 2, 3, 4]


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
        (
            "a.js",
            "describe('a', () => { context('b', function () { it('c', f) }) ; it('c', f) })",
            ["a › b › c", "a › c"],
        ),
        (
            "a.js",
            "it.skip('a', f); xit('b', f); fit('c', f); test.todo('d'); it['only']('e', f)",
            ["a", "b", "c", "d", "e"],
        ),
        ("a.js", "it.concurrent.each([1])('a', f)", ["a"]),
        ("a.js", "it.each<[number, string]>([[1, 'x']])('a %i', f)", ["a %i"]),
        ("a.js", "test.describe('a', () => { test('b', async ({ page }) => {}) })", ["a › b"]),
        ("a.js", "it(name, () => {}); it(`a ${b}`, f); it('a' + b, () => {})", ["name", "a ${b}", "'a' + b"]),
        ("a.js", "test(() => {}); test(() => {})", ["(no title)", "(no title) (2)"]),
        ("a.js", "Deno.test('a', () => {}); t.test('b', () => {})", ["a", "b"]),
        ("a.js", "it(\n  'a',\n  f,\n)", ["a"]),
        ("a.js", "// it('a', f)", []),
        ("a.js", "/* it('a', f) */", []),
        ("a.js", "const a = \"it('a', f)\"", []),
        ("a.js", "const a = `it('a', () => {}) ${b}`", []),
        ("a.js", "x = /it('a', f)/", []),
        ("a.js", "re.test('a'); unit.it('b'); wait('c'); exit('d'); t.test('a')", []),
        ("a.js", "test(value); it(); test.beforeEach(() => {}); test.use({ a: 1 }); test.skip(a, b)", []),
        ("a.js", "const it = 1", []),
        ("a.go", "func TestA(t *testing.T) {\n}\nfunc FuzzB(f *testing.F) {}\nfunc helper() {}", ["TestA", "FuzzB"]),
        ("a.go", "func (s *Boat) TestA() {}", ["Boat.TestA"]),
        (
            "a.go",
            'func TestA(t *testing.T) {\n t.Run("b", func(t *testing.T) { t.Run(`c`, func(t *testing.T) {}) })\n}',
            ["TestA", "TestA › b", "TestA › b › c"],
        ),
        ("a.go", "func TestA(t *testing.T) { t.Run(tc.name, func(t *testing.T) {}) }", ["TestA"]),
        ("a.go", "// func TestA(t *testing.T) {}\nvar a = `\nfunc TestB(t *testing.T) {}\n`", []),
        ("a.go", "func TestA(t *testing.T) {\nfunc TestB(t *testing.T) {}", ["TestA", "TestB"]),
        ("a.rs", "mod tests {\n#[test]\nfn a() {}\n}\n#[test]\nfn a() {}", ["tests › a", "a"]),
        ("a.rs", '#[tokio::test(flavor = "]")]\npub(crate) async fn a() {}', ["a"]),
        ("a.rs", "#[rstest]\n#[case([1, 2])]\nfn a(#[case] b: [u8; 2]) {}", ["a"]),
        ("a.rs", "#[cfg(test)]\nfn a() {}\n#[derive(Debug)]\nstruct B;", []),
        ("a.rs", '/* /* */ #[test]\nfn a() {} */ const B: &str = r#"#[test] fn c() {}"#;', []),
        (
            "a.java",
            "class A { @Test public void b() {}\n@Nested class C { @Test void d() {} } }",
            ["A › b", "A › C › d"],
        ),
        ("a.java", "@org.junit.Test(timeout = 3)\npublic void a() throws E, F {}", ["a"]),
        ("a.java", '@DisplayName("x")\n@ParameterizedTest\n@ValueSource(ints = {1})\nvoid a(int b) {}', ["a"]),
        ("a.java", "@TestFactory\nStream<DynamicTest> a() {}", ["a"]),
        ("a.java", "public void testA() {}\npublic void test(int a) {}\nvoid testB() {}", ["testA"]),
        ("a.java", "@BeforeEach void a() {}\n@Mock private Foo foo;", []),
        ("a.java", '// @Test void a() {}\nString b = """\n@Test void c() {}\n""";', []),
        (
            "a.kt",
            'class A {\n@Test fun `it\'s "b"`() = runTest { c() }\n@Test suspend fun d() {}\n}',
            ['A › it\'s "b"', "A › d"],
        ),
    ],
)
def test_tests_are_found_in_their_groups(path: str, text: str, names: list[str]) -> None:
    """In each language; none in comments, strings and other functions."""
    assert [test.name for test in find_tests(path, text)] == names


def build_go(table: str) -> str:
    return f"func TestA(t *testing.T) {{\n{table}\nfor _, one := range tests {{ t.Log(one) }}\n}}"


def build_java(annotation: str) -> str:
    return f"@ParameterizedTest\n{annotation}\nvoid a(int b) {{}}"


@pytest.mark.parametrize(
    ("path", "text", "cases"),
    [
        ("a.js", "it('a', f)", 1),
        ("a.js", "it.each([[1, 2], [3, 4], [5, 6]])('a', f)", 3),
        ("a.js", "it.each(table)('a', f)", 1),
        ("a.js", "it.each`\n a | b\n ${1} | ${2}\n ${3} | ${4}\n`('a', f)", 2),
        ("a.go", build_go("tests := []struct{ a int }{\n{1},\n{2},\n}"), 2),
        ("a.go", build_go('tests := map[string]int{\n"a}": 1,\n"b": 2,\n"c": 3,\n}'), 3),
        ("a.go", build_go("tests := []boat{one, two}"), 2),
        ("a.go", build_go("tests := load()"), 1),
        ("a.go", build_go("other := []int{1, 2, 3}"), 1),
        ("a.rs", "#[rstest]\n#[case(1)]\n#[case::two(2)]\nfn a() {}", 2),
        ("a.rs", "#[test_case(1)]\n#[test_case(2)]\n#[test_case(3)]\nfn a() {}", 3),
        ("a.java", build_java("@ValueSource(ints = {1, 2, 3})"), 3),
        ("a.java", build_java('@CsvSource({"a, b", "c, d"})'), 2),
        ("a.java", build_java("@ValueSource(ints = [1, 2])"), 2),
        ("a.java", build_java("@ValueSource(ints = intArrayOf(1, 2, 3))"), 3),
        ("a.java", build_java('@MethodSource("rows")'), 1),
    ],
)
def test_cases_are_counted(path: str, text: str, cases: int) -> None:
    """Those that are written out."""
    assert [test.cases for test in find_tests(path, text)] == [cases]


def test_assertion_belongs_to_the_innermost_test() -> None:
    """One outside of all tests belongs to none."""
    inner = 't.Run("b", func(t *testing.T) { t.Fail(); t.Fail(); t.Fail() })'
    text = f"func helper(t *testing.T) {{ t.Fail() }}\nfunc TestA(t *testing.T) {{ t.Fail(); {inner}; t.Fail() }}"
    assert [test.assertions for test in find_tests("a.go", text)] == [2, 3]


def list_dead(text: str) -> list[str]:
    code = parse_code(text, Family.SCRIPT)
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
    assert list_dead(text) == found


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
    assert [part for part in list_dead(text) if part] == []


PYTHON = """
class TestBoat:
    async def test_rows(self):
        self.assertEqual(row(), 4)
        self.assertTrue(row() > 3)
        assert sail()

if LINUX:
    def test_sails():
        with pytest.raises(KeyError):
            sail()

def helper():
    def test_inner(): assert True
"""


def test_tests_of_python_are_found_with_what_they_assert() -> None:
    """In classes and under conditions; not what is defined inside functions. A bound isn't exact: it allows many."""
    found = [(test.name, test.line, test.assertions, test.exact) for test in find_tests("a.py", PYTHON)]
    assert found == [("TestBoat.test_rows", 3, 3, 1), ("test_sails", 9, 1, 1)]


@pytest.mark.parametrize(
    ("condition", "answer"),
    [
        ("True", True),
        ("1", True),
        ("'text'", True),
        ("x or True", True),
        ("x and True", False),
        ("not False", True),
        ("x == x", True),
        ("x is x", True),
        ("x == y", False),
        ("len(x) >= 0", True),
        ("len(x) >= 1", False),
        ("(x, 'm')", True),
        ("()", False),
        ("x", False),
        ("x != x", False),
    ],
)
def test_condition_of_python_that_is_always_true_is_trivial(condition: str, *, answer: bool) -> None:
    """Whatever the names stand for."""
    [test] = find_tests("a.py", f"def test_a():\n    assert {condition}\n")
    assert bool(test.trivial) is answer


def compare(before: dict[str, str], now: dict[str, str]) -> list[tuple[str, str, str | None]]:
    pairs = compare_tests(Context(Answers(build_changed_world(before, now))))
    return [(pair.old_path, pair.before.name, pair.new_path) for pair in pairs]
