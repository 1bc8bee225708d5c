from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from handoff_tui.git.command import Git
from handoff_tui.git.hardening import build_environment, build_overrides, parse_config_list
from handoff_tui.system.processes.programs import build_search_path
from tests.support.repositories import RepositoryBuilder

EXECUTING = (
    "alias.x",
    "core.alternaterefscommand",
    "core.askpass",
    "core.editor",
    "core.gitproxy",
    "core.sshcommand",
    "credential.https://example.org.helper",
    "diff.a.b.textconv",
    "diff..command",
    "filter..clean",
    "filter.A=b c.smudge",
    "filter.lfs.process",
    "filter.line\u2028end.clean",
    "gpg.program",
    "gpg.ssh.defaultkeycommand",
    "gpg.ssh.program",
    "hook.x.command",
    "interactive.difffilter",
    "merge.x.driver",
    "pager.log",
    "remote.origin.uploadpack",
    "sequence.editor",
    "submodule.sub.update",
    "tar.x.command",
    "trailer.x.cmd",
    "trailer.x.command",
    "uploadpack.packobjectshook",
)


@pytest.mark.parametrize("key", EXECUTING)
@pytest.mark.parametrize("scope", ["local", "worktree", "command", "submodule", "unknown"])
def test_overrides_disarm_what_executes(key: str, scope: str) -> None:
    """A setting that executes is emptied when any scope but system and global sets it."""
    assert dict(build_overrides([(scope, key, "evil")])) == {key: ""}


@pytest.mark.parametrize(
    "key", ["core.autocrlf", "user.name", "filter.clean", "url.x.insteadof", "diff.x.xfuncname", "trailer.separators"]
)
def test_overrides_leave_what_does_not_execute(key: str) -> None:
    """A setting that executes nothing stays as it is."""
    assert build_overrides([("local", key, "value")]) == ()


@pytest.mark.parametrize(("key", "off"), [("filter.x.required", "false"), ("remote.x.promisor", "false")])
def test_overrides_switch_booleans_off(key: str, off: str) -> None:
    """A boolean gets the word for off, not an empty text."""
    assert build_overrides([("local", key, "true")]) == ((key, off),)


def test_overrides_keep_what_the_user_set_for_all_repositories() -> None:
    """The user's own filter wins over the planted one; global wins over system; the sister key is emptied."""
    lines = [
        ("system", "filter.mine.clean", "older"),
        ("global", "filter.mine.clean", "mine"),
        ("local", "filter.mine.clean", "evil"),
        ("local", "filter.mine.process", "evil"),
    ]
    assert dict(build_overrides(lines)) == {"filter.mine.clean": "mine", "filter.mine.process": ""}


def test_overrides_leave_untouched_user_settings_alone() -> None:
    """What only the user set needs no override."""
    assert build_overrides([("global", "filter.lfs.clean", "git-lfs clean")]) == ()


def test_environment_drops_git_variables_but_the_choice_of_user_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """GIT_ variables of a surrounding hook are gone; where the user's configuration is, is kept."""
    monkeypatch.setenv("GIT_DIR", "/decoy")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='x'")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/user/gitconfig")
    environment = build_environment()
    assert "GIT_DIR" not in environment
    assert "GIT_CONFIG_PARAMETERS" not in environment
    assert environment["GIT_CONFIG_GLOBAL"] == "/user/gitconfig"
    assert environment["GIT_OPTIONAL_LOCKS"] == "0"


def test_environment_numbers_its_settings_without_gaps() -> None:
    """Fixed settings come first and the given ones last, counted from nought."""
    environment = build_environment((("filter.a=b.clean", ""),))
    count = int(environment["GIT_CONFIG_COUNT"])
    keys = [environment[f"GIT_CONFIG_KEY_{number}"] for number in range(count)]
    assert keys[-1] == "filter.a=b.clean"
    assert "core.fsmonitor" in keys
    assert f"GIT_CONFIG_KEY_{count}" not in environment


def test_search_path_has_absolute_folders_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty and relative entries, which mean the current folder, are left out."""
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin", "/usr/bin", "/bin"]))
    assert build_search_path() == os.pathsep.join(["/usr/bin", "/bin"])
    assert build_environment()["PATH"] == build_search_path()


def test_config_list_is_parsed_with_newlines_and_bare_keys() -> None:
    """A value may hold newlines, and a key without a value has an empty one."""
    output = b"local\0a.b\nfirst\nsecond\0global\0c.d\0"
    assert parse_config_list(output) == [("local", "a.b", "first\nsecond"), ("global", "c.d", "")]


def test_config_list_of_a_repository_names_its_scopes(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Includes and worktree scope count as what an agent can write, the user's file as global."""
    (isolated_user / "gitconfig").write_text("[a]\n\tuser = 1\n")
    builder.write("included", "[a]\n\tincluded = 1\n").config("include.path", "../included")
    builder.config("extensions.worktreeConfig", "true")
    (builder.folder / ".git" / "config.worktree").write_text("[a]\n\tworktree = 1\n")
    output = Git(builder.folder).read("config", "--show-scope", "--list", "-z", "--includes")
    scopes = {key: scope for scope, key, _ in parse_config_list(output) if key.startswith("a.")}
    assert scopes == {"a.user": "global", "a.included": "local", "a.worktree": "worktree"}


def test_overrides_hold_in_any_locale(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A driver with letters outside ASCII is disarmed even where the locale knows only ASCII."""
    canary = tmp_path / "canary"
    builder.write(".gitattributes", "*.txt filter=naïve\n").write("a.txt").commit()
    builder.config("filter.naïve.clean", f"touch '{canary}'; cat")
    os.utime(builder.folder / "a.txt", (1_000_000_000, 1_000_000_000))
    program = (
        "import sys; from pathlib import Path; from handoff_tui.git.repository import *;"
        "print(read_work_tree(open_repository(Path(sys.argv[1]))).facts.changed)"
    )
    ascii_only = {**os.environ, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-c", program, str(builder.folder)],
        capture_output=True,
        text=True,
        check=False,
        env=ascii_only,
    )
    assert (done.stdout, done.stderr) == ("()\n", "")
    assert not canary.exists()
