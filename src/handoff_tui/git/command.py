"""The only way to git: every git call of the program goes through `Git.prepare`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import GitError, ObjectMissingError, RepositoryError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.hardening import (
    ConfigLine,
    build_environment,
    build_overrides,
    parse_config_list,
    parse_config_origins,
    refuse_special_files_below,
)
from handoff_tui.system.processes.child import Child
from handoff_tui.system.processes.programs import find_executable

_SHARED = "sharedindex."
_COPIED = ("HEAD", "index", "config.worktree", f"{_SHARED}*")


TIMEOUT_SECONDS = 120
_SILENT_SECONDS = 2
"""After this long, the program checks why git doesn't answer."""
_PIPE_BYTES = 32 * 1024
"""This much can be written to a pipe at once, whether git reads it or not."""

_DIFFING = frozenset({"diff", "diff-files", "diff-index", "diff-tree", "log", "show"})
_DIFFS_STAY_INSIDE = ("--no-ext-diff", "--no-textconv", "--no-color")
"""An overridden driver is empty, not absent; with this setting, git compares the files themselves."""
_WITHOUT_PATTERNS = frozenset({"check-ignore", "rev-list"})
"""The first takes names as they are, and refuses to be told so; the second is told with each name what it is."""

_FOR_ONE_CALL = frozenset({
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_ATTR_NOSYSTEM", "GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
    *("GIT_OPTIONAL_LOCKS", "GIT_ALLOW_PROTOCOL", "GIT_SSH_COMMAND"),
})  # fmt: skip
"""Where a call reads and writes, and how a fetch reaches the user's own address; none adds configuration."""

_MISSING = compile_later(r"(?:[Cc]ould not (?:read|fetch)|unable to read tree) \(?([0-9a-f]{40,64})\b")
"""The messages that name an object git needs and doesn't have."""
_HINTS = (
    (r"promisor", "This clone is partial, and was made without it: git fetch --refetch --no-filter brings everything."),
    (
        r"index file|index uses|bad (?:index|signature)|sharedindex",
        "The index is damaged: move .git/index aside, run git reset.",
    ),
    (
        r"bad object|missing|unable to read|corrupt|invalid object|bad tree|[Cc]ould not (?:parse|get|read)|broken",
        "Objects are missing or damaged: git fsck says which; git fetch --refetch may bring them back.",
    ),
    (r"bad (?:config|numeric|boolean)|config", "Repair .git/config; the message names the line."),
    (r"filter", "A filter of your own failed; a filter setting of the same name in .git/config can be why."),
)
_IS_ADVICE = compile_later(r"(?:\x1b\[[0-9;]*m)?(?:hint|warning): ")
_GENERAL_HINT = "Run git status in the repository to see what is wrong."


class GitAnswer(NamedTuple):
    """The answer of a git command."""

    code: int
    stdout: bytes
    stderr: str

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def text(self) -> str:
        return os.fsdecode(self.stdout).strip()

    @property
    def complaint(self) -> str:
        """The line of the error output that says what was wrong."""
        if self.code < 0:
            return f"it was ended by signal {-self.code}"
        lines = [line for line in self.stderr.splitlines() if line.strip() and not _IS_ADVICE.match(line)]
        for beginning in ("fatal: ", "error: ", ""):
            for line, following in zip(lines, [*lines[1:], ""], strict=False):
                if line.startswith(beginning):
                    told = line.removeprefix(beginning)
                    return f"{told} {following.strip()}" if told.endswith(":") else told
        return f"exit code {self.code}, and no reason given"

    def to_error(self, command: str) -> GitError:
        hint = next((hint for words, hint in _HINTS if re.search(words, self.stderr)), _GENERAL_HINT)
        missing = _MISSING.search(self.stderr)
        if missing is not None:
            said = f"git {command} failed: {self.complaint}"
            return ObjectMissingError(f"the object {missing[1]} is not in this repository; {said}", hint)
        return GitError(f"git {command} failed: {self.complaint}", hint)


