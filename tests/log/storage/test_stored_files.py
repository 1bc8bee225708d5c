"""Entries in the work tree and on branches, and files beside them: evidence, review records, trust files, the pin."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from handoff_tui.core.errors import (
    LogPresentError,
    ReviewRecordError,
    StoredFileDamagedError,
    StoredFileMissingError,
    StoreWriteError,
)
from handoff_tui.git.command import Git
from handoff_tui.git.repository import open_repository
from handoff_tui.log.open_log import build_pin_key, read_pin, write_pin
from handoff_tui.log.review_record import Comment
from handoff_tui.log.storage.blobs import MAX_ENTRY_BYTES, LogBlobs, LogListing, read_log_mark
from handoff_tui.log.storage.evidence import (
    BASELINES,
    REVIEWS,
    EvidenceFiles,
    encode_review,
    find_review,
    read_review,
    write_review,
)
from handoff_tui.log.storage.trust_files import read_trust_files, write_trust_files
from tests.support.failing_calls import FailingCalls
from tests.support.gate_views import RECORD
from tests.support.repositories import RepositoryBuilder

CONTENT = b"{}\n"
DIGEST = hashlib.sha256(CONTENT).hexdigest()
PATH = f".handoff-tui/reviews/{DIGEST}.json"


def test_file_is_read_from_the_work_tree(builder: RepositoryBuilder) -> None:
    """By its folder and digest; one that is not there is nothing."""
    builder.write(PATH, CONTENT)
    files = EvidenceFiles(open_repository(builder.folder))
    assert files.build_path(REVIEWS, DIGEST) == PATH
    assert files.read(REVIEWS, DIGEST) == CONTENT
    assert files.read(BASELINES, DIGEST) is None


def test_file_is_read_from_a_branch_when_the_work_tree_has_none(builder: RepositoryBuilder) -> None:
    """Also when the copy in the work tree is false."""
    builder.write(PATH, CONTENT).commit().step("branch", "aside").step("rm", "--quiet", PATH).commit("gone")
    files = EvidenceFiles(open_repository(builder.folder))
    assert files.read(REVIEWS, DIGEST) is None
    assert files.read(REVIEWS, DIGEST, ("refs/heads/main", "refs/heads/aside")) == CONTENT
    builder.write(PATH, "changed")
    assert files.read(REVIEWS, DIGEST, ("refs/heads/aside",)) == CONTENT


def test_false_file_is_no_evidence(builder: RepositoryBuilder) -> None:
    """What does not have the content that its name says is nothing, in the work tree and on branches."""
    builder.write(PATH, "changed").commit()
    assert EvidenceFiles(open_repository(builder.folder)).read(REVIEWS, DIGEST, ("refs/heads/main",)) is None


def test_many_files_are_read_from_wherever_they_are(builder: RepositoryBuilder) -> None:
    """Work tree first, then the refs in their order; what is nowhere, or false, is left out."""
    other = hashlib.sha256(b"[]\n").hexdigest()
    builder.write(PATH, CONTENT).commit().step("rm", "--quiet", PATH)
    builder.write(f".handoff-tui/reviews/{other}.json", b"[]\n").write(f".handoff-tui/reviews/{'0' * 64}.json", "false")
    files = EvidenceFiles(open_repository(builder.folder))
    wanted = sorted((DIGEST, other, "0" * 64, "1" * 64))
    assert dict(files.read_many(REVIEWS, wanted)) == {other: b"[]\n"}
    assert dict(files.read_many(REVIEWS, wanted, (builder.head(), "HEAD"))) == {other: b"[]\n", DIGEST: CONTENT}


def test_record_comes_back_as_it_was(tmp_path: Path) -> None:
    """Under the digest of its bytes, which are ASCII."""
    digest = write_review(tmp_path, RECORD)
    assert digest == hashlib.sha256(encode_review(RECORD)).hexdigest()
    assert read_review(tmp_path, digest) == RECORD
    assert encode_review(RECORD).isascii()
    assert (tmp_path / ".handoff-tui" / "reviews" / f"{digest}.json").is_file()


def test_missing_and_damaged_records_are_told_apart(tmp_path: Path) -> None:
    """Whoever can do without one finds nothing in both cases."""
    digest = write_review(tmp_path, RECORD)
    with pytest.raises(StoredFileMissingError):
        read_review(tmp_path, "0" * 64)
    place = tmp_path / ".handoff-tui" / "reviews" / f"{digest}.json"
    place.chmod(0o644)
    place.write_bytes(b"{}\n")
    with pytest.raises(StoredFileDamagedError):
        read_review(tmp_path, digest)
    assert find_review(tmp_path, digest) is None
    assert find_review(tmp_path, "0" * 64) is None


@pytest.mark.parametrize("content", [b"{}\n", b"[]", b'{"schema_version": 2}', b"\xff"])
def test_record_of_another_form_is_said_to_be_one(tmp_path: Path, content: bytes) -> None:
    """Its name fits, its content is not ours: no guess is made."""
    digest = hashlib.sha256(content).hexdigest()
    write_review(tmp_path, RECORD)
    (tmp_path / ".handoff-tui" / "reviews" / f"{digest}.json").write_bytes(content)
    with pytest.raises(ReviewRecordError):
        read_review(tmp_path, digest)
    assert find_review(tmp_path, digest) is None


TEXTS = {"allowed_signers": "ada …\n", "policy.toml": "version = 1\n"}


def test_written_texts_are_read_back(tmp_path: Path) -> None:
    """Byte for byte, and no temporary file stays."""
    write_trust_files(tmp_path, TEXTS)
    assert read_trust_files(tmp_path) == TEXTS
    write_trust_files(tmp_path, {**TEXTS, "policy.toml": "version = 2\n"})
    assert read_trust_files(tmp_path)["policy.toml"] == "version = 2\n"
    assert sorted(one.name for one in (tmp_path / ".handoff-tui/trust").iterdir()) == ["allowed_signers", "policy.toml"]


def test_missing_files_are_nothing(tmp_path: Path) -> None:
    """A folder without them, and one with only one of them."""
    assert read_trust_files(tmp_path) == {"allowed_signers": None, "policy.toml": None}
    write_trust_files(tmp_path, TEXTS)
    (tmp_path / ".handoff-tui/trust/policy.toml").unlink()
    assert read_trust_files(tmp_path) == {"allowed_signers": "ada …\n", "policy.toml": None}


def test_link_in_the_place_of_a_file_is_replaced(tmp_path: Path) -> None:
    """What it leads to stays as it is."""
    (tmp_path / "precious").write_text("precious")
    (tmp_path / ".handoff-tui/trust").mkdir(parents=True)
    (tmp_path / ".handoff-tui/trust/policy.toml").symlink_to(tmp_path / "precious")
    write_trust_files(tmp_path, TEXTS)
    assert (tmp_path / "precious").read_text() == "precious"
    assert not (tmp_path / ".handoff-tui/trust/policy.toml").is_symlink()
    assert read_trust_files(tmp_path) == TEXTS


@pytest.mark.parametrize("folder", [".handoff-tui", ".handoff-tui/trust"])
def test_link_in_the_place_of_a_folder_is_refused(tmp_path: Path, folder: str) -> None:
    """Nothing appears where it leads."""
    away = tmp_path / "away"
    away.mkdir()
    (tmp_path / folder).parent.mkdir(exist_ok=True)
    (tmp_path / folder).symlink_to(away)
    with pytest.raises(StoredFileDamagedError, match=f"{folder} is a link"):
        write_trust_files(tmp_path, TEXTS)
    assert list(away.iterdir()) == []


def test_folder_in_the_place_of_a_file_is_told(tmp_path: Path) -> None:
    """It is left alone, and the message names it."""
    (tmp_path / ".handoff-tui/trust/policy.toml").mkdir(parents=True)
    with pytest.raises(StoreWriteError, match=r"trust/policy\.toml cannot be written"):
        write_trust_files(tmp_path, TEXTS)


def test_full_disk_leaves_the_old_texts_whole(tmp_path: Path) -> None:
    """Whichever call fails first: each file is the old one or the new one, never a part."""
    write_trust_files(tmp_path, TEXTS)
    new = {"allowed_signers": "bob …\n", "policy.toml": "version = 2\n"}
    counting = FailingCalls(only_changes=True)
    write_trust_files(tmp_path, new, counting)
    for last in range(len(counting.made)):
        write_trust_files(tmp_path, TEXTS)

        def strike(number: int, _name: str, last: int = last) -> None:
            if number >= last:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with pytest.raises(StoreWriteError, match="the disk is full"):
            write_trust_files(tmp_path, new, FailingCalls(strike, only_changes=True))
        for name, text in read_trust_files(tmp_path).items():
            assert text in {TEXTS[name], new[name]}


def test_mark_changes_with_every_new_entry(tmp_path: Path) -> None:
    """In a new folder and in one that is there; without a log there is none."""
    marks = [read_log_mark(tmp_path)]
    for name in ("aa/1", "aa/2", "bb/1"):
        place = tmp_path / ".handoff-tui" / "log" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
        marks.append(read_log_mark(tmp_path))
    assert marks[0] == ""
    assert len(set(marks)) == 4
    assert read_log_mark(tmp_path) == marks[-1]


FIRST, OTHER = "sha256:" + "a" * 64, "sha256:" + "b" * 64


@pytest.mark.parametrize("name", ["lamp", "Lamp.io", "a b", "ünï"])
def test_pin_is_kept_in_global_scope(isolated_user: Path, builder: RepositoryBuilder, name: str) -> None:
    """Under the name of the folder, whatever letters it has; the repository's own configuration is not touched."""
    before = (builder.folder / ".git/config").read_bytes()
    assert read_pin(Git.open(builder.folder), name) is None
    for _ in range(2):
        write_pin(Git.open(builder.folder), name, FIRST)
    assert read_pin(Git.open(builder.folder), name) == FIRST
    assert build_pin_key(name) == f"handoff-tui.{name}.pin"
    assert FIRST in (isolated_user / "gitconfig").read_text()
    assert (builder.folder / ".git/config").read_bytes() == before


