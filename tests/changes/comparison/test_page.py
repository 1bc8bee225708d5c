from __future__ import annotations

from handoff_tui.changes.comparison.compare import compare_snapshots
from handoff_tui.changes.comparison.explain import build_explanations
from handoff_tui.changes.comparison.page import (
    add_section,
    build_snapshot_diff_json,
    build_snapshot_diff_page,
)
from handoff_tui.changes.comparison.snapshot_diff import (
    BaselineChoice,
    ClaimCheck,
    ComparedItem,
    ComparedPair,
    ComparedSection,
    DiffScope,
    ItemChange,
    SnapshotDiff,
)
from handoff_tui.changes.snapshots.snapshot import ClaimedTotals, FindingRecord, Snapshot, Unread
from handoff_tui.core.text.page import Page
from tests.support.desk_states import render_page
from tests.support.snapshots import build_package, build_snapshot

_PAIR = ComparedPair(
    scope=DiffScope.SINCE_BASELINE,
    before=BaselineChoice(snapshot="12" * 32, commit="a" * 40, reason="The last approved baseline on this branch"),
)


def render(before: Snapshot, after: Snapshot, text: str = "", *, everything: bool = False) -> str:
    diff = compare_snapshots(before, after, build_explanations([], [("results.md", text)]))
    return render_page(build_snapshot_diff_page(diff, _PAIR, everything=everything))


def build_sides() -> tuple[Snapshot, Snapshot]:
    before = build_snapshot(
        tests={"x.py::test_a": "pass", "x.py::test_b": "pass", "x.py::test_c": "pass", "x.py::test_d": "fail"},
        packages={"manifest:p": build_package("p", assets={"f": ""}), "manifest:q": build_package("q")},
        checks={"claims-hold": "pass"},
        findings={"f": FindingRecord(check="claims-hold", message="was wrong")},
        files={"doc.md": "sha256:" + "1" * 64},
        measures={"coverage_basis_points": 8100, "lines": 1000},
    )
    after = build_snapshot(
        tests={"x.py::test_b": "fail", "y.py::test_c": "pass", "x.py::test_d": "pass", "x.py::test_e": "pass"},
        packages={
            "manifest:p": build_package("p", "1.1.0", assets={"f": ""}, dependencies={"six": ""}),
            "manifest:r": build_package("r", assets={"f": ""}),
        },
        checks={"claims-hold": "pass"},
        files={"doc.md": "sha256:" + "2" * 64},
        measures={"coverage_basis_points": 8000, "lines": 1100},
        claimed={"H-2": ClaimedTotals(where="r.md", packages=3, baseline_packages=2)},
    )
    return before, after


def test_each_thing_says_what_became_of_it() -> None:
    """With values before and after, the former name, and the note."""
    text = render(*build_sides())
    for words in (
        "! vanished  test x.py::test_a  was pass",
        "- removed  package manifest:q  was 1.0.0",
        "~ changed  measure coverage  81.00 % → 80.00 %",
        "✗ newly failing  test x.py::test_b  pass → fail",
        "f  manifest:p, manifest:r  new",
        "✗ false | H-2 | says 3 packages, the baseline had 2, there are 2 here  (r.md)",
        "→ y.py::test_c  formerly x.py::test_c",
        "✓ x.py::test_d  fail → pass",
        "✓ claims-hold: was wrong",
        "~ manifest:p  1.0.0 → 1.1.0",
        "+ manifest:p -> six  any version",
        "~ doc.md  111111111111 → 222222222222",
        "~ lines  1,000 → 1,100",
        "snapshot 121212121212, commit aaaaaaa  The last approved baseline on this branch",
    ):
        assert words in text, words


def test_explained_drop_stands_below_with_its_place() -> None:
    """It is no longer among the worst."""
    before, after = build_snapshot(tests={"x.py::test_a": "pass", "b": "pass"}), build_snapshot(tests={"b": "pass"})
    text = render(before, after, "Removed test_a.")
    assert text.splitlines()[0] == "✓ no unexplained losses, nothing newly failing"
    assert "UNEXPLAINED" not in text
    assert "- x.py::test_a  was pass · explained at results.md:1" in text


def test_long_list_is_cut_unless_everything_is_asked_for() -> None:
    """The rest is a number, never silence."""
    before = build_snapshot(tests={f"x.py::test_{number:02}": "pass" for number in range(20)})
    after = build_snapshot(tests={"other": "pass"})
    assert "… and 12 more; --all shows them" in render(before, after)
    assert "x.py::test_19" not in render(before, after)
    assert "x.py::test_19" in render(before, after, everything=True)


def test_nothing_that_differs_is_said_in_one_line() -> None:
    """What is unchanged is a number."""
    same = build_snapshot(tests={"a": "pass"})
    text = render(same, same)
    assert text.splitlines()[0] == "· nothing differs"
    assert "unchanged: 1 test" in text
    diff = compare_snapshots(same, same, build_explanations([], []))
    first = render_page(build_snapshot_diff_page(diff, _PAIR, files=2)).splitlines()[0]
    assert first == "✓ only file contents differ"


def test_without_a_baseline_nothing_is_called_new() -> None:
    """It is said that there is none, and why; claims are still compared with what is here."""
    pair = ComparedPair(scope=DiffScope.SINCE_BASELINE, before=BaselineChoice(reason="no baseline: nothing is pinned"))
    check = ClaimCheck(
        handoff="H-1", what="packages", claimed=2, measured=2, before=None, where="r.md", agrees=True, text="says 2"
    )
    text = render_page(build_snapshot_diff_page(None, pair, (check,)))
    assert text.splitlines()[0] == "? no baseline  can't tell what is new and what is gone"
    assert "no baseline: nothing is pinned" in text
    assert "✓ holds | H-1 | says 2  (r.md)" in text
    assert "new " not in text.replace("what is new and", "")
    assert "--against" in text


