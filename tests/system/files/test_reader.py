from __future__ import annotations

import codecs
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.core.errors import FileUnreadableError, HandoffError, RollbackError, UnsafePathError
from handoff_tui.system.files import probe
from handoff_tui.system.files import reader as files_module
from handoff_tui.system.files.atomic_write import delete_file, write_file
from handoff_tui.system.files.named_files import (
    find_config_folder,
    list_user_files,
    read_optional,
    read_user_file,
    shorten_home,
)
from handoff_tui.system.files.probe import can_execute, can_write, find_program, is_inside, list_named, read_size
from handoff_tui.system.files.reader import FileReader, decode_text

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
    """A regular file is read in full, however its path is written."""
    assert FileReader(root, LIMIT).read_bytes(path) == b"content"
    assert FileReader(root, LIMIT).exists(path)


@pytest.mark.parametrize("target", ["folder/a.txt", "./folder/../folder/a.txt"])
def test_link_inside_is_followed(root: Path, target: str) -> None:
    """A link to a file inside the repository is as good as the file; so is one through a linked folder."""
    (root / "link").symlink_to(target)
    (root / "shortcut").symlink_to("folder")
    assert FileReader(root, LIMIT).read_bytes("link") == b"content"
    assert FileReader(root, LIMIT).read_bytes("shortcut/a.txt") == b"content"


@pytest.mark.parametrize("target", ["../secret.txt", "folder/../../secret.txt", "/etc/passwd", ".."])
def test_link_that_leads_out_is_refused(root: Path, target: str) -> None:
    """A link out of the repository is not followed and does not exist."""
    (root / "link").symlink_to(target)
    error = refuse(root, "link")
    assert isinstance(error, UnsafePathError)
    assert "leads out of the repository" in error.message
    assert not FileReader(root, LIMIT).exists("link")


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
    monkeypatch.setattr(files_module, "read_up_to", lambda *_: pytest.fail("the file was read"))
    error = refuse(root, "large")
    assert error.message == "large is too large: 50,000,000 bytes; the limit is 1,000"
    assert "limits.file_bytes" in error.hint


def test_limit_itself_is_allowed(root: Path) -> None:
    """A file of exactly the limit is read, one byte more is not."""
    (root / "exact").write_bytes(b"x" * LIMIT)
    (root / "over").write_bytes(b"x" * (LIMIT + 1))
    assert len(FileReader(root, LIMIT).read_bytes("exact")) == LIMIT
    assert "too large" in refuse(root, "over").message


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


def test_byte_order_mark_is_taken_off_and_reported() -> None:
    """The mark isn't part of the text, however often it was put there."""
    decoded = decode_text(codecs.BOM_UTF8 * 2 + b"{}")
    assert decoded.text == "{}"
    assert decoded.remarks == ("starts with a byte order mark",)


@pytest.mark.parametrize("content", [b"a\r\nb\r\n", b"a\rb\r", b"a\r\nb\r"])
def test_line_ends_become_newlines(content: bytes) -> None:
    """CRLF and lone CR end lines as a newline does."""
    assert decode_text(content).text == "a\nb\n"


def test_crlf_is_reported() -> None:
    """CRLF line ends are reported once."""
    assert decode_text(b"a\r\nb\r\n").remarks == ("has CRLF line ends",)


@pytest.mark.parametrize(
    ("content", "line"), [(b"\xff", 1), (b"a\nb\n\xff\xfe", 3), (b"a\r\nb\r\nc\xff", 3), (b"a\rb\r\xff", 3)]
)
def test_invalid_bytes_are_replaced_and_placed(content: bytes, line: int) -> None:
    """What is not UTF-8 is shown as U+FFFD; the problem names the line as the text counts it."""
    decoded = decode_text(content)
    assert "\ufffd" in decoded.text
    assert f"first on line {line}" in decoded.remarks[0]


@pytest.mark.parametrize("content", [b"a\0b", b"\0", b"\x7fELF\x02\0", codecs.BOM_UTF8 + b"\0", b"\xff\0"])
def test_binary_content_is_no_text(content: bytes) -> None:
    """A NUL makes a file binary; nothing of it is shown."""
    decoded = decode_text(content)
    assert (decoded.text, decoded.remarks, decoded.binary) == ("", ("is a binary file",), True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_wide_encodings_with_a_mark_are_read(encoding: str) -> None:
    """UTF-16 and UTF-32 are told apart by their marks and named."""
    decoded = decode_text("grün\r\n".encode(encoding))
    assert decoded.text == "grün\n"
    assert decoded.remarks[0] == f"is {encoding.upper()}; read as such"


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE])
def test_wide_encodings_tolerate_half_characters(mark: bytes) -> None:
    """A file that ends in the middle of a character does not raise."""
    assert not decode_text(mark + b"a").binary
    assert decode_text(mark).text == ""


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


