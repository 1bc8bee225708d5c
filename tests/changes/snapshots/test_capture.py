from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from handoff_tui.changes.snapshots import capture
from handoff_tui.changes.snapshots.snapshot import (
    ClaimedTotals,
    FindingRecord,
    PackageRecord,
    TestOutcome,
    Unread,
    encode_snapshot,
)
from handoff_tui.changes.snapshots.tree_contents import ReadReport, join_reports
from handoff_tui.checks.engine import build_fingerprint
from handoff_tui.checks.report import OUTPUT_SUBJECT, CheckReport, CheckResult, Evidence, Finding, Outcome
from handoff_tui.core.errors import TreeMovedError
from handoff_tui.core.place import Severity
from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree.capture import offer_objects, write_work_tree
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder
from tests.support.snapshots import capture_repository

RESULTS = """# Results: H-1

## Status: PASS

## Files Created
- `src/lamp.py` (SHA256: {digest})

## Test Results — THIS PACKAGE
- Total: 12 tests
- Passed: 11
- Failed: 0
- Skipped: 1

## Full Regression Test — ALL STAGED PACKAGES
- Total: 40 tests
- Passed: 40
- Failed: 0

## Baseline Snapshot (AFTER this agent's work)
- Packages installed: 2
- Total tests (all staged): 40
"""

JUNIT = '<testsuite><testcase classname="a" name="one"/><testcase name="two"><failure/></testcase></testsuite>'

LAMP = "light = 1  # TODO\n"


def hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def build_story(builder: RepositoryBuilder) -> RepositoryBuilder:
    """A handoff with results, a package with a manifest, an ecosystem file, and reports that git ignores."""
    asset = {"path": "lamp.py", "sha256": f"sha256:{hash_text('asset')}", "classification": "module"}
    missing = {"path": "gone.py", "sha256": f"sha256:{hash_text('')}", "classification": "module"}
    manifest = {
        "package_id": "PKG-LAMP-001",
        "version": "1.0.0",
        "schema_version": "1.2",
        "spec_id": "SPEC-1",
        "framework_id": "FMWK-1",
        "dependencies": ["PKG-WIRE-001"],
        "assets": [asset, missing],
    }
    builder.write("src/lamp.py", LAMP).write(".gitignore", "junit.xml\ncoverage.xml\nreports/\n")
    builder.write("handoffs/H-1/H-1_RESULTS.md", RESULTS.format(digest=hash_text(LAMP)))
    builder.write("_staging/PKG-LAMP-001/manifest.json", json.dumps(manifest))
    builder.write("_staging/PKG-LAMP-001/lamp.py", "asset")
    builder.write("pyproject.toml", '[project]\nname = "lamp"\nversion = "1"\ndependencies = ["wire>=2"]\n').commit()
    builder.write("junit.xml", JUNIT).write("reports/sub/TEST-a.xml", "<testsuite").write(
        "reports/run.tap", "1..1\nok 1 x\n"
    )
    return builder.write("coverage.xml", '<coverage line-rate="0.75"/>')


def test_snapshot_holds_everything(builder: RepositoryBuilder) -> None:
    """Tree and HEAD, packages, tests, claims, declared files, measures, and what could not be read."""
    captured = capture_repository(build_story(builder))
    snapshot = captured.snapshot
    assert (snapshot.tree, snapshot.commit, snapshot.branch) == (builder.head("HEAD^{tree}"), builder.head(), "main")
    assert sorted(snapshot.packages) == ["manifest:PKG-LAMP-001", "python:lamp"]
    assert snapshot.packages["manifest:PKG-LAMP-001"].dependencies == {"PKG-WIRE-001": ""}
    assert snapshot.packages["python:lamp"].dependencies == {"wire": ">=2"}
    assert snapshot.tests == {"a::one": TestOutcome.PASS, "two": TestOutcome.FAIL, "x": TestOutcome.PASS}
    assert snapshot.reports["junit.xml"] == f"sha256:{hash_text(JUNIT)}"
    assert snapshot.claimed["H-1"] == ClaimedTotals(
        where="handoffs/H-1/H-1_RESULTS.md",
        tests={"total": 12, "passed": 11, "failed": 0, "skipped": 1},
        regression={"total": 40, "passed": 40, "failed": 0},
        baseline_packages=2,
        baseline_tests=40,
    )
    assert snapshot.files == {
        "_staging/PKG-LAMP-001/lamp.py": f"sha256:{hash_text('asset')}",
        "src/lamp.py": f"sha256:{hash_text(LAMP)}",
    }
    assert (snapshot.measures["files"], snapshot.measures["todos"]) == (6, 1)
    assert snapshot.measures["coverage_basis_points"] == 7500
    assert [unread.path for unread in snapshot.unread] == ["_staging/PKG-LAMP-001/gone.py", "reports/sub/TEST-a.xml"]


