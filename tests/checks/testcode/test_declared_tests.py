from __future__ import annotations

import pytest

from handoff_tui.checks.testcode.code_tests import CodeTest
from handoff_tui.checks.testcode.code_text import Family, parse_code
from handoff_tui.checks.testcode.declared_tests import (
    find_annotations,
    find_attributes,
    find_go_tests,
    find_java_methods,
    find_java_tests,
    find_rust_functions,
    find_rust_tests,
)


def go(text: str) -> list[CodeTest]:
    return find_go_tests(parse_code(text, Family.GO))


def rust(text: str) -> list[CodeTest]:
    return find_rust_tests(parse_code(text, Family.RUST))


def java(text: str, family: Family = Family.JAVA) -> list[CodeTest]:
    return find_java_tests(parse_code(text, family))


def names(tests: list[CodeTest]) -> list[str]:
    return [test.name for test in tests if not test.is_group]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("func TestA(t *testing.T) {\n}\nfunc FuzzB(f *testing.F) {}\nfunc helper() {}", ["TestA", "FuzzB"]),
        ("func (s *Boat) TestA() {}", ["Boat.TestA"]),
        (
            'func TestA(t *testing.T) {\n t.Run("b", func(t *testing.T) { t.Run(`c`, func(t *testing.T) {}) })\n}',
            ["TestA", "TestA › b", "TestA › b › c"],
        ),
        ("func TestA(t *testing.T) { t.Run(tc.name, func(t *testing.T) {}) }", ["TestA"]),
        ("// func TestA(t *testing.T) {}\nvar a = `\nfunc TestB(t *testing.T) {}\n`", []),
        ("func TestA(t *testing.T) {\nfunc TestB(t *testing.T) {}", ["TestA", "TestB"]),
    ],
)
def test_tests_of_go_are_found(text: str, found: list[str]) -> None:
    """Functions, methods of suites, and runs with a title."""
    assert names(go(text)) == found


@pytest.mark.parametrize(
    ("table", "cases"),
    [
        ("tests := []struct{ a int }{\n{1},\n{2},\n}", 2),
        ('tests := map[string]int{\n"a}": 1,\n"b": 2,\n"c": 3,\n}', 3),
        ("tests := []boat{one, two}", 2),
        ("tests := load()", 1),
        ("other := []int{1, 2, 3}", 1),
    ],
)
def test_cases_of_go_are_the_rows_that_are_gone_through(table: str, cases: int) -> None:
    """Of a table that is written out."""
    text = f"func TestA(t *testing.T) {{\n{table}\nfor _, one := range tests {{ t.Log(one) }}\n}}"
    assert [test.cases for test in go(text)] == [cases]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("mod tests {\n#[test]\nfn a() {}\n}\n#[test]\nfn a() {}", ["tests › a", "a"]),
        ('#[tokio::test(flavor = "]")]\npub(crate) async fn a() {}', ["a"]),
        ("#[rstest]\n#[case([1, 2])]\nfn a(#[case] b: [u8; 2]) {}", ["a"]),
        ("#[cfg(test)]\nfn a() {}\n#[derive(Debug)]\nstruct B;", []),
        ('/* /* */ #[test]\nfn a() {} */ const B: &str = r#"#[test] fn c() {}"#;', []),
    ],
)
def test_tests_of_rust_are_found(text: str, found: list[str]) -> None:
    """By their attributes, in their modules."""
    assert names(rust(text)) == found


def test_cases_of_rust_are_counted() -> None:
    """One an attribute."""
    assert [test.cases for test in rust("#[rstest]\n#[case(1)]\n#[case::two(2)]\nfn a() {}")] == [2]
    assert [test.cases for test in rust("#[test_case(1)]\n#[test_case(2)]\n#[test_case(3)]\nfn a() {}")] == [3]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("class A { @Test public void b() {}\n@Nested class C { @Test void d() {} } }", ["A › b", "A › C › d"]),
        ("@org.junit.Test(timeout = 3)\npublic void a() throws E, F {}", ["a"]),
        ('@DisplayName("x")\n@ParameterizedTest\n@ValueSource(ints = {1})\nvoid a(int b) {}', ["a"]),
        ("@TestFactory\nStream<DynamicTest> a() {}", ["a"]),
        ("public void testA() {}\npublic void test(int a) {}\nvoid testB() {}", ["testA"]),
        ("@BeforeEach void a() {}\n@Mock private Foo foo;", []),
        ('// @Test void a() {}\nString b = """\n@Test void c() {}\n""";', []),
    ],
)
def test_tests_of_java_are_found(text: str, found: list[str]) -> None:
    """By their annotations, or named as before there were any, in their classes."""
    assert names(java(text)) == found


def test_tests_of_kotlin_are_found() -> None:
    """With names in back quotes, and bodies that are expressions."""
    text = (
        'class A {\n@Test fun `it\'s "b"`() = runTest { c() }\n@Test suspend fun d() {\ne() }\n@Test fun f() = g()\n}'
    )
    tests = java(text, Family.KOTLIN)
    code = parse_code(text, Family.KOTLIN)
    assert names(tests) == ['A › it\'s "b"', "A › d", "A › f"]
    bodies = [code.code[test.body_start : test.body_end].strip() for test in tests if not test.is_group]
    assert bodies == ["c()", "e()", "g()"]


@pytest.mark.parametrize(
    ("mark", "cases"),
    [
        ("@ValueSource(ints = {1, 2, 3})", 3),
        ('@CsvSource({"a, b", "c, d"})', 2),
        ("@ValueSource(ints = [1, 2])", 2),
        ("@ValueSource(ints = intArrayOf(1, 2, 3))", 3),
        ('@MethodSource("rows")', 1),
    ],
)
def test_cases_of_java_are_those_that_are_listed(mark: str, cases: int) -> None:
    """In each way to list them."""
    assert [test.cases for test in java(f"@ParameterizedTest\n{mark}\nvoid a(int b) {{}}")] == [cases]


def test_marks_stand_together_on_one_thing() -> None:
    """Attributes and annotations, and what they stand on."""
    code = parse_code("#[a]\n#[b(c)]\nfn d() {}\n#[e]\nstruct F;", Family.RUST)
    assert [[mark.name for mark in marks] for marks in find_attributes(code)] == [["a", "b(c)"], ["e"]]
    assert [function["name"] for _, function in find_rust_functions(code)] == ["d"]
    code = parse_code("@A @B(1) void c() {}\n@D class E {}", Family.JAVA)
    assert [[mark.name for mark in marks] for marks in find_annotations(code)] == [["A", "B"], ["D"]]
    assert [method["name"] for _, method in find_java_methods(code)] == ["c"]
