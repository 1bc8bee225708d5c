"""Where git looks for hooks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from handoff_tui.checks.hooks.hooks_folder import find_hooks_folder
from handoff_tui.git.repository import open_repository
from tests.support.repositories import RepositoryBuilder


def ask_git(folder: Path) -> Path:
    """What git itself says."""
    done = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "--path-format=absolute", "--git-path", "hooks"],
        capture_output=True,
        check=True,
        text=True,
    )
    return Path(done.stdout.removesuffix("\n"))


def test_folder_is_where_git_looks(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """In a plain repository, a linked worktree and a submodule."""
    builder.write("a").commit()
    linked = builder.worktree(tmp_path / "linked tree", "side")
    outer = RepositoryBuilder.init(tmp_path / "outer").write("b").commit()
    inner = outer.submodule(builder, "sub module")
    for folder in (builder.folder, linked.folder, inner.folder):
        found = find_hooks_folder(open_repository(folder))
        assert found.path == ask_git(folder)
        assert (found.setting, found.leads_to) == (None, None)
    assert find_hooks_folder(open_repository(linked.folder)).path.is_relative_to(builder.folder)


@pytest.mark.parametrize(
    ("scope", "value", "trusted"),
    [
        ("local", ".husky/_", False),
        ("worktree", "/elsewhere", False),
        ("global", "~/hooks", True),
        ("global", "h", True),
    ],
)
def test_setting_is_found_with_its_scope_and_line(
    builder: RepositoryBuilder, isolated_user: Path, scope: str, value: str, *, trusted: bool
) -> None:
    """Who said it, and where; the folder is the one that git would use."""
    builder.config("extensions.worktreeConfig", "true")
    subprocess.run(["git", "-C", str(builder.folder), "config", f"--{scope}", "core.hooksPath", value], check=True)
    found = find_hooks_folder(open_repository(builder.folder))
    assert found.setting is not None
    assert (found.setting.scope, found.setting.value, found.setting.trusted) == (scope, value, trusted)
    line = found.setting.file.read_text().splitlines()[(found.setting.line or 0) - 1]
    assert line.strip() == f"hooksPath = {value}"
    assert found.path == ask_git(builder.folder)
    assert found.own == builder.folder / ".git" / "hooks"


def test_repository_wins_over_the_user(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """As with git, the nearer setting counts."""
    (isolated_user / "gitconfig").write_text("[core]\n\thooksPath = /of/the/user\n")
    builder.config("core.hooksPath", "planted")
    found = find_hooks_folder(open_repository(builder.folder))
    assert found.path == builder.folder / "planted" == ask_git(builder.folder)


def test_link_says_where_it_leads(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """The own folder may be a link to a shared one."""
    (tmp_path / "shared").mkdir()
    builder.link(".git/hooks", tmp_path / "shared")
    found = find_hooks_folder(open_repository(builder.folder))
    assert found.leads_to == tmp_path / "shared"
    assert found.elsewhere
