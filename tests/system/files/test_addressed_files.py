from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from handoff_tui.core.errors import StoredFileDamagedError, StoredFileMissingError, StoreWriteError
from handoff_tui.system.files.addressed_files import AddressedFolder, FolderListing, ListedFolder
from handoff_tui.system.files.atomic_write import SYSTEM, Calls, Folder, open_folders
from handoff_tui.system.files.own_folder import is_own, read_layout_problems
from tests.support.failing_calls import FailingCalls, fail_all, fail_at
from tests.support.repositories import RepositoryBuilder

CONTENT = b'{"a":1}\n'
DIGEST = hashlib.sha256(CONTENT).hexdigest()
OTHER = "f" * 64


def open_log(root: Path, calls: Calls = SYSTEM) -> AddressedFolder:
    return AddressedFolder(root, "log", ".intoto.jsonl", sharded=True, max_bytes=1000, calls=calls)


def open_reviews(root: Path, calls: Calls = SYSTEM) -> AddressedFolder:
    return AddressedFolder(root, "reviews", ".json", max_bytes=1000, calls=calls)


def list_files(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if not path.is_dir()}


@pytest.mark.parametrize("open_folder", [open_log, open_reviews])
def test_content_is_found_again_by_its_digest(tmp_path: Path, open_folder: Callable[[Path], AddressedFolder]) -> None:
    """What is written is listed and read back, and writing it again changes nothing."""
    folder = open_folder(tmp_path)
    assert folder.list() == ()
    assert folder.write(CONTENT) == DIGEST
    before = list_files(tmp_path)
    assert folder.write(CONTENT) == DIGEST
    assert list_files(tmp_path) == before
    assert folder.read(DIGEST) == CONTENT
    assert folder.list() == (DIGEST,)
    assert folder.list_foreign() == ()


def test_paths_are_those_of_the_layout(tmp_path: Path) -> None:
    """A shard for entries, none for reviews, and the two files that keep git from changing either."""
    open_log(tmp_path).write(CONTENT)
    open_reviews(tmp_path).write(CONTENT)
    assert list_files(tmp_path) == {
        ".handoff-tui/.gitattributes",
        ".handoff-tui/.gitignore",
        f".handoff-tui/log/{DIGEST[:2]}/{DIGEST}.intoto.jsonl",
        f".handoff-tui/reviews/{DIGEST}.json",
    }


@pytest.mark.parametrize("digest", [OTHER, "", "../../../etc/passwd", DIGEST.upper(), DIGEST + "\n"])
def test_unknown_digest_is_missing(tmp_path: Path, digest: str) -> None:
    """What is not there, or isn't a digest at all, is reported as missing."""
    folder = open_log(tmp_path)
    with pytest.raises(StoredFileMissingError):
        folder.read(digest)
    folder.write(CONTENT)
    with pytest.raises(StoredFileMissingError):
        folder.read(digest)


def test_changed_content_is_damage(tmp_path: Path) -> None:
    """A file that does not have the content its name says is neither read nor taken for the one to be written."""
    folder = open_log(tmp_path)
    place = tmp_path / folder.build_path(folder.write(CONTENT))
    place.write_bytes(b"something else")
    with pytest.raises(StoredFileDamagedError, match="does not have the content"):
        folder.read(DIGEST)
    with pytest.raises(StoredFileDamagedError, match="does not have the content"):
        folder.write(CONTENT)
    assert place.read_bytes() == b"something else"


def test_too_large_is_refused_both_ways(tmp_path: Path) -> None:
    """The limit holds for writing, and for what somebody else put there."""
    folder = open_log(tmp_path)
    with pytest.raises(StoreWriteError, match="limit"):
        folder.write(b"x" * 1001)
    place = tmp_path / folder.build_path(folder.write(CONTENT))
    place.write_bytes(b"x" * 1001)
    with pytest.raises(StoredFileDamagedError, match="too large"):
        folder.read(DIGEST)


