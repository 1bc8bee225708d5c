"""What to notice about a changed file besides its lines: modes, types, names, hidden characters."""

from __future__ import annotations

import re

from handoff_tui.changes.files.lines import find_hidden_lines
from handoff_tui.core.text.labels import plural
from handoff_tui.core.text.safe_text import find_hidden
from handoff_tui.git.file_diff import FileChange, FileDiff, FileKind

_EXECUTABLE = "100755"
_LINK = "120000"
_SUBMODULE = "160000"
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
_LATIN = re.compile("[A-Za-z]")
_OTHERS = re.compile("[\u0370-\u03ff\u0400-\u052f\uff21-\uff3a\uff41-\uff5a]+")
"""Runs of Greek, Cyrillic and full-width letters."""
_ALIKE = re.compile(
    "[\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bd\u03bf"
    "\u0405\u0406\u0408\u0410\u0412\u0415\u0417\u041a\u041c-\u041e\u0420-\u0423\u0425"
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\uff21-\uff3a\uff41-\uff5a]+"
)
"""Those that look like Latin letters or digits; a real word has other letters too."""


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
        meaning = "now executable" if new == _EXECUTABLE else "no longer executable"
        return [f"mode {old} → {new}, {meaning}"]
    if change.status != "A":
        return []
    named = {_EXECUTABLE: "new, and executable", _LINK: "a new symbolic link", _SUBMODULE: "a new submodule"}
    return [named[new]] if new in named else []
