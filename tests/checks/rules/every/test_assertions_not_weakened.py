from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.every.tests_not_weakened import ASSERTIONS_NOT_WEAKENED
from tests.support.changed_world import build_changed_world
from tests.support.world import MemoryWorld, judge

PATH = "tests/test_row.py"


def body_of(*lines: str) -> str:
    return "def test_row():\n" + "".join(f"    {line}\n" for line in lines)


def subjects(before: str, now: str, path: str = PATH) -> list[str]:
    return [found.subject for found in judge(ASSERTIONS_NOT_WEAKENED, build_changed_world({path: before}, {path: now}))]


@pytest.mark.parametrize(
    "now",
    [
        body_of("assert row() == 4", "assert sail() == 5", "assert more() == 6"),
        body_of("assert row() == 5", "assert sail() != 5"),
        body_of("x = row()", "assert x == 4", "self.assertEqual(sail(), 5)"),
    ],
)
def test_assertions_that_are_as_many_pass(now: str) -> None:
    """More, other, or said otherwise."""
    assert subjects(body_of("assert row() == 4", "assert sail() == 5"), now) == []


@pytest.mark.parametrize(
    ("before", "now", "subject"),
    [
        ("assert row() == 4", "pass", "test_row assertions"),
        ("assert row() == 4", "row()", "test_row assertions"),
        ("assert row() == 4", "assert row()", "test_row exactness"),
        ("self.assertEqual(row(), 4)", "self.assertTrue(row())", "test_row exactness"),
        ("with pytest.raises(KeyError): row()", "row()", "test_row assertions"),
    ],
)
def test_assertion_that_is_gone_or_looser_is_found(before: str, now: str, subject: str) -> None:
    """Fewer, or less exact: from equality to mere truth."""
    assert subjects(body_of(before), body_of(now)) == [subject]


@pytest.mark.parametrize(
    "trivial",
    [
        "assert True",
        "assert row() == 4 or True",
        "assert row() == row()",
        "assert (row() == 4, 'message')",
        "assert len(row()) >= 0",
        "assert not False",
        "self.assertTrue(True)",
        "self.assertEqual(4, 4)",
    ],
)
def test_assertion_that_cannot_fail_is_found(trivial: str) -> None:
    """It took the place of one that could."""
    found = subjects(body_of("assert row() == 4"), body_of(trivial))
    assert found[0] == "test_row assertions"
    assert found[1].startswith("test_row trivial")


def test_assertion_that_any_error_satisfies_is_found() -> None:
    """A broad exception is raised by anything."""
    before = body_of("with pytest.raises(KeyError): row()")
    now = body_of("with pytest.raises(Exception): row()")
    assert subjects(before, now) == ["test_row assertions", "test_row trivial pytest.raises(Exception)"]


@pytest.mark.parametrize(
    "lines",
    [
        ("return", "assert row() == 4"),
        ("if False:", "    assert row() == 4"),
    ],
)
def test_assertion_that_is_never_reached_does_not_count(lines: tuple[str, ...]) -> None:
    """After a return, or under a condition that never holds."""
    assert subjects(body_of("assert row() == 4"), body_of(*lines)) == ["test_row assertions"]


def test_assertion_whose_failure_is_swallowed_is_found() -> None:
    """A handler that lets it pass."""
    now = body_of("try:", "    assert row() == 4", "except Exception:", "    pass")
    assert subjects(body_of("assert row() == 4"), now) == [
        "test_row trivial except that passes over a failed assertion"
    ]


def test_cases_that_were_taken_away_are_found() -> None:
    """Fewer parameters are fewer tests."""
    whole = "@pytest.mark.parametrize('x', [1, 2, 3])\n" + body_of("assert x")
    assert subjects(whole, whole.replace("[1, 2, 3]", "[1]")) == ["test_row cases"]


def test_test_that_moved_is_compared_where_it_is() -> None:
    """A new file does not hide a weaker test."""
    world = build_changed_world({PATH: body_of("assert row() == 4")}, {"tests/test_new.py": body_of("pass")})
    [found] = judge(ASSERTIONS_NOT_WEAKENED, world)
    assert found.place is not None
    assert found.place.path == "tests/test_new.py"


@pytest.mark.parametrize(
    ("path", "before", "now", "count"),
    [
        (
            "a.test.js",
            "it('rows', () => { expect(a).toBe(1); expect(b).toBe(2) })",
            "it('rows', () => { expect(a).toBe(1) })",
            1,
        ),
        ("a.test.js", "it('rows', () => { expect(a).toBe(1) })", "it('rows', () => { expect(true).toBe(true) })", 2),
        ("a.test.js", "it('rows', () => { expect(a).toBe(1) })", "it('rows', () => {\n// expect(a).toBe(1)\n})", 1),
        ("a_test.go", "func TestRow(t *testing.T) { t.Fatal(1) }", "func TestRow(t *testing.T) { }", 1),
        ("a.rs", "#[test]\nfn rows() { assert_eq!(1, row()); }", "#[test]\nfn rows() { assert!(true); }", 2),
        ("BoatTest.java", "@Test void rows() { assertEquals(1, row()); }", "@Test void rows() { row(); }", 1),
        (
            "BoatTest.java",
            "@Test void rows() { assertEquals(1, row()); }",
            "@Test void rows() { assertEquals(2, row()); }",
            0,
        ),
    ],
)
def test_assertions_of_other_languages_are_counted(path: str, before: str, now: str, count: int) -> None:
    """By number, without comments, and without those that cannot fail."""
    assert len(subjects(before, now, path)) == count


