"""Capturing: nothing raises, and neither order nor locale decides what a snapshot is."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handoff_tui.changes.snapshots.capture import CaptureParts, build_snapshot
from handoff_tui.changes.snapshots.packages import is_ecosystem_file, parse_ecosystem_file
from handoff_tui.changes.snapshots.snapshot import (
    PackageRecord,
    Snapshot,
    TestOutcome,
    Unread,
    build_digest,
    encode_snapshot,
    parse_snapshot,
)
from handoff_tui.changes.snapshots.tree_contents import ReadReport, build_matcher, count_content, parse_coverage
from handoff_tui.checks.facts.reports import parse_pytest_json
from handoff_tui.core.classes import replace
from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree.capture import list_pending, write_work_tree
from handoff_tui.git.work_tree.listing import parse_status
from tests.support.repositories import RepositoryBuilder
from tests.support.strategies import json_texts, line_texts

PATHS = ["pyproject.toml", "Cargo.toml", "package.json", "go.mod", "setup.cfg", "requirements.txt"]
TOML_LINES = [
    "[project]", 'name = "a"', 'version = "1"', 'dependencies = ["b>=1", "c"]', "[tool.poetry]", "[package]",
    "version.workspace = true", "[workspace]", "[dependencies]", 'x = {version = "1"}', "[dependency-groups]",
    "y = 1", "[tool.poetry.group.dev.dependencies]", "[target.unix.dependencies]", "[metadata]", "[options]",
    "install_requires = a", "module example.org/a", "require (", "b v1 // indirect", ")", "replace a => b",
    "-r x", "a==1 \\", "-e git+x#egg=y",
]  # fmt: skip
JSON_KEYS = ["name", "version", "dependencies", "devDependencies", "tests", "nodeid", "outcome", "collectors", "totals"]
CONTENTS = st.one_of(
    st.binary(max_size=200),
    line_texts(TOML_LINES).map(lambda text: text.encode("utf-8", "replace")),
    json_texts(JSON_KEYS, ["passed", "failed"]).map(lambda text: text.encode("utf-8", "replace")),
)
NAMES = st.text(max_size=8)
OUTCOMES = st.sampled_from(list(TestOutcome))
PACKAGES = st.builds(
    PackageRecord,
    kind=st.sampled_from(["node", "python"]),
    name=st.sampled_from(["a", "b"]),
    where=st.sampled_from(["x", "y", "z"]),
    dependencies=st.dictionaries(NAMES, NAMES, max_size=2),
)
REPORTS = st.builds(
    ReadReport,
    path=st.sampled_from(["a.xml", "b.xml", "c.tap"]),
    sha256=st.just("sha256:0"),
    tests=st.lists(st.tuples(st.sampled_from("stuv"), OUTCOMES), max_size=4).map(tuple),
    problem=st.none() | st.just("is cut off"),
)
PARTS = st.builds(
    CaptureParts,
    tree=st.just("0" * 40),
    branch=st.none() | NAMES,
    packages=st.lists(PACKAGES, max_size=5, unique_by=lambda record: (record.kind, record.name, record.where)).map(
        tuple
    ),
    reports=st.lists(REPORTS, max_size=3, unique_by=lambda report: report.path).map(tuple),
    checks=st.dictionaries(NAMES, NAMES, max_size=3),
    files=st.dictionaries(NAMES, NAMES, max_size=3),
    measures=st.dictionaries(NAMES, st.integers(-(2**60), 2**60), max_size=3),
    unread=st.lists(st.builds(Unread, path=NAMES, reason=NAMES), max_size=3).map(tuple),
)


@given(st.sampled_from(PATHS), CONTENTS)
def test_ecosystem_files_never_raise(path: str, content: bytes) -> None:
    """Same bytes, same records; every text in them can be stored and read again."""
    assert is_ecosystem_file(path)
    reading = parse_ecosystem_file(path, content)
    assert reading == parse_ecosystem_file(path, content)
    snapshot = build_snapshot(CaptureParts("0" * 40, packages=reading.packages, unread=reading.unread))
    assert parse_snapshot(encode_snapshot(snapshot), "x") == snapshot


@given(st.sampled_from(["coverage.xml", "coverage.json", "lcov.info"]), CONTENTS)
def test_coverage_is_a_share_or_a_reason(path: str, content: bytes) -> None:
    """Never below nothing or above everything."""
    measured = parse_coverage(path, content)
    assert measured if isinstance(measured, str) else 0 <= measured <= 10_000


@given(CONTENTS)
def test_pytest_report_has_tests_or_a_problem(content: bytes) -> None:
    """What gives no test says why, unless its list is empty."""
    report = parse_pytest_json(content)
    assert report.cases or report.problem or b"[]" in content


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_lines_of_two_texts_add_up(one: bytes, two: bytes) -> None:
    """Joined at a line's end, two contents have the lines of both."""
    if b"\0" not in one + two:
        first, second = one + b"\n", two + b"\n"
        assert count_content(first + second)[0] == count_content(first)[0] + count_content(second)[0]


