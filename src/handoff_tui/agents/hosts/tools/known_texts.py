"""The texts that a command line holds itself: what its commands print, write into files, and read from small scripts.

Pure: files come from a function.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence

from handoff_tui.agents.hosts.tools.shell import ShellCommand, ShellWord

_LITERAL_SOURCES = frozenset({"echo", "printf", "cat", "tee"})
_ECHO_OPTIONS = frozenset({"-e", "-n", "-E", "-ne", "-en", "--"})


class KnownTexts:
    """What is known of the texts of one command line, as it runs."""

    def __init__(
        self,
        find_path: Callable[[ShellWord], str],
        read_file: Callable[[str], str | None],
        report: Callable[[str], None],
    ) -> None:
        """`report` is called for a text that another program changes before it is run."""
        self._find_path = find_path
        self._read_file = read_file
        self._report = report
        self._written: dict[str, str] = {}

    def find_input(self, command: ShellCommand) -> str:
        """Returns the text on a command's input: from the command line, through a pipe, or from a small script."""
        texts = [command.given or ""]
        if command.reads is not None:
            texts.append(self.find_file(command.reads) or "")
        if command.sources:
            texts.append(self.find_output(command.sources, "a text made into commands by a pipe") or "")
        return "\n".join(texts).strip("\n")

    def find_output(self, commands: Sequence[ShellCommand], shown: str) -> str | None:
        """Returns what commands print, if it can be read there; a text that is changed on the way may be anything."""
        printed = [self.find_printed(command) for command in commands]
        if any(text is not None for text in printed):
            return "\n".join(text or "" for text in printed)
        if any(self.find_printed(source) for command in commands for source in _list_sources(command)):
            self._report(shown)
        return None

    def find_printed(self, command: ShellCommand) -> str | None:
        """Returns the text that a command prints because it is in its arguments, or in a script that it names."""
        name = name_program(command.words[0]) if command.words else ""
        words = command.words[1:]
        if name not in _LITERAL_SOURCES:
            return None
        if command.given is not None:
            return command.given
        if name in {"cat", "tee"}:
            found = [self.find_file(word) for word in words if name == "cat" and not word.text.startswith("-")]
            return "\n".join(text or "" for text in found) if any(found) else None
        texts = [self.find_text(word) for word in words if word.text not in _ECHO_OPTIONS] or [""]
        text = " ".join(texts)
        if name == "printf" and "%" in texts[0]:
            text = texts[0]
            for value in texts[1:]:
                text = text.replace("%s", value, 1) if "%s" in text else f"{text} {value}"
        return text.replace("\\n", "\n")

    def find_text(self, word: ShellWord) -> str:
        if word.text or not word.printed_by:
            return word.text
        return self.find_output(word.printed_by, "a text made by a pipe") or ""

    def find_file(self, word: ShellWord) -> str | None:
        """Returns a small script: one that stands on disk, in this command line, or in a substitution."""
        if word.printed_by and not word.text:
            return self.find_output(word.printed_by, "a script made by a pipe")
        path = self._find_path(word)
        return self._written[path] if path in self._written else self._read_file(path)

    def note_written(self, target: ShellWord, command: ShellCommand) -> None:
        text = self.find_printed(command)
        if text is None and command.sources:
            text = "\n".join(self.find_printed(source) or "" for source in command.sources)
        if text and target.known:
            self._written[self._find_path(target)] = text


def name_program(word: ShellWord) -> str:
    """Returns the name of a program without its folder; empty if only the shell knows it."""
    name = posixpath.basename(word.text).casefold()
    if word.pattern and name not in {"[", "[["} and any(sign in name for sign in "*?["):
        return ""
    if not word.known and not name:
        return ""
    name = name.removesuffix(".exe")
    return "python" if name.startswith("python") else name


def _list_sources(command: ShellCommand) -> Iterable[ShellCommand]:
    for source in command.sources:
        yield source
        yield from _list_sources(source)