JS = "describe('boat', () => {{ it('rows', async () => {{ {} }}) }})"
GO = "func TestRow(t *testing.T) {{\n{}\n}}"
RUST = "mod tests {{ #[test]\nfn rows() {{ {} }} }}"
JAVA = "class BoatTest {{ @Test void rows() {{ {} }} }}"


@pytest.mark.parametrize(
    ("path", "frame", "before", "now", "aspect"),
    [
        ("a.test.ts", JS, "assert.equal(a, 1)", "assert.ok(a)", "exactness"),
        ("a.test.ts", JS, "expect(a).toEqual(b)", "expect(a).toBeTruthy()", "exactness"),
        ("a.test.ts", JS, "expect(a).toEqual(b)", "expect(a).toEqual(expect.anything())", "exactness"),
        ("a.test.ts", JS, "expect(a).toEqual(b)", "const s = 'expect(a).toEqual(b)'", "assertions"),
        ("a.test.ts", JS, "expect(a).toEqual(b)", "return; expect(a).toEqual(b)", "assertions"),
        ("a.test.ts", JS, "expect(a).toEqual(b)", "return\nexpect(a).toEqual(b)", "assertions"),
        ("a.test.ts", JS, "await row()", "", "body"),
        ("a.test.ts", JS, "await row()", "return; await row()", "body"),
        ("a_test.go", GO, "require.NoError(t, err)", "_ = err", "assertions"),
        ("a_test.go", GO, "require.Equal(t, 1, a)", "require.NotNil(t, a)", "exactness"),
        ("a_test.go", GO, "t.Fatal(1)", "return\nt.Fatal(1)", "assertions"),
        ("a_test.go", GO, "t.Fatal(1)", "t.Log(1)", "assertions"),
        ("a_test.go", GO, "row()", "", "body"),
        ("a.rs", RUST, "assert_eq!(a, 1);", "assert!(a.is_some());", "exactness"),
        ("a.rs", RUST, "assert!(a);", "if false { assert!(a); }", "assertions"),
        ("BoatTest.java", JAVA, "assertEquals(1, a);", "assertNotNull(a);", "exactness"),
        ("BoatTest.java", JAVA, "assertThat(a).isEqualTo(1);", "assertThat(a).isNotNull();", "exactness"),
        ("BoatTest.java", JAVA, "assertEquals(1, a);", "if (true) return; assertEquals(1, a);", "assertions"),
    ],
)
def test_test_of_another_language_that_was_weakened_is_found(
    path: str, frame: str, before: str, now: str, aspect: str
) -> None:
    """Looser, never reached, only quoted, or emptied."""
    [subject] = subjects(frame.format(before), frame.format(now), path)
    assert subject.endswith(f" {aspect}")


@pytest.mark.parametrize(
    ("path", "before", "now"),
    [
        ("a.test.js", "it.each([1, 2, 3])('rows', (n) => {})", "it.each([1])('rows', (n) => {})"),
        ("a.rs", "#[rstest]\n#[case(1)]\n#[case(2)]\nfn rows() {}", "#[rstest]\n#[case(1)]\nfn rows() {}"),
        (
            "BoatTest.java",
            "@ParameterizedTest @ValueSource(ints = {1, 2}) void rows(int n) {}",
            "@ParameterizedTest @ValueSource(ints = {1}) void rows(int n) {}",
        ),
        (
            "a_test.go",
            "func TestRow(t *testing.T) {\na := []int{1, 2}\nfor range a {}\n}",
            "func TestRow(t *testing.T) {\na := []int{1}\nfor range a {}\n}",
        ),
    ],
)
def test_cases_of_other_languages_are_counted(path: str, before: str, now: str) -> None:
    """Fewer rows are fewer tests."""
    [subject] = subjects(before, now, path)
    assert subject.endswith(" cases")


@pytest.mark.parametrize(
    ("path", "frame", "before", "now"),
    [
        ("a.test.ts", JS, "expect(a).toBe(1)", "// expect(b).toBe(2)\nexpect(a).toBe(2)"),
        ("a.test.ts", JS, "expect(a).toBe(1)", "if (skip) return; expect(a).toBe(1)"),
        ("a.test.ts", JS, "return expect(a).resolves.toBe(1)", "return expect(a)\n.resolves.toBe(2)"),
        ("a_test.go", GO, "t.Fatal(1)", 't.Run("sub", func(t *testing.T) { t.Fatal(2) })\nt.Fatal(1)'),
        ("a.rs", RUST, "assert!(a);", "assert_eq!(a, 1);"),
    ],
)
def test_test_of_another_language_that_asserts_as_much_passes(path: str, frame: str, before: str, now: str) -> None:
    """Other values, comments, conditions, stricter comparisons."""
    assert subjects(frame.format(before), frame.format(now), path) == []


def test_python_test_that_was_emptied_is_found() -> None:
    """Though it asserted nothing by itself."""
    assert subjects(body_of("row()"), body_of("'rows'", "pass")) == ["test_row body"]
    assert subjects(body_of("pass"), body_of("...")) == []


def test_rule_needs_a_baseline() -> None:
    """Without one nothing was weakened."""
    with pytest.raises(NotApplicableError):
        judge(ASSERTIONS_NOT_WEAKENED, MemoryWorld())
