from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.git.command import Git
from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree import digest as stillness
from handoff_tui.git.work_tree.digest import RepositoryDigest, digest_contents
from handoff_tui.git.work_tree.ignored_files import IgnoredFiles, is_ignored, list_ignored
from handoff_tui.git.work_tree.listing import leave_out_own, list_below, parse_listing, sort_paths
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.files.user_files import read_user_file
from tests.support.repositories import RepositoryBuilder

PATHS = st.lists(st.lists(st.sampled_from(["a", "b", "a.b", "a0", "é", "-"]), min_size=1, max_size=3).map("/".join))


@given(PATHS, PATHS)
def test_paths_are_sorted_and_cut_as_by_looking_at_each(some: Iterable[str], more: Iterable[str]) -> None:
    """Each path once, in order; below a folder are those that begin with it and a slash."""
    paths = sort_paths(some, more)
    assert paths == tuple(sorted({*some, *more}))
    assert list_below(paths, "a") == tuple(path for path in paths if path.startswith("a/"))
    own = (".handoff-tui/.gitignore", ".handoff-tui/trust/policy.toml")
    assert leave_out_own(sort_paths(paths, (*own, ".handoff-tui/a"))) == sort_paths(paths, (".handoff-tui/a",))


def test_line_of_one_path_is_found_without_the_others() -> None:
    """Also where another path ends like it after a tab; a path in conflict, or hidden, has no ordinary line."""
    blob = "a" * 40
    lines = [
        f"H 100644 {blob} 0\tsrc/a.py",
        f"H 100755 {'b' * 40} 0\trun.sh",
        f"H 100644 {'c' * 40} 0\todd\ttail.py",
        f"H 100644 {'d' * 40} 0\ttail.py",
        f"M 100644 {blob} 1\tfought.py",
        f"M 100644 {blob} 2\tfought.py",
        f"h 100644 {blob} 0\thidden.py",
    ]
    tracked, _, _ = parse_listing("".join(f"{line}\0" for line in lines).encode())
    assert tracked.find_line("src/a.py") == ("100644", blob)
    assert tracked.find_line("run.sh") == ("100755", "b" * 40)
    assert tracked.find_line("tail.py") == ("100644", "d" * 40)
    assert [tracked.find_line(path) for path in ("fought.py", "hidden.py", "a.py", "absent")] == [None] * 4


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()


def test_files_among_and_below_ignored_paths_are_listed(tmp_path: Path) -> None:
    """Folders are walked, links not followed, pipes passed over, skipped folders never entered."""
    make(tmp_path, "a.log", "build/reports/x.xml", "build/y.xml", "node_modules/z.xml", "build/node_modules/w.xml")
    (tmp_path / "build" / "link").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "build" / "pipe")
    found = list_ignored(tmp_path, ["node_modules/", "build/", "a.log", "gone/"], {"node_modules"}, 100)
    assert found == IgnoredFiles(("a.log", "build/reports/x.xml", "build/y.xml"), complete=True)


def test_limit_cuts_always_at_the_same_place(tmp_path: Path) -> None:
    """Where there is more than may be looked through, that is told, whatever the order of the file system."""
    make(tmp_path, *(f"b/{number}" for number in range(10)), "a/x", "c/y")
    assert list_ignored(tmp_path, ["c/", "b/", "a/"], (), 5) == IgnoredFiles(("a/x",), complete=False)


def test_ignored_path_is_known_before_it_is_there(builder: RepositoryBuilder) -> None:
    """By a rule of the repository, wherever it stands; what no rule names is not ignored."""
    builder.write(".gitignore", "/.own/\n").write("inner/.gitignore", "*.log\n")
    git = Git.open(builder.folder)
    assert is_ignored(git, ".own/log/entry")
    assert is_ignored(git, "inner/a.log")
    assert not is_ignored(git, "a.log")


Change = Callable[[RepositoryBuilder], object]


def digest(builder: RepositoryBuilder) -> str | None:
    return RepositoryDigest(open_repository(builder.folder)).read_digest()


@pytest.fixture
def still(builder: RepositoryBuilder) -> RepositoryBuilder:
    """Something committed, changed, new, and ignored."""
    builder.write("a.py", "one\n").write("b.py").write(".gitignore", ".mosaic\nbuild\n").commit()
    return builder.write("a.py", "two\n").write("new.py").write(".mosaic/state.json", "{}").write("build/out")


