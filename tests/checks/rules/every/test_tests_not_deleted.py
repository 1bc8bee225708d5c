from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError, UndecidableError
from handoff_tui.checks.rules.every.tests_not_weakened import TESTS_NOT_DELETED
from handoff_tui.checks.world import Change
from tests.support.changed_world import BASE, build_changed_world
from tests.support.world import MemoryWorld, judge

PYTHON = "def test_row():\n    assert 1 + 1 == 2\n\n\nclass TestSail:\n    def test_up(self):\n        assert up()\n"
SCRIPT = (
    "describe('boat', () => {\n  it('rows', () => { expect(row()).toBe(1) })\n"
    "  test.each([1])(`sails %i`, () => {})\n})\n"
)
GO = "package boat\n\nfunc TestRow(t *testing.T) {\n\tt.Fatal(1)\n}\n\nfunc TestSail(t *testing.T) {}\n"
RUST = "#[test]\nfn rows() { assert!(row()); }\n\n#[tokio::test]\nasync fn sails() {}\n"
JAVA = (
    "class BoatTest {\n  @Test\n  public void rows() { assertTrue(row()); }\n\n"
    "  @ParameterizedTest\n  void sails() {}\n}\n"
)


def subjects(before: dict[str, str], now: dict[str, str], renamed: dict[str, str] | None = None) -> list[str]:
    return [found.subject for found in judge(TESTS_NOT_DELETED, build_changed_world(before, now, renamed))]


def test_tests_that_are_still_there_pass() -> None:
    """Changed or joined by others."""
    assert (
        subjects({"tests/test_row.py": PYTHON}, {"tests/test_row.py": PYTHON + "\ndef test_more():\n    pass\n"}) == []
    )


def test_file_that_is_deleted_is_found() -> None:
    """With the number of its tests."""
    [found] = judge(TESTS_NOT_DELETED, build_changed_world({"tests/test_row.py": PYTHON}, {}))
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
        ("boat_test.go", GO, GO[: GO.index("func TestSail")], "TestSail"),
        ("src/boat.rs", RUST, RUST.replace("#[tokio::test]", ""), "sails"),
        ("src/test/BoatTest.java", JAVA, JAVA.replace("@ParameterizedTest", ""), "BoatTest › sails"),
    ],
)
def test_test_that_is_gone_is_found(path: str, text: str, gone: str, name: str) -> None:
    """In each language; what is commented out or no longer marked is gone."""
    assert subjects({path: text}, {path: gone}) == [f"{path} {name}"]


@pytest.mark.parametrize(
    ("path", "text", "now"),
    [
        ("a.test.ts", SCRIPT, SCRIPT.replace("describe('boat'", "describe('ship'")),
        ("a.test.ts", SCRIPT, SCRIPT.replace("it('rows'", "it('rows fast'")),
        ("a.test.ts", SCRIPT, SCRIPT.replace("it('rows'", "/* it('x', () => { */ it('rows'")),
        ("boat_test.go", GO, GO.replace("TestRow", "TestRowing")),
        ("src/boat.rs", RUST, RUST.replace("fn rows", "fn rowing")),
        ("BoatTest.java", JAVA, JAVA.replace("class BoatTest", "class ShipTest")),
    ],
)
def test_test_of_another_language_that_is_renamed_is_still_there(path: str, text: str, now: str) -> None:
    """By its body, or by its own title where only the group around it changed."""
    assert subjects({path: text}, {path: now}) == []


@pytest.mark.parametrize(
    ("path", "text", "now", "name"),
    [
        ("a.test.ts", SCRIPT, SCRIPT.replace("it('rows'", "const s = `it('rows'`; ('x'"), "boat › rows"),
        ("a.test.ts", SCRIPT, SCRIPT.replace("it('rows'", "/* it('rows' */ f('rows'"), "boat › rows"),
        (
            "a_test.go",
            'func TestRow(t *testing.T) {\n\tt.Run("a", func(t *testing.T) { t.Fatal(1) })\n}\n',
            "func TestRow(t *testing.T) {\n}\n",
            "TestRow › a",
        ),
        ("src/boat.rs", RUST, RUST.replace("#[test]\nfn rows", 'const A: &str = "#[test]"; fn rows'), "rows"),
    ],
)
def test_test_that_is_only_quoted_is_gone(path: str, text: str, now: str, name: str) -> None:
    """In a string, a template or a comment it does not run; a part of a test counts too."""
    assert subjects({path: text}, {path: now}) == [f"{path} {name}"]


def test_file_that_no_longer_parses_has_no_tests() -> None:
    """It does not run."""
    found = subjects({"test_row.py": PYTHON}, {"test_row.py": PYTHON + "\ndef broken(:\n"})
    assert found == ["test_row.py test_row", "test_row.py TestSail.test_up"]


@pytest.mark.parametrize("renamed", [None, {"tests/test_boat.py": "tests/test_row.py"}])
def test_file_that_is_renamed_keeps_its_tests(renamed: dict[str, str] | None) -> None:
    """Whether git tells it or not."""
    assert subjects({"tests/test_row.py": PYTHON}, {"tests/test_boat.py": PYTHON}, renamed) == []


def test_file_that_is_renamed_out_of_the_tests_is_found() -> None:
    """Nobody runs it there."""
    now = {"old/row.txt": PYTHON}
    assert subjects({"tests/test_row.py": PYTHON}, now, {"old/row.txt": "tests/test_row.py"}) == ["tests/test_row.py"]


def test_test_that_is_renamed_with_its_body_is_still_there() -> None:
    """The same doing under another name."""
    assert subjects({"test_row.py": PYTHON}, {"test_row.py": PYTHON.replace("test_row", "test_rowing")}) == []


def test_test_of_the_same_name_that_was_there_before_replaces_nothing() -> None:
    """One that existed elsewhere already is not the one that left."""
    before = {"test_a.py": PYTHON, "test_b.py": PYTHON}
    found = subjects(before, {"test_a.py": "x = 1\n", "test_b.py": PYTHON + "\nx = 1\n"})
    assert found == ["test_a.py test_row", "test_a.py TestSail.test_up"]


def test_test_file_of_unknown_kind_that_is_deleted_is_found() -> None:
    """No test was recognised in it, but its name says what it is."""
    assert subjects({"tests/test_row.py": "check(row)\n"}, {}) == ["tests/test_row.py"]


def test_other_files_may_go() -> None:
    """Helpers, sources, documents."""
    assert subjects({"tests/boats.py": "x = 1\n", "src/row.py": PYTHON, "src/lib.rs": "fn a() {}"}, {}) == []


def test_rule_needs_a_baseline_that_can_be_read() -> None:
    """None: it does not apply. Unreadable: it cannot tell."""
    with pytest.raises(NotApplicableError):
        judge(TESTS_NOT_DELETED, MemoryWorld())
    with pytest.raises(UndecidableError):
        judge(TESTS_NOT_DELETED, MemoryWorld(base=BASE, changed=(Change("D", "test_row.py"),)))
