from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.core.errors import GitError, ObjectMissingError
from handoff_tui.git.command import Git, GitAnswer
from handoff_tui.git.objects.isolated import open_isolated_objects
from handoff_tui.git.objects.log_trees import parse_log_folder, parse_shard, parse_tree
from handoff_tui.git.objects.private_objects import offer_objects, write_without_own_folder
from handoff_tui.git.objects.reader import ObjectReader
from handoff_tui.git.objects.tree_files import BlobHash, read_tree_contents, read_tree_files
from handoff_tui.git.repository import open_repository
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder

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


ONE, TWO = BlobHash("a" * 40, 3, "1" * 64), BlobHash("b" * 64, 0, "2" * 64)


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
    """A name is no id."""
    with pytest.raises(GitError, match="is no object id"), open_isolated_objects(Git(builder.folder), name):
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
        "from handoff_tui.git.objects.isolated import open_isolated_objects\n"
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
