"""Saves a work tree under a ref, byte by byte, and restores it. Leaves ignored files and our own folder alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from handoff_tui.agents.rollback.report import SavedNotes, SavedWork
from handoff_tui.core.errors import RollbackError
from handoff_tui.core.file_modes import FILE, LINK, PROGRAM
from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import read_notes
from handoff_tui.git.repository import Repository
from handoff_tui.system.files.atomic_write import delete_file, write_file
from handoff_tui.system.files.own_folder import OWN_FOLDER, is_below_own_folder
from handoff_tui.system.installation import make_temporary_folder

SAVED_REFS = "refs/handoff-tui/saved"


def find_unsavable(root: Path, paths: Iterable[str]) -> dict[str, str]:
    """Lists uncommitted paths that no git tree can hold, with the reason."""
    found: dict[str, str] = {}
    for path in paths:
        if path.endswith("/"):
            found[path] = "is a nested repository"
            continue
        try:
            mode = (root / path).lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as refused:
            found[path] = refused.strerror or "can't be read"
            continue
        if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
            found[path] = "is neither a file nor a link"
        elif stat.S_ISREG(mode) and not os.access(root / path, os.R_OK):
            found[path] = "can't be read"
    return found


def write_saved_work(repository: Repository, head: str, paths: tuple[str, ...], stamp: str) -> SavedWork:
    """Saves HEAD, the index and every uncommitted file under `refs/handoff-tui/saved/<stamp>`."""
    git = repository.git
    index = git.run("write-tree")
    if not index.ok:
        raise RollbackError(f"can't save the index: {index.complaint}", "Finish or abort the merge first.")
    with _private_index() as extra:
        git.read("read-tree", head, extra=extra)
        git.read("update-index", "-z", "--index-info", stdin=_list_entries(repository, paths), extra=extra)
        tree = git.read("write-tree", extra=extra).decode().strip()
    kept = _commit(git, index.text, (head,), "handoff-tui: the index before a rollback")
    commit = _commit(git, tree, (head, kept), f"handoff-tui: everything before the rollback of {stamp}")
    ref = f"{SAVED_REFS}/{stamp}"
    git.read("update-ref", ref, commit, "0" * len(commit))
    return SavedWork(ref=ref, commit=commit, tree=tree, index_tree=index.text, head=head, raw=paths)


def take_notes(repository: Repository, ref: str, commits: Iterable[str], stamp: str) -> SavedNotes | None:
    """Takes the notes off commits; what was there is kept under a ref. None if they had none."""
    git = repository.git
    known = read_notes(git, ref) if git.run("rev-parse", "--verify", "--quiet", ref).ok else {}
    annotated = [commit for commit in commits if commit in known]
    if not annotated:
        return None
    before = git.read("rev-parse", ref).decode("ascii").strip()
    kept = f"{SAVED_REFS}/{stamp}-notes"
    git.read("update-ref", kept, before, "0" * len(before))
    removed = git.run("notes", f"--ref={ref}", "remove", *annotated)
    if not removed.ok:
        raise RollbackError(f"can't move the notes back: {removed.complaint}", f"They are kept under {kept}.")
    return SavedNotes(ref=ref, before=before, after=git.read("rev-parse", ref).decode("ascii").strip())


def restore_notes(repository: Repository, saved: SavedNotes) -> None:
    """Brings the notes back, unless somebody has written others since."""
    repository.git.run("update-ref", "-m", "handoff-tui rollback --undo", saved.ref, saved.before, saved.after)


def write_target_tree(repository: Repository, target: str, head: str) -> str:
    """Returns the tree of a commit with `.handoff-tui/` as it is at HEAD: decisions are never undone with the work."""
    git = repository.git
    with _private_index() as extra:
        git.read("read-tree", target, extra=extra)
        git.read("rm", "--cached", "-r", "-q", "-f", "--ignore-unmatch", "--", OWN_FOLDER, extra=extra)
        if git.run("rev-parse", "--verify", "--quiet", f"{head}:{OWN_FOLDER}").ok:
            git.read("read-tree", f"--prefix={OWN_FOLDER}/", f"{head}:{OWN_FOLDER}", extra=extra)
        return git.read("write-tree", extra=extra).decode().strip()


def write_commit(repository: Repository, tree: str, head: str, message: str) -> str:
    """Makes a commit on top of HEAD from objects only: no hook runs, and the index is not used."""
    return _commit(repository.git, tree, (head,), message)


def move_head(repository: Repository, new: str, old: str, why: str) -> None:
    """Moves the current branch, if it is still where it was."""
    answer = repository.git.run("update-ref", "-m", why, "HEAD", new, old)
    if not answer.ok:
        raise RollbackError(f"can't move HEAD: {answer.complaint}", "Something else moved it meanwhile.")


def write_index(repository: Repository, tree: str) -> None:
    repository.git.read("read-tree", tree)
    repository.git.run("update-index", "-q", "--refresh")


def list_differences(git: Git, old: str, new: str) -> dict[str, str]:
    """Lists the paths that differ between two trees, with A, M, D or T; leaves out our own folder."""
    answer = git.read("diff-tree", "-r", "-z", "--no-renames", "--name-status", "--ignore-submodules=none", old, new)
    fields = os.fsdecode(answer).split("\0")
    pairs = zip(fields[::2], fields[1::2], strict=False)
    return {path: status for status, path in pairs if path and not is_below_own_folder(path)}


def change_files(repository: Repository, old: str, new: str, raw: Iterable[str] = ()) -> None:
    """Changes the work tree from one tree to another; writes `raw` paths byte by byte as they were saved."""
    changes = list_differences(repository.git, old, new)
    exact = frozenset(raw)
    for path, status in changes.items():
        if status == "D":
            delete_file(repository.root, path)
    wanted = [path for path, status in changes.items() if status != "D"]
    ordinary = [path for path in wanted if path not in exact]
    if ordinary:
        listed = b"".join(os.fsencode(path) + b"\0" for path in ordinary)
        words = ("restore", f"--source={new}", "--worktree", "--pathspec-from-file=-", "--pathspec-file-nul")
        repository.git.read(*words, stdin=listed)
    for path in wanted:
        if path in exact:
            mode, content = _read_entry(repository.git, new, path)
            write_file(repository.root, path, content, mode)


def _read_entry(git: Git, tree: str, path: str) -> tuple[str, bytes]:
    listing = git.read("ls-tree", "-z", "--full-tree", tree, "--", path)
    mode, _, identifier = os.fsdecode(listing.partition(b"\t")[0]).split(" ")
    return mode, git.read("cat-file", "blob", identifier)


def _list_entries(repository: Repository, paths: tuple[str, ...]) -> bytes:
    """Builds the input of `update-index --index-info`: the bytes without filters, so that they come back the same."""
    nothing = ("0" * (64 if repository.object_format == "sha256" else 40)).encode()
    lines: list[bytes] = []
    regular: dict[str, str] = {}
    for path in paths:
        place = repository.root / path
        try:
            mode = place.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            lines.append(b"0 " + nothing + b"\t" + os.fsencode(path))
            continue
        if stat.S_ISLNK(mode):
            target = os.fsencode(place.readlink())
            blob = repository.git.read("hash-object", "-w", "--stdin", stdin=target).decode().strip()
            lines.append(f"{LINK} {blob}\t".encode() + os.fsencode(path))
        else:
            regular[path] = PROGRAM if mode & stat.S_IXUSR else FILE
    for path, blob in _hash_files(repository, list(regular)).items():
        lines.append(f"{regular[path]} {blob}\t".encode() + os.fsencode(path))
    return b"".join(line + b"\0" for line in lines)


def _hash_files(repository: Repository, paths: list[str]) -> dict[str, str]:
    """Writes contents to git's objects; names with a line end one by one."""
    plain = [path for path in paths if "\n" not in path]
    listed = b"".join(os.fsencode(str(repository.root / path)) + b"\n" for path in plain)
    words = ("hash-object", "-w", "--no-filters")
    answers = repository.git.read(*words, "--stdin-paths", stdin=listed).decode().split() if plain else []
    found = dict(zip(plain, answers, strict=True))
    for path in paths:
        if path not in found:
            place = str(repository.root / path)
            found[path] = repository.git.read(*words, "--", place).decode().strip()
    return found


def _commit(git: Git, tree: str, parents: tuple[str, ...], message: str) -> str:
    words = [word for parent in parents for word in ("-p", parent)]
    answer = git.run("commit-tree", tree, *words, "-m", message)
    if not answer.ok:
        raise RollbackError(f"can't save: {answer.complaint}", "Git needs to know who you are: git config user.email")
    return answer.text


@contextmanager
def _private_index() -> Iterator[dict[str, str]]:
    """Provides a temporary index; the user's stays as it is."""
    import shutil  # noqa: PLC0415 - few runs roll back

    folder = make_temporary_folder("handoff-tui-index-")
    try:
        yield {"GIT_INDEX_FILE": str(folder / "index")}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
