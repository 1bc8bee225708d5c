"""Repositories whose hooks run: git as a person uses it, and a program that records how it was called."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.checks.hooks import hooks
from handoff_tui.checks.hooks.hook import HookName, HookReport
from tests.support.hostile import write_executable
from tests.support.repositories import RepositoryBuilder, build_git_environment

if TYPE_CHECKING:
    import pytest

_RECORDING = """\
case $* in *'import handoff_tui'*) exit 0 ;; esac
log={log}
echo ours >>"$log/order"
pwd >"$log/folder"
printf '%s\\n' "$@" >"$log/arguments"
cat >"$log/stdin"
exit "$(cat "$log/code")"
"""


def run_git(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Plain git with the hooks that are there."""
    return subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=build_git_environment() | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=200,
    )


def commit(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """An empty commit, so that only a hook can refuse it."""
    return run_git(folder, "commit", "--quiet", "--allow-empty", "--message=a commit", *options)


@dataclass(frozen=True, slots=True)
class RecordingProgram:
    """Stands for the Python that a hook calls; answers with the code it was told."""

    log: Path
    python: str

    def answer(self, code: int) -> None:
        (self.log / "code").write_text(str(code))

    def read(self, name: str) -> str:
        place = self.log / name
        return place.read_text() if place.exists() else ""

    @property
    def order(self) -> list[str]:
        """Who ran, in order."""
        return self.read("order").split()


def build_recording_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> RecordingProgram:
    """What is installed from now on calls this program."""
    log = folder / "the program's log"
    log.mkdir(parents=True)
    quoted = "'" + str(log).replace("'", "'\\''") + "'"
    python = write_executable(folder / 'it\'s a "python" $3', _RECORDING.format(log=quoted))
    program = RecordingProgram(log, str(python))
    program.answer(0)
    monkeypatch.setattr(hooks, "find_python", lambda: program.python)
    monkeypatch.setattr(hooks, "can_import_alone", lambda _: True)
    return program


def install(builder: RepositoryBuilder, *names: HookName) -> HookReport:
    return hooks.install_hooks(builder.folder, names or tuple(HookName))


def uninstall(builder: RepositoryBuilder, *names: HookName) -> HookReport:
    return hooks.uninstall_hooks(builder.folder, names or tuple(HookName))