@pytest.mark.parametrize("linked", [".handoff-tui", ".handoff-tui/log", f".handoff-tui/log/{DIGEST[:2]}"])
def test_linked_folder_is_refused(tmp_path: Path, linked: str) -> None:
    """No step below the root follows a link: nothing is read from, nor written to, where it leads."""
    root, away = tmp_path / "root", tmp_path / "away"
    away.mkdir()
    open_log(away).write(CONTENT)
    (root / linked).parent.mkdir(parents=True)
    (root / linked).symlink_to(away / linked)
    before = list_files(away)
    folder = open_log(root)
    for attempt in (lambda: folder.read(DIGEST), lambda: folder.write(CONTENT)):
        with pytest.raises(StoredFileDamagedError, match="is a link or a file, not a folder"):
            attempt()
    assert list_files(away) == before
    assert not (root / linked).is_dir() or (root / linked).is_symlink()


def test_linked_shard_is_foreign_and_hides_nothing_else(tmp_path: Path) -> None:
    """Listing goes on beside it."""
    folder = open_log(tmp_path)
    folder.write(CONTENT)
    (tmp_path / ".handoff-tui/log/00").symlink_to(tmp_path / ".handoff-tui/log" / DIGEST[:2])
    assert folder.list() == (DIGEST,)
    assert folder.list_foreign() == (".handoff-tui/log/00",)


def test_linked_store_cannot_be_listed(tmp_path: Path) -> None:
    """A link in the place of the whole store is told, not taken for an empty one."""
    (tmp_path / "away").mkdir()
    (tmp_path / ".handoff-tui").symlink_to("away")
    with pytest.raises(StoredFileDamagedError):
        open_log(tmp_path).list()


def test_linked_entry_is_refused(tmp_path: Path) -> None:
    """A link with the right name is foreign, even when it leads to the right content."""
    folder = open_log(tmp_path)
    place = tmp_path / folder.build_path(folder.write(CONTENT))
    place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")
    with pytest.raises(StoredFileDamagedError, match="is a link"):
        folder.read(DIGEST)
    with pytest.raises(StoredFileDamagedError, match="is a link"):
        folder.write(CONTENT)
    assert folder.list() == ()
    assert folder.list_foreign() == (folder.build_path(DIGEST),)


def test_pipe_is_neither_opened_nor_waited_for(tmp_path: Path) -> None:
    """A named pipe in the place of an entry is told at once."""
    folder = open_log(tmp_path)
    place = tmp_path / folder.build_path(folder.write(CONTENT))
    place.unlink()
    os.mkfifo(place)
    with pytest.raises(StoredFileDamagedError, match="not a regular file"):
        folder.read(DIGEST)
    assert folder.list() == ()
    assert folder.list_foreign() == (folder.build_path(DIGEST),)


def test_foreign_names_are_told_with_reasons(tmp_path: Path) -> None:
    """Wrong name, wrong shard, wrong place: each is left out and named."""
    folder = open_log(tmp_path)
    folder.write(CONTENT)
    log = tmp_path / ".handoff-tui/log"
    (log / "README").write_text("hello")
    (log / DIGEST[:2] / "notes.txt").write_text("hello")
    (log / "00").mkdir()
    (log / "00" / f"{DIGEST}.intoto.jsonl").write_bytes(CONTENT)
    (log / "zz").mkdir()
    assert folder.list() == (DIGEST,)
    reasons = {foreign.path.removeprefix(".handoff-tui/log/"): foreign.reason for foreign in folder.find_foreign()}
    assert set(reasons) == {"README", f"{DIGEST[:2]}/notes.txt", f"00/{DIGEST}.intoto.jsonl", "zz"}
    assert "wrong shard" in reasons[f"00/{DIGEST}.intoto.jsonl"]


def test_many_are_read_at_once_with_their_faults(tmp_path: Path) -> None:
    """Good, missing and damaged ones come in the order asked for."""
    folder = open_log(tmp_path)
    digests = [folder.write(b"%d" % number) for number in range(20)]
    (tmp_path / folder.build_path(digests[3])).write_bytes(b"?")
    answers = list(folder.read_many([*digests, OTHER]))
    assert [digest for digest, _ in answers] == [*digests, OTHER]
    assert isinstance(answers[3][1], StoredFileDamagedError)
    assert isinstance(answers[-1][1], StoredFileMissingError)
    assert [answer for _, answer in answers[:3]] == [b"0", b"1", b"2"]


WORDS = {errno.ENOSPC: "disk is full", errno.EROFS: "read-only", errno.EACCES: "may not write", errno.EIO: "error"}


