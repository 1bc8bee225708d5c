"""The builder of stories, on small stories of its own."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.cli.demo.story import BuiltStory, build_story
from handoff_tui.cli.demo.story_git import StoryGit, check_out_copy
from handoff_tui.core.errors import DemoError
from handoff_tui.system.installation import find_resource
from tests.support.repositories import RepositoryBuilder

_HEAD = """
repository = "harbour"
branch = "main"
notes_ref = "refs/notes/tdd-handoffs"
work_tree = "work_tree"

[people.ada]
name = "Ada Example"
email = "ada@example.com"

[people.bo]
name = "Bo Example"
email = "bo@example.com"
"""
_ONE = """
[[steps]]
name = "one"
author = "ada"
date = 2026-03-02T08:00:00Z
message = "First"
"""
_TWO = """
[[steps]]
name = "two"
author = "ada"
committer = "bo"
date = 2026-03-02T09:00:00+02:00
message = "Second"
"""


@pytest.fixture(autouse=True)
def current_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Every test runs in an empty folder of its own, which a build must leave empty."""
    folder = tmp_path_factory.mktemp("current")
    monkeypatch.chdir(folder)
    yield folder
    assert list_names(folder) == []


def write_story(folder: Path, script: str, files: dict[str, bytes | str]) -> Path:
    """A story folder with these steps and files; every story here has the steps it names and a work tree."""
    folder.mkdir()
    (folder / "story.toml").write_text(_HEAD + script, encoding="utf-8")
    for path, content in {"work_tree/loose.txt": "loose\n", "steps/one/a.txt": "a\n", **files}.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def build(tmp_path: Path, script: str, files: dict[str, bytes | str] | None = None) -> RepositoryBuilder:
    story = write_story(tmp_path / "story", script, files or {})
    return RepositoryBuilder(build_story(story, tmp_path / "built").repository)


def refuse(tmp_path: Path, script: str, files: dict[str, bytes | str] | None = None) -> DemoError:
    """The error of a build that must fail, after seeing that it left nothing behind."""
    story = write_story(tmp_path / "story", script, files or {})
    with pytest.raises(DemoError) as refused:
        build_story(story, tmp_path / "built")
    assert list_names(tmp_path) == ["story"]
    assert refused.value.hint
    return refused.value


def list_names(folder: Path) -> list[str]:
    return sorted(place.name for place in folder.iterdir())


def test_story_step_becomes_a_commit_of_its_people_and_date(tmp_path: Path) -> None:
    """Author, committer, date, zone and message are those of the script."""
    repository = build(tmp_path, _ONE + _TWO, {"steps/two/b.txt": "b\n"})
    told = repository.git("log", "-1", "--format=%an <%ae>|%cn|%ad|%cd|%B", "--date=iso")
    date = "2026-03-02 09:00:00 +0200"
    assert told == f"Ada Example <ada@example.com>|Bo Example|{date}|{date}|Second\n"


def test_story_fills_hashes_and_commits(tmp_path: Path) -> None:
    """A hash is that of the finished file, before or after the step; a commit is that of the earlier step."""
    quotes = "{{sha256:deep/b.txt}} {{sha256-before:a.txt}} {{sha256:a.txt}} {{commit:one}} {{commit:one:7}}\n"
    files: dict[str, bytes | str] = {
        "steps/two/quotes.txt": quotes,
        "steps/two/deep/b.txt": "of {{commit:one:4}}\n",
        "steps/two/a.txt": "changed\n",
    }
    repository = build(tmp_path, _ONE + _TWO, files)
    first = repository.git("rev-parse", "HEAD~1")
    contents = (f"of {first[:4]}\n", "a\n", "changed\n")
    hashes = [hashlib.sha256(content.encode()).hexdigest() for content in contents]
    assert (repository.folder / "quotes.txt").read_text() == " ".join([*hashes, first, first[:7]]) + "\n"


def test_story_deletes_moves_links_and_marks(tmp_path: Path) -> None:
    """Deletions, moves, links and modes of the script are in the commit."""
    script = _ONE + _TWO + 'delete = ["old"]\nmove = { "a.txt" = "kept/a.txt" }\n'
    script += 'executable = ["run.sh"]\nlinks = { "latest" = "kept/a.txt" }\n'
    repository = build(tmp_path, script, {"steps/one/old/x.txt": "x\n", "steps/two/run.sh": "#!/bin/sh\n"})
    listed = repository.git("ls-tree", "-r", "HEAD", "--format=%(objectmode) %(path)")
    assert listed.split("\n") == ["100644 kept/a.txt", "120000 latest", "100755 run.sh"]


