"""What differs between two trees: the list of files, their line counts, and a patch.

`old` and `new` are full ids of trees or commits; `extra` names further object folders, as git's variables do.

Git decides by attributes (of the work tree, the index, `info/attributes`, the user's own), by `.gitmodules` and by
configuration what of a difference it shows. An agent can write most of these. So contents are compared in a bare
repository of our own, in a temporary folder, that borrows the objects of the real one and has none of the rest.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from threading import Lock

from handoff_tui.core.errors import GitError, ObjectMissingError
from handoff_tui.core.file_modes import SUBMODULE
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.git.command import Git, GitAnswer
from handoff_tui.git.file_diff import FileChange, LineCounts, TreeChanges, Whitespace
from handoff_tui.git.objects.private_objects import quote_folder, write_loose_object
from handoff_tui.git.objects.reader import MISSING_HINT, OBJECT_ID, ObjectReader, refuse_altered_objects
from handoff_tui.git.stream import GitStream, open_stream

_ANY_ID = compile_later(r"\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b")
_CONFIGS = {
    40: b"[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
    64: b"[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n",
}
_EMPTY_BLOBS = {
    40: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    64: "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
}
_PREFIX = "handoff-tui-"
_OVERRIDES = (
    ("core.attributesFile", os.devnull),  # also the user's: everything under review is shown
    ("diff.suppressBlankEmpty", "false"),
    ("diff.wsErrorHighlight", "none"),
)
_STREAMED = (*_OVERRIDES, ("core.bigFileThreshold", "1"))
"""Streams contents of any size. Not for comparing: there it would make everything binary."""

_lock = Lock()
_folders: dict[int, Path] = {}


class IsolatedObjects:
    """Git on borrowed objects. `write_blob` adds contents that vanish with the view."""

    def __init__(self, variables: dict[str, str], id_width: int, stack: ExitStack) -> None:
        self.id_width = id_width
        self._variables = variables
        self._stack = stack
        self._written: Path | None = None
        folder = Path(variables["GIT_DIR"])
        self._comparing = Git(folder, _OVERRIDES)
        self._streaming = Git(folder, _STREAMED)

    def run(self, *arguments: str, stdin: bytes = b"") -> GitAnswer:
        return self._comparing.run(*arguments, stdin=stdin, extra=self._variables)

    def open_stream(self, *arguments: str) -> AbstractContextManager[GitStream]:
        return open_stream(self._comparing, *arguments, extra=self._variables)

    def open_blob(self, blob_id: str) -> AbstractContextManager[GitStream]:
        return open_stream(self._streaming, "cat-file", "blob", blob_id, extra=self._variables)

    def write_blob(self, content: bytes) -> str:
        """Stores content where only this view sees it; returns its id. The empty blob is always there."""
        if not content:
            return _EMPTY_BLOBS[self.id_width]
        if self._written is None:
            import tempfile  # noqa: PLC0415 - it imports half a dozen modules

            self._written = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix=_PREFIX)))
            known = self._variables["GIT_ALTERNATE_OBJECT_DIRECTORIES"]
            joined = os.pathsep.join((quote_folder(self._written), known))
            self._variables["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = joined
        return write_loose_object(self._written, b"blob", content, self.id_width)

    def explain(self, answer: GitAnswer, command: str, wanted: Mapping[str, str]) -> GitError:
        """Returns the error behind an answer: which of the wanted objects (id to description) is missing, if one is."""
        known = [*wanted, *dict.fromkeys(found for found in _ANY_ID.findall(answer.stderr) if found not in wanted)]
        lines = self.run("cat-file", "--batch-check", stdin="".join(f"{name}\n" for name in known).encode())
        missing = [name for name, line in zip(known, lines.text.split("\n"), strict=False) if line.endswith(" missing")]
        if not missing:
            return answer.to_error(command)
        named = ", ".join(f"{wanted.get(name, 'an object of it')} {name}" for name in missing)
        return ObjectMissingError(f"not in this repository: {named}", MISSING_HINT)


@contextmanager
def open_isolated_objects(
    git: Git, example_id: str, extra: Mapping[str, str] | None = None
) -> Iterator[IsolatedObjects]:
    """Opens a view for ids like the given one. `extra` may name further object folders, as git's variables do."""
    if not OBJECT_ID.fullmatch(example_id):
        raise GitError(f"{example_id!r} is not an object id", "Give the full id; short names are resolved before this.")
    folder = _offer_folder(len(example_id))
    variables = {
        "GIT_DIR": str(folder),
        "GIT_OBJECT_DIRECTORY": str(folder / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": _join_folders(_find_objects(git), extra or {}),
        "GIT_ATTR_NOSYSTEM": "1",
    }
    with ExitStack() as stack:
        yield IsolatedObjects(variables, len(example_id), stack)


def _offer_folder(id_width: int) -> Path:
    """Offers one folder for all views of this process, as nothing is ever written to it; removed at exit."""
    with _lock:
        folder = _folders.get(id_width)
        if folder is None or not (folder / "HEAD").is_file():  # a clean-up of the temporary folder may delete it
            folder = _folders[id_width] = _make_folder(id_width)
        return folder


def _make_folder(id_width: int) -> Path:
    """Creates the minimum that git accepts as a repository, and the empty blob, which stands for a missing side."""
    import shutil  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "refs").mkdir()
    (folder / "objects").mkdir()
    (folder / "config").write_bytes(_CONFIGS[id_width])
    write_loose_object(folder / "objects", b"blob", b"", id_width)
    (folder / "HEAD").write_bytes(b"ref: refs/heads/none\n")
    return folder


def _find_objects(git: Git) -> Path:
    if git.common_dir is not None:
        return git.common_dir / "objects"
    return Path(os.fsdecode(git.read("rev-parse", "--path-format=absolute", "--git-path", "objects"))[:-1])


def _join_folders(objects: Path, extra: Mapping[str, str]) -> str:
    """Object folders in the form git reads."""
    own, more = extra.get("GIT_OBJECT_DIRECTORY"), extra.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")
    folders = [quote_folder(objects)]
    if own:
        folders.append(quote_folder(Path(own)))
    if more:
        folders.append(more)
    return os.pathsep.join(folders)


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
_NO_CONTENT = frozenset({"000000", SUBMODULE})
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