@pytest.mark.parametrize("number", WORDS)
def test_each_call_that_fails_once_leaves_a_store_that_works(tmp_path: Path, number: int) -> None:
    """A clear error or success, whichever call fails; at most a temporary file is left; the next attempt succeeds."""
    counting = FailingCalls()
    (tmp_path / "count").mkdir()
    open_log(tmp_path / "count", counting).write(CONTENT)
    for place in range(1, len(counting.made) + 1):
        root = tmp_path / str(place)
        root.mkdir()
        try:
            digest = open_log(root, fail_at(place, number)).write(CONTENT)
        except StoreWriteError as told:
            assert WORDS[number] in told.message.casefold()  # noqa: PT017 - success is an answer too
        else:
            assert open_log(root).read(digest) == CONTENT
        folder = open_log(root)
        assert set(folder.list()) <= {DIGEST}
        assert folder.list_foreign() == ()
        assert folder.write(CONTENT) == DIGEST
        assert folder.read(DIGEST) == CONTENT


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK])
def test_file_system_without_hard_links_is_written_by_renaming(tmp_path: Path, number: int) -> None:
    """The same result, the same refusal to overwrite."""
    folder = open_log(tmp_path, fail_all("link", number))
    assert folder.read(folder.write(CONTENT)) == CONTENT
    assert folder.write(CONTENT) == DIGEST
    (tmp_path / folder.build_path(DIGEST)).write_bytes(b"else")
    with pytest.raises(StoredFileDamagedError):
        folder.write(CONTENT)


def test_folders_that_cannot_be_synced_are_written_all_the_same(tmp_path: Path) -> None:
    """Some file systems answer EINVAL to fsync of a folder; of a file it would be an error."""
    counting = FailingCalls()
    open_log(tmp_path, counting).write(CONTENT)
    last = len(counting.made) - 1 - counting.made[::-1].index("fsync") + 1
    other = tmp_path / "other"
    other.mkdir()
    assert open_log(other, fail_at(last, errno.EINVAL)).write(CONTENT) == DIGEST


def test_everything_is_synced_before_it_has_a_name(tmp_path: Path) -> None:
    """The content before link(), the folders after it."""
    calls = FailingCalls()
    folder = open_log(tmp_path)
    folder.write(b"the folders are there")
    open_log(tmp_path, calls).write(CONTENT)
    first_link = calls.made.index("link")
    assert "fsync" in calls.made[calls.made.index("write") : first_link]
    assert calls.made[first_link:].count("fsync") == 4


def test_what_is_there_needs_no_right_to_write(tmp_path: Path) -> None:
    """Storing again what is stored succeeds where nothing can be written any more."""
    open_log(tmp_path).write(CONTENT)
    calls = fail_all("write", errno.EROFS)
    assert open_log(tmp_path, calls).write(CONTENT) == DIGEST
    assert "write" not in calls.made


def test_read_only_folder_is_told() -> None:
    """A user without the right to write gets a clear error, and nothing is left; another user where we are root."""
    program = (
        "import os, sys; from pathlib import Path\n"
        "from handoff_tui.system.files.addressed_files import AddressedFolder\n"
        "from handoff_tui.core.errors import StoreWriteError\n"
        "if os.geteuid() == 0: os.setuid(65534)\n"
        "try: AddressedFolder(Path(sys.argv[1]), 'log', '.json', max_bytes=9).write(b'x')\n"
        "except StoreWriteError as told: print(told.message)"
    )
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o555)
        done = subprocess.run([sys.executable, "-c", program, name], capture_output=True, text=True, check=False)
        assert "this user may not write there" in done.stdout, done.stderr
        assert list(Path(name).iterdir()) == []


SUFFIX = ".json"
LONG_AGO = 1_000_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    with open_folders(SYSTEM, tmp_path) as [folder]:
        yield folder


def add(root: Path, digest: str, shard: str | None = None) -> Path:
    place = root / (shard or digest[:2]) / f"{digest}{SUFFIX}"
    place.parent.mkdir(exist_ok=True)
    place.write_text("content")
    return place


def build_digest(beginning: str) -> str:
    return beginning.ljust(64, "0")


