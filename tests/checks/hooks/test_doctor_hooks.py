"""Hooks, the folder they are in, and the program they call."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui import __version__
from handoff_tui.checks.hooks import doctor as doctor_hooks
from handoff_tui.checks.hooks.doctor import diagnose_hooks, read_hook_texts
from handoff_tui.checks.hooks.doctor_report import Diagnosis, Standing
from handoff_tui.checks.hooks.doctor_texts import Texts
from handoff_tui.checks.hooks.hook import HookName
from handoff_tui.checks.hooks.hook_script import render_hook
from handoff_tui.checks.hooks.hooks import install_hooks
from handoff_tui.git.repository import open_repository
from handoff_tui.system.files.reader import FileReader
from handoff_tui.system.installation import find_python
from tests.support.repositories import RepositoryBuilder

SCRIPT = "tools/validate.py"


def examine(builder: RepositoryBuilder) -> dict[str, Diagnosis]:
    texts = Texts(FileReader(builder.folder, 100_000))
    found = diagnose_hooks(open_repository(builder.folder), texts, (SCRIPT,))
    return {diagnosis.id: diagnosis for diagnosis in found}


def write_hook(builder: RepositoryBuilder, content: bytes | str, mode: int = 0o755, name: str = "pre-commit") -> None:
    builder.write(f".git/hooks/{name}", content)
    builder.place(f".git/hooks/{name}").chmod(mode)


def test_repository_without_hooks_is_not_wired(builder: RepositoryBuilder) -> None:
    """Both are missing, with the command that mends it; there is no program to speak of."""
    found = examine(builder)
    assert [found[f"hook-{name.value}"].standing for name in HookName] == [Standing.MISSING] * 2
    assert found["hook-pre-push"].commands == ("handoff-tui hooks install",)
    assert found["hooks-path"].standing is Standing.OK
    assert "hook-program" not in found


def test_installed_hooks_are_wired(builder: RepositoryBuilder) -> None:
    """With the line that calls the program, the kept hook, and the program itself."""
    write_hook(builder, "#!/bin/sh\n")
    install_hooks(builder.folder, HookName)
    found = examine(builder)
    assert {diagnosis.standing for diagnosis in found.values()} == {Standing.OK}
    call, kept = found["hook-pre-commit"].evidence
    text = builder.place(".git/hooks/pre-commit").read_text().splitlines()
    assert "handoff_tui check --pre" in text[(call.line or 0) - 1]
    assert kept.path == ".git/hooks/pre-commit.before-handoff-tui"
    assert __version__ in found["hook-program"].message


@pytest.mark.parametrize(
    ("content", "mode", "standing", "words"),
    [
        (render_hook(HookName.PRE_COMMIT, find_python(), __version__), 0o644, Standing.MISSING, "n't executable"),
        (render_hook(HookName.PRE_COMMIT, find_python(), __version__) + b"#", 0o755, Standing.MISSING, "changed it"),
        (render_hook(HookName.PRE_COMMIT, "/other/python3", __version__), 0o755, Standing.OK, "another Python"),
        (b"#!/bin/sh\nexit 0\n", 0o755, Standing.MISSING, "n't ours"),
        (b"#!/bin/sh\nhandoff-tui check --pre\n", 0o644, Standing.MISSING, "n't executable"),
        (b"#!/bin/sh\nhandoff-tui check --pre\n", 0o755, Standing.OK, "runs the checks"),
        (b"#!/bin/sh\nhandoff-tui check || true\n", 0o755, Standing.MISSING, "thrown away"),
        (b"#!/bin/sh\n# handoff-tui check --pre\n", 0o755, Standing.MISSING, "n't ours"),
        (b"#!/bin/sh\npython3 tools/validate.py\n", 0o755, Standing.OK, "runs the checks"),
    ],
)
def test_hook_is_told_by_what_it_does(
    builder: RepositoryBuilder, content: bytes, mode: int, standing: Standing, words: str
) -> None:
    """Executable, unchanged, ours or not: what would really run counts."""
    write_hook(builder, content, mode)
    diagnosis = examine(builder)["hook-pre-commit"]
    assert diagnosis.standing is standing
    assert words in diagnosis.message
    assert diagnosis.standing is Standing.OK or diagnosis.commands


def test_forged_hook_is_not_believed(builder: RepositoryBuilder) -> None:
    """A hook with our mark and a digest that fits, but that does nothing, is not taken for ours."""
    import hashlib  # noqa: PLC0415 - only the forger needs it

    idle = b"# Written by handoff-tui 0.1.0:\npython=/usr/bin/python3\nexit 0\n"
    told = idle + b"# -m handoff_tui check --pre\n"
    for body, standing in ((idle, Standing.MISSING), (told, Standing.UNKNOWN)):
        digest = hashlib.sha256(body).hexdigest().encode()
        write_hook(builder, b"#!/bin/sh\n# handoff-tui hook 1 pre-commit sha256:" + digest + b"\n" + body)
        assert examine(builder)["hook-pre-commit"].standing is standing


@pytest.mark.parametrize(
    ("hook", "file", "text", "expected"),
    [
        (
            "# pre-commit.com",
            ".pre-commit-config.yaml",
            "- entry: handoff-tui check\n",
            (Standing.OK, Standing.MISSING),
        ),
        ("lefthook", "lefthook.yml", "pre-push:\n  a:\n    run: handoff-tui check\n", (Standing.MISSING, Standing.OK)),
        ("lefthook", "lefthook.yml", "colors: true\n", (Standing.MISSING, Standing.MISSING)),
        ('. "$(dirname "$0")/h"', ".husky/pre-commit", "handoff-tui check\n", (Standing.OK, Standing.MISSING)),
    ],
)
def test_manager_is_asked_what_it_was_told(
    builder: RepositoryBuilder, hook: str, file: str, text: str, expected: tuple[Standing, Standing]
) -> None:
    """The file of pre-commit, lefthook or husky says at which hook the checks run."""
    for name in HookName:
        write_hook(builder, f"#!/bin/sh\n{hook}\n", name=name.value)
    builder.write(file, text)
    found = examine(builder)
    assert (found["hook-pre-commit"].standing, found["hook-pre-push"].standing) == expected


def test_hooks_path_elsewhere_is_a_bypass(builder: RepositoryBuilder, isolated_user: Path, tmp_path: Path) -> None:
    """Installed hooks are not run when git is sent elsewhere; who sent it decides what mends it."""
    install_hooks(builder.folder, HookName)
    builder.config("core.hooksPath", "planted")
    found = examine(builder)
    assert found["hooks-path"].standing is Standing.MISSING
    assert str(found["hooks-path"].evidence[0]).startswith(".git/config:")
    assert found["hooks-path"].commands[0] == "git config --local --unset-all core.hooksPath"
    assert found["hook-pre-commit"].standing is Standing.MISSING
    builder.step("config", "--unset", "core.hooksPath")
    (isolated_user / "gitconfig").write_text(f"[core]\n\thooksPath = {tmp_path / 'shared'}\n")
    assert examine(builder)["hooks-path"].commands == ("handoff-tui hooks install --shared",)
    install_hooks(builder.folder, HookName, shared=True)
    assert {diagnosis.standing for diagnosis in examine(builder).values()} == {Standing.OK}


def test_hooks_in_the_tree_are_wired_but_not_beyond_doubt(builder: RepositoryBuilder) -> None:
    """Whoever can change the tree can change them."""
    builder.config("core.hooksPath", ".hooks")
    for name in HookName:
        builder.write(f".hooks/{name.value}", "#!/bin/sh\nhandoff-tui check --pre\n")
        builder.place(f".hooks/{name.value}").chmod(0o755)
    found = examine(builder)
    assert found["hook-pre-commit"].standing is Standing.OK
    assert found["hooks-path"].standing is Standing.UNKNOWN


def test_program_behind_the_hooks_is_looked_up(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not there, of unknown version, of another, of the same: nothing of it is run."""
    python = tmp_path / "other" / "bin" / "python3"
    write_hook(builder, render_hook(HookName.PRE_COMMIT, str(python), __version__))
    monkeypatch.setattr(doctor_hooks, "find_on_path", lambda: None)
    assert examine(builder)["hook-program"].standing is Standing.MISSING
    monkeypatch.setattr(doctor_hooks, "find_on_path", lambda: "/usr/bin/handoff-tui")
    assert examine(builder)["hook-program"].standing is Standing.UNKNOWN
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\n: >{tmp_path}/canary\n")
    python.chmod(0o755)
    assert examine(builder)["hook-program"].standing is Standing.UNKNOWN
    packages = tmp_path / "other" / "lib" / "python3.12" / "site-packages"
    (packages / "handoff_tui-0.0.1.dist-info").mkdir(parents=True)
    assert examine(builder)["hook-program"].standing is Standing.MISSING
    (packages / "handoff_tui-0.0.1.dist-info").rename(packages / f"handoff_tui-{__version__}.dist-info")
    assert examine(builder)["hook-program"].standing is Standing.OK
    assert not (tmp_path / "canary").exists()


