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
from handoff_tui.git.repository import open_repository
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder


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


def test_view_works_without_a_known_git_folder(builder: RepositoryBuilder) -> None:
    """A door that was given a folder alone finds the objects by asking; from a linked work tree too."""
    builder.write("a").commit()
    other = builder.worktree(builder.folder.parent / "other", "side")
    for folder in (builder.folder, other.folder):
        with open_isolated_objects(Git(folder), builder.head()) as view:
            assert view.run("cat-file", "-e", builder.head()).ok


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


def test_empty_blob_is_always_there(tmp_path: Path) -> None:
    """Under the id of each object format, without being stored by the repository."""
    for name, options in (("short", ()), ("long", ("--object-format=sha256",))):
        builder = RepositoryBuilder.init(tmp_path / name, *options).write("a").commit()
        with open_isolated_objects(open_repository(builder.folder).git, builder.head()) as view:
            empty = view.write_blob(b"")
            assert empty == builder.git("hash-object", "--stdin")
            assert view.run("cat-file", "-s", empty).text == "0"


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
