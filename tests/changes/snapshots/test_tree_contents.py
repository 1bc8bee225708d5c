from __future__ import annotations

import json
from pathlib import Path

import pytest

from handoff_tui.changes.snapshots import tree_contents as tree_contents_module
from handoff_tui.changes.snapshots.tree_contents import TreeContents, load_tree_contents
from handoff_tui.config.settings.baseline import Baseline
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
