"""Snapshots: by hand, of any content, and taken of small repositories."""

from __future__ import annotations

from hypothesis import strategies as st

from handoff_tui.changes.snapshots.capture import Captured, capture_snapshot
from handoff_tui.changes.snapshots.snapshot import FindingRecord, PackageRecord, Snapshot, TestOutcome
from handoff_tui.checks.report import CheckReport
from handoff_tui.handoffs.formats.registry import FORMATS
from handoff_tui.handoffs.reading.read import ReadHandoffs, read_handoffs
from handoff_tui.handoffs.reading.source_files import RepositoryFiles
from handoff_tui.handoffs.session import Session, open_session
from tests.support.repositories import RepositoryBuilder

TREE = "0" * 40


def build_snapshot(**fields: object) -> Snapshot:
    return Snapshot.model_validate({"tree": TREE, **fields})


def build_package(name: str, version: str = "1.0.0", **fields: object) -> PackageRecord:
    return PackageRecord.model_validate(
        {"kind": "manifest", "name": name, "where": f"{name}/manifest.json", "version": version, **fields}
    )


_names = st.sampled_from(["test_a", "test_b", "test_a[1]", "test_a[2]", "it works", "", "[", "::"])
_scopes = st.sampled_from(["tests/x.py", "tests/y.py", "tests/x.py::TestA", "tests.x.TestA", "TestB", "", "x.test.ts"])
test_ids = st.one_of(st.tuples(_scopes, _names).map("::".join), _names, st.text(max_size=8))
_keys = st.sampled_from(["manifest:a", "manifest:b", "manifest:a@a/m.json", "python:c"])
_paths = st.sampled_from(["a.py", "b.py", "src/a.py", "src/b.py"])
_words = st.sampled_from(["", "1.0", "1.1", "2.0rc1", ">=1"])
_packages = st.builds(
    PackageRecord,
    kind=st.sampled_from(["manifest", "python"]),
    name=st.sampled_from(["a", "b", "c"]),
    where=st.sampled_from(["a/m.json", "b/m.json"]),
    version=_words,
    dependencies=st.dictionaries(st.sampled_from(["a", "b", "six"]), _words, max_size=3),
    assets=st.dictionaries(_paths, _words, max_size=3),
    supersedes=st.lists(st.sampled_from(["a", "b"]), max_size=1).map(tuple),
)
_checks = st.sampled_from(["claims-hold", "tests-not-deleted", "own"])
_outcomes = st.sampled_from(["pass", "fail", "error", "timeout", "skipped", "not-applicable", "cancelled", "unknown"])


def snapshots() -> st.SearchStrategy[Snapshot]:
    """Small ones that share names, so that every change occurs."""
    return st.builds(
        Snapshot,
        tree=st.just(TREE),
        packages=st.dictionaries(_keys, _packages, max_size=4),
        tests=st.dictionaries(test_ids, st.sampled_from(TestOutcome), max_size=8),
        checks=st.dictionaries(_checks, _outcomes, max_size=3),
        findings=st.dictionaries(
            st.sampled_from(["f1", "f2", "f3"]), st.builds(FindingRecord, check=_checks, message=_words), max_size=3
        ),
        files=st.dictionaries(_paths, st.sampled_from(["sha256:1", "sha256:2"]), max_size=4),
        measures=st.dictionaries(st.sampled_from(["lines", "coverage_basis_points"]), st.integers(), max_size=2),
    )


RESULTS = """# Results: H-1

## Status: PASS

## Baseline Snapshot (AFTER this agent's work)
- Packages installed: 1
- Total tests (all staged): {tests}
"""


def write_junit(builder: RepositoryBuilder, **tests: str) -> RepositoryBuilder:
    """A report that git ignores: each test with the element that tells its outcome, or nothing."""
    cases = "".join(
        f'<testcase classname="tests/test_lamp.py" name="{name}" file="tests/test_lamp.py">'
        f"{f'<{outcome}/>' if outcome else ''}</testcase>"
        for name, outcome in tests.items()
    )
    return builder.write("junit.xml", f"<testsuite>{cases}</testsuite>")


def build_lamp(builder: RepositoryBuilder) -> RepositoryBuilder:
    """A handoff, a package, and two tests that pass."""
    builder.write(".gitignore", "junit.xml\n").write("src/lamp.py", "light = 1\n")
    builder.write("pyproject.toml", '[project]\nname = "lamp"\nversion = "1.0"\n')
    builder.write("handoffs/H-1/H-1_RESULTS.md", RESULTS.format(tests=2)).commit("the first")
    return write_junit(builder, test_on="", test_off="")


def read_all_handoffs(desk: Session) -> ReadHandoffs:
    return read_handoffs(RepositoryFiles(desk.repository, desk.work_tree, desk.loaded.settings), FORMATS)


def capture_repository(builder: RepositoryBuilder, report: CheckReport | None = None) -> Captured:
    """Opened again, with the handoffs that are in it."""
    desk = open_session(builder.folder)
    return capture_snapshot(desk, read_all_handoffs(desk), report)