class Git:
    """Hardened git on one folder. `overrides` undo what the repository's configuration would execute."""

    def __init__(
        self,
        folder: Path,
        overrides: tuple[tuple[str, str], ...] = (),
        git_dir: Path | None = None,
        common_dir: Path | None = None,
    ) -> None:
        self.folder = folder
        self.overrides = overrides
        self.git_dir = git_dir
        self.common_dir = common_dir
        self._environment: dict[str, str] = {}
        self._config: list[ConfigLine] | None = None

    def __repr__(self) -> str:
        """Leaves the environment out: it may hold the user's secrets, and tracebacks are shared."""
        return f"Git({self.folder!r}, overrides={self.overrides!r})"

    @classmethod
    def open(cls, folder: Path, git_dir: Path | None = None, common_dir: Path | None = None) -> Self:
        """Reads the repository's configuration and disarms it.

        Anything planted later isn't disarmed: open again each time before reading.
        """
        config = list_settled_config(Git(folder))
        opened = cls(folder, build_overrides(config), git_dir, common_dir)
        opened._config = config
        return opened

    def list_config(self) -> list[ConfigLine]:
        """Returns the configuration of all scopes: as of when this was opened, or as of now if it never was."""
        if self._config is not None:
            return self._config
        listing = self.run("config", "--show-scope", "--list", "-z", "--includes")
        if not listing.ok:
            raise build_config_error(self, listing)
        return parse_config_list(listing.stdout)

    def write_user_setting(self, key: str, value: str) -> None:
        """Sets a key in the user's own configuration."""
        self.read("config", "--global", key, value)
        self._config = None

    def argv(self, *arguments: str) -> list[str]:
        command, *rest = arguments
        kept_inside = _DIFFS_STAY_INSIDE if command in _DIFFING else ()
        literal = () if command in _WITHOUT_PATTERNS else ("--literal-pathspecs",)
        return [
            find_git(),
            *("-C", str(self.folder), "--no-pager", "--no-replace-objects", *literal),
            *(command, *kept_inside, *rest),
        ]

    def environment(self) -> dict[str, str]:
        if not self._environment:
            self._environment = build_environment(self.overrides)
        return self._environment

    @contextmanager
    def prepare(
        self, *arguments: str, extra: Mapping[str, str] | None = None
    ) -> Iterator[tuple[list[str], dict[str, str]]]:
        """Returns the arguments and the environment of one call; every start of git takes both from here.

        `extra` are variables of this call only, such as a private index or object folder; they win.
        """
        if any("\0" in argument for argument in arguments):
            raise GitError(f"git {arguments[0]} cannot be asked about a name with a NUL character")
        if extra and not _FOR_ONE_CALL.issuperset(extra):
            raise GitError(f"git {arguments[0]} cannot be given {', '.join(sorted(extra.keys() - _FOR_ONE_CALL))}")
        with spare_shared_index(self.folder, self.git_dir, self.common_dir) as index:
            yield self.argv(*arguments), {**self.environment(), **index, **(extra or {})}

    def run(self, *arguments: str, stdin: bytes = b"", extra: Mapping[str, str] | None = None) -> GitAnswer:
        """Runs git and returns its answer, whatever its exit code."""
        with self.prepare(*arguments, extra=extra) as (argv, environment):
            try:
                return _start(argv, environment, stdin, self.folder)
            except TimeoutError as late:
                raise build_timeout_error(arguments[0]) from late
            except (OSError, UnicodeEncodeError) as refused:
                raise build_start_error(arguments[0], refused) from refused

    def read(self, *arguments: str, stdin: bytes = b"", extra: Mapping[str, str] | None = None) -> bytes:
        """Runs git and returns its output; raises an error if git fails."""
        answer = self.run(*arguments, stdin=stdin, extra=extra)
        if not answer.ok:
            raise answer.to_error(arguments[0])
        return answer.stdout


_BRINGS_FILES = ("include.", "includeif.", "extensions.worktreeconfig")
"""Settings that make git read files which need not be there yet."""
_HOMES = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_LARGEST_CONFIG = 1 << 20
_configs: dict[tuple[str | None, ...], tuple[dict[str, bytes | None], list[ConfigLine]]] = {}
"""Configurations, each with the content of the files that git read it from; None for a file that was not there."""


def list_settled_config(git: Git) -> list[ConfigLine]:
    """Returns the configuration as of now; asks git only if one of its files isn't as it was when git last read it."""
    key = (str(git.folder), *(os.environ.get(name) for name in _HOMES))
    contents, lines = _configs.get(key, ({}, []))
    if contents and _read_all(contents) == contents:
        return lines
    before = _read_all([*_list_usual_files(), f"{git.folder}/.git/config", *contents])
    listing = git.run("config", "--show-scope", "--show-origin", "--list", "-z", "--includes")
    if not listing.ok:
        raise build_config_error(git, listing)
    lines, places = parse_config_origins(listing.stdout)
    named = {os.path.join(git.folder, place) for place in places}  # noqa: PTH118 - absolute ones stay as they are
    new = named.difference(before)  # nobody knows their content at the time; next time they are read before
    brings_more = any(name.lower().startswith(_BRINGS_FILES) for _, name, _ in lines)
    is_settled = not brings_more and before == _read_all(before)
    _configs[key] = (before | dict.fromkeys(new, _build_unknown()) if is_settled else {}, lines)
    return lines


def _read_all(places: Iterable[str]) -> dict[str, bytes | None]:
    return {place: _read_config_file(place) for place in places}


