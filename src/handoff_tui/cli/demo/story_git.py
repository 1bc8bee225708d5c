"""Git for building the sample repository: nothing of this machine's configuration, hooks or clock reaches it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import DemoError
from handoff_tui.git.command import find_git

if TYPE_CHECKING:
    import git

_SETTINGS = (
    ("commit.gpgSign", "false"),
    ("core.attributesFile", os.devnull),
    ("core.autocrlf", "false"),
    ("core.excludesFile", os.devnull),
    ("core.fileMode", "true"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.symlinks", "true"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("push.gpgSign", "false"),
    ("tag.gpgSign", "false"),
)
_INIT = ("--quiet", "--object-format=sha1")
_KEPT_VARIABLES = ("GIT_EXEC_PATH", "GIT_PYTHON_")
"""Where git itself is; every other GIT_ variable is about another repository, or about this machine's preferences."""


class Authorship(NamedTuple):
    """Who did it and when, as git stores it."""

    author_name: str
    author_email: str
    committer_name: str
    committer_email: str
    date: datetime

    def environment(self) -> dict[str, str]:
        stamp = f"@{int(self.date.timestamp())} {self.date:%z}"
        return {
            "GIT_AUTHOR_NAME": self.author_name,
            "GIT_AUTHOR_EMAIL": self.author_email,
            "GIT_AUTHOR_DATE": stamp,
            "GIT_COMMITTER_NAME": self.committer_name,
            "GIT_COMMITTER_EMAIL": self.committer_email,
            "GIT_COMMITTER_DATE": stamp,
        }


class StoryGit:
    """One repository under construction. `scratch` is a folder outside it for texts handed to git as files."""

    def __init__(self, runner: git.Git, scratch: Path) -> None:
        self._run = runner
        self._scratch = scratch

    def commit(self, message: str, signature: Authorship, executable: tuple[str, ...]) -> str:
        """Commits the whole work tree and returns the commit's id."""
        self._run.add("--all", "--force", "--", ".")
        if executable:
            self._run.update_index("--chmod=+x", "--", *executable)
        self._run.commit(
            "--allow-empty",
            "--cleanup=verbatim",
            "--no-gpg-sign",
            "--no-verify",
            "--quiet",
            "--file",
            self._write_text(message.strip() + "\n"),
            env=signature.environment(),
        )
        return str(self._run.rev_parse("HEAD"))

    def add_note(self, ref: str, content: bytes, commit: str, signature: Authorship) -> None:
        place = self._scratch / "note"
        place.write_bytes(content)
        blob = self._run.hash_object("-w", "--no-filters", "--", str(place))
        # -C takes the blob as it is; a message would be tidied, by rules that differ between versions
        self._run.notes(f"--ref={ref}", "add", "-C", blob, commit, env=signature.environment())

    def add_tag(self, name: str, message: str | None, commit: str, signature: Authorship) -> None:
        if message is None:
            self._run.tag(name, commit)
            return
        text = self._write_text(message.strip() + "\n")
        options = ("--annotate", "--no-sign", "--cleanup=verbatim", "--file", text)
        self._run.tag(*options, name, commit, env=signature.environment())

    def set_ref(self, ref: str, commit: str) -> None:
        self._run.update_ref(ref, commit)

    def push(self, branch: str, signature: Authorship) -> None:
        self._run.push("--quiet", "--set-upstream", "--tags", "origin", branch, env=signature.environment())

    def refresh_index(self) -> None:
        """Records the files' times, so that a first look at the repository need not read them all again."""
        self._run.update_index("-q", "--refresh", with_exceptions=False)

    def _write_text(self, text: str) -> str:
        """Texts go through files: an argument would be encoded by this machine's locale."""
        place = self._scratch / "message"
        place.write_bytes(text.encode())
        return str(place)


@contextmanager
def open_story_git(work_tree: Path, remote: Path, scratch: Path, branch: str) -> Iterator[StoryGit]:
    """Makes an empty repository beside an empty bare remote, and hands out git on it."""
    find_git()
    with _without_git_variables():
        import git  # noqa: PLC0415 - it starts git when imported; only `demo` needs it

        try:
            _open_runner(git.Git(), remote, remote, scratch).init(*_INIT, f"--initial-branch={branch}", "--bare")
            runner = _open_runner(git.Git(), work_tree, work_tree / ".git", scratch)
            runner.init(*_INIT, f"--initial-branch={branch}")
            runner.config("core.autocrlf", "false")
            runner.remote("add", "origin", os.path.relpath(remote, work_tree))
            yield StoryGit(runner, scratch)
        except git.GitCommandError as failed:
            raise DemoError(
                f"git failed while the sample repository was built: {_shorten(failed)}",
                "git 2.31 or newer is needed; see git --version.",
            ) from failed


@contextmanager
def check_out_copy(repository: Path, commit: str) -> Iterator[Path]:
    """A second repository with the same objects, its work tree as it was at a commit; it is gone afterwards."""
    with _without_git_variables(), tempfile.TemporaryDirectory(prefix="handoff-tui-demo-") as temporary:
        import git  # noqa: PLC0415 - as above

        scratch, copy = Path(temporary), Path(temporary).resolve() / repository.name
        copy.mkdir()
        runner = _open_runner(git.Git(), copy, copy / ".git", scratch)
        try:
            runner.init(*_INIT)
            alternates = copy / ".git" / "objects" / "info" / "alternates"
            alternates.write_bytes(os.fsencode(repository / ".git" / "objects") + b"\n")
            runner.update_ref("--no-deref", "HEAD", commit)
            runner.reset("--quiet", "--hard", commit)
        except git.GitCommandError as failed:
            raise DemoError(f"git failed while the sample log was written: {_shorten(failed)}") from failed
        yield copy


def _open_runner(runner: git.Git, folder: Path, git_dir: Path, home: Path) -> git.Git:
    """Ties a runner to one folder by -C and GIT_DIR.

    GitPython's own working folder will not do: it expands `$` in the path, and where that leads nowhere it runs git
    in the current folder, which may be somebody's repository.
    """
    runner.set_persistent_git_options(C=str(folder))
    runner.update_environment(**_build_environment(home), GIT_DIR=str(git_dir))
    return runner


def _shorten(failed: git.GitCommandError) -> str:
    words = str(failed.stderr).strip().removeprefix("stderr:").strip(" '\n")
    return words or f"exit code {failed.status}"


def _build_environment(home: Path) -> dict[str, str]:
    environment = {
        "GIT_ALLOW_PROTOCOL": "file",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_COUNT": str(len(_SETTINGS)),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_DEFAULT_REF_FORMAT": "files",
        "GIT_TEMPLATE_DIR": "",  # no templates, so no sample hooks
        "GIT_TERMINAL_PROMPT": "0",
        "HOME": str(home),  # git 2.31 does not know GIT_CONFIG_GLOBAL
        "LC_ALL": "C",
        "TZ": "UTC",
        "XDG_CONFIG_HOME": str(home),
    }
    for number, (key, value) in enumerate(_SETTINGS):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return environment


@contextmanager
def _without_git_variables() -> Iterator[None]:
    """GitPython hands this process's environment on and can only add to it, so what must not pass is put aside."""
    names = [name for name in os.environ if name.startswith("GIT_") and not name.startswith(_KEPT_VARIABLES)]
    put_aside = {name: os.environ.pop(name) for name in names}
    try:
        yield
    finally:
        os.environ.update(put_aside)