def list_digests(found: list[ListedFolder]) -> list[str]:
    return [digest for one in found for digest in one.digests]


def test_change_is_seen_at_once(tmp_path: Path, folder: Folder) -> None:
    """New, removed and replaced files, also when the look before was a moment ago."""
    listing = FolderListing("shown", SUFFIX)
    first = add(tmp_path, build_digest("aa1"))
    for number in range(50):
        listing.look_at_shards(folder)
        digest = build_digest(f"aa{number + 2:03}")
        add(tmp_path, digest)
        assert digest in list_digests(listing.look_at_shards(folder))
    first.unlink()
    assert build_digest("aa1") not in list_digests(listing.look_at_shards(folder))
    shutil.rmtree(tmp_path / "aa")
    assert list_digests(listing.look_at_shards(folder)) == []


def test_times_that_were_set_back_deceive_nobody(
    tmp_path: Path, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A planted file, and the folder's time of change put back as it was: the time that nobody can set tells."""
    listing = FolderListing("shown", SUFFIX)
    add(tmp_path, build_digest("aa"))
    status = (tmp_path / "aa").stat()
    monkeypatch.setattr(
        "handoff_tui.system.files.addressed_files.time.time_ns", lambda: status.st_ctime_ns + 3 * LONG_AGO
    )
    listing.look_at_shards(folder)
    add(tmp_path, build_digest("aa1"))
    os.utime(tmp_path / "aa", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert len(list_digests(listing.look_at_shards(folder))) == 2


def write_entry(root: Path, content: bytes = b"entry\n") -> Path:
    folder = AddressedFolder(root, "log", ".intoto.jsonl", sharded=True, max_bytes=1000)
    return root / folder.build_path(folder.write(content))


def test_git_files_protect_every_folder(builder: RepositoryBuilder) -> None:
    """Git converts nothing in the four folders and offers no temporary file for adding."""
    write_entry(builder.folder)
    for folder in ("log", "trust", "baselines", "reviews"):
        asked = builder.git("check-attr", "text", "ident", "filter", "--", f".handoff-tui/{folder}/aa/file")
        assert [line.rpartition(" ")[2] for line in asked.splitlines()] == ["unset"] * 3
        assert builder.git("check-ignore", f".handoff-tui/{folder}/.tmp-0123")
    assert read_layout_problems(builder.folder) == ()


@pytest.mark.parametrize("name", [".gitattributes", ".gitignore"])
def test_file_that_is_there_is_left_alone_and_told(builder: RepositoryBuilder, name: str) -> None:
    """A person's own file is never overwritten; what it lacks is said."""
    builder.write(f".handoff-tui/{name}", "# mine\n")
    write_entry(builder.folder)
    assert builder.place(f".handoff-tui/{name}").read_text() == "# mine\n"
    (problem,) = read_layout_problems(builder.folder)
    assert f".handoff-tui/{name} lacks the line" in problem


def test_linked_or_missing_file_is_told(builder: RepositoryBuilder) -> None:
    """Git follows no link there, so it is as good as missing."""
    write_entry(builder.folder)
    place = builder.place(".handoff-tui/.gitattributes")
    place.rename(builder.place("elsewhere"))
    assert "does not exist" in read_layout_problems(builder.folder)[0]
    place.symlink_to(builder.place("elsewhere"))
    assert "is a link" in read_layout_problems(builder.folder)[0]


@pytest.mark.parametrize(
    ("path", "own"),
    [
        (f".handoff-tui/log/aa/{'a' * 64}.intoto.jsonl", True),
        (f".handoff-tui/reviews/{'a' * 64}.json", True),
        (".handoff-tui/trust/policy.toml", True),
        (".handoff-tui/log/aa/x", False),
        (".handoff-tui/log/.tmp-x", False),
        (".handoff-tui/helper.py", False),
        (f".handoff-tui/reviews/{'a' * 64}.json/x.py", False),
        (".handoff-tui", False),
        (".handoff-tui-not/ours", False),
        ("a/.handoff-tui/x", False),
    ],
)
def test_only_known_names_below_our_folder_are_ours(path: str, own: bool) -> None:  # noqa: FBT001 - expected value
    """At the top of the work tree, and by its whole name."""
    assert is_own(path) is own
