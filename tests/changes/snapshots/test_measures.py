from __future__ import annotations

import json
from pathlib import Path

import pytest

from handoff_tui.changes.snapshots import capture as measures_module
from handoff_tui.changes.snapshots.tree_contents import Measures, count_content, load_measures
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.repository import open_repository
from tests.support.repositories import RepositoryBuilder


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
    monkeypatch.setattr(measures_module, "read_tree_files", None)
    monkeypatch.setattr(measures_module, "read_tree_moves", None)
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
