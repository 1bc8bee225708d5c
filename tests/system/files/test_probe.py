from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.system.files import probe
from handoff_tui.system.files.probe import (
    can_execute,
    can_write,
    find_program,
    is_inside,
    is_link,
    is_present,
    list_named,
    read_size,
)


def write(root: Path, *paths: str) -> None:
    for path in paths:
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("text", encoding="utf-8")


def test_named_files_and_folders_are_listed(tmp_path: Path) -> None:
    """A file by its name, a folder with all below it, in order; what is not there is not listed."""
    write(tmp_path, ".state/b.json", ".state/a.json", ".state/deep/c.json", "HANDOFF.md", "other.md")
    assert list_named(tmp_path, ["HANDOFF.md", ".state", ".absent"]) == [
        "HANDOFF.md",
        ".state/a.json",
        ".state/b.json",
        ".state/deep/c.json",
    ]


def test_git_folder_below_a_name_is_not_entered(tmp_path: Path) -> None:
    """A repository inside a state folder keeps its insides to itself."""
    write(tmp_path, ".state/a.json", ".state/.git/config")
    assert list_named(tmp_path, [".state"]) == [".state/a.json"]


def test_links_are_listed_and_not_followed(tmp_path: Path) -> None:
    """One to a folder, one to nothing, and a name that is itself a link: each is one entry at most."""
    write(tmp_path, "outside/secret.json", "root/.state/a.json")
    root = tmp_path / "root"
    (root / ".state" / "way").symlink_to(tmp_path / "outside")
    (root / "HANDOFF.md").symlink_to("nowhere")
    (root / ".other").symlink_to(tmp_path / "outside")
    assert list_named(root, [".state", "HANDOFF.md", ".other"]) == [".state/a.json", "HANDOFF.md", ".other"]


def test_folders_are_entered_only_so_deep(tmp_path: Path) -> None:
    """A tree without end is left where it gets too deep."""
    folders = "/".join("abcdefghij")
    write(tmp_path, f".state/{folders}/x.json", ".state/a/b/c/d/e/f/y.json")
    assert list_named(tmp_path, [".state"]) == [".state/a/b/c/d/e/f/y.json"]


def test_full_folder_does_not_hide_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each name has its own limit."""
    monkeypatch.setattr(probe, "_MOST_ENTRIES", 2)
    for folder in ("first", "second"):
        write(tmp_path, *(f"{folder}/{name}" for name in ("a", "b", "c", "deep/d")))
    assert list_named(tmp_path, ["first", "second"]) == ["first/a", "first/b", "second/a", "second/b"]


def test_presence_is_that_of_the_name(tmp_path: Path) -> None:
    """A link to nothing is there; a path that no file can have is not."""
    write(tmp_path, "a.md")
    (tmp_path / "dangling").symlink_to("nowhere")
    assert [is_present(tmp_path, path) for path in ("a.md", "dangling", "b.md", "a\0b")] == [True, True, False, False]
    assert [is_link(tmp_path, path) for path in ("a.md", "dangling", "b.md")] == [False, True, False]


def test_size_is_that_of_a_regular_file(tmp_path: Path) -> None:
    """A folder, a link, a missing file and an impossible name have none."""
    write(tmp_path, "folder/a.md")
    (tmp_path / "way").symlink_to("folder/a.md")
    assert read_size(tmp_path, "folder/a.md") == 4
    assert [read_size(tmp_path, path) for path in ("folder", "way", "b.md", "a\0b")] == [None] * 4


def test_permissions_are_asked_of_the_system(tmp_path: Path) -> None:
    """A script may be executed once it has the bit; a folder never; what is not there may nothing."""
    write(tmp_path, "run.sh")
    assert not can_execute(tmp_path / "run.sh")
    (tmp_path / "run.sh").chmod(0o755)
    assert can_execute(tmp_path / "run.sh")
    assert not can_execute(tmp_path)
    assert can_write(tmp_path / "run.sh")
    assert not can_write(tmp_path / "absent")


def test_program_is_not_found_beside_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative entries of the search path do not count: they would lead into the repository."""
    write(tmp_path, "bin/lamp")
    (tmp_path / "bin" / "lamp").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "bin:.")
    assert find_program("lamp") is None
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert find_program("lamp") == str(tmp_path / "bin" / "lamp")


def test_place_is_inside_after_links_were_followed(tmp_path: Path) -> None:
    """A link that leads out is outside, wherever it stands."""
    write(tmp_path, "root/a.md", "b.md")
    root = tmp_path / "root"
    (root / "way").symlink_to(tmp_path / "b.md")
    assert is_inside(root, str(root / "a.md"))
    assert not is_inside(root, str(root / "way"))
    assert not is_inside(root, str(tmp_path / "b.md"))
