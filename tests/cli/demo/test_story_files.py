from __future__ import annotations

import hashlib
import stat
from pathlib import Path

import pytest

from handoff_tui.cli.demo.story import Overlay, delete_paths, find_overlay, move_paths, write_links, write_overlay
from handoff_tui.core.errors import DemoError

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def overlay(tmp_path: Path) -> Overlay:
    """A step without files, over a work tree with one file."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "old.txt").write_bytes(b"old\n")
    return Overlay("two", tmp_path / "tree", {"one": COMMIT})


def add(overlay: Overlay, tmp_path: Path, path: str, content: bytes) -> None:
    place = tmp_path / "step" / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    overlay.sources[path] = place


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        (b"no placeholder {x} {{", b"no placeholder {x} {{"),
        (b"at {{commit:one}}", b"at " + COMMIT.encode()),
        (b"at {{commit:one:7}}", b"at 0123456"),
        (b"is {{sha256:old.txt}}", b"is " + sha256(b"old\n").encode()),
        (b"was {{sha256-before:old.txt}}", b"was " + sha256(b"old\n").encode()),
        (b"one\r\ntwo\r\n", b"one\ntwo\n"),
        (b"\0{{commit:one}}\r\n", b"\0{{commit:one}}\r\n"),
    ],
)
def test_placeholders_are_filled(overlay: Overlay, text: bytes, filled: bytes) -> None:
    """Hashes and commits of what is there; text has plain newlines, bytes stay as they are."""
    assert overlay.fill(text, "a.md") == filled


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"{{commit:three}}", "names the commit of 'three', which is no earlier step"),
        (b"{{commit:one:x}}", "which is no earlier step"),
        (b"{{sha256:absent.txt}}", "quotes the hash of absent.txt, which does not exist"),
        (b"{{sha256-before:absent.txt}}", "which does not exist"),
        (b"{{colour:red}}", "unknown placeholder {{colour:red}}"),
        (b"caf\xe9", "neither UTF-8 text nor binary"),
    ],
)
def test_placeholder_that_cannot_be_filled_is_refused(overlay: Overlay, text: bytes, words: str) -> None:
    """The step, the file and the words are named."""
    with pytest.raises(DemoError) as refused:
        overlay.fill(text, "a.md")
    assert words in refused.value.message
    assert refused.value.message.startswith("step two: ")
    assert refused.value.hint


def test_hash_of_a_file_of_the_step_is_that_of_what_is_written(overlay: Overlay, tmp_path: Path) -> None:
    """Files may quote each other as long as that comes to an end; the one before is the one on disk."""
    add(overlay, tmp_path, "old.txt", b"at {{commit:one:4}}\n")
    add(overlay, tmp_path, "a.md", b"{{sha256:old.txt}} {{sha256-before:old.txt}}")
    rendered = overlay.render_all()
    assert rendered["old.txt"] == b"at 0123\n"
    assert rendered["a.md"].decode() == f"{sha256(b'at 0123' + bytes([10]))} {sha256(b'old' + bytes([10]))}"
    assert list(rendered) == ["a.md", "old.txt"]


def test_files_that_quote_each_other_in_a_circle_are_refused(overlay: Overlay, tmp_path: Path) -> None:
    """The circle is told."""
    add(overlay, tmp_path, "a.md", b"{{sha256:b.md}}")
    add(overlay, tmp_path, "b.md", b"{{sha256:a.md}}")
    with pytest.raises(DemoError, match=r"in a circle: a\.md → b\.md → a\.md"):
        overlay.render_all()


def test_overlay_is_found_without_caches(tmp_path: Path) -> None:
    """Every file by its path in the repository, hidden ones too."""
    for path in ("a.txt", "deep/.hidden", "__pycache__/a.pyc"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).touch()
    assert find_overlay(tmp_path, "one") == {"a.txt": tmp_path / "a.txt", "deep/.hidden": tmp_path / "deep/.hidden"}


def test_overlay_that_is_missing_is_refused(tmp_path: Path) -> None:
    """A step without its folder was not installed whole."""
    with pytest.raises(DemoError, match="is missing"):
        find_overlay(tmp_path / "absent", "one")


def test_overlay_is_written_with_its_modes(tmp_path: Path) -> None:
    """Folders are made, executables marked, and a link is replaced instead of written through."""
    (tmp_path / "precious").write_text("precious", encoding="utf-8")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.txt").symlink_to(tmp_path / "precious")
    write_overlay(tmp_path / "tree", {"a.txt": b"a", "deep/run.sh": b"b"}, ("deep/run.sh",))
    modes = [stat.S_IMODE((tmp_path / "tree" / path).lstat().st_mode) for path in ("a.txt", "deep/run.sh")]
    assert modes == [0o644, 0o755]
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "precious"


def test_links_are_written_as_they_are(tmp_path: Path) -> None:
    """Also to nothing, in new folders, and over what was there."""
    (tmp_path / "a").touch()
    write_links(tmp_path, {"a": "nowhere", "deep/b": "../a"})
    assert [str((tmp_path / path).readlink()) for path in ("a", "deep/b")] == ["nowhere", "../a"]


def test_paths_are_deleted(tmp_path: Path) -> None:
    """Files, links and whole folders; a link to a folder leaves the folder."""
    for path in ("file", "folder/a", "kept/b"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / "link").symlink_to("kept")
    delete_paths(tmp_path, ("file", "folder", "link"), "one")
    assert sorted(place.name for place in tmp_path.iterdir()) == ["kept"]
    assert (tmp_path / "kept" / "b").exists()


def test_paths_are_moved(tmp_path: Path) -> None:
    """Into folders that are made for them."""
    (tmp_path / "a").touch()
    move_paths(tmp_path, {"a": "deep/b"}, "one")
    assert (tmp_path / "deep" / "b").exists()
    assert not (tmp_path / "a").exists()


def test_paths_that_are_not_there_are_refused(tmp_path: Path) -> None:
    """The script must be corrected, and it is said which step."""
    with pytest.raises(DemoError, match="step one: it deletes a, which does not exist"):
        delete_paths(tmp_path, ("a",), "one")
    with pytest.raises(DemoError, match="step one: it moves a, which does not exist"):
        move_paths(tmp_path, {"a": "b"}, "one")
