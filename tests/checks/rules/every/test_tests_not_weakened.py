from __future__ import annotations

import pytest

from handoff_tui.checks.rule import UndecidableError
from handoff_tui.checks.rules.every.tests_not_weakened import assertions_not_weakened, no_new_skips, tests_not_deleted
from handoff_tui.checks.world import Change
from tests.support.world import BASE, MemoryWorld, build_changed_world, find_subjects, judge

PYTHON = "def test_row():\n    assert 1 + 1 == 2\n\n\nclass TestSail:\n    def test_up(self):\n        assert up()\n"
SCRIPT = (
    "describe('boat', () => {\n  it('rows', () => { expect(row()).toBe(1) })\n"
    "  test.each([1])(`sails %i`, () => {})\n})\n"
)
GO_DELETED = "package boat\n\nfunc TestRow(t *testing.T) {\n\tt.Fatal(1)\n}\n\nfunc TestSail(t *testing.T) {}\n"
RUST_DELETED = "#[test]\nfn rows() { assert!(row()); }\n\n#[tokio::test]\nasync fn sails() {}\n"
JAVA_DELETED = (
    "class BoatTest {\n  @Test\n  public void rows() { assertTrue(row()); }\n\n"
    "  @ParameterizedTest\n  void sails() {}\n}\n"
)


def subjects_deleted(before: dict[str, str], now: dict[str, str], renamed: dict[str, str] | None = None) -> list[str]:
    return find_subjects(tests_not_deleted, build_changed_world(before, now, renamed))


def test_file_that_is_deleted_is_found() -> None:
    """With the number of its tests."""
    [found] = judge(tests_not_deleted, build_changed_world({"tests/test_row.py": PYTHON}, {}))
    assert found.subject == "tests/test_row.py"
    assert "2 tests" in found.message
    assert found.command == f"git checkout {BASE} -- tests/test_row.py"


@pytest.mark.parametrize(
    ("path", "text", "gone", "name"),
    [
        ("tests/test_row.py", PYTHON, PYTHON[: PYTHON.index("class")], "TestSail.test_up"),
        ("tests/test_row.py", PYTHON, PYTHON.replace("test_row", "check_row"), "test_row"),
        (
            "tests/test_row.py",
            PYTHON,
            PYTHON.replace("def test_row", "# def test_row").replace("    assert 1", "# "),
            "test_row",
        ),
        ("src/boat.test.ts", SCRIPT, SCRIPT.replace("it('rows'", "// it('rows'"), "boat › rows"),
        ("src/boat.spec.js", SCRIPT, SCRIPT.replace("test.each([1])(`sails %i`, () => {})", ""), "boat › sails %i"),
        ("boat_test.go", GO_DELETED, GO_DELETED[: GO_DELETED.index("func TestSail")], "TestSail"),
        ("src/boat.rs", RUST_DELETED, RUST_DELETED.replace("#[tokio::test]", ""), "sails"),
        ("src/test/BoatTest.java", JAVA_DELETED, JAVA_DELETED.replace("@ParameterizedTest", ""), "BoatTest › sails"),
    ],
)
def test_test_that_is_gone_is_found(path: str, text: str, gone: str, name: str) -> None:
    """In each language; what is commented out or no longer marked is gone."""
    assert subjects_deleted({path: text}, {path: gone}) == [f"{path} {name}"]


def test_file_that_no_longer_parses_has_no_tests() -> None:
    """It does not run."""
    found = subjects_deleted({"test_row.py": PYTHON}, {"test_row.py": PYTHON + "\ndef broken(:\n"})
    assert found == ["test_row.py test_row", "test_row.py TestSail.test_up"]


@pytest.mark.parametrize("renamed", [None, {"tests/test_boat.py": "tests/test_row.py"}])
def test_file_that_is_renamed_keeps_its_tests(renamed: dict[str, str] | None) -> None:
    """Whether git tells it or not."""
    assert subjects_deleted({"tests/test_row.py": PYTHON}, {"tests/test_boat.py": PYTHON}, renamed) == []


def test_test_that_is_renamed_with_its_body_is_still_there() -> None:
    """The same doing under another name."""
    assert subjects_deleted({"test_row.py": PYTHON}, {"test_row.py": PYTHON.replace("test_row", "test_rowing")}) == []


def test_test_file_of_unknown_kind_that_is_deleted_is_found() -> None:
    """No test was recognised in it, but its name says what it is."""
    assert subjects_deleted({"tests/test_row.py": "check(row)\n"}, {}) == ["tests/test_row.py"]


def test_rule_needs_a_baseline_that_can_be_read() -> None:
    """Else it cannot tell."""
    with pytest.raises(UndecidableError):
        judge(tests_not_deleted, MemoryWorld(base=BASE, changed=(Change("D", "test_row.py"),)))


PLAIN = "import pytest\n\n\ndef test_row():\n    assert row()\n"