def test_digest_stays_while_nothing_moves(still: RepositoryBuilder) -> None:
    """Looking twice is the same, and what git ignores elsewhere does not count."""
    before = digest(still)
    assert before is not None
    still.write("build/out", "other\n")
    assert digest(still) == before


def replace_by_link(builder: RepositoryBuilder, path: str) -> None:
    builder.place(path).unlink()
    builder.link(path, "a.py")


CHANGES: dict[str, Change] = {
    "another content of a changed file": lambda builder: builder.write("a.py", "six\n"),
    "another content of a new file": lambda builder: builder.write("new.py", "text!"),
    "a file that is gone": lambda builder: builder.place("b.py").unlink(),
    "another mode": lambda builder: builder.place("new.py").chmod(0o755),
    "a commit": lambda builder: builder.commit(),
    "a renamed file": lambda builder: builder.step("mv", "b.py", "c.py"),
    "a ref": lambda builder: builder.ref("refs/handoff/x"),
    "a note": lambda builder: builder.note("said"),
    "a setting of git": lambda builder: builder.config("core.autocrlf", "input"),
    "a file to overlook": lambda builder: builder.step("update-index", "--assume-unchanged", "b.py"),
    "a link in place of a file": lambda builder: replace_by_link(builder, "new.py"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_digest_moves_with_everything_a_check_can_see(still: RepositoryBuilder, change: str) -> None:
    """No older answer is given to a newer question."""
    before = digest(still)
    CHANGES[change](still)
    assert digest(still) != before


def test_what_no_status_speaks_for_is_noted(
    still: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Ignored files, those of the user, and absent ones; not what git lists, and not our own cache."""
    monkeypatch.setattr(stillness, "_CLOCK_STEP", 0)
    look = RepositoryDigest(open_repository(still.folder))
    reader = FileReader(still.folder, 100)
    for path in ("a.py", "new.py", "b.py", "build/out", "absent"):
        reader.exists(path)
    read_user_file(tmp_path / "config.toml", 100)
    read_user_file(tmp_path / "cache" / "ours.json", 100)
    found = look.find_unseen(tmp_path / "cache")
    assert found == tuple(sorted(map(str, (still.place("absent"), still.place("build/out"), tmp_path / "config.toml"))))


def test_nobody_knows_what_was_seen_of_a_file_that_changed_meanwhile(still: RepositoryBuilder, tmp_path: Path) -> None:
    """Also if it is as before again."""
    look = RepositoryDigest(open_repository(still.folder))
    FileReader(still.folder, 100).exists("b.py")
    before = still.place("b.py").read_bytes()
    still.write("b.py", "other\n")
    still.place("b.py").write_bytes(before)
    assert look.find_unseen(tmp_path / "cache") is None


def test_contents_are_digested_by_what_they_hold(tmp_path: Path) -> None:
    """A file by its content and mode, a folder by its names; one that is absent by that."""
    place, folder = tmp_path / "file", tmp_path / "folder"
    found = {digest_contents([str(place)])}
    place.write_text("a", encoding="utf-8")
    found.add(digest_contents([str(place)]))
    place.write_text("b", encoding="utf-8")
    found.add(digest_contents([str(place)]))
    folder.mkdir()
    found.add(digest_contents([str(folder)]))
    (folder / "name").touch()
    found.add(digest_contents([str(folder)]))
    assert len(found) == 5


@pytest.mark.parametrize(("limit", "value"), [("_MOST_CHANGED", 1), ("_MOST_BYTES", 5)])
def test_digest_is_none_where_it_would_cost_too_much(
    still: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    """Very many changed files, or very large ones: then the checks simply run."""
    monkeypatch.setattr(stillness, limit, value)
    assert digest(still) is None


def test_digest_of_a_conflict_has_both_sides(builder: RepositoryBuilder) -> None:
    """A file in conflict is read like any other that changed."""
    builder.write("a.py", "one\n").commit().step("branch", "side")
    builder.write("a.py", "two\n").commit().step("checkout", "--quiet", "side")
    builder.write("a.py", "three\n").commit()
    with pytest.raises(AssertionError, match="merge"):
        builder.git("merge", "main")
    before = digest(builder)
    builder.write("a.py", "<<<<<<< mine\n")
    assert digest(builder) != before