def test_baseline_without_tests_calls_none_of_them_new() -> None:
    """Those that fail are listed as failing here."""
    text = render(build_snapshot(), build_snapshot(tests={"a": "pass", "b": "fail"}))
    assert "FAILING HERE  1" in text
    assert "! the baseline has no tests by id, so new tests are unknown" in text
    assert "2 tests here; the baseline has none by id" in text


def test_new_findings_are_among_the_worst() -> None:
    """A check that failed before may find more now; without check results before, what is new is not known."""
    found = {"f": FindingRecord(check="claims-hold", message="22 is not 21")}
    checks = {"claims-hold": "fail"}
    text = render(build_snapshot(checks=checks), build_snapshot(checks=checks, findings=found))
    assert text.splitlines()[0] == "✗ 1 new finding"
    assert "✗ claims-hold: 22 is not 21" in text
    assert "new finding" not in render(build_snapshot(), build_snapshot(checks=checks, findings=found))


def test_claims_that_could_not_be_compared_are_a_number() -> None:
    """All but those that say less than the document before; everything shows each."""
    before = build_snapshot(claimed={"H-1": ClaimedTotals(where="1.md", baseline_tests=319)})
    claimed = {"H-2": ClaimedTotals(where="2.md", tests={"total": 5, "passed": 5}, baseline_tests=163)}
    after = build_snapshot(claimed=claimed)
    text = render(before, after)
    assert "Other claimed numbers  1" in text
    assert "H-1 said 319 before: 156 fewer" in text
    assert "2 claimed numbers couldn't be compared; --all shows them" in text
    assert "Other claimed numbers  3" in render(before, after, everything=True)


def test_what_could_not_be_read_stands_at_the_end() -> None:
    """With its reason and its side, and cut where it is long."""
    unread = [Unread(path=f"{number}.xml", reason="it is not XML") for number in range(10)]
    text = render(build_snapshot(unread=unread[:1]), build_snapshot(unread=unread))
    assert "Not read  10" in text
    assert "0.xml  it is not XML  here and in the baseline" in text
    assert "1.xml  it is not XML  here" in text
    assert "… and 2 more; --all shows them" in text


def render_section(name: str, *items: ComparedItem, everything: bool = False) -> list[str]:
    page = Page()
    section = ComparedSection(items=items, before_total=1, after_total=len(items))
    add_section(page, name, section, set(), everything=everything)
    return render_page(page).splitlines()[1:]


def find_finding(check: str, number: int) -> ComparedItem:
    return ComparedItem(f"{check}{number}", ItemChange.NEW, after=f"{check}: message {number}")


def test_findings_are_grouped_by_check() -> None:
    """The check with the most first, with one example and how many more; everything lists each, in order."""
    items = (find_finding("b", 2), find_finding("a", 1), find_finding("b", 1))
    assert render_section("findings", *items) == ["  ✗ new  3", "    ✗ b: message 1  and 1 more", "    ✗ a: message 1"]
    assert render_section("findings", *items, everything=True)[1:] == [
        "    ✗ a: message 1",
        "    ✗ b: message 1",
        "    ✗ b: message 2",
    ]


def test_groups_beyond_the_first_are_counted() -> None:
    """By findings, not by checks."""
    items = [find_finding(f"check-{number}", 1) for number in range(9)]
    items += [find_finding("check-8", 2), find_finding("zz", 1), find_finding("zz", 2), find_finding("zz", 3)]
    assert render_section("findings", *items)[-1] == "    … and 2 more; --all shows them"


JSON__PAIR = ComparedPair(
    scope=DiffScope.SINCE_BASELINE, before=BaselineChoice(snapshot="1" * 64, commit="a" * 40, reason="you pinned it")
)

_CLAIM = ClaimCheck(
    handoff="H-1", what="packages", claimed=2, measured=1, before=None, where="r.md", agrees=False, text="says 2"
)


def test_without_a_baseline_nothing_is_zero() -> None:
    """Every number is null, with the reason; claims stand all the same."""
    pair = ComparedPair(scope=DiffScope.SINCE_BASELINE, before=BaselineChoice(reason="there is no baseline"))
    read = build_snapshot_diff_json(None, pair, (_CLAIM,))
    nothing = ("unexplained", "newly_failing", "tests", "checks", "packages", "dependencies", "files", "clashes")
    assert all(read[name] is None for name in nothing)
    assert read["before"] == {"snapshot": None, "commit": None, "reason": "there is no baseline"}
    assert len(read["claims"]) == 1 if isinstance(read["claims"], list) else False


def test_new_findings_are_null_where_nobody_looked_before() -> None:
    """Without check results in the baseline it is not known what is new."""
    items = (ComparedItem("f", ItemChange.NEW, after="c: x"), ComparedItem("g", ItemChange.FIXED, "c: y"))
    findings = ComparedSection(items=items, before_total=1, after_total=1)
    assert build_snapshot_diff_json(SnapshotDiff(findings=findings), JSON__PAIR)["new_findings"] is None
    looked = SnapshotDiff(findings=findings, checks=ComparedSection(unchanged=1, before_total=1, after_total=1))
    assert build_snapshot_diff_json(looked, JSON__PAIR)["new_findings"] == 1
