"""Git for stories: the same ids under any configuration and environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from handoff_tui.cli.demo.story import BuiltStory, build_story
from handoff_tui.cli.demo.story_git import check_out_copy
from handoff_tui.core.errors import DemoError
from handoff_tui.system.resources import find_resource
from tests.support.repositories import RepositoryBuilder

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


def test_story_git_gives_the_same_ids_in_two_folders(tmp_path: Path) -> None:
    """Two builds of the sample agree in every ref, notes and tags included."""
    first = build_story(find_resource("sample_repo"), tmp_path / "first")
    (tmp_path / "deep" / "er").mkdir(parents=True)
    second = build_story(find_resource("sample_repo"), tmp_path / "deep" / "er" / "second")
    assert first.head == second.head
    assert read_refs(first) == read_refs(second)
    assert "refs/notes/tdd-handoffs" in read_refs(first)["tide-table"]


def test_story_git_is_deaf_to_a_hostile_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hooks, filters, signing, templates, other repositories in the environment: same ids, and nothing ran."""
    plain = build_story(find_resource("sample_repo"), tmp_path / "plain")
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
    assert read_refs(hostile) == read_refs(plain)
    assert not (home / "ran").exists()
    assert not any((home / "elsewhere.git").iterdir())
    assert not any((home / "elsewhere").iterdir())


def test_story_git_leaves_no_hooks_and_nothing_of_this_machine(tmp_path: Path) -> None:
    """The built repository has no hooks folder, and its configuration names no absolute path."""
    built = build_story(find_resource("sample_repo"), tmp_path / "sample")
    assert not (built.repository / ".git" / "hooks").exists()
    assert not (built.remote / "hooks").exists()
    assert RepositoryBuilder(built.repository).git("config", "--local", "core.autocrlf") == "false"
    for place in (built.repository / ".git" / "config", built.remote / "config"):
        assert str(tmp_path) not in place.read_text()


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
