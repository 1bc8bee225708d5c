"""The kind of a changed file, never by git attributes, which an agent can write; and what else to notice about it."""

from __future__ import annotations

import re

from handoff_tui.changes.files.lines import find_hidden_lines
from handoff_tui.core.file_modes import LINK, PROGRAM, SUBMODULE
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.safe_text import find_hidden
from handoff_tui.git.file_diff import ChangedFile, FileChange, FileDiff, FileKind, LineCounts

HEAD_BYTES = 8_000
"""A NUL byte within these makes content binary, as in git."""

_KINDS_BY_MODE = {LINK: FileKind.SYMLINK, SUBMODULE: FileKind.SUBMODULE}
_LOCK_NAMES = frozenset({
    "bun.lock", "bun.lockb", "bundle.lock", "cargo.lock", "composer.lock", "conan.lock", "conda-lock.yml",
    "constraints.txt", "deno.lock", "flake.lock", "gemfile.lock", "go.sum", "go.work.sum", "gradle.lockfile",
    "mix.lock", "npm-shrinkwrap.json", "package-lock.json", "package.resolved", "packages.lock.json", "paket.lock",
    "pdm.lock", "pipfile.lock", "pixi.lock", "pnpm-lock.yaml", "podfile.lock", "poetry.lock", "pubspec.lock",
    "pylock.toml", "rebar.lock", "shard.lock", "stack.yaml.lock", "uv.lock", "yarn.lock",
    ".terraform.lock.hcl",
})  # fmt: skip
_NOTEBOOK = ".ipynb"
_GENERATED_NAME = compile_later(
    r"""
        .+\.min\.(?:js|mjs|cjs|css) | .+\.(?:js|css)\.map | .+_pb2(?:_grpc)?\.pyi? | .+\.pb\.(?:go|cc|h|swift)
      | .+\.(?:g|freezed)\.dart | .+\.designer\.cs | .+\.generated\.\w+ | zz_generated\..+\.go
    """,
    re.VERBOSE,
)
GENERATED_LINES = 20
"""Generated files say so in their first lines."""
_LONGEST_MARK = 400
_GENERATED_MARK = compile_later(
    # a comment that says so, or "@generated" as a separate word
    rb"""
        ^\W*(?:this\ (?:file|code)\ (?:is|was|has\ been)\ )? (?:auto[- ]?|automatically\ |machine[- ])?generated\b
            .{0,200}\b(?:do\ not|don't)\ (?:edit|modify|change)
      | (?<![\w@.])@generated(?![\w-])
      | \bcode\ generated\ .{0,200}\bdo\ not\ edit\b
    """,
    re.VERBOSE | re.IGNORECASE,
)

_CONTROLS = (
    (re.compile(r"(?:.*/)?\.gitattributes"), "controls how git shows and converts files"),
    (re.compile(r"(?:.*/)?\.gitmodules"), "controls which repositories are fetched into this one"),
    (
        re.compile(
            r"\.github/(?:workflows|actions)/.+|\.gitlab-ci\.yml|\.circleci/.+|Jenkinsfile|azure-pipelines\.yml"
        ),
        "controls what continuous integration runs",
    ),
    (re.compile(r"handoff-tui\.toml|\.handoff-tui/.+"), "controls how this work is reviewed"),
)
_MOST_NAMED = 5
_LATIN = compile_later("[A-Za-z]")
_OTHERS = compile_later("[\u0370-\u03ff\u0400-\u052f\uff21-\uff3a\uff41-\uff5a]+")
"""Runs of Greek, Cyrillic and full-width letters."""
_ALIKE = compile_later(
    "[\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bd\u03bf"
    "\u0405\u0406\u0408\u0410\u0412\u0415\u0417\u041a\u041c-\u041e\u0420-\u0423\u0425"
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\uff21-\uff3a\uff41-\uff5a]+"
)
"""Those that look like Latin letters or digits; a real word has other letters too."""


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


def find_change_notices(change: FileChange) -> list[str]:
    """What the file list shows."""
    notices = _find_mode_notices(change)
    notices += [text for pattern, text in _CONTROLS if pattern.fullmatch(change.path)]
    return notices + _find_name_notices(change.path + (change.old_path or ""))


def _find_name_notices(name: str) -> list[str]:
    """In a name, even a tab or line end makes one file look like another."""
    blanks = [f"U+{ord(blank):04X}" for blank in "\t\n" if blank in name]
    hidden = [*find_hidden(name), *blanks]
    notices = [f"its name has hidden characters: {', '.join(hidden[:_MOST_NAMED])}"] if hidden else []
    alike = next((run for run in _OTHERS.findall(name) if _ALIKE.fullmatch(run)), "")
    if alike and _LATIN.search(name):
        codes = " ".join(f"U+{ord(letter):04X}" for letter in alike[:_MOST_NAMED])
        notices.append(f"its name has letters that look like others: {alike} is {codes}")
    return notices


def find_diff_notices(diff: FileDiff) -> list[str]:
    """The same, and what the content shows."""
    notices = find_change_notices(diff.change)
    if diff.kind is FileKind.GENERATED:
        notices.append("says it is generated")
    hidden = find_hidden_lines(diff)
    if hidden:
        named = ", ".join(f"{' '.join(names)} on line {number}" for number, names in hidden[:_MOST_NAMED])
        more = len(hidden) - _MOST_NAMED
        rest = f", and {plural(more, 'more line')}" if more > 0 else ""
        notices.append(f"hidden characters added: {named}{rest}")
    return notices


def _find_mode_notices(change: FileChange) -> list[str]:
    old, new = change.old_mode, change.new_mode
    if change.status == "T":
        return [f"type changed, mode {old} → {new}"]
    if change.mode_changed:
        meaning = "now executable" if new == PROGRAM else "no longer executable"
        return [f"mode {old} → {new}, {meaning}"]
    if change.status != "A":
        return []
    named = {PROGRAM: "new, and executable", LINK: "a new symbolic link", SUBMODULE: "a new submodule"}
    return [named[new]] if new in named else []