def test_other_pin_is_left_alone(builder: RepositoryBuilder) -> None:
    """It may belong to another repository in a folder of the same name."""
    write_pin(Git.open(builder.folder), "lamp", FIRST)
    with pytest.raises(LogPresentError, match="already"):
        write_pin(Git.open(builder.folder), "lamp", OTHER)
    assert read_pin(Git.open(builder.folder), "lamp") == FIRST


@pytest.mark.parametrize(
    ("comment", "place"),
    [
        (Comment(text="x"), ""),
        (Comment(text="x", path="a.py"), "a.py"),
        (Comment(text="x", path="a.py", line=3), "a.py:3"),
        (Comment(text="x", path="a.py", line=3, end_line=3), "a.py:3"),
        (Comment(text="x", path="a.py", line=3, end_line=5), "a.py:3-5"),
    ],
)
def test_place_is_written_as_people_write_it(comment: Comment, place: str) -> None:
    """Path, line and range, as far as they are there."""
    assert comment.place == place


def name(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def path_of(content: bytes) -> str:
    digest = hashlib.sha256(content).hexdigest()
    return f".handoff-tui/log/{digest[:2]}/{digest}.intoto.jsonl"


def look(builder: RepositoryBuilder) -> tuple[LogBlobs, LogListing]:
    blobs = LogBlobs(open_repository(builder.folder))
    return blobs, blobs.read_listing()


def read_all(builder: RepositoryBuilder) -> tuple[dict[str, bytes], set[tuple[str, str]]]:
    """Contents, and path and place of all that is unsuitable."""
    blobs, listing = look(builder)
    read = blobs.read_contents(listing, listing.ids)
    return read.contents, {(one.path, one.where) for one in (*listing.unsuitable, *read.unsuitable)}


def test_repository_without_a_log_has_no_entries(builder: RepositoryBuilder) -> None:
    """On an unborn branch, and after a commit."""
    assert read_all(builder) == ({}, set())
    builder.write("file").commit()
    assert read_all(builder) == ({}, set())


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_entries_come_from_work_tree_and_all_branches(tmp_path: Path, object_format: str) -> None:
    """Local and remote-tracking branches, the work tree, each entry once, with all its places."""
    builder = RepositoryBuilder.init(tmp_path / "repository", f"--object-format={object_format}")
    builder.write(path_of(b"one\n"), b"one\n").commit()
    builder.step("checkout", "--quiet", "-b", "side").write(path_of(b"two\n"), b"two\n").commit()
    builder.ref("refs/remotes/origin/far").step("checkout", "--quiet", "main").step("branch", "-D", "side")
    builder.write(path_of(b"three\n"), b"three\n")
    contents, unsuitable = read_all(builder)
    assert contents == {name(content): content for content in (b"one\n", b"two\n", b"three\n")}
    assert unsuitable == set()
    _, listing = look(builder)
    assert listing.find_places(name(b"one\n")) == ("work tree", "refs/heads/main", "refs/remotes/origin/far")
    assert listing.find_places(name(b"two\n")) == ("refs/remotes/origin/far",)
    assert listing.find_places(name(b"three\n")) == ("work tree",)
    assert listing.find_places(name(b"none\n")) == ()


def test_tags_and_other_refs_are_not_asked(builder: RepositoryBuilder) -> None:
    """The union is over branches; a note or a tag adds nothing."""
    builder.write("file").commit().step("checkout", "--quiet", "-b", "side")
    builder.write(path_of(b"one\n"), b"one\n").commit().tag("v1").step("checkout", "--quiet", "main")
    builder.step("branch", "-D", "side")
    assert read_all(builder) == ({}, set())


def test_only_what_is_asked_for_is_read(builder: RepositoryBuilder) -> None:
    """Names are listed without contents; a damaged file is noticed when it is read."""
    builder.write(path_of(b"one\n"), b"one\n").write(path_of(b"two\n"), b"changed\n")
    blobs, listing = look(builder)
    assert listing.ids == tuple(sorted([name(b"one\n"), name(b"two\n")]))
    assert listing.unsuitable == ()
    assert blobs.read_contents(listing, [name(b"one\n")]) == ({name(b"one\n"): b"one\n"}, ())


def test_true_copy_on_a_branch_serves_where_the_work_tree_has_a_false_one(builder: RepositoryBuilder) -> None:
    """An edit in place is named; the entry itself is not lost."""
    builder.write(path_of(b"one\n"), b"one\n").commit().write(path_of(b"one\n"), b"edited\n")
    assert read_all(builder) == ({name(b"one\n"): b"one\n"}, {(path_of(b"one\n"), "work tree")})


def test_false_copy_on_a_branch_is_named_beside_the_true_one(builder: RepositoryBuilder) -> None:
    """Every branch that has it is named."""
    builder.write(path_of(b"one\n"), b"one\n").commit().step("checkout", "--quiet", "-b", "side")
    builder.write(path_of(b"one\n"), b"edited\n").commit().step("checkout", "--quiet", "main")
    assert read_all(builder) == ({name(b"one\n"): b"one\n"}, {(path_of(b"one\n"), "refs/heads/side")})


def test_entry_deleted_from_the_work_tree_is_still_on_its_branch(builder: RepositoryBuilder) -> None:
    """What was committed once stays part of the log."""
    builder.write(path_of(b"one\n"), b"one\n").commit()
    builder.place(path_of(b"one\n")).unlink()
    assert read_all(builder)[0] == {name(b"one\n"): b"one\n"}


def test_unsuitable_things_in_the_work_tree_are_named(builder: RepositoryBuilder) -> None:
    """Link, pipe, wrong shard, wrong name, too large: no entry, and a reason for each."""
    large = b"x" * (MAX_ENTRY_BYTES + 1)
    builder.write(path_of(large), large).write(".handoff-tui/log/zz/file").write(".handoff-tui/log/00/name")
    builder.link(path_of(b"one\n"), "/etc/passwd")
    builder.place(path_of(b"two\n")).parent.mkdir(exist_ok=True)
    os.mkfifo(builder.place(path_of(b"two\n")))
    contents, unsuitable = read_all(builder)
    assert contents == {}
    paths = (path_of(large), ".handoff-tui/log/zz", ".handoff-tui/log/00/name", path_of(b"one\n"), path_of(b"two\n"))
    assert unsuitable == {(path, "work tree") for path in paths}


def test_unsuitable_things_on_a_branch_are_named(builder: RepositoryBuilder) -> None:
    """The same for what was committed."""
    large = b"x" * (MAX_ENTRY_BYTES + 1)
    builder.write(path_of(large), large).write(".handoff-tui/log/zz/file").write(".handoff-tui/log/00/name")
    builder.link(path_of(b"one\n"), "/etc/passwd").write(".handoff-tui/log/.tmp-1", "torn").commit()
    builder.step("rm", "-r", "-q", ".handoff-tui")
    contents, unsuitable = read_all(builder)
    assert contents == {}
    paths = (path_of(large), ".handoff-tui/log/zz", ".handoff-tui/log/00/name", path_of(b"one\n"))
    assert unsuitable == {(path, "refs/heads/main") for path in paths}


@pytest.mark.parametrize("linked", [".handoff-tui", ".handoff-tui/log"])
def test_linked_folder_is_named_and_branches_still_count(builder: RepositoryBuilder, linked: str) -> None:
    """A link in the work tree hides nothing that was committed."""
    builder.write(path_of(b"one\n"), b"one\n").commit()
    builder.place(linked).rename(builder.place("away"))
    builder.link(linked, "away")
    contents, unsuitable = read_all(builder)
    assert contents == {name(b"one\n"): b"one\n"}
    assert unsuitable == {(".handoff-tui/log", "work tree")}


def test_replaced_object_is_not_followed(builder: RepositoryBuilder) -> None:
    """`git replace` puts nothing else in the place of a commit, a folder or an entry."""
    builder.write(path_of(b"one\n"), b"one\n").commit()
    blob = builder.git("rev-parse", f"HEAD:{path_of(b'one' + bytes([10]))}")
    other = builder.git("hash-object", "-w", "--stdin", stdin=b"forged\n")
    builder.step("replace", blob, other)
    builder.step("update-ref", "refs/heads/keep", "HEAD").place(path_of(b"one\n")).unlink()
    assert read_all(builder) == ({name(b"one\n"): b"one\n"}, set())


def test_missing_object_is_named(builder: RepositoryBuilder) -> None:
    """A clone that lacks the blob says so; nothing is fetched or guessed."""
    builder.write(path_of(b"one\n"), b"one\n").commit()
    blob = builder.git("rev-parse", f"HEAD:{path_of(b'one' + bytes([10]))}")
    builder.place(f".git/objects/{blob[:2]}/{blob[2:]}").unlink()
    builder.place(path_of(b"one\n")).unlink()
    contents, unsuitable = read_all(builder)
    assert contents == {}
    assert unsuitable == {(path_of(b"one\n"), "refs/heads/main")}


def test_branch_that_moves_is_seen_by_who_looked_before(builder: RepositoryBuilder) -> None:
    """What is remembered is bound to commits, not to names of branches."""
    builder.write(path_of(b"one\n"), b"one\n").commit()
    blobs, before = look(builder)
    builder.step("checkout", "--quiet", "-b", "side").write(path_of(b"two\n"), b"two\n").commit()
    builder.step("checkout", "--quiet", "main")
    after = blobs.read_listing()
    assert set(after.ids) - set(before.ids) == {name(b"two\n")}
    assert blobs.read_contents(after, after.ids).contents.keys() == set(after.ids)


def test_one_tree_under_two_shards_is_right_in_one_only(builder: RepositoryBuilder) -> None:
    """The same folder committed under another shard's name holds no entries there."""
    builder.write(path_of(b"one\n"), b"one\n").commit()
    shard = path_of(b"one\n").split("/")[2]
    tree = builder.git("rev-parse", f"HEAD:.handoff-tui/log/{shard}")
    builder.step("read-tree", "--prefix=.handoff-tui/log/00/", tree)
    builder.git("commit", "--quiet", "-m", "twice")
    contents, unsuitable = read_all(builder)
    assert contents == {name(b"one\n"): b"one\n"}
    assert {where for _, where in unsuitable} == {"refs/heads/main"}


def test_look_changes_nothing(builder: RepositoryBuilder) -> None:
    """Reading the log writes neither into the work tree nor into the git folder."""
    builder.write(path_of(b"one\n"), b"one\n").commit()
    before = {path: path.stat().st_mtime_ns for path in builder.folder.rglob("*")}
    read_all(builder)
    assert {path: path.stat().st_mtime_ns for path in builder.folder.rglob("*")} == before
