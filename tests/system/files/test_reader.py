from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.core.errors import FileUnreadableError, HandoffError, UnsafePathError
from handoff_tui.system.files import reader as files_module
from handoff_tui.system.files.reader import FileReader

LIMIT = 1000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder to read in, with a secret beside it and a git folder inside."""
    (tmp_path / "secret.txt").write_text("secret")
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / "folder" / "a.txt").write_text("content")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("[core]\n")
    return root


def refuse(root: Path, path: str) -> HandoffError:
    """The error of reading; what cannot be read does not exist for `exists` unless it is a thing of its own."""
    with pytest.raises((UnsafePathError, FileUnreadableError)) as caught:
        FileReader(root, LIMIT).read_bytes(path)
    return caught.value


@pytest.mark.parametrize("path", ["folder/a.txt", "./folder/a.txt", "folder//a.txt", "folder/./a.txt"])
def test_file_inside_is_read(root: Path, path: str) -> None:
    """A regular file is read whole, however its path is written."""
    assert FileReader(root, LIMIT).read_bytes(path) == b"content"
    assert FileReader(root, LIMIT).exists(path)


def test_root_may_be_a_link(root: Path, tmp_path: Path) -> None:
    """The root itself may be reached through a link; it is the user who chose it."""
    (tmp_path / "shortcut").symlink_to(root)
    assert FileReader(tmp_path / "shortcut", LIMIT).read_bytes("folder/a.txt") == b"content"


@pytest.mark.parametrize("target", ["folder/a.txt", "./folder/../folder/a.txt"])
def test_link_inside_is_followed(root: Path, target: str) -> None:
    """A link to a file inside the repository is as good as the file; so is one through a linked folder."""
    (root / "link").symlink_to(target)
    (root / "shortcut").symlink_to("folder")
    assert FileReader(root, LIMIT).read_bytes("link") == b"content"
    assert FileReader(root, LIMIT).read_bytes("shortcut/a.txt") == b"content"


def test_absolute_link_inside_is_followed(root: Path) -> None:
    """An absolute link that stays inside is no harm."""
    (root / "link").symlink_to(root / "folder" / "a.txt")
    assert FileReader(root, LIMIT).read_bytes("link") == b"content"


@pytest.mark.parametrize("target", ["../secret.txt", "folder/../../secret.txt", "/etc/passwd", ".."])
def test_link_that_leads_out_is_refused(root: Path, target: str) -> None:
    """A link out of the repository is not followed and does not exist."""
    (root / "link").symlink_to(target)
    error = refuse(root, "link")
    assert isinstance(error, UnsafePathError)
    assert "leads out of the repository" in error.message
    assert not FileReader(root, LIMIT).exists("link")


def test_file_behind_a_linked_folder_outside_is_refused(root: Path) -> None:
    """Nor is anything below a link that leads out."""
    (root / "shortcut").symlink_to("..")
    assert isinstance(refuse(root, "shortcut/secret.txt"), UnsafePathError)


def test_sibling_with_the_same_beginning_is_outside(root: Path, tmp_path: Path) -> None:
    """A folder whose name begins like the root's is not inside it."""
    (tmp_path / "root-twin").mkdir()
    (tmp_path / "root-twin" / "a.txt").write_text("twin")
    (root / "link").symlink_to("../root-twin/a.txt")
    assert isinstance(refuse(root, "link"), UnsafePathError)


@pytest.mark.parametrize(
    "path", [".git/config", ".git", ".GIT/config", "folder/.Git/x", "link", "linked-folder/config"]
)
def test_git_folder_is_never_read(root: Path, path: str) -> None:
    """Neither by name, in any case of letters, nor through a link."""
    (root / "link").symlink_to(".git/config")
    (root / "linked-folder").symlink_to(".git")
    error = refuse(root, path)
    assert isinstance(error, UnsafePathError)
    assert "leads into .git" in error.message


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "..", "../secret.txt", "folder/../../secret.txt", "a\0b", "\0", "\ud800"]
)
def test_path_that_is_none_inside_is_refused(root: Path, path: str) -> None:
    """Absolute paths, paths with `..`, NUL or a lone surrogate are refused before anything is touched."""
    assert isinstance(refuse(root, path), UnsafePathError)
    assert not FileReader(root, LIMIT).exists(path)


def test_dangling_link_is_explained(root: Path) -> None:
    """A link to nothing is called so."""
    (root / "link").symlink_to("nothing")
    assert refuse(root, "link").message == "link is a link to nothing"
    assert not FileReader(root, LIMIT).exists("link")


@pytest.mark.parametrize("path", ["one", "itself", "one/below"])
def test_cyclic_link_is_explained(root: Path, path: str) -> None:
    """Links that lead in a circle end in an error, not in a loop."""
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    (root / "itself").symlink_to("itself")
    assert "circle" in refuse(root, path).message
    assert not FileReader(root, LIMIT).exists(path)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("missing", "does not exist"),
        ("folder/missing", "does not exist"),
        ("missing/a.txt", "does not exist"),
        ("folder/a.txt/below", "does not exist"),
        ("x" * 300, "longer than a file's name can be"),
        ("x/" * 3000, "does not exist"),
        ("folder", "is a folder, not a regular file"),
        ("", "is a folder, not a regular file"),
        (".", "is a folder, not a regular file"),
    ],
)
def test_what_is_no_file_is_explained(root: Path, path: str, words: str) -> None:
    """A missing file, a name that is too long and a folder each have their own words."""
    assert words in refuse(root, path).message


