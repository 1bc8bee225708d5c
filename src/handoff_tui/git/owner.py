"""The single owner of a GitPython `Repo`.

One `git.Repo` used by several threads returns wrong data, so one thread owns it and the others ask. Only its command
wrapper is used, with the words and the environment of git/command.py; never its model of trees, index and diffs.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self, TypeVar

from handoff_tui.core.errors import RepositoryError
from handoff_tui.git.command import TIMEOUT_SECONDS, GitAnswer, build_start_error, build_timeout_error
from handoff_tui.git.hardening import TRUSTED_SCOPES, parse_config_list
from handoff_tui.git.repository import Repository
from handoff_tui.system.clock import read_monotonic
from handoff_tui.system.processes.search_path import build_search_path

if TYPE_CHECKING:
    import git as gitpython

_QUIET_IMPORT = {"GIT_PYTHON_GIT_EXECUTABLE": os.devnull, "GIT_PYTHON_REFRESH": "quiet"}
"""When imported, GitPython runs git in the surrounding environment; so it finds none, and does not mind."""

_Result = TypeVar("_Result")


class Identity(NamedTuple):
    """Who works here, as the user's own configuration says; what the repository says of it is not believed."""

    name: str | None
    email: str | None


class RepoOwner:
    """Owns one `git.Repo` on one thread, opened at the first question and closed with `close`."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="repo-owner")
        self._repo: gitpython.Repo | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def run(self, *arguments: str) -> bytes:
        """The output of a git command; an error exit is raised."""
        answer = self._ask_owner(lambda: self._execute(*arguments))
        if not answer.ok:
            raise answer.to_error(arguments[0])
        return answer.stdout

    def read_identity(self) -> Identity:
        """The user's name and address from system and global scope."""
        lines = parse_config_list(self.run("config", "--show-scope", "--list", "-z", "--includes"))
        trusted = {key: value for scope, key, value in lines if scope in TRUSTED_SCOPES}
        return Identity(trusted.get("user.name"), trusted.get("user.email"))

    def close(self) -> None:
        """Closes the Repo on its own thread, then ends the thread; a second call does nothing."""
        try:
            self._executor.submit(self._release)
        except RuntimeError:
            return  # closed before
        self._executor.shutdown(wait=True)

    def _ask_owner(self, task: Callable[[], _Result]) -> _Result:
        try:
            future = self._executor.submit(task)
        except RuntimeError as closed:
            raise RepositoryError(
                f"the repository {self._repository.root} was closed", "Open it again before asking it."
            ) from closed
        return future.result()

    def _execute(self, *arguments: str) -> GitAnswer:
        repo = self._open()
        begun = read_monotonic()
        with self._repository.git.prepare(*arguments) as (argv, environment):
            try:
                code, stdout, stderr = repo.git.execute(
                    _drop_surroundings(environment) + argv,
                    with_extended_output=True,
                    with_exceptions=False,
                    stdout_as_string=False,
                    strip_newline_in_stdout=False,
                    kill_after_timeout=TIMEOUT_SECONDS,
                    shell=False,
                    env=environment,
                    start_new_session=True,
                )
            except (OSError, UnicodeEncodeError) as refused:
                raise build_start_error(arguments[0], refused) from refused
        # GitPython ends a late git and says so afterwards: by then it may have been answered for already
        if code < 0 and (stderr.startswith("Timeout: ") or read_monotonic() - begun >= TIMEOUT_SECONDS):
            raise build_timeout_error(arguments[0])
        return GitAnswer(code, stdout, stderr)

    def _open(self) -> gitpython.Repo:
        if self._repo is None:
            self._repo = _open_repo(self._repository)
        return self._repo

    def _release(self) -> None:
        if self._repo is not None:
            self._repo.close()
            self._repo = None


def _open_repo(repository: Repository) -> gitpython.Repo:
    before = {name: os.environ.get(name) for name in _QUIET_IMPORT}
    os.environ.update(_QUIET_IMPORT)
    try:
        import git as gitpython  # noqa: PLC0415  only who owns a Repo pays for the import
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
    try:
        return gitpython.Repo(repository.root, expand_vars=False)
    except (gitpython.GitError, OSError, ValueError) as refused:
        raise RepositoryError(
            f"{repository.root} cannot be opened: {refused}", "Run git status there to see what is wrong."
        ) from refused


def _drop_surroundings(environment: dict[str, str]) -> list[str]:
    """GitPython adds to the surrounding environment and cannot take away from it; `env -u` can."""
    unwanted = sorted(name for name in os.environ if name not in environment)
    if not unwanted:
        return []
    program = shutil.which("env", path=build_search_path())
    if program is None:
        raise RepositoryError(f"{unwanted[0]} is set and cannot be dropped", f"Unset it: unset {' '.join(unwanted)}")
    return [program, *(word for name in unwanted for word in ("-u", name))]
