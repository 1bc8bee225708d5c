"""What differs between two trees: the list of files, their line counts, and a patch.

`old` and `new` are full ids of trees or commits; `extra` names further object folders, as git's variables do. Neither
attributes nor configuration of the repository have a say (see isolated.py).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from handoff_tui.git.command import Git
from handoff_tui.git.file_diff import FileChange, LineCounts, TreeChanges, Whitespace
from handoff_tui.git.objects.integrity import refuse_altered_objects
from handoff_tui.git.objects.isolated import IsolatedObjects, open_isolated_objects
from handoff_tui.git.objects.reader import ObjectReader

RENAME_LIMIT = 400
"""Beyond this many added times deleted files, squared, only renames of equal content are found."""
WHITESPACE_WORDS: dict[Whitespace, tuple[str, ...]] = {
    Whitespace.ALL: (),
    Whitespace.IGNORE_AT_END: ("--ignore-space-at-eol",),
    Whitespace.IGNORE_AMOUNT: ("--ignore-space-change",),
    Whitespace.IGNORE: ("--ignore-all-space",),
    Whitespace.IGNORE_BLANK_LINES: ("--ignore-blank-lines",),
}

# on the call, submodules are not left out for what .gitmodules says
_TREES = ("diff-tree", "-r", "--ignore-submodules=none")
_RENAMES = ("--find-renames", f"-l{RENAME_LIMIT}")
_PATCH = ("--patch", "--binary", "--full-index", "--src-prefix=a/", "--dst-prefix=b/")
_NO_CONTENT = frozenset({"000000", "160000"})
_PATHS_OF_A_CALL = 200
_RAW_WORDS = 5
_LARGEST_COMMIT = 1 << 20
_LONGEST_NUMBER = 18
_SKIPPED = "rename detection was skipped"
_LIMIT_NOTE = (
    "too many files were added and deleted to look for all renames: only those of equal content are shown as such"
)
_NO_RENAMES_NOTE = "renames were not looked for: content that this needs is not in this repository"


def list_changes(git: Git, old: str, new: str, extra: Mapping[str, str] | None = None) -> list[FileChange]:
    """Lists the files that differ, with renames."""
    return read_tree_changes(git, old, new, extra).changes


def read_tree_changes(git: Git, old: str, new: str, extra: Mapping[str, str] | None = None) -> TreeChanges:
    """Returns the files that differ, and what the list doesn't know."""
    with open_isolated_objects(git, old, extra) as view:
        answer = view.run(*_TREES, "-z", "--raw", *_RENAMES, old, new, "--")
        if answer.ok:
            return TreeChanges(parse_raw(answer.stdout), _LIMIT_NOTE if _SKIPPED in answer.stderr else None)
        # only looking for renames reads contents, which a partial clone need not have
        plain = view.run(*_TREES, "-z", "--raw", "--no-renames", old, new, "--")
        if not plain.ok:
            raise view.explain(plain, "diff-tree", _name_trees(old, new))
        return TreeChanges(parse_raw(plain.stdout), _NO_RENAMES_NOTE)


def count_lines(
    git: Git, old: str, new: str, whitespace: Whitespace = Whitespace.ALL, extra: Mapping[str, str] | None = None
) -> dict[str, LineCounts]:
    """Counts added and deleted lines by (new) path. Reads every changed content: for the background."""
    with open_isolated_objects(git, old, extra) as view:
        words = WHITESPACE_WORDS[whitespace]
        answer = view.run(*_TREES, "-z", "--numstat", *_RENAMES, *words, old, new, "--")
        if not answer.ok:
            raise view.explain(answer, "diff-tree", _name_trees(old, new))
        return parse_numstat(answer.stdout)


def read_patch(
    git: Git,
    old: str,
    new: str,
    extra: Mapping[str, str] | None = None,
    *,
    only: Sequence[FileChange] | None = None,
    context: int = 3,
) -> Iterator[bytes]:
    """Yields the patch with which `git apply` turns the old tree into the new one; not made safe to show.

    With `only`, the patch contains only these changes.
    """
    with open_isolated_objects(git, old, extra) as view:
        for paths in _split_paths(only):
            yield from _stream_patch(view, (old, new), paths, context)