def test_long_names_do_not_exist(root: Path) -> None:
    """Asking for an impossible name gets an answer."""
    assert not FileReader(root, LIMIT).exists("x" * 300)
    assert not FileReader(root, LIMIT).exists("x/" * 3000)


def test_named_pipe_is_refused_without_being_opened(root: Path) -> None:
    """A pipe without a writer does not hang, and a writer that waits for a reader goes on waiting."""
    os.mkfifo(root / "pipe")
    assert "is a named pipe" in refuse(root, "pipe").message
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; open(sys.argv[1], 'w').close()", root / "pipe"]
    ) as writer:
        assert "is a named pipe" in refuse(root, "pipe").message
        with pytest.raises(subprocess.TimeoutExpired):
            writer.wait(timeout=0.5)
        writer.kill()


def test_socket_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket is called so."""
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert "is a socket" in refuse(root, "socket").message


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_device_is_refused(root: Path) -> None:
    """A device is called so."""
    try:
        os.mknod(root / "device", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("this root may not make devices")
    assert "is a device" in refuse(root, "device").message


def test_file_that_may_not_be_read_is_explained(root: Path) -> None:
    """Without permission there is an error that says so; root, who may read all, becomes another user first."""
    (root / "folder" / "a.txt").chmod(0)
    for place in (root, *list(root.parents)[:-1]):
        place.chmod(place.stat().st_mode | 0o755)
    if os.geteuid() == 0:
        os.seteuid(12345)
    try:
        message = refuse(root, "folder/a.txt").message
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
    assert "may not be read by this user" in message


def test_large_file_is_refused_without_being_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """50 MB are refused by their size alone; the hint names the setting."""
    with (root / "large").open("wb") as large:
        large.truncate(50_000_000)
    monkeypatch.setattr(files_module, "_read_all", lambda *_: pytest.fail("the file was read"))
    error = refuse(root, "large")
    assert error.message == "large is too large: 50,000,000 bytes; the limit is 1,000"
    assert "limits.file_bytes" in error.hint


def test_limit_itself_is_allowed(root: Path) -> None:
    """A file of exactly the limit is read, one byte more is not."""
    (root / "exact").write_bytes(b"x" * LIMIT)
    (root / "over").write_bytes(b"x" * (LIMIT + 1))
    assert len(FileReader(root, LIMIT).read_bytes("exact")) == LIMIT
    assert "too large" in refuse(root, "over").message


def test_empty_file_is_empty(root: Path) -> None:
    """No bytes are a content, too."""
    (root / "empty").touch()
    assert FileReader(root, 0).read_bytes("empty") == b""


@pytest.mark.parametrize(("size", "expected"), [(3, b"con"), (0, b""), (5000, b"content")])
def test_file_that_changes_while_it_is_read(
    root: Path, monkeypatch: pytest.MonkeyPatch, size: int, expected: bytes
) -> None:
    """A file that shrinks gives what is left; one that grows gives no more than it had when it was measured."""
    measure = os.fstat

    def measure_then_resize(descriptor: int) -> os.stat_result:
        measured = measure(descriptor)
        os.truncate(root / "folder" / "a.txt", size)
        return measured

    monkeypatch.setattr(os, "fstat", measure_then_resize)
    assert FileReader(root, LIMIT).read_bytes("folder/a.txt") == expected


@pytest.mark.parametrize("swapped", ["folder", "folder/a.txt"])
def test_link_put_in_place_after_the_check_is_not_followed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swapped: str
) -> None:
    """Between the check of a path and its opening nobody can lead the reader out."""
    checked = FileReader(root, LIMIT).resolve("folder/a.txt")
    (root / swapped).rename(tmp_path / "aside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.txt").write_text("secret")
    (root / swapped).symlink_to(tmp_path / "outside" if swapped == "folder" else tmp_path / "secret.txt")
    monkeypatch.setattr(FileReader, "resolve", lambda *_: checked)
    assert isinstance(refuse(root, "folder/a.txt"), FileUnreadableError)


def test_missing_root_is_an_expected_error(tmp_path: Path) -> None:
    """A repository that was deleted meanwhile does not raise a traceback."""
    assert isinstance(refuse(tmp_path / "gone", "a.txt"), UnsafePathError)


def test_no_descriptor_is_left_open(root: Path) -> None:
    """Success and failure alike close what they opened."""
    os.mkfifo(root / "pipe")
    before = os.dup(0)
    os.close(before)
    FileReader(root, LIMIT).read_bytes("folder/a.txt")
    for path in ("pipe", "folder", "missing", "folder/missing/deeper", "folder/a.txt/below"):
        refuse(root, path)
    after = os.dup(0)
    os.close(after)
    assert after == before


def test_links_on_the_way_are_seen(tmp_path: Path) -> None:
    """At the end of a path or before it; what is not there is no link."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").write_text("text", encoding="utf-8")
    (tmp_path / "alias").symlink_to("real")
    (tmp_path / "real" / "b.txt").symlink_to("a.txt")
    reader = FileReader(tmp_path, 100)
    linked = [path for path in ("real/a.txt", "alias/a.txt", "real/b.txt", "absent/c.txt") if reader.is_linked(path)]
    assert linked == ["alias/a.txt", "real/b.txt"]