def test_capture_changes_nothing_in_the_repository(builder: RepositoryBuilder) -> None:
    """No object, no index, no file of ours until it is stored."""
    build_story(builder).write("src/new.py")
    before = read_fingerprint(builder.folder)
    capture_repository(builder)
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []


def test_equal_content_elsewhere_has_an_equal_digest(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """No place, no time, no name of the machine: a copy, with other times and no cache, is the same snapshot."""
    build_story(builder).write("untracked")
    first = capture_repository(builder)
    shutil.copytree(builder.folder, tmp_path / "another place")
    for place in (tmp_path / "another place").rglob("*.py"):
        os.utime(place, (1, 1))
    second = capture_repository(RepositoryBuilder(tmp_path / "another place"))
    assert encode_snapshot(first.snapshot) == encode_snapshot(second.snapshot)
    assert first.digest == second.digest
    assert str(builder.folder) not in encode_snapshot(first.snapshot).decode()


def build_report(root: Path, message: str, *, outside: bool) -> CheckReport:
    finding = Finding(message=message, fingerprint="f1", evidence=(Evidence(line=1), Evidence(path="src/lamp.py")))
    result = CheckResult(
        id="own-rule",
        outcome=Outcome.FAIL,
        severity=Severity.HIGH,
        blocking=True,
        summary="one thing",
        findings=(finding,),
        outside=outside,
        duration=1.5,
    )
    return CheckReport(mode="all", results=(result,), repository=str(root))


@pytest.mark.parametrize(
    ("outside", "message", "kept"),
    [
        (False, "{root}/src/lamp.py has 3 faults in {root}", "src/lamp.py has 3 faults in ."),
        (True, "is 26 hours old", "is N hours old"),
    ],
)
def test_checks_and_findings_are_kept_without_time_and_place(
    *, builder: RepositoryBuilder, outside: bool, message: str, kept: str
) -> None:
    """Outcome by id, finding by fingerprint; what only the clock or this machine knows is left out."""
    root = builder.write("a").commit().folder
    snapshot = capture_repository(builder, build_report(root, message.format(root=root), outside=outside)).snapshot
    assert snapshot.checks == {"own-rule": "fail"}
    assert snapshot.findings == {"f1": FindingRecord(check="own-rule", message=kept, path="src/lamp.py")}


def test_output_of_a_command_is_not_kept(builder: RepositoryBuilder) -> None:
    """It may hold times and temporary paths, so only how the command ended is part of the snapshot."""
    root = builder.write("a").commit().folder
    fingerprint = build_fingerprint("own-rule", "", OUTPUT_SUBJECT)
    kept = []
    for output in ("failed in 0.31s at /tmp/x1", "failed in 0.29s at /tmp/x2"):
        report = build_report(root, output, outside=False)
        finding = report.results[0].findings[0].model_copy(update={"fingerprint": fingerprint})
        result = report.results[0].model_copy(update={"summary": "it exited with 1", "findings": (finding,)})
        captured = capture_repository(builder, report.model_copy(update={"results": (result,)}))
        kept.append((captured.digest, captured.snapshot.findings[fingerprint].message))
    assert kept[0] == kept[1]
    assert kept[0][1] == "it exited with 1"


def test_work_that_no_tree_can_hold_is_listed(builder: RepositoryBuilder) -> None:
    """A repository without a commit inside this one."""
    builder.write("a").commit()
    RepositoryBuilder.init(builder.folder / "nested").write("x")
    assert [unread.path for unread in capture_repository(builder).snapshot.unread] == ["nested"]


PASS, FAIL, ERROR, SKIPPED = TestOutcome.PASS, TestOutcome.FAIL, TestOutcome.ERROR, TestOutcome.SKIPPED

TREE = "a" * 40


def package(name: str, where: str, version: str = "") -> PackageRecord:
    return PackageRecord(kind="node", name=name, where=where, version=version)


def test_packages_that_share_a_name_are_told_apart_by_their_files() -> None:
    """All of them, so that which came first does not matter; the same file twice is one package."""
    one, two, other = package("a", "x/package.json"), package("a", "y/package.json"), package("b", "package.json")
    named = capture.name_packages([two, other, one, one])
    assert list(named.items()) == [("node:a@x/package.json", one), ("node:a@y/package.json", two), ("node:b", other)]
    assert named == capture.name_packages([one, two, other])


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
    snapshot = capture.build_snapshot(capture.CaptureParts(TREE, reports=(report,), unread=(unread, unread)))
    assert snapshot.unread == (Unread(path="r.xml", reason="the report is not XML"), unread)
    assert (snapshot.tests, snapshot.reports) == ({"x": PASS}, {"r.xml": "sha256:1"})


LIMIT = 1_000


def load(builder: RepositoryBuilder, cache: Path, *paths: str, tree: str | None = None) -> capture.FileHashes:
    repository = open_repository(builder.folder)
    tree = tree or write_work_tree(repository, cache).tree
    return capture.load_file_hashes(repository, tree, paths, offer_objects(repository, cache), cache, LIMIT)


def hash_text_file_hashes(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def test_files_are_hashed_as_they_are_on_disk(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Committed, modified, untracked, ignored, and through a link; what cannot be read is named."""
    builder.write("a", "1\n").write("b").write(".gitignore", "*.log\n").commit()
    builder.write("b", "2\n").write("c", "3\n").write("d.log", "4\n").link("e", "a").write("large", "x" * 2_000)
    found = load(builder, tmp_path / "cache", "a", "b", "c", "d.log", "e", "large", "missing")
    texts = {"a": "1\n", "b": "2\n", "c": "3\n", "d.log": "4\n", "e": "1\n"}
    assert found.hashes == {path: hash_text_file_hashes(text) for path, text in texts.items()}
    assert [(unread.path, unread.reason.split(":")[0]) for unread in found.unread] == [
        ("large", "is too large"),
        ("missing", "does not exist"),
    ]
    assert load(builder, tmp_path / "cache", "a", "b", "c", "d.log", "e", "large", "missing") == found


def test_nobody_can_store_the_hash_of_a_file(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Whatever lies in the cache, the hash is that of the content, which is read each time."""
    builder.write("a", "1\n").commit()
    expected = load(builder, tmp_path / "cache", "a").hashes
    blob = builder.head("HEAD:a")
    (tmp_path / "cache/sha256-by-blob").write_text(f"{blob} 2 {'0' * 64}\n", encoding="ascii")
    assert load(builder, tmp_path / "cache", "a").hashes == expected == {"a": hash_text_file_hashes("1\n")}


@pytest.mark.parametrize("attributes", ["* text=auto eol=crlf\n", "* ident\n", "* working-tree-encoding=UTF-16LE\n"])
def test_converted_file_is_not_taken_for_its_blob(builder: RepositoryBuilder, tmp_path: Path, attributes: str) -> None:
    """The hash is that of the file, though the blob's content was hashed before."""
    builder.write("plain", "$Id$\n").commit()
    cache = tmp_path / "cache"
    load(builder, cache, "plain")
    texts = {"* text": "$Id$\r\n", "* ident": "$Id: 1 $\n", "* working": "$Id$\n".encode("utf-16-le").decode("latin-1")}
    text = next(text for beginning, text in texts.items() if attributes.startswith(beginning))
    builder.write(".gitattributes", attributes).write("other", text.encode("latin-1"))
    found = load(builder, cache, "other", "plain")
    assert found.hashes["other"] == f"sha256:{hashlib.sha256(text.encode('latin-1')).hexdigest()}"
    assert load(builder, cache, "other", "plain") == found


def test_file_that_changed_after_the_tree_is_an_error(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A snapshot does not mix two states."""
    builder.write("a", "1\n").commit()
    tree = write_work_tree(open_repository(builder.folder), tmp_path / "cache").tree
    builder.write("a", "22\n")
    with pytest.raises(TreeMovedError, match="changed while it was captured: a"):
        load(builder, tmp_path / "cache", "a", tree=tree)


def test_path_that_leads_out_is_named(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Nothing outside the repository is read."""
    builder.write("a").commit()
    found = load(builder, tmp_path / "cache", "../outside", "/etc/passwd", "odd\udcff")
    assert found.hashes == {}
    assert [unread.path for unread in found.unread] == ["../outside", "/etc/passwd", "odd\\udcff"]
    assert isinstance(found.unread[0], Unread)