def test_config_folder_follows_xdg_and_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An absolute XDG_CONFIG_HOME counts; otherwise `.config` in the home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", "/elsewhere")
    assert find_config_folder() == Path("/elsewhere/handoff-tui")
    for ignored in ("", "relative"):
        monkeypatch.setenv("XDG_CONFIG_HOME", ignored)
        assert find_config_folder() == tmp_path / ".config" / "handoff-tui"


def test_config_folder_is_nothing_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without a home has no configuration, and that isn't an error."""

    def refuse() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr(Path, "home", refuse)
    assert find_config_folder() is None
    assert shorten_home(Path("/a/b")) == "/a/b"


def test_home_is_shortened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths below the home begin with a tilde; others stay."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert shorten_home(tmp_path / "a" / "b") == "~/a/b"
    assert shorten_home(Path("/other")) == "/other"


def test_user_file_is_read_through_links(tmp_path: Path) -> None:
    """A link to the real file is followed: configurations are often kept elsewhere."""
    (tmp_path / "real").write_bytes(b"content")
    (tmp_path / "link").symlink_to("real")
    assert read_user_file(tmp_path / "link", 7) == b"content"


def test_user_file_that_is_absent_is_nothing(tmp_path: Path) -> None:
    """No file, no folder, or a file in the place of the folder."""
    (tmp_path / "file").write_bytes(b"")
    assert read_user_file(tmp_path / "absent", 10) is None
    assert read_user_file(tmp_path / "absent" / "deeper", 10) is None
    assert read_user_file(tmp_path / "file" / "deeper", 10) is None


def test_user_file_is_refused_when_it_is_no_readable_file(tmp_path: Path) -> None:
    """A dangling or circular link, a folder, a pipe, a file that is too large."""
    (tmp_path / "dangling").symlink_to("nothing")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"12345678901")
    for name in ("dangling", "circle", "folder", "pipe", "large"):
        with pytest.raises(FileUnreadableError, match=name):
            read_user_file(tmp_path / name, 10)


def test_optional_file_is_read_or_absent_or_refused(tmp_path: Path) -> None:
    """Absent is nothing; a link out of the repository or to nothing is not absent."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "there").write_bytes(b"content")
    (root / "out").symlink_to(tmp_path)
    (root / "dangling").symlink_to("nothing")
    reader = FileReader(root, 100)
    assert read_optional(reader, "there") == b"content"
    assert read_optional(reader, "absent") is None
    with pytest.raises(UnsafePathError):
        read_optional(reader, "out")
    with pytest.raises(FileUnreadableError):
        read_optional(reader, "dangling")


def test_user_files_are_listed_by_suffix(tmp_path: Path) -> None:
    """Names without the suffix, sorted; empty for a missing folder."""
    for name in ("b.toml", "a.toml", "c.txt"):
        (tmp_path / name).write_bytes(b"")
    assert list_user_files(tmp_path, ".toml") == ("a", "b")
    assert list_user_files(tmp_path / "absent", ".toml") == ()


def test_files_links_and_programs_are_written(tmp_path: Path) -> None:
    """With the folders above them; what was there is replaced."""
    write_file(tmp_path, "a/b/c", b"\xff\r\n")
    write_file(tmp_path, "a/run", b"#!", "100755")
    write_file(tmp_path, "a/run", b"plain")
    write_file(tmp_path, "link", b"a/b/c", "120000")
    write_file(tmp_path, "program", b"#!", "100755")
    assert (tmp_path / "a/b/c").read_bytes() == b"\xff\r\n"
    assert not os.access(tmp_path / "a/run", os.X_OK)
    assert os.access(tmp_path / "program", os.X_OK)
    assert (tmp_path / "link").readlink() == Path("a/b/c")


def test_link_on_the_way_is_not_followed(tmp_path: Path) -> None:
    """Neither to write nor to delete."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").touch()
    root = tmp_path / "root"
    root.mkdir()
    (root / "folder").symlink_to(outside)
    with pytest.raises(OSError, match="folder"):
        write_file(root, "folder/x", b"")
    delete_file(root, "folder/file")
    assert [path.name for path in outside.iterdir()] == ["file"]


def test_deleting_takes_empty_folders_along(tmp_path: Path) -> None:
    """Up to one that holds something, or the root; what is gone already is fine."""
    write_file(tmp_path, "a/b/c", b"")
    write_file(tmp_path, "a/kept", b"")
    delete_file(tmp_path, "a/b/c")
    assert (tmp_path / "a").is_dir()
    assert not (tmp_path / "a/b").exists()
    delete_file(tmp_path, "a/kept")
    delete_file(tmp_path, "a/kept")
    assert tmp_path.is_dir()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["../x", "/etc/x", ".git/config", "a/../../x", ""])
def test_path_out_of_the_work_tree_is_refused(tmp_path: Path, path: str) -> None:
    """Or into git's own folder."""
    with pytest.raises(RollbackError):
        write_file(tmp_path, path, b"")
