from __future__ import annotations

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.every.tests_not_weakened import NO_NEW_SKIPS
from tests.support.changed_world import build_changed_world
from tests.support.world import MemoryWorld, judge

PLAIN = "import pytest\n\n\ndef test_row():\n    assert row()\n"


def subjects(before: dict[str, str], now: dict[str, str]) -> list[str]:
    return [found.subject for found in judge(NO_NEW_SKIPS, build_changed_world(before, now))]


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
    found = judge(NO_NEW_SKIPS, build_changed_world({"test_row.py": PLAIN}, {"test_row.py": text}))
    assert [one.subject for one in found] == [subject]
    assert found[0].place is not None
    assert found[0].place.line


@pytest.mark.parametrize(
    ("path", "before", "now"),
    [
        ("a.test.js", "it('rows', () => {})", "it.skip('rows', () => {})"),
        ("a.test.ts", "it('rows', () => {})", "xit('rows', () => {})"),
        ("a.spec.ts", "describe('boat', () => {})", "describe.skip('boat', () => {})"),
        ("a.spec.ts", "test('rows', () => {})", "test.only('rows', () => {})"),
        ("boat_test.go", "func TestRow(t *testing.T) {}", 'func TestRow(t *testing.T) { t.Skip("x") }'),
        ("src/boat.rs", "#[test]\nfn rows() {}", "#[test]\n#[ignore]\nfn rows() {}"),
        ("BoatTest.java", "@Test\nvoid rows() {}", "@Test\n@Disabled\nvoid rows() {}"),
        ("BoatTest.java", "@Test\nvoid rows() {}", '@Test\n@Ignore("x")\nvoid rows() {}'),
    ],
)
def test_mark_that_is_new_in_another_language_is_found(path: str, before: str, now: str) -> None:
    """Skipped, ignored, disabled, or left out by picking others."""
    assert len(subjects({path: before}, {path: now})) == 1


def test_mark_in_a_new_file_is_found() -> None:
    """A test that never ran proves nothing."""
    assert subjects({}, {"tests/test_new.py": "@pytest.mark.skip\ndef test_new(): pass\n"}) == [
        "pytest.mark.skip test_new"
    ]


def test_mark_that_was_there_before_passes() -> None:
    """Also when lines move, or the file does."""
    text = PLAIN.replace("def ", "@pytest.mark.skip\ndef ")
    assert subjects({"test_row.py": text}, {"test_row.py": f"x = 1\n\n{text}"}) == []
    assert subjects({"test_row.py": text}, {"tests/test_row.py": text}) == []


def test_second_mark_of_the_same_kind_is_found() -> None:
    """One mark does not cover another test."""
    before = PLAIN.replace("def ", "@pytest.mark.skip\ndef ") + "\n\ndef test_sail():\n    pass\n"
    now = before.replace("def test_sail", "@pytest.mark.skip\ndef test_sail")
    assert subjects({"test_row.py": before}, {"test_row.py": now}) == ["pytest.mark.skip test_sail"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("test_row.py", PLAIN + '\nTEXT = "pytest.mark.skip"  # @pytest.mark.skip\n'),
        ("a.test.js", "// it.skip('rows')\nit('skip.only', () => {})"),
        ("src/row.py", "@pytest.mark.skip\ndef test_row(): pass\n"),
    ],
)
def test_word_that_is_no_mark_passes(path: str, text: str) -> None:
    """In strings, in comments, and outside test files."""
    assert subjects({}, {path: text}) == []


def test_rule_needs_a_baseline() -> None:
    """Without one nothing is new."""
    with pytest.raises(NotApplicableError):
        judge(NO_NEW_SKIPS, MemoryWorld())
