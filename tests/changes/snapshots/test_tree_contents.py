from __future__ import annotations

import json
from pathlib import Path

import pytest

from handoff_tui.changes.snapshots import tree_contents as tree_contents_module
from handoff_tui.changes.snapshots.tree_contents import (
    Measures,
    TreeContents,
    build_matcher,
    count_content,
    load_measures,
    load_tree_contents,
)
from handoff_tui.config.settings.review import Baseline
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.repository import open_repository
from tests.support.repositories import RepositoryBuilder


def load(builder: RepositoryBuilder, cache: Path, settings: Baseline | None = None) -> TreeContents:
    repository = open_repository(builder.folder)
    tree = builder.head("HEAD^{tree}")
    return load_tree_contents(repository.git, tree, offer_objects(repository, cache), settings or Baseline(), cache)


def build(builder: RepositoryBuilder) -> RepositoryBuilder:
    builder.write("package.json", '{"name": "web"}').write("py/pyproject.toml", '[project]\nname = "lamp"\n')
    builder.write("broken/go.mod", "nothing\n").write("junit.xml", "<testsuite/>").write("a/coverage.xml", "<x/>")
    return builder.commit()


def test_tree_tells_its_packages_and_reports(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """In order of path; what cannot be read is among it."""
    contents = load(build(builder), tmp_path)
    assert [(record.kind, record.name) for record in contents.packages] == [("node", "web"), ("python", "lamp")]
    assert [unread.path for unread in contents.unread] == ["broken/go.mod"]
    assert (contents.reports, contents.coverage) == (("junit.xml",), ("a/coverage.xml",))


def test_link_in_the_place_of_a_file_declares_nothing(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """What a link says is where it leads, and that is no package."""
    builder.link("package.json", "/etc/passwd").commit()
    assert [unread.path for unread in load(builder, tmp_path).unread] == ["package.json"]


def test_known_tree_is_not_read_again(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other patterns, or another tree, are another question."""
    first = load(build(builder), tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(tree_contents_module, "_read_contents", None)
        assert load(builder, tmp_path) == first
    assert load(builder, tmp_path, Baseline(reports=("*.json",))).reports == ("package.json",)
    assert load(builder.write("sub/junit.xml").commit(), tmp_path).reports == ("junit.xml", "sub/junit.xml")


def test_damaged_cache_is_made_anew(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Whatever is in it."""
    first = load(build(builder), tmp_path)
    record = json.loads((tmp_path / "tree-contents.json").read_text())
    for damage in ({}, {**record, "packages": [1]}, {**record, "unread": None}, {"key": record["key"]}):
        (tmp_path / "tree-contents.json").write_text(json.dumps(damage))
        assert load(builder, tmp_path) == first


def measure(builder: RepositoryBuilder, cache: Path, revision: str = "HEAD") -> Measures:
    repository = open_repository(builder.folder)
    tree = builder.head(f"{revision}^{{tree}}")
    return load_measures(repository.git, tree, offer_objects(repository, cache), cache)


@pytest.mark.parametrize(
    ("content", "counted"),
    [
        (b"", (0, 0)),
        (b"one", (1, 0)),
        (b"one\n", (1, 0)),
        (b"one\r\ntwo", (2, 0)),
        (b"# TODO: a FIXME\n// XXX\n/* HACK */\n", (3, 4)),
        (b"TODOS todo aTODO HACKS\n", (1, 0)),
        (b"\0TODO\n", (0, 0)),
        (b"x" * 9_000 + b"\0\n", (1, 0)),
    ],
)
def test_content_is_counted(content: bytes, counted: tuple[int, int]) -> None:
    """Lines and to-dos as whole words; a zero byte near the beginning makes it binary."""
    assert count_content(content) == counted


def test_difference_gives_what_counting_everything_gives(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Step by step from the last tree, or from nothing: the same numbers."""
    builder.write("a.py", "x\ny # TODO\n").write("copy.py", "x\ny # TODO\n").link("link", "a.py").write("b", b"\0\n")
    builder.commit()
    assert measure(builder, tmp_path / "cache") == Measures(files=4, lines=4, todos=2)
    (builder.folder / "copy.py").unlink()
    builder.write("a.py", "x\n").write("c", "1\n2\n3").write("b", "text now\n").commit()
    (builder.folder / "link").unlink()
    builder.write("link", "TODO\n").commit()
    for revision in ("HEAD~1", "HEAD", "HEAD~2", "HEAD"):
        step_by_step = measure(builder, tmp_path / "cache", revision)
        assert step_by_step == measure(builder, tmp_path / f"fresh-{revision}", revision)
    assert measure(builder, tmp_path / "cache") == Measures(files=4, lines=6, todos=1)


def test_known_tree_costs_no_call_of_git(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was measured once is only looked up."""
    builder.write("a").commit()
    first = measure(builder, tmp_path)
    monkeypatch.setattr(tree_contents_module, "read_tree_files", None)
    monkeypatch.setattr(tree_contents_module, "read_tree_file_changes", None)
    assert measure(builder, tmp_path) == first


def test_attributes_change_nothing(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A file that is declared binary is counted by what is in it."""
    builder.write("a.py", "1\n2\n").commit()
    measure(builder, tmp_path)
    builder.write(".gitattributes", "*.py -diff binary\n").write("a.py", "1\n2\n3\n").commit()
    assert measure(builder, tmp_path) == Measures(files=2, lines=4, todos=0)


@pytest.mark.parametrize("known", [None, [], {"version": 0}, {"version": 1, "trees": {"0" * 40: [9, 9, 9]}}])
def test_damaged_cache_or_lost_tree_is_counted_anew(builder: RepositoryBuilder, tmp_path: Path, known: object) -> None:
    """The last known tree may be gone after a gc."""
    builder.write("a", "1\n").commit()
    (tmp_path / "measures.json").write_text(json.dumps(known))
    assert measure(builder, tmp_path) == Measures(files=1, lines=1, todos=0)


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("junit.xml", "junit.xml", True),
        ("junit.xml", "a/junit.xml", False),
        ("**/junit*.xml", "junit.xml", True),
        ("**/junit*.xml", "a/b/junit-1.xml", True),
        ("**/junit*.xml", "a/junit/x.xml", False),
        ("test-results/**/*.xml", "test-results/x.xml", True),
        ("test-results/**/*.xml", "test-results/a/b/x.xml", True),
        ("test-results/**/*.xml", "other/test-results/x.xml", False),
        ("**/.report.json", "sub/.report.json", True),
        ("a/**", "a/b/c", True),
        ("a/**", "a", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("a.b", "axb", False),
        ("a**b", "a/b", False),
        ("./x", "x", True),
        ("*.xml", "odd\nname.xml", True),
        ("/", "", False),
    ],
)
def test_pattern_matches_whole_paths(*, pattern: str, path: str, matches: bool) -> None:
    """A star stays in its part of the path, two stars are any number of parts."""
    assert bool(build_matcher((pattern,)).fullmatch(path)) is matches


def test_no_patterns_match_nothing() -> None:
    """Several match what any of them does."""
    assert not build_matcher(()).fullmatch("")
    assert build_matcher(("a", "b")).fullmatch("b")
