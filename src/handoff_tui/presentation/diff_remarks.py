"""What a reviewer should notice of a changed file beside its lines: modes, types, names, hidden characters."""

from __future__ import annotations

import re

from handoff_tui.models.file_diff import FileChange, FileDiff, FileKind
from handoff_tui.presentation.diff_lines import find_hidden_lines
from handoff_tui.presentation.labels import plural
from handoff_tui.presentation.safe_text import find_hidden

_EXECUTABLE = "100755"
_LINK = "120000"
_SUBMODULE = "160000"
_STEERS = (
    (re.compile(r"(?:.*/)?\.gitattributes"), "steers how git shows and converts files"),
    (re.compile(r"(?:.*/)?\.gitmodules"), "steers which repositories are fetched into this one"),
    (
        re.compile(
            r"\.github/(?:workflows|actions)/.+|\.gitlab-ci\.yml|\.circleci/.+|Jenkinsfile|azure-pipelines\.yml"
        ),
        "steers what continuous integration runs",
    ),
    (re.compile(r"handoff-tui\.toml|\.handoff-tui/.+"), "steers how this work is reviewed"),
)
_MOST_NAMED = 5


def find_change_remarks(change: FileChange) -> list[str]:
    """What the entry of the list alone tells."""
    remarks = _find_mode_remarks(change)
    remarks += [text for pattern, text in _STEERS if pattern.fullmatch(change.path)]
    hidden = find_hidden(change.path + (change.old_path or ""))
    if hidden:
        remarks.append(f"its name has hidden characters: {', '.join(hidden[:_MOST_NAMED])}")
    return remarks


def find_diff_remarks(diff: FileDiff) -> list[str]:
    """The same, and what its content tells."""
    remarks = find_change_remarks(diff.change)
    if diff.kind is FileKind.GENERATED:
        remarks.append("says that it is generated")
    hidden = find_hidden_lines(diff)
    if hidden:
        named = ", ".join(f"{' '.join(names)} on line {number}" for number, names in hidden[:_MOST_NAMED])
        more = len(hidden) - _MOST_NAMED
        rest = f", and {plural(more, 'more line')}" if more > 0 else ""
        remarks.append(f"hidden characters added: {named}{rest}")
    return remarks


def _find_mode_remarks(change: FileChange) -> list[str]:
    old, new = change.old_mode, change.new_mode
    if change.status == "T":
        return [f"type changed, mode {old} → {new}"]
    if change.mode_changed:
        meaning = "now executable" if new == _EXECUTABLE else "no longer executable"
        return [f"mode {old} → {new}, {meaning}"]
    if change.status != "A":
        return []
    named = {_EXECUTABLE: "new, and executable", _LINK: "a new symbolic link", _SUBMODULE: "a new submodule"}
    return [named[new]] if new in named else []