def _read_config_file(place: str) -> bytes | None:
    try:
        # not blocking: a named pipe in its place would hold us forever
        descriptor = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(descriptor, "rb") as file:  # noqa: PTH123 - opened by its descriptor
        content = file.read(_LARGEST_CONFIG)
    return content if len(content) < _LARGEST_CONFIG else _build_unknown()


def _build_unknown() -> bytes:
    """Stands for a content that equals no other."""
    return os.urandom(16)


def _list_usual_files() -> list[str]:
    home = os.environ.get("HOME", "")
    folder = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    named = [os.environ.get(name) for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")]
    return ["/etc/gitconfig", f"{home}/.gitconfig", f"{folder}/git/config", *filter(None, named)]


def mark_file(place: str) -> tuple[int, ...] | None:
    """Nobody can set back the time of a file's last change."""
    try:
        status = os.stat(place)  # noqa: PTH116 - asked before most calls of git
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_ctime_ns


def build_config_error(git: Git, listing: GitAnswer) -> GitError:
    return GitError(
        f"git cannot read the configuration of {git.folder}: {listing.complaint}",
        "Repair .git/config, or move it aside and run git init again.",
    )


def build_timeout_error(command: str) -> GitError:
    return GitError(
        f"git {command} did not answer within {TIMEOUT_SECONDS} seconds",
        "Is the repository on a slow or hanging drive, or is a named pipe in the place of a file that git reads?",
    )


def build_start_error(command: str, refused: OSError | UnicodeEncodeError) -> GitError:
    return GitError(
        f"git {command} could not be started: {refused}",
        "If .git/config holds very many or very long filter or alias settings, remove them.",
    )


def find_git() -> str:
    """Returns the absolute path of git; ignores relative folders on PATH, which may be the repository."""
    found = find_executable("git")
    if found is None:
        raise RepositoryError("git is not installed", "Install git 2.31 or newer and try again.")
    return found


def _start(argv: list[str], environment: dict[str, str], stdin: bytes, folder: Path) -> GitAnswer:
    if len(stdin) <= _PIPE_BYTES:
        with Child(argv, environment) as child:
            child.say(stdin)
            return _listen(child, folder)
    import tempfile  # noqa: PLC0415 - few calls have that much to say

    # in a file: it is more than a pipe takes before git reads it
    with tempfile.TemporaryFile(prefix="handoff-tui-") as spooled:
        spooled.write(stdin)
        spooled.seek(0)
        with Child(argv, environment, stdin=spooled.fileno()) as child:
            return _listen(child, folder)


def _listen(child: Child, folder: Path) -> GitAnswer:
    """Returns git's answer. If git is silent for long, checks whether a pipe in place of a file is the reason."""
    if not child.listen(_SILENT_SECONDS):
        refuse_special_files_below(folder)
        if not child.listen(TIMEOUT_SECONDS - _SILENT_SECONDS):
            raise TimeoutError
    stdout, stderr = child.read_output()
    return GitAnswer(child.wait(), stdout, stderr.decode("utf-8", "replace"))


@contextmanager
def spare_shared_index(work_tree: Path, git_dir: Path | None, common_dir: Path | None) -> Iterator[dict[str, str]]:
    """Returns the environment that makes git read the copy; empty if nothing is shared."""
    if git_dir is None or common_dir is None or not any(name.startswith(_SHARED) for name in _list_names(git_dir)):
        yield {}
        return
    import tempfile  # noqa: PLC0415 - few repositories have a split index, and every run would pay for it

    with tempfile.TemporaryDirectory(prefix="handoff-tui-") as folder:
        try:
            _copy_index(git_dir, Path(folder))
        except OSError as refused:
            raise RepositoryError(
                f"the split index of {work_tree} cannot be read: {refused}",
                "Run git update-index --no-split-index there.",
            ) from refused
        (Path(folder) / "commondir").write_bytes(os.fsencode(common_dir) + b"\n")
        yield {"GIT_DIR": folder, "GIT_WORK_TREE": str(work_tree)}


def _list_names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - asked before every call of git
    except OSError:
        return []


def _copy_index(git_dir: Path, folder: Path) -> None:
    import shutil  # noqa: PLC0415

    for pattern in _COPIED:
        for original in git_dir.glob(pattern):
            # an old repository's HEAD is a link whose target is the name of the branch
            follow = original.name != "HEAD"
            times = original.stat(follow_symlinks=follow)
            shutil.copyfile(original, folder / original.name, follow_symlinks=follow)
            # by this time git knows which files may have changed right after it looked; a later one hides that
            os.utime(folder / original.name, ns=(times.st_atime_ns, times.st_mtime_ns), follow_symlinks=follow)