def read_changes(git: Git, commit: str) -> list[FileChange]:
    """Returns tracked paths of the work tree that differ from a commit, with renames."""
    return parse_raw(git.read("diff", "--raw", "-z", "--find-renames", "--ignore-submodules=dirty", commit, "--"))


def parse_raw(output: bytes) -> list[FileChange]:
    """Reads `--raw -z`: `:mode mode id id status`, a path, and the new path too where it was renamed."""
    changes: list[FileChange] = []
    fields = iter(os.fsdecode(output).split("\0"))
    for field in fields:
        words = field.split(" ")
        if len(words) != _RAW_WORDS:
            continue
        old_mode, new_mode, old_id, new_id, status = words
        path = next(fields, "")
        old_path = similarity = None
        if len(status) > 1:
            status, similarity = status[0], _parse_number(status[1:])
            if status in {"R", "C"}:
                old_path, path = path, next(fields, "")
        if path:
            # built as the tuple it is: ten thousand of them are common
            values = (status, path, old_path, old_mode[1:], new_mode, old_id, new_id, similarity)
            changes.append(FileChange._make(values))
    return changes


def parse_numstat(output: bytes) -> dict[str, LineCounts]:
    """Reads `diff-tree -z --numstat`: counts, and a path, or nothing and then the old and the new path."""
    counts: dict[str, LineCounts] = {}
    fields = iter(os.fsdecode(output).split("\0"))
    for field in fields:
        added, _, rest = field.partition("\t")
        deleted, found, path = rest.partition("\t")
        if not found:
            continue
        if not path:
            next(fields, "")
            path = next(fields, "")
        counts[path] = LineCounts(_parse_number(added), _parse_number(deleted))
    return counts


def refuse_altered_trees(git: Git, old: str, new: str, extra: Mapping[str, str] | None = None) -> None:
    """Raises if a folder or content that a comparison of two trees reads doesn't match its id.

    Reads all of it, so it is a separate step: call it before showing a diff to a person.
    """
    with open_isolated_objects(git, old, extra) as view:
        listed = view.run(*_TREES, "-t", "-z", "--raw", "--no-renames", old, new, "--")
        reader = ObjectReader(git, extra)  # a new one: git keeps packs open, and may read others when it compares
        found = {old, new, *_find_roots(reader, old, new)}
        for change in parse_raw(listed.stdout):
            sides = ((change.old_mode, change.old_id), (change.new_mode, change.new_id))
            found.update(one for mode, one in sides if mode not in _NO_CONTENT)
        refuse_altered_objects(view, reader, found)


def _find_roots(reader: ObjectReader, *names: str) -> Iterator[str]:
    """Yields the trees of those names that are commits; read from the commit, as git names no altered tree."""
    for content in reader.read_many("commit", names, _LARGEST_COMMIT).values():
        if content is not None:
            yield content.partition(b"\n")[0].removeprefix(b"tree ").decode("ascii")


def _parse_number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= _LONGEST_NUMBER else None


def _split_paths(changes: Sequence[FileChange] | None) -> Iterator[tuple[str, ...]]:
    """Yields the paths of changes in batches that fit on a command line; no path means all."""
    if changes is None:
        yield ()
        return
    for start in range(0, len(changes), _PATHS_OF_A_CALL):
        some = changes[start : start + _PATHS_OF_A_CALL]
        yield tuple(path for change in some for path in (change.old_path, change.path) if path)


def _stream_patch(
    view: IsolatedObjects, trees: tuple[str, str], paths: tuple[str, ...], context: int
) -> Iterator[bytes]:
    old, new = trees
    words = (*_PATCH, f"--unified={max(context, 0)}", *_RENAMES)
    with view.open_stream(*_TREES, *words, old, new, "--", *paths) as stream:
        yield from stream.chunks()
        answer = stream.finish()
    if not answer.ok:
        raise view.explain(answer, "diff-tree", _name_trees(old, new))


def _name_trees(old: str, new: str) -> dict[str, str]:
    return {new: "the new tree", old: "the old tree"}