@given(st.lists(st.text(max_size=12), max_size=3), st.text(max_size=20))
def test_patterns_never_raise(patterns: list[str], path: str) -> None:
    """Whatever a configuration says; a pattern without wild cards matches itself."""
    build_matcher(patterns).fullmatch(path)
    for plain in patterns:
        parts = [part for part in plain.split("/") if part]
        if parts and "/".join(parts) == plain and not set(plain) & set("*?") and parts[0] != ".":
            assert build_matcher([plain]).fullmatch(plain)


@given(st.lists(st.binary(max_size=20)))
def test_lines_that_git_would_not_print_are_no_changes(lines: list[bytes]) -> None:
    """Comments, unknown marks and empty lines."""
    whole = [part for line in lines for part in line.split(b"\0")]
    status = parse_status(b"\0".join(line for line in whole if line[:1] not in {b"1", b"2", b"u", b"?", b"!"}))
    assert (status.lines, list_pending(status)) == ([], [])


@given(PARTS, st.randoms(use_true_random=False))
def test_order_of_the_parts_changes_nothing(parts: CaptureParts, random: st.DataObject) -> None:
    """The digest is that of the content."""

    def turn(values: tuple[object, ...]) -> tuple[object, ...]:
        turned = list(values)
        random.shuffle(turned)  # type: ignore[attr-defined]
        return tuple(turned)

    turned = replace(
        parts,
        packages=turn(parts.packages),  # type: ignore[arg-type]
        reports=turn(parts.reports),  # type: ignore[arg-type]
        unread=turn(parts.unread),  # type: ignore[arg-type]
        checks=dict(turn(tuple(parts.checks.items()))),  # type: ignore[arg-type]
        files=dict(turn(tuple(parts.files.items()))),  # type: ignore[arg-type]
    )
    assert build_digest(build_snapshot(parts)) == build_digest(build_snapshot(turned))


@given(PARTS)
def test_stored_snapshot_is_read_as_it_was(parts: CaptureParts) -> None:
    """And its form is the only one."""
    snapshot = build_snapshot(parts)
    content = encode_snapshot(snapshot)
    again: Snapshot = parse_snapshot(content, "x")
    assert again == snapshot
    assert encode_snapshot(again) == content


FILES = st.dictionaries(
    st.lists(st.sampled_from(["a", "b", "Ä", "z", "é.txt", "\udcff"]), min_size=1, max_size=3).map("/".join),
    st.binary(max_size=8),
    max_size=6,
)


@pytest.mark.usefixtures("isolated_user")
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FILES, st.sampled_from(["C", "C.UTF-8", "tr_TR.UTF-8"]))
def test_tree_depends_on_files_alone(files: dict[str, bytes], locale: str) -> None:
    """Neither the order in which they were written nor the locale of the process has a say."""
    chosen = {
        path: content for path, content in files.items() if not any(other.startswith(f"{path}/") for other in files)
    }
    trees: set[str] = set()
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patched:
        for number, order in enumerate((sorted(chosen), sorted(chosen, reverse=True))):
            builder = RepositoryBuilder.init(Path(name) / str(number))
            for path in order:
                builder.write(os.fsencode(path), chosen[path])
            trees.add(write_work_tree(open_repository(builder.folder), Path(name) / f"cache-{number}").tree)
            for variable in ("LC_ALL", "LANG"):
                patched.setenv(variable, locale)
    assert len(trees) == 1
