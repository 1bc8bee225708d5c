from __future__ import annotations

from handoff_tui.changes.snapshots.build import CaptureParts, ReadReport, capture, join_reports, name_packages
from handoff_tui.changes.snapshots.snapshot import PackageRecord, TestOutcome, Unread

PASS, FAIL, ERROR, SKIPPED = TestOutcome.PASS, TestOutcome.FAIL, TestOutcome.ERROR, TestOutcome.SKIPPED
TREE = "a" * 40


def package(name: str, where: str, version: str = "") -> PackageRecord:
    return PackageRecord(kind="node", name=name, where=where, version=version)


def test_packages_that_share_a_name_are_told_apart_by_their_files() -> None:
    """All of them, so that which came first does not matter; the same file twice is one package."""
    one, two, other = package("a", "x/package.json"), package("a", "y/package.json"), package("b", "package.json")
    named = name_packages([two, other, one, one])
    assert list(named.items()) == [("node:a@x/package.json", one), ("node:a@y/package.json", two), ("node:b", other)]
    assert named == name_packages([one, two, other])


def test_worse_outcome_counts_where_reports_disagree() -> None:
    """And the disagreement is noted, in which file and with which."""
    reports = [
        ReadReport("b.xml", "", (("same", PASS), ("other", SKIPPED), ("third", ERROR))),
        ReadReport("a.xml", "", (("same", FAIL), ("other", PASS), ("third", FAIL), ("alone", PASS))),
    ]
    tests, notes = join_reports(reports)
    assert tests == {"alone": PASS, "other": SKIPPED, "same": FAIL, "third": ERROR}
    assert notes[0] == Unread(path="b.xml", reason="same is pass here and fail in a.xml; fail counts")
    assert len(notes) == 3
    assert join_reports(reversed(reports)) == (tests, notes)


def test_test_that_stands_twice_in_one_report_counts_by_its_worse_outcome() -> None:
    """A run that was repeated until it passed has failed once."""
    tests, notes = join_reports([ReadReport("a.xml", "", (("x", FAIL), ("x", PASS)))])
    assert tests == {"x": FAIL}
    assert [note.reason for note in notes] == ["x is pass here and fail earlier in it; fail counts"]


def test_snapshot_lists_what_could_not_be_read_once_and_in_order() -> None:
    """Problems of reports are among it."""
    unread = Unread(path="z", reason="is missing")
    report = ReadReport("r.xml", "sha256:1", (("x", PASS),), problem="the report is not XML")
    snapshot = capture(CaptureParts(TREE, reports=(report,), unread=(unread, unread)))
    assert snapshot.unread == (Unread(path="r.xml", reason="the report is not XML"), unread)
    assert (snapshot.tests, snapshot.reports) == ({"x": PASS}, {"r.xml": "sha256:1"})


def test_snapshot_holds_names_that_every_reader_accepts() -> None:
    """A branch whose name is not UTF-8 is written out."""
    assert capture(CaptureParts(TREE, branch="b\udcff", upstream="o/b\udcff")).branch == "b\\udcff"
