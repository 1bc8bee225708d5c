"""One session with a repository: what a command needs more than once is read once, and kept until the session ends.

Each command, and each refresh of the app, opens its own session (`open_repository`). Code that must know what holds
now, such as signing after a person has answered, opens a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from pathlib import Path
from threading import RLock
from typing import TypeVar, cast

from handoff_tui.core.classes import NamedTuple
from handoff_tui.git.command import Git, GitAnswer, mark_file
from handoff_tui.git.objects.reader import ObjectReader

MOST_LISTED = 20_000
"""Listing more commits than this costs more than asking about single ones."""

_Value = TypeVar("_Value")
_HEAD = "HEAD"
_MOST_KEPT = 16
_settled: dict[Hashable, GitAnswer] = {}
"""What git said about given commits and refs, which never changes: kept for all sessions of this process."""


class History(NamedTuple):
    """The newest commits that lead to HEAD, newest first."""

    parents: Mapping[str, tuple[str, ...]]
    trees: Mapping[str, str]
    complete: bool
    """False when there are more than are listed."""

    def list_ancestors(self, commit: str) -> frozenset[str]:
        """Lists a commit of this history and all its ancestors."""
        found = {commit}
        waiting = [commit]
        while waiting:
            new = [parent for parent in self.parents.get(waiting.pop(), ()) if parent not in found]
            found.update(new)
            waiting += new
        return frozenset(found)


class RepositorySession(Git):
    """Hardened git that keeps the configuration, the refs, the history of HEAD and a process that reads objects."""

    def __init__(
        self,
        folder: Path,
        overrides: tuple[tuple[str, str], ...] = (),
        git_dir: Path | None = None,
        common_dir: Path | None = None,
    ) -> None:
        super().__init__(folder, overrides, git_dir, common_dir)
        self._lock = RLock()
        self._answers: dict[Hashable, object] = {}
        self._readers: dict[frozenset[tuple[str, str]], ObjectReader] = {}

    def once(self, key: Hashable, read: Callable[[], _Value]) -> _Value:
        """Returns what `read` returned the first time for this key."""
        with self._lock:
            if key not in self._answers:
                self._answers[key] = read()
            return cast("_Value", self._answers[key])

    def renew(self, key: Hashable, build: Callable[[_Value | None], _Value]) -> _Value:
        """Replaces what is kept for this key by what `build` makes of it; nobody waits meanwhile."""
        value = self._answers[key] = build(cast("_Value | None", self._answers.get(key)))
        return value

    def find_known(self, key: Hashable) -> object:
        """What `once` has kept for this key; None if nothing."""
        return self._answers.get(key)

    def list_known(self, kind: str) -> list[object]:
        """Lists what `once` has kept for keys of two parts that begin so."""
        with self._lock:
            return [value for key, value in self._answers.items() if isinstance(key, tuple) and key[0] == kind]

    def read_objects(self, extra: Mapping[str, str] | None = None) -> ObjectReader:
        """Returns the shared object reader; another one for each set of further object folders."""
        with self._lock:
            key = frozenset((extra or {}).items())
            if key not in self._readers:
                self._readers[key] = ObjectReader(self, extra)
            return self._readers[key]

    def ask_history(self, *words: str) -> GitAnswer:
        """Asks about the history of HEAD: once for each commit that HEAD is, in all sessions of this process."""
        head = self.once(_HEAD, lambda: self.read_objects().describe([_HEAD])[_HEAD])
        if head is None or self.common_dir is None:
            return self.run(*words)
        fixed = tuple(f"{word.removesuffix(_HEAD)}{head.id}" if _is_head(word) else word for word in words)
        return self.ask_settled(mark_file(f"{self.common_dir}/shallow"), *fixed)

    def ask_settled(self, rests_on: Hashable, *words: str) -> GitAnswer:
        """Asks once in this process, if the words and what the answer `rests_on` leave nothing that can change."""
        key = (self.common_dir, rests_on, words)
        answer = _settled.get(key)
        if answer is None:
            answer = self.run(*words)
            if answer.ok and self.common_dir is not None:
                _settled[key] = answer
            while len(_settled) > _MOST_KEPT:
                del _settled[next(iter(_settled))]
        return answer

    def read_history_of(self, *words: str) -> bytes:
        """The same; raises an error if git fails."""
        answer = self.ask_history(*words)
        if not answer.ok:
            raise answer.to_error(words[0])
        return answer.stdout

    def take_over(self, earlier: Git) -> None:
        """Reads objects by the processes of an earlier session: objects never change."""
        if isinstance(earlier, RepositorySession) and earlier.overrides == self.overrides:
            self._readers = earlier._readers  # noqa: SLF001 - its own kind

    def list_refs(self, *, fresh: bool = False) -> bytes:
        """Lists every ref, one line each: the id, and the name. `fresh` asks git again."""
        with self._lock:
            if fresh:
                self._answers.pop("refs", None)
            return self.once("refs", lambda: self.read("for-each-ref", "--format=%(objectname) %(refname)"))

    def read_history(self) -> History:
        """Returns the history of HEAD; empty on an unborn branch."""
        return self.once("history", self._read_history)

    def learn_history(self, parents: Mapping[str, tuple[str, ...]], trees: Iterable[str]) -> None:
        """Takes the whole history of HEAD from whoever has read all of it anyway; the trees are in the same order."""
        self.once("history", lambda: History(parents, dict(zip(parents, trees, strict=True)), complete=True))

    def _read_history(self) -> History:
        words = ("rev-list", "--parents", "--format=%T", f"--max-count={MOST_LISTED}", _HEAD, "--")
        answer = self.ask_history(*words)
        lines = answer.text.split("\n") if answer.ok else []  # `commit <id> <parents>`, then the tree
        commits = [line.split()[1:] for line in lines[::2]]
        return History(
            {commit: tuple(parents) for commit, *parents in commits},
            {commit[0]: tree for commit, tree in zip(commits, lines[1::2], strict=True)},
            complete=len(commits) < MOST_LISTED,
        )


def _is_head(word: str) -> bool:
    return word == _HEAD or word.endswith(f"..{_HEAD}")


def session_of(git: Git) -> RepositorySession:
    """Returns the session behind a git object; a new one, for this use only, for plain git."""
    if isinstance(git, RepositorySession):
        return git
    return RepositorySession(git.folder, git.overrides, git.git_dir, git.common_dir)