def subjects_skips(before: dict[str, str], now: dict[str, str]) -> list[str]:
    return find_subjects(no_new_skips, build_changed_world(before, now))


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        (PLAIN.replace("def ", "@pytest.mark.skip\ndef "), "pytest.mark.skip test_row"),
        (PLAIN.replace("def ", "@pytest.mark.skipif(True, reason='x')\ndef "), "pytest.mark.skipif test_row"),
        (PLAIN.replace("def ", "@pytest.mark.xfail\ndef "), "pytest.mark.xfail test_row"),
        (PLAIN.replace("def ", "@unittest.skip('x')\ndef "), "unittest.skip test_row"),
        (PLAIN.replace("def ", "@skip('x')\ndef "), "skip test_row"),
        (PLAIN.replace("    assert", "    pytest.skip('x')\n    assert"), "pytest.skip test_row"),
        (PLAIN.replace("    assert", "    raise unittest.SkipTest\n    assert"), "unittest.SkipTest test_row"),
        (PLAIN + "\npytestmark = pytest.mark.skip\n", "pytest.mark.skip module"),
        (PLAIN + "\ncollect_ignore = ['a.py']\n", "collect_ignore module"),
    ],
)
def test_mark_that_is_new_in_python_is_found(text: str, subject: str) -> None:
    """Decorators, calls, module marks; each named by the test it stands on."""
    found = judge(no_new_skips, build_changed_world({"test_row.py": PLAIN}, {"test_row.py": text}))
    assert [one.subject for one in found] == [subject]
    assert found[0].place is not None
    assert found[0].place.line


def test_mark_that_was_there_before_passes() -> None:
    """Also when lines move, or the file does."""
    text = PLAIN.replace("def ", "@pytest.mark.skip\ndef ")
    assert subjects_skips({"test_row.py": text}, {"test_row.py": f"x = 1\n\n{text}"}) == []
    assert subjects_skips({"test_row.py": text}, {"tests/test_row.py": text}) == []


def test_second_mark_of_the_same_kind_is_found() -> None:
    """One mark does not cover another test."""
    before = PLAIN.replace("def ", "@pytest.mark.skip\ndef ") + "\n\ndef test_sail():\n    pass\n"
    now = before.replace("def test_sail", "@pytest.mark.skip\ndef test_sail")
    assert subjects_skips({"test_row.py": before}, {"test_row.py": now}) == ["pytest.mark.skip test_sail"]


PATH = "tests/test_row.py"


def body_of(*lines: str) -> str:
    return "def test_row():\n" + "".join(f"    {line}\n" for line in lines)


def subjects_assertions(before: str, now: str, path: str = PATH) -> list[str]:
    return find_subjects(assertions_not_weakened, build_changed_world({path: before}, {path: now}))


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
    assert subjects_assertions(body_of(before), body_of(now)) == [subject]


@pytest.mark.parametrize("lines", [("return", "assert row() == 4"), ("if False:", "    assert row() == 4")])
def test_assertion_that_is_never_reached_does_not_count(lines: tuple[str, ...]) -> None:
    """After a return, or under a condition that never holds."""
    assert subjects_assertions(body_of("assert row() == 4"), body_of(*lines)) == ["test_row assertions"]


def test_assertion_whose_failure_is_swallowed_is_found() -> None:
    """A handler that swallows it."""
    now = body_of("try:", "    assert row() == 4", "except Exception:", "    pass")
    assert subjects_assertions(body_of("assert row() == 4"), now) == [
        "test_row trivial except that passes over a failed assertion"
    ]


def test_cases_that_were_taken_away_are_found() -> None:
    """Fewer parameters are fewer tests."""
    whole = "@pytest.mark.parametrize('x', [1, 2, 3])\n" + body_of("assert x")
    assert subjects_assertions(whole, whole.replace("[1, 2, 3]", "[1]")) == ["test_row cases"]


@pytest.mark.parametrize(
    ("path", "before", "now", "aspect"),
    [
        (
            "a.test.ts",
            "it('rows', () => { expect(a).toEqual(b) })",
            "it('rows', () => { expect(a).toBeTruthy() })",
            "exactness",
        ),
        (
            "a_test.go",
            "func TestRow(t *testing.T) { t.Fatal(1) }",
            "func TestRow(t *testing.T) { t.Log(1) }",
            "assertions",
        ),
        ("a.rs", "#[rstest]\n#[case(1)]\n#[case(2)]\nfn rows() {}", "#[rstest]\n#[case(1)]\nfn rows() {}", "cases"),
        ("BoatTest.java", "@Test void rows() { row(); }", "@Test void rows() { }", "body"),
        ("tests/test_row.py", "def test_row():\n    row()\n", "def test_row():\n    pass\n", "body"),
    ],
)
def test_test_of_any_language_that_was_weakened_is_found(path: str, before: str, now: str, aspect: str) -> None:
    """How each language is read is tested beside its reader."""
    [subject] = subjects_assertions(before, now, path)
    assert subject.endswith(f" {aspect}")


@pytest.mark.parametrize(
    ("path", "before", "now"),
    [
        ("a.spec.ts", "test('rows', () => {})", "test.only('rows', () => {})"),
        ("boat_test.go", "func TestRow(t *testing.T) {}", 'func TestRow(t *testing.T) { t.Skip("x") }'),
        ("src/boat.rs", "#[test]\nfn rows() {}", "#[test]\n#[ignore]\nfn rows() {}"),
        ("BoatTest.java", "@Test\nvoid rows() {}", "@Test\n@Disabled\nvoid rows() {}"),
    ],
)
def test_mark_that_is_new_in_another_language_is_found(path: str, before: str, now: str) -> None:
    """Skipped, ignored, disabled, or left out by picking others."""
    assert len(subjects_skips({path: before}, {path: now})) == 1
