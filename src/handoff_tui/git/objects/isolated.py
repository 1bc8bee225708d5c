"""The objects of a repository and nothing else of it, so that a comparison can't be deceived.

Git decides by attributes (of the work tree, the index, `info/attributes`, the user's own), by `.gitmodules` and by
configuration what of a difference it shows. An agent can write most of these. So contents are compared in a bare
repository of our own, in a temporary folder, that borrows the objects of the real one and has none of the rest.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from threading import Lock

from handoff_tui.core.errors import GitError, ObjectMissingError
from handoff_tui.git.command import Git, GitAnswer
from handoff_tui.git.objects.private_objects import quote_folder, write_loose_object
from handoff_tui.git.objects.reader import MISSING_HINT
from handoff_tui.git.stream import GitStream, open_stream

_FULL_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_ANY_ID = re.compile(r"\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b")
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
    if not _FULL_ID.fullmatch(example_id):
        raise GitError(f"{example_id!r} is no object id", "Give the full id; short names are resolved before this.")
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
