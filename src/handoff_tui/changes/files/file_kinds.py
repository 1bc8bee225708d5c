"""The kind of a changed file, by mode, content and name; never by git attributes, which an agent can write."""

from __future__ import annotations

import re

from handoff_tui.git.file_diff import ChangedFile, FileChange, FileKind, LineCounts

HEAD_BYTES = 8_000
"""A NUL byte within these makes content binary, as in git."""
SYMLINK_MODE = "120000"
SUBMODULE_MODE = "160000"

_KINDS_BY_MODE = {SYMLINK_MODE: FileKind.SYMLINK, SUBMODULE_MODE: FileKind.SUBMODULE}
_LOCK_NAMES = frozenset({
    "bun.lock", "bun.lockb", "bundle.lock", "cargo.lock", "composer.lock", "conan.lock", "conda-lock.yml",
    "constraints.txt", "deno.lock", "flake.lock", "gemfile.lock", "go.sum", "go.work.sum", "gradle.lockfile",
    "mix.lock", "npm-shrinkwrap.json", "package-lock.json", "package.resolved", "packages.lock.json", "paket.lock",
    "pdm.lock", "pipfile.lock", "pixi.lock", "pnpm-lock.yaml", "podfile.lock", "poetry.lock", "pubspec.lock",
    "pylock.toml", "rebar.lock", "shard.lock", "stack.yaml.lock", "uv.lock", "yarn.lock",
    ".terraform.lock.hcl",
})  # fmt: skip
_NOTEBOOK = ".ipynb"
_GENERATED_NAME = re.compile(
    r"""
        .+\.min\.(?:js|mjs|cjs|css) | .+\.(?:js|css)\.map | .+_pb2(?:_grpc)?\.pyi? | .+\.pb\.(?:go|cc|h|swift)
      | .+\.(?:g|freezed)\.dart | .+\.designer\.cs | .+\.generated\.\w+ | zz_generated\..+\.go
    """,
    re.VERBOSE,
)
GENERATED_LINES = 20
"""Generated files say so in their first lines."""
_LONGEST_MARK = 400
_GENERATED_MARK = re.compile(
    # a comment that says so, or "@generated" as a separate word
    rb"""
        ^\W*(?:this\ (?:file|code)\ (?:is|was|has\ been)\ )? (?:auto[- ]?|automatically\ |machine[- ])?generated\b
            .{0,200}\b(?:do\ not|don't)\ (?:edit|modify|change)
      | (?<![\w@.])@generated(?![\w-])
      | \bcode\ generated\ .{0,200}\bdo\ not\ edit\b
    """,
    re.VERBOSE | re.IGNORECASE,
)


def classify(path: str, first_bytes: bytes, mode: str) -> FileKind:
    """The kind of a content; without its first bytes, by mode and name only."""
    if mode in _KINDS_BY_MODE:
        return _KINDS_BY_MODE[mode]
    if is_binary(first_bytes):
        return FileKind.BINARY
    name = path.rpartition("/")[2].lower()
    if name in _LOCK_NAMES:
        return FileKind.LOCK
    if name.endswith(_NOTEBOOK):
        return FileKind.NOTEBOOK
    return FileKind.GENERATED if _is_generated(name, first_bytes) else FileKind.TEXT


def is_binary(first_bytes: bytes) -> bool:
    return b"\0" in first_bytes[:HEAD_BYTES]


def find_mode(change: FileChange) -> str:
    """The present mode, or the last one of a deleted file."""
    return change.old_mode if change.status == "D" else change.new_mode


def build_changed_file(change: FileChange, counts: LineCounts | None) -> ChangedFile:
    """A file of the list, its kind by name: git counts no lines only for binary content."""
    is_counted = counts is None or counts.added is not None
    return ChangedFile(change, classify(change.path, b"", find_mode(change)) if is_counted else FileKind.BINARY, counts)


def _is_generated(name: str, first_bytes: bytes) -> bool:
    if _GENERATED_NAME.fullmatch(name):
        return True
    lines = first_bytes[:HEAD_BYTES].split(b"\n", GENERATED_LINES)[:GENERATED_LINES]
    return any(_GENERATED_MARK.search(line[:_LONGEST_MARK]) for line in lines)
