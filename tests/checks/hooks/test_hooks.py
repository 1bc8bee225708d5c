"""What is done to the hooks, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from handoff_tui.checks.hooks import hooks
from handoff_tui.checks.hooks.hook import HookDeed, HookName, HookReport
from handoff_tui.checks.hooks.hooks import install_hooks, uninstall_hooks
from handoff_tui.core.errors import HookError
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.repositories import RepositoryBuilder

BOTH = tuple(HookName)
PRE_COMMIT = (HookName.PRE_COMMIT,)
OTHERS = b"#!/bin/sh\nexit 0\n"


@pytest.fixture(autouse=True)
def python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether this Python has the program is not what is tested here."""
    monkeypatch.setattr(hooks, "can_import_alone", lambda _: True)


def deeds(report: HookReport) -> list[HookDeed]:
    return [step.deed for step in report.steps]


def write_hook(builder: RepositoryBuilder, content: bytes = OTHERS, name: str = "pre-commit") -> Path:
    builder.write(f".git/hooks/{name}", content)
    builder.place(f".git/hooks/{name}").chmod(0o755)
    return builder.place(f".git/hooks/{name}")


def test_deeds_follow_what_is_there(builder: RepositoryBuilder) -> None:
    """Chain, install, nothing, renew; then restore, remove, nothing."""
    place = write_hook(builder)
    assert deeds(install_hooks(builder.folder, BOTH)) == [HookDeed.CHAIN, HookDeed.INSTALL]
    assert deeds(install_hooks(builder.folder, BOTH)) == [HookDeed.NOTHING, HookDeed.NOTHING]
    place.chmod(0o644)
    assert deeds(install_hooks(builder.folder, BOTH)) == [HookDeed.RENEW, HookDeed.NOTHING]
    assert deeds(uninstall_hooks(builder.folder, BOTH)) == [HookDeed.RESTORE, HookDeed.REMOVE]
    assert place.read_bytes() == OTHERS
    assert deeds(uninstall_hooks(builder.folder, BOTH)) == [HookDeed.NOTHING, HookDeed.NOTHING]


def test_only_the_named_hook_is_touched(builder: RepositoryBuilder) -> None:
    """The other is not even looked at."""
    write_hook(builder, name="pre-push")
    install_hooks(builder.folder, PRE_COMMIT)
    assert sorted(entry.name for entry in (builder.folder / ".git/hooks").iterdir()) == ["pre-commit", "pre-push"]