def test_story_writes_notes_tags_and_refs(tmp_path: Path) -> None:
    """A note holds the file to the byte, with the step's own commit; tags and refs point to the step."""
    script = _ONE + 'note = "note.json"\nrefs = ["refs/handoff/current-agent"]\n'
    script += 'tags = [{ name = "handoff/x/cycle-1" }, { name = "handoff/y/cycle-1", message = "Done" }]\n'
    repository = build(tmp_path, script, {"note.json": '{"of":\n\n\n"{{commit:one}}"}  \n'})
    head = repository.git("rev-parse", "HEAD")
    note = repository.git("notes", "--ref=refs/notes/tdd-handoffs", "list", "HEAD")
    assert repository.git("cat-file", "blob", note) == f'{{"of":\n\n\n"{head}"}}  '
    refs = repository.git("for-each-ref", "--format=%(refname) %(objecttype)", "refs/tags", "refs/handoff")
    assert refs.split("\n") == [
        "refs/handoff/current-agent commit",
        "refs/tags/handoff/x/cycle-1 commit",
        "refs/tags/handoff/y/cycle-1 tag",
    ]


def test_story_pushes_only_what_the_script_pushes(tmp_path: Path) -> None:
    """The remote has the pushed commit; the branch tracks it and is ahead by the rest."""
    repository = build(tmp_path, _ONE + "push = true\n" + _TWO, {"steps/two/b.txt": "b\n"})
    assert repository.git("rev-list", "--count", "@{upstream}..HEAD") == "1"
    assert repository.git("config", "remote.origin.url") == "../remote.git"
    remote = RepositoryBuilder(tmp_path / "built" / "remote.git")
    assert remote.git("rev-parse", "main") == repository.git("rev-parse", "HEAD~1")


@pytest.mark.parametrize(
    ("script", "files", "words"),
    [
        (_TWO, {}, "step two: its folder"),
        (_ONE, {"steps/one/b.txt": "{{today}}"}, "step one: b.txt has an unknown placeholder {{today}}"),
        (_ONE, {"steps/one/b.txt": "{{commit:two}}"}, "step one: b.txt names the commit of 'two'"),
        (_ONE, {"steps/one/b.txt": "{{commit:one}}"}, "step one: b.txt names the commit of 'one'"),
        (_ONE, {"steps/one/b.txt": "{{sha256:c.txt}}"}, "step one: b.txt quotes the hash of c.txt"),
        (_ONE, {"steps/one/b.txt": "{{sha256:b.txt}}"}, "step one: files quote each other's hashes in a circle"),
        (_ONE, {"steps/one/b.txt": "{{commit:one:x}}"}, "which is not an earlier step"),
        (_ONE, {"steps/one/b.txt": "{{sha256-before:c.txt}}"}, "which does not exist"),
        (_ONE, {"steps/one/b.txt": b"\xff"}, "step one: b.txt is neither UTF-8 text nor binary"),
        (_ONE + 'note = "none.json"\n', {}, "step one: its note"),
        (_ONE + 'delete = ["gone"]\n', {}, "step one: it deletes gone"),
        (_ONE + 'move = { "gone" = "here" }\n', {}, "step one: it moves gone"),
        (_ONE + 'tags = [{ name = "no..good" }]\n', {}, "git failed"),
    ],
)
def test_story_that_cannot_be_told_is_refused(
    tmp_path: Path, script: str, files: dict[str, bytes | str], words: str
) -> None:
    """A wrong step stops the build with its name, and nothing is left behind."""
    assert words in refuse(tmp_path, script, files).message


def test_story_target_that_is_used_is_refused(tmp_path: Path) -> None:
    """A target with something in it, a file, or one without a parent is refused and left as it was."""
    story = write_story(tmp_path / "story", _ONE, {})
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    (tmp_path / "link").symlink_to("full")
    for name, words in (("full", "not empty"), ("full/mine.txt", "not a folder"), ("link", "not a folder")):
        with pytest.raises(DemoError, match=words) as refused:
            build_story(story, tmp_path / name)
        assert "--dir" in refused.value.hint
    with pytest.raises(DemoError, match="does not exist"):
        build_story(story, tmp_path / "no" / "parent")
    assert list_names(tmp_path) == ["full", "link", "story"]
    assert list_names(tmp_path / "full") == ["mine.txt"]


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, OSError])
def test_story_interrupted_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interruption: type[BaseException]
) -> None:
    """An interrupted build leaves neither the target nor a temporary folder, and the environment as it was."""

    def interrupt(*_: object) -> None:
        raise interruption

    monkeypatch.setattr(StoryGit, "push", interrupt)
    story = write_story(tmp_path / "story", _ONE + "push = true\n", {})
    before = dict(os.environ)
    with pytest.raises((KeyboardInterrupt, DemoError)):
        build_story(story, tmp_path / "built")
    assert list_names(tmp_path) == ["story"]
    assert dict(os.environ) == before