def test_program_inside_the_repository_is_not_beyond_doubt(
    builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said, and does not count against the wiring: a development environment is often there."""
    python = str(builder.folder / ".venv/bin/python3")
    monkeypatch.setattr(doctor_hooks, "find_python", lambda: python)
    write_hook(builder, render_hook(HookName.PRE_COMMIT, python, __version__))
    diagnosis = examine(builder)["hook-program"]
    assert (diagnosis.standing, diagnosis.counts) == (Standing.UNKNOWN, False)


def test_linked_worktree_shows_the_shared_hooks(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """By their whole path, since they are outside of it."""
    builder.write("a").commit()
    linked = builder.worktree(tmp_path / "linked", "side")
    install_hooks(linked.folder, HookName)
    found = examine(linked)
    assert found["hook-pre-commit"].standing is Standing.OK
    assert found["hook-pre-commit"].evidence[0].path == str(builder.folder / ".git/hooks/pre-commit")


def test_hook_texts_are_read_with_the_earlier_ones(builder: RepositoryBuilder) -> None:
    """What ours runs first is read, too."""
    write_hook(builder, "#!/bin/sh\necho earlier\n")
    install_hooks(builder.folder, HookName)
    found = read_hook_texts(open_repository(builder.folder))
    assert "echo earlier" in found[".git/hooks/pre-commit.before-handoff-tui"]
    assert set(found) == {
        ".git/hooks/pre-commit",
        ".git/hooks/pre-commit.before-handoff-tui",
        ".git/hooks/pre-push",
    }