def test_hook_of_another_python_is_renewed(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a move of the environment, or an update, ours is written anew and the earlier one stays kept."""
    write_hook(builder)
    monkeypatch.setattr(hooks, "find_python", lambda: "/gone/python3")
    install_hooks(builder.folder, PRE_COMMIT)
    monkeypatch.setattr(hooks, "find_python", lambda: "/new/python3")
    report = install_hooks(builder.folder, PRE_COMMIT)
    assert deeds(report) == [HookDeed.RENEW]
    assert report.steps[0].earlier is not None
    assert b"python=/new/python3\n" in builder.place(".git/hooks/pre-commit").read_bytes()
    assert Path(report.steps[0].earlier).read_bytes() == OTHERS


def test_kept_hook_of_a_deleted_one_is_chained_or_put_back(builder: RepositoryBuilder) -> None:
    """When somebody deleted ours, the earlier one is still not lost."""
    place = write_hook(builder)
    install_hooks(builder.folder, PRE_COMMIT)
    place.unlink()
    assert deeds(install_hooks(builder.folder, PRE_COMMIT)) == [HookDeed.INSTALL]
    place.unlink()
    assert deeds(uninstall_hooks(builder.folder, PRE_COMMIT)) == [HookDeed.RESTORE]
    assert place.read_bytes() == OTHERS


def _edit(builder: RepositoryBuilder) -> None:
    place = builder.place(".git/hooks/pre-commit")
    place.write_bytes(place.read_bytes() + b"# more\n")


def _replace(builder: RepositoryBuilder) -> None:
    write_hook(builder, b"#!/bin/sh\nexit 1\n")


def _block(builder: RepositoryBuilder) -> None:
    builder.place(".git/hooks/pre-commit").unlink()
    builder.place(".git/hooks/pre-commit").mkdir()


@pytest.mark.parametrize("work", [install_hooks, uninstall_hooks])
@pytest.mark.parametrize(
    ("change", "words", "hint"),
    [
        (_edit, "somebody changed it", "mv "),
        (_replace, "isn't ours, and .*before-handoff-tui is", "rm "),
        (_block, "isn't a readable file", "ls -l "),
    ],
)
def test_doubtful_hook_is_refused_and_nothing_is_touched(
    builder: RepositoryBuilder,
    work: Callable[..., HookReport],
    change: Callable[[RepositoryBuilder], None],
    words: str,
    hint: str,
) -> None:
    """With what to do about it; the other hook, which could be done, is left alone, too."""
    write_hook(builder)
    install_hooks(builder.folder, BOTH)
    builder.place(".git/hooks/pre-push").chmod(0o600)
    change(builder)
    before = read_fingerprint(builder.folder)
    with pytest.raises(HookError, match=words) as refused:
        work(builder.folder, BOTH)
    assert hint in refused.value.hint
    assert compare_fingerprints(before, read_fingerprint(builder.folder)) == []


@pytest.mark.parametrize("scope", ["local", "worktree"])
def test_hooks_path_of_the_repository_is_refused(builder: RepositoryBuilder, scope: str) -> None:
    """Even with --shared: an agent could have planted it."""
    builder.config("extensions.worktreeConfig", "true").step("config", f"--{scope}", "core.hooksPath", ".husky/_")
    for shared in (False, True):
        with pytest.raises(HookError, match=r"own core\.hooksPath") as refused:
            install_hooks(builder.folder, BOTH, shared=shared)
        assert f"git config --{scope} --unset-all core.hooksPath" in refused.value.hint
    with pytest.raises(HookError, match=r"own core\.hooksPath"):
        uninstall_hooks(builder.folder, BOTH, shared=True)
    assert not builder.place(".husky").exists()


def test_own_hooks_come_off_although_git_looks_elsewhere(builder: RepositoryBuilder) -> None:
    """What was installed before the setting was planted is still found."""
    install_hooks(builder.folder, BOTH)
    builder.config("core.hooksPath", "elsewhere")
    assert deeds(uninstall_hooks(builder.folder, BOTH)) == [HookDeed.REMOVE, HookDeed.REMOVE]


def test_shared_folder_of_the_user_needs_consent(
    builder: RepositoryBuilder, isolated_user: Path, tmp_path: Path
) -> None:
    """Without --shared nothing is written there; with it, hooks go there and come off there."""
    shared = tmp_path / "shared hooks"
    (isolated_user / "gitconfig").write_text(f'[core]\n\thooksPath = "{shared}"\n')
    with pytest.raises(HookError, match="for every repository") as refused:
        install_hooks(builder.folder, BOTH)
    assert "--shared" in refused.value.hint
    assert not shared.exists()
    report = install_hooks(builder.folder, BOTH, shared=True)
    assert (report.shared, report.folder) == (True, str(shared))
    assert sorted(entry.name for entry in shared.iterdir()) == ["pre-commit", "pre-push"]
    assert deeds(uninstall_hooks(builder.folder, BOTH)) == [HookDeed.NOTHING, HookDeed.NOTHING]
    assert deeds(uninstall_hooks(builder.folder, BOTH, shared=True)) == [HookDeed.REMOVE, HookDeed.REMOVE]


def test_linked_hooks_folder_needs_consent(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A link may lead to anybody's folder."""
    (tmp_path / "anybody").mkdir()
    builder.link(".git/hooks", tmp_path / "anybody")
    for work in (install_hooks, uninstall_hooks):
        with pytest.raises(HookError, match="is a link to"):
            work(builder.folder, BOTH)
    assert install_hooks(builder.folder, BOTH, shared=True).shared
    assert (tmp_path / "anybody" / "pre-commit").exists()


def test_python_that_hooks_cannot_use_is_refused(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that needs PYTHONPATH would block every commit; one with a newline in its path cannot be named."""
    monkeypatch.setattr(hooks, "can_import_alone", lambda _: False)
    with pytest.raises(HookError, match="only through PYTHONPATH"):
        install_hooks(builder.folder, BOTH)
    monkeypatch.setattr(hooks, "find_python", lambda: "/a\nb/python3")
    with pytest.raises(HookError, match="can't call"):
        install_hooks(builder.folder, BOTH)
    assert not builder.place(".git/hooks").exists()


def test_python_inside_the_repository_is_noted(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever can write the repository could replace it."""
    monkeypatch.setattr(hooks, "find_python", lambda: str(builder.folder / ".venv/bin/python3"))
    [note] = install_hooks(builder.folder, BOTH, dry_run=True).notes
    assert "inside the repository" in note
