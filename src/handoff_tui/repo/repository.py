"""Opening a repository, and what git says about it now."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from handoff_tui.errors import RepositoryError
from handoff_tui.models.review_state import RepositoryFacts
from handoff_tui.repo.git import Git

_ASKED = (
    "--is-bare-repository",
    "--is-shallow-repository",
    "--show-object-format",
    "--absolute-git-dir",
    "--git-common-dir",
    "--show-toplevel",
)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository with a work tree, opened for looking."""

    root: Path
    git_dir: Path
    common_dir: Path
    git: Git
    shallow: bool
    object_format: str

    @property
    def linked_worktree(self) -> bool:
        return self.git_dir != self.common_dir


def open_repository(start: Path) -> Repository:
    """Finds the repository around a folder and disarms its configuration."""
    if not start.is_dir():
        raise RepositoryError(f"{start} is not a folder", "Give the path of a git repository with --repo.")
    answer = Git(start).run("rev-parse", "--path-format=absolute", *_ASKED)
    lines = answer.stdout.decode("utf-8", "surrogateescape").splitlines()
    if not answer.ok or len(lines) != len(_ASKED):
        raise _explain_refusal(start, answer.stderr, bare=lines[:1] == ["true"])
    _, shallow, object_format, git_dir, common_dir, toplevel = lines
    root = Path(toplevel)
    _refuse_foreign_work_tree(start, root)
    return Repository(
        root=root,
        git_dir=Path(git_dir),
        common_dir=Path(common_dir),
        git=Git.open(root),
        shallow=shallow == "true",
        object_format=object_format,
    )


@dataclass(frozen=True, slots=True)
class WorkTree:
    """The paths of the work tree: what git tracks, what changed, what it does not know, what it was told to overlook."""

    facts: RepositoryFacts
    tracked: dict[str, str]
    """Path to blob id, as in the index."""
    overlooked: tuple[str, ...]
    """Tracked paths whose changes git was told not to see (assume-unchanged, skip-worktree)."""


def read_work_tree(repository: Repository) -> WorkTree:
    """One `git status` and one `git ls-files`; neither writes."""
    status = repository.git.read(
        "status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--ignore-submodules=dirty"
    )
    listing = repository.git.read("ls-files", "--stage", "-v", "-z")
    tracked, submodules, overlooked = _parse_listing(listing)
    return WorkTree(_parse_status(repository, status, submodules), tracked, overlooked)


def _parse_listing(listing: bytes) -> tuple[dict[str, str], tuple[str, ...], tuple[str, ...]]:
    """Reads `ls-files --stage -v -z`: `H 100644 <blob> 0<TAB>path`; a lower-case tag or S hides changes."""
    tracked: dict[str, str] = {}
    submodules: list[str] = []
    overlooked: list[str] = []
    for line in os.fsdecode(listing).split("\0"):
        meta, _, path = line.partition("\t")
        if not path:
            continue
        tag, mode, blob, _ = meta.split(" ")
        if mode == "160000":
            submodules.append(path)
            continue
        tracked[path] = blob
        if tag.islower() or tag == "S":
            overlooked.append(path)
    return tracked, tuple(submodules), tuple(overlooked)


def _parse_status(repository: Repository, status: bytes, submodules: tuple[str, ...]) -> RepositoryFacts:
    """Reads porcelain v2 with -z; a renamed path (`2`) is followed by a field with its old name."""
    headers: dict[str, str] = {}
    changed: list[str] = []
    untracked: list[str] = []
    fields = iter(os.fsdecode(status).split("\0"))
    for field in fields:
        kind = field[:1]
        if kind == "#":
            name, _, value = field[2:].partition(" ")
            headers[name] = value
        elif kind == "1":
            changed.append(field.split(" ", 8)[8])
        elif kind == "2":
            changed.append(field.split(" ", 9)[9])
            changed.append(next(fields))
        elif kind == "u":
            changed.append(field.split(" ", 10)[10])
        elif kind == "?":
            untracked.append(field[2:])
    return _build_facts(repository, headers, changed, untracked, submodules)


def _build_facts(
    repository: Repository,
    headers: dict[str, str],
    changed: list[str],
    untracked: list[str],
    submodules: tuple[str, ...],
) -> RepositoryFacts:
    head = headers.get("branch.oid")
    branch = headers.get("branch.head")
    ahead, _, behind = headers.get("branch.ab", "").partition(" ")
    return RepositoryFacts(
        root=str(repository.root),
        head=None if head == "(initial)" else head,
        branch=None if branch == "(detached)" else branch,
        detached=branch == "(detached)",
        upstream=headers.get("branch.upstream"),
        ahead=int(ahead) if ahead else None,
        behind=-int(behind) if behind else None,
        shallow=repository.shallow,
        linked_worktree=repository.linked_worktree,
        object_format=repository.object_format,
        changed=tuple(sorted(set(changed))),
        untracked=tuple(untracked),
        submodules=submodules,
    )


def _refuse_foreign_work_tree(start: Path, root: Path) -> None:
    """A planted core.worktree could point at any folder of this machine; the work tree must be around `start`."""
    if not start.resolve().is_relative_to(root.resolve()):
        raise RepositoryError(
            f"the repository around {start} says that its work tree is {root}",
            "Its core.worktree setting points elsewhere. If that is meant, give that folder with --repo.",
        )


def _explain_refusal(start: Path, stderr: str, *, bare: bool) -> RepositoryError:
    first = stderr.strip().splitlines()[0].removeprefix("fatal: ") if stderr.strip() else "git gave no reason"
    if "dubious ownership" in stderr:
        return RepositoryError(
            f"{start} belongs to another user, and git refuses to read it",
            f"If you trust it: git config --global --add safe.directory {start}",
        )
    if "not a git repository" in stderr:
        return RepositoryError(
            f"{start} is not inside a git repository",
            "Go to a repository, or name one with --repo PATH. To look around first: handoff-tui demo",
        )
    if bare or "must be run in a work tree" in stderr:
        return RepositoryError(
            f"{start} is a bare repository or a .git folder; it has no files to review",
            "Clone it, or name a work tree with --repo PATH.",
        )
    return RepositoryError(f"git cannot open {start}: {first}", "Run git status there to see what is wrong.")