_HOSTILE_SETTINGS = """
[core]
    autocrlf = true
    eol = crlf
    fileMode = false
    symlinks = false
    hooksPath = {hooks}
    excludesFile = {home}/everything
    attributesFile = {home}/attributes
[commit]
    gpgSign = true
    template = {home}/everything
[tag]
    gpgSign = true
[gpg]
    program = {hooks}/pre-commit
[init]
    templateDir = {home}/template
    defaultBranch = trunk
[user]
    name = Somebody Else
    email = else@example.org
[push]
    default = nothing
    gpgSign = true
[i18n]
    commitEncoding = ISO-8859-1
[notes]
    rewriteRef = refs/notes/*
[url "https://nowhere.invalid/"]
    insteadOf = ../
"""
_HOSTILE_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "https",
    "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
    "GIT_AUTHOR_NAME": "Somebody Else",
    "GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "core.autocrlf",
    "GIT_CONFIG_PARAMETERS": "'core.autocrlf'='true'",
    "GIT_CONFIG_VALUE_0": "true",
    "GIT_DEFAULT_HASH": "sha256",
    "GIT_NAMESPACE": "elsewhere",
    "GIT_NOTES_REF": "refs/notes/elsewhere",
    "TZ": "Asia/Kolkata",
}


def read_refs(built: BuiltStory) -> dict[str, str]:
    """Every ref of repository and remote."""
    return {
        folder.name: RepositoryBuilder(folder).git("for-each-ref", "--format=%(refname) %(objectname)")
        for folder in (built.repository, built.remote)
    }


def plant_hostile_user(home: Path) -> dict[str, str]:
    """A user whose configuration and environment would change every commit, or run something."""
    for name in ("hooks", "template/hooks"):
        (home / name).mkdir(parents=True)
        for hook in ("pre-commit", "commit-msg", "post-commit", "pre-push", "reference-transaction", "update"):
            place = home / name / hook
            place.write_text(f"#!/bin/sh\ntouch {home}/ran\nexit 1\n")
            place.chmod(0o755)
    (home / "everything").write_text("*\n")
    (home / "attributes").write_text("* text=auto eol=crlf ident\n")
    settings = _HOSTILE_SETTINGS.format(home=home, hooks=home / "hooks")
    (home / "hostile").write_text(settings)
    (home / ".gitconfig").write_text(settings)
    for folder in ("elsewhere", "elsewhere.git"):
        (home / folder).mkdir()
    places = {
        "GIT_CONFIG_GLOBAL": home / "hostile",
        "GIT_DIR": home / "elsewhere.git",
        "GIT_INDEX_FILE": home / "elsewhere.git" / "index",
        "GIT_OBJECT_DIRECTORY": home / "elsewhere.git" / "objects",
        "GIT_TEMPLATE_DIR": home / "template",
        "GIT_WORK_TREE": home / "elsewhere",
        "HOME": home,
        "XDG_CONFIG_HOME": home,
    }
    return _HOSTILE_ENVIRONMENT | {name: str(place) for name, place in places.items()}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> BuiltStory:
    """The sample, built once in a plain environment."""
    return build_story(find_resource("sample_repo"), tmp_path_factory.mktemp("plain") / "sample")


def test_story_git_ignores_a_hostile_user(plain: BuiltStory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hooks, filters, signing, templates, other repositories in the environment: same ids, and nothing ran."""
    home = tmp_path / "hostile-home"
    home.mkdir()
    with monkeypatch.context() as surroundings:
        for name, value in plant_hostile_user(home).items():
            surroundings.setenv(name, value)
        mask = os.umask(0o077)
        try:
            hostile = build_story(find_resource("sample_repo"), tmp_path / "hostile")
        finally:
            os.umask(mask)
        assert os.environ["GIT_DIR"] == str(home / "elsewhere.git")
    assert (hostile.head, read_refs(hostile)) == (plain.head, read_refs(plain))
    assert "refs/notes/tdd-handoffs" in read_refs(plain)["tide-table"]
    assert not (home / "ran").exists()
    assert not any((home / "elsewhere.git").iterdir())
    assert not any((home / "elsewhere").iterdir())


def test_story_git_leaves_no_hooks_and_nothing_of_this_machine(plain: BuiltStory) -> None:
    """The built repository has no hooks folder, and its configuration names no absolute path."""
    assert not (plain.repository / ".git" / "hooks").exists()
    assert not (plain.remote / "hooks").exists()
    assert RepositoryBuilder(plain.repository).git("config", "--local", "core.autocrlf") == "false"
    for place in (plain.repository / ".git" / "config", plain.remote / "config"):
        assert str(plain.repository.parent) not in place.read_text()


def test_copy_is_the_work_tree_of_a_commit_and_goes_away(builder: RepositoryBuilder) -> None:
    """Its own repository, with the objects of the other; nothing of it stays in either."""
    builder.write("a.txt", "one\n").commit("first")
    first = builder.head()
    builder.write("a.txt", "two\n").commit("second")
    with check_out_copy(builder.folder, first) as copy:
        assert (copy / "a.txt").read_text(encoding="utf-8") == "one\n"
        assert RepositoryBuilder(copy).head() == first
        assert RepositoryBuilder(copy).git("status", "--porcelain") == ""
    assert not copy.exists()
    assert builder.git("status", "--porcelain") == ""
    with pytest.raises(DemoError), check_out_copy(builder.folder, "1" * 40):
        pass
