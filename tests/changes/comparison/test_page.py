from __future__ import annotations

from handoff_tui.changes.comparison.compare import compare_snapshots
from handoff_tui.changes.comparison.explain import build_explanations
from handoff_tui.changes.comparison.page import build_snapshot_diff_page
from handoff_tui.changes.comparison.snapshot_diff import BaselineChoice, ClaimCheck, ComparedPair, DiffScope
from handoff_tui.changes.snapshots.snapshot import ClaimedTotals, FindingRecord, Snapshot, Unread
from tests.support.pages import render_page
from tests.support.snapshots import build_package, build_snapshot

_PAIR = ComparedPair(
    scope=DiffScope.SINCE_BASELINE,
    before=BaselineChoice(snapshot="12" * 32, commit="a" * 40, reason="the last approved one of this line of work"),
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


def test_page_goes_from_the_worst_to_the_rest() -> None:
    """Unexplained drops, new failures, clashes, claims that do not agree, then each kind of thing."""
    lines = render(*build_sides()).splitlines()
    assert lines[0] == "✗ 3 unexplained drops, 1 new failure, 1 new ownership clash, 1 claim that does not agree"
    headings = [
        "UNEXPLAINED DROPS  3; no handoff says that these were dropped",
        "NEW FAILURES  1",
        "FILES THAT TWO PACKAGES OWN  1",
        "Claims that do not agree  1",
        "Tests  4 before, 4 now, 0 unchanged",
        "Findings  1 before, 0 now, 0 unchanged",
        "Packages  2 before, 2 now, 0 unchanged",
        "Dependencies  0 before, 1 now, 0 unchanged",
        "Declared files  1 before, 1 now, 0 unchanged",
        "Measures  2 before, 2 now, 0 unchanged",
        "Other claimed numbers  1",
    ]
    places = [lines.index(heading) for heading in headings]
    assert places == sorted(places)


def test_each_thing_says_what_became_of_it() -> None:
    """With values before and after, the former name, and the note."""
    text = render(*build_sides())
    for words in (
        "! vanished  test x.py::test_a  was pass",
        "- removed  package manifest:q  was 1.0.0",
        "~ changed  measure coverage  81.00 % → 80.00 %",
        "✗ newly failing  test x.py::test_b  pass → fail",
        "f  manifest:p, manifest:r  new",
        "✗ contradicted | H-2 | says 3 packages, baseline had 2, here are 2  (r.md)",
        "→ y.py::test_c  formerly x.py::test_c",
        "✓ x.py::test_d  fail → pass",
        "✓ claims-hold: was wrong",
        "~ manifest:p  1.0.0 → 1.1.0",
        "+ manifest:p -> six  any version",
        "~ doc.md  111111111111 → 222222222222",
        "~ lines  1,000 → 1,100",
        "snapshot 121212121212, commit aaaaaaa  the last approved one of this line of work",
    ):
        assert words in text, words


def test_explained_drop_stands_below_with_its_place() -> None:
    """It is no longer among the worst."""
    before, after = build_snapshot(tests={"x.py::test_a": "pass", "b": "pass"}), build_snapshot(tests={"b": "pass"})
    text = render(before, after, "Removed test_a.")
    assert text.splitlines()[0] == "✓ nothing was lost or broke without a word"
    assert "UNEXPLAINED" not in text
    assert "- x.py::test_a  was pass · explained at results.md:1" in text


def test_what_stands_above_is_only_counted_below() -> None:
    """Nothing is listed twice."""
    before, after = build_snapshot(tests={"x.py::test_a": "pass", "b": "pass"}), build_snapshot(tests={"b": "pass"})
    text = render(before, after)
    assert text.count("x.py::test_a") == 1
    assert "! vanished  1, 1 of them above" in text


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
    assert "the same as before: 1 test" in text
    diff = compare_snapshots(same, same, build_explanations([], []))
    first = render_page(build_snapshot_diff_page(diff, _PAIR, files=2)).splitlines()[0]
    assert first == "✓ nothing differs but the content of files"


def test_without_a_baseline_nothing_is_called_new() -> None:
    """It is said that there is none, and why; claims are still compared with what is here."""
    pair = ComparedPair(
        scope=DiffScope.SINCE_BASELINE, before=BaselineChoice(reason="there is no baseline: nothing is pinned")
    )
    check = ClaimCheck(
        handoff="H-1", what="packages", claimed=2, measured=2, before=None, where="r.md", agrees=True, text="says 2"
    )
    text = render_page(build_snapshot_diff_page(None, pair, (check,)))
    assert text.splitlines()[0] == "? no baseline  what is new and what is gone cannot be said"
    assert "there is no baseline: nothing is pinned" in text
    assert "✓ holds | H-1 | says 2  (r.md)" in text
    assert "new " not in text.replace("what is new and", "")
    assert "--against" in text


def test_baseline_without_tests_calls_none_of_them_new() -> None:
    """Those that fail are listed as failing here."""
    text = render(build_snapshot(), build_snapshot(tests={"a": "pass", "b": "fail"}))
    assert "FAILING HERE  1" in text
    assert "! the baseline holds no test by id, so which tests are new is not known" in text
    assert "2 tests here; the baseline holds none by id" in text


def test_both_sides_are_named_where_two_are_compared() -> None:
    """Between any two moments."""
    pair = ComparedPair(
        scope=DiffScope.BETWEEN, before=_PAIR.before, after=BaselineChoice(commit="b" * 40, reason="v2")
    )
    snapshot = build_snapshot()
    diff = compare_snapshots(snapshot, snapshot, build_explanations([], []))
    assert "after    commit bbbbbbb  v2" in render_page(build_snapshot_diff_page(diff, pair))


def test_hostile_names_are_shown_and_not_obeyed() -> None:
    """An escape sequence in the id of a test stays visible."""
    text = render(build_snapshot(tests={"\x1b[2Jtest": "pass"}), build_snapshot(tests={"b": "pass"}))
    assert "\x1b" not in text
    assert "␛[2Jtest" in text


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
    assert "2 claimed numbers could not be compared; --all shows them" in text
    assert "Other claimed numbers  3" in render(before, after, everything=True)


def test_what_could_not_be_read_stands_at_the_end() -> None:
    """With its reason and its side, and cut where it is long."""
    unread = [Unread(path=f"{number}.xml", reason="it is not XML") for number in range(10)]
    text = render(build_snapshot(unread=unread[:1]), build_snapshot(unread=unread))
    assert "Not read  10" in text
    assert "0.xml  it is not XML  here and in the baseline" in text
    assert "1.xml  it is not XML  here" in text
    assert "… and 2 more; --all shows them" in text


def test_side_that_somebody_named_is_told_as_such() -> None:
    """With the work tree on the other side."""
    named = ComparedPair(scope=DiffScope.BETWEEN, before=_PAIR.before)
    assert "since what you named" in render_page(build_snapshot_diff_page(None, named))
