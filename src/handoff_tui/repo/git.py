"""The one door to git. Every git call of the program goes through `Git.run`."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from handoff_tui.errors import GitError, RepositoryError
from handoff_tui.repo.hardening import build_environment, build_overrides, parse_config_list

_TIMEOUT_SECONDS = 120


@dataclass(frozen=True, slots=True)
class GitAnswer:
    """What a git command said."""

    code: int
    stdout: bytes
    stderr: str

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def text(self) -> str:
        return self.stdout.decode("utf-8", "surrogateescape").strip()


@dataclass(slots=True)
class Git:
    """Hardened git on one folder. `overrides` undo what the repository's configuration would execute."""

    folder: Path
    overrides: tuple[tuple[str, str], ...] = ()
    _environment: dict[str, str] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path) -> Git:
        """A door that has looked at the repository's configuration and disarmed it."""
        listing = cls(folder).run("config", "--show-scope", "--list", "-z", "--includes")
        if not listing.ok:
            raise GitError(
                f"git cannot read the configuration of {folder}: {listing.stderr.strip()}",
                "Repair .git/config, or move it aside and run git init again.",
            )
        return cls(folder, build_overrides(parse_config_list(listing.stdout)))

    def argv(self, *arguments: str) -> list[str]:
        return [find_git(), "-C", str(self.folder), "--no-replace-objects", "--literal-pathspecs", *arguments]

    def environment(self) -> dict[str, str]:
        if not self._environment:
            self._environment = build_environment(self.overrides)
        return self._environment

    def run(self, *arguments: str, stdin: bytes = b"") -> GitAnswer:
        """Runs git and returns its answer, whatever its exit code."""
        try:
            done = subprocess.run(
                self.argv(*arguments),
                input=stdin,
                capture_output=True,
                env=self.environment(),
                timeout=_TIMEOUT_SECONDS,
                check=False,
                start_new_session=True,
            )
        except subprocess.TimeoutExpired as late:
            raise GitError(
                f"git {arguments[0]} did not answer within {_TIMEOUT_SECONDS} seconds",
                "Is the repository on a slow or hanging network drive?",
            ) from late
        return GitAnswer(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    def read(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Runs git and returns its output; an error exit is raised."""
        answer = self.run(*arguments, stdin=stdin)
        if not answer.ok:
            raise GitError(f"git {arguments[0]} failed: {answer.stderr.strip() or answer.code}")
        return answer.stdout


def find_git() -> str:
    """The absolute path of git, so that a folder named on PATH as `.` cannot offer its own."""
    found = shutil.which("git")
    if found is None:
        raise RepositoryError("git is not installed", "Install git 2.31 or newer and try again.")
    return str(Path(found).absolute())
