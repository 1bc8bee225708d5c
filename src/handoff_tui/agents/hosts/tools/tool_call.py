"""What one tool call of an agent would do, whatever its host calls the tool and its arguments. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later

_COMMAND_KEYS = ("command", "cmd", "script", "commands", "chars", "commandLine", "CommandLine")
_PATCH_KEYS = ("patch", "patchText", "patch_text", "input", "diff", "command", "cmd")
_PATH_KEYS = frozenset({
    "file_path", "filePath", "path", "notebook_path", "notebookPath", "target_file", "targetFile", "filename", "file",
    "destination", "dest", "new_path", "newPath", "old_path", "oldPath", "source", "absolute_path", "files", "paths",
    "file_paths", "filePaths", "uri", "directory_path",
})  # fmt: skip
_LIST_KEYS = ("edits", "replacements", "changes", "operations", "files")
_EDITORS = compile_later(r"(?:text_editor|str_replace_(?:based_)?edit(?:or)?(?:_tool)?|editor)$")
_WRITES = compile_later(
    r"write|edit|create|delete|remove|move|rename|patch|replace|insert|update|save|notebook|append|put_|copy"
)
_DELETES = compile_later(r"delete|remove|move|rename")
_READS = compile_later(r"^(?:read|get|list|search|view|grep|glob|ls|fetch|find|cat|web)")
_PASSES_ON = compile_later(
    r"merge_(?:pull|merge)_request|accept_merge_request|push_files|push_commits|merge_branch|auto_merge"
    r"|git_(?:push|merge)|mergepullrequest|^(?:push|merge)$|approve_(?:merge|pull)_request"
)
_REVIEWS = compile_later(r"review")
_FOLDER_KEYS = ("workdir", "cwd", "directory", "dir_path", "working_directory")


class ToolCall(NamedTuple):
    """A tool, what it is given, and the folder it works in."""

    name: str
    arguments: Mapping[str, object]
    folder: str


class Intent(NamedTuple):
    """What a tool call would do."""

    folder: str
    commands: tuple[str, ...] = ()
    """Command lines."""
    writes: tuple[str, ...] = ()
    """Absolute paths of files that it changes."""
    deletes: tuple[str, ...] = ()
    passes_on: bool = False
    """Whether it has a forge merge or push."""


def read_intent(call: ToolCall) -> Intent:
    """Reads what a call would do; tools that only read do nothing that matters."""
    name = call.name.rpartition("__")[2].rpartition(".")[2].casefold()
    folder = _find_folder(call)
    patched = [path for text in _list_texts(call.arguments, _PATCH_KEYS) for path in _list_patched(name, text)]
    is_editor = _EDITORS.search(name) is not None
    commands = () if is_editor or patched else tuple(_list_commands(call.arguments))
    writes_files = is_editor or (_WRITES.search(name) is not None and not _READS.match(name))
    paths = _list_paths(call.arguments) if writes_files else []
    if is_editor and call.arguments.get("command") == "view":
        paths = []
    found = [posixpath.normpath(posixpath.join(folder, path.removeprefix("file://"))) for path in [*paths, *patched]]
    deletes = _DELETES.search(name) is not None
    return Intent(
        folder=folder,
        commands=commands,
        writes=() if deletes else tuple(found),
        deletes=tuple(found) if deletes else (),
        passes_on=_is_passing(name, call.arguments),
    )


def _find_folder(call: ToolCall) -> str:
    named = next((value for key in _FOLDER_KEYS if isinstance(value := call.arguments.get(key), str) and value), "")
    return posixpath.normpath(posixpath.join(call.folder or "/", named))


def _list_commands(arguments: Mapping[str, object]) -> Iterable[str]:
    import shlex  # noqa: PLC0415 - few calls give words

    for key in _COMMAND_KEYS:
        value = arguments.get(key)
        if isinstance(value, str):
            yield value
        elif isinstance(value, list) and all(isinstance(word, str) for word in value):
            yield "\n".join(value) if key == "commands" else shlex.join(value)


def _list_texts(arguments: Mapping[str, object], keys: Iterable[str]) -> Iterable[str]:
    for key in keys:
        value = arguments.get(key)
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield "\n".join(word for word in value if isinstance(word, str))


def _list_patched(name: str, text: str) -> list[str]:
    if "patch" not in name and not text.lstrip().startswith("*** Begin Patch"):
        return []
    from handoff_tui.agents.hosts.tools.command_line import list_patched  # noqa: PLC0415 - few calls patch

    return list_patched(text)


def _list_paths(arguments: Mapping[str, object]) -> list[str]:
    paths: list[str] = []
    for key, value in arguments.items():
        if key in _PATH_KEYS and isinstance(value, str):
            paths.append(value)
        elif key in _PATH_KEYS and isinstance(value, list):
            paths += [path for path in value if isinstance(path, str)]
        if key in _LIST_KEYS and isinstance(value, list):
            paths += [path for part in value if isinstance(part, dict) for path in _list_paths(part)]
    return paths


def _is_passing(name: str, arguments: Mapping[str, object]) -> bool:
    if _PASSES_ON.search(name) is not None:
        return True
    return _REVIEWS.search(name) is not None and str(arguments.get("event", "")).casefold() == "approve"
