"""Reads a shell command line: the commands it runs, with quotes and expansions resolved as far as they can be.

Pure, and never raises: whatever an agent writes is read somehow. What only a running shell could know is marked as
unknown, and left to whoever judges it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from itertools import pairwise

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later

_MOST_NESTED = 12
_MOST_EXPANDED = 64
_OPERATORS = ("&&", "||", ";;&", ";;", ";&", "|&", "|", "&", ";", "\n", "(", ")")
_REDIRECTION = compile_later(r"(?:[0-9]+|\{[A-Za-z_]\w*\}|&)?(<<<|<<-|<<|<>|<&|<(?!\()|>>|>\||>&|>(?!\())")
_SKIPPED = frozenset(
    {"!", "if", "then", "elif", "else", "fi", "do", "done", "while", "until", "time", "-p", "coproc", "esac"}
)
"""Words that leave what follows them a command; `-p` is an option of `time`."""
_DECLARING = frozenset({"export", "declare", "local", "readonly", "typeset"})
_ASSIGNMENT = compile_later(r"([A-Za-z_][A-Za-z0-9_]*)\+?=")
_NAME = compile_later(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]")
_DEFAULT = compile_later(r"([A-Za-z_][A-Za-z0-9_]*|[0-9@*]):?([-=+])")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_CODE = compile_later(r"x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})")
_LAST_CHARACTER = 0x10FFFF
_WORD_ENDS = frozenset(" \t\r\n;&|()<>")
_USUAL_VARIABLES = {"IFS": " \t\n"}


class ShellWord(NamedTuple):
    """One word of a command."""

    text: str
    """What is known of it; expansions that aren't known are left out."""
    known: bool = True
    """Whether nothing was left out."""
    pattern: bool = False
    """Whether it has an unquoted `*`, `?` or `[`, which the shell replaces with names of files."""
    printed_by: tuple[ShellCommand, ...] = ()
    """The commands of a substitution, whose output stands here, or in the file that it names."""


class ShellCommand:
    """One simple command. Not a dataclass: a hook must not wait until that is imported."""

    def __init__(self) -> None:
        self.words: list[ShellWord] = []
        self.assignments: list[tuple[str, ShellWord]] = []
        self.writes: list[ShellWord] = []
        """Files that its output is sent to."""
        self.given: str | None = None
        """What it is given on standard input by a here-document or a here-string."""
        self.sources: list[ShellCommand] = []
        """The commands whose output a pipe gives it."""
        self.reads: ShellWord | None = None
        """The file that its input comes from."""

    @property
    def is_empty(self) -> bool:
        return not (self.words or self.assignments or self.writes or self.given is not None)


class Script(NamedTuple):
    """All commands of a command line, also those inside substitutions."""

    commands: list[ShellCommand]
    deep: bool
    """Whether something is nested too deeply to be read."""


def read_script(text: str, variables: Mapping[str, str] | None = None) -> Script:
    """Reads a command line, or the text of a script; `variables` are those the shell starts with."""
    reader = _Reader(text, {**_USUAL_VARIABLES, **(variables or {})}, 0)
    reader.read()
    return Script(reader.commands, reader.deep)


def name_arguments(texts: list[str]) -> dict[str, str]:
    """Returns the variables that hold what a script is started with: its name, and its arguments."""
    return {**{str(at): text for at, text in enumerate(texts)}, "@": " ".join(texts[1:]), "*": " ".join(texts[1:])}


class _Kind(Enum):
    """How one character of a word came about."""

    PLAIN = 0
    QUOTED = 1
    SPLIT = 2
    """Ends a word inside an expansion."""
    UNKNOWN = 3


_Characters = list[tuple[str, _Kind]]


class _Awaited(NamedTuple):
    """A here-document whose text begins on the next line."""

    command: ShellCommand
    delimiter: str
    strips_tabs: bool
    literal: bool


class _Reader:
    """Reads one text from left to right; with `closing`, up to the parenthesis that ends a substitution."""

    def __init__(self, text: str, variables: dict[str, str], depth: int, at: int = 0, *, closing: bool = False) -> None:
        self.text = text
        self.at = at
        self.variables = variables
        self.commands: list[ShellCommand] = []
        self.deep = depth > _MOST_NESTED
        self._depth = depth
        self._closing = closing
        self._command = ShellCommand()
        self._groups: list[int] = []
        self._last_start = 0
        self._awaited: list[_Awaited] = []
        self._printed_by: list[ShellCommand] = []
        self._closed = False

    def read(self) -> None:
        if self.deep:
            self.at = len(self.text)
        while self.at < len(self.text) and not self._closed:
            self._read_next()
        self._end_command()
        self._take_documents()

    def _read_next(self) -> None:
        character = self.text[self.at]
        if character in " \t\r":
            self.at += 1
        elif self.text.startswith("\\\n", self.at):
            self.at += 2
        elif character == "#":
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        elif not self._read_redirection():
            operator = next((sign for sign in _OPERATORS if self.text.startswith(sign, self.at)), None)
            if operator is not None:
                self._read_operator(operator)
            else:
                self._add_word()

    def _read_operator(self, operator: str) -> None:
        self.at += len(operator)
        self._end_command()
        if operator == "(":
            if self.text.startswith(")", self.at):  # a function's name stands before
                self.at += 1
            else:
                self._groups.append(len(self.commands))
        elif operator == ")":
            if self._groups:
                self._last_start = self._groups.pop()
            elif self._closing:
                self._closed = True
        elif operator in {"|", "|&"}:
            self._command.sources = self.commands[self._last_start :]
        elif operator == "\n":
            self._take_documents()

    def _read_redirection(self) -> bool:
        matched = _REDIRECTION.match(self.text, self.at)
        if matched is None:
            return False
        operator = matched[1]
        self.at = matched.end()
        self._skip_blanks()
        start = self.at
        words = self._read_word()
        target = words[0] if words else ShellWord("", known=False)
        if operator in {"<<", "<<-"}:
            raw = self.text[start : self.at]
            literal = any(sign in raw for sign in "'\"\\")
            self._awaited.append(_Awaited(self._command, target.text, operator == "<<-", literal))
            self._command.given = ""
        elif operator == "<<<":
            self._command.given = target.text
        elif operator == "<":
            self._command.reads = target
        elif operator.startswith((">", "<>")) and not (operator == ">&" and _is_descriptor(target.text)):
            self._command.writes += words
        return True

    def _skip_blanks(self) -> None:
        while self.at < len(self.text) and (self.text[self.at] in " \t" or self.text.startswith("\\\n", self.at)):
            self.at += 1 if self.text[self.at] != "\\" else 2

    def _add_word(self) -> None:
        start = self.at
        words = self._read_word()
        if self.at == start:  # nothing that a word can begin with
            self.at += 1
            return
        raw = self.text[start : self.at]
        command = self._command
        if command.words:
            command.words += words
        elif raw == "{":
            self._groups.append(len(self.commands))
        elif raw == "}":
            self._last_start = self._groups.pop() if self._groups else 0
        elif raw == "function":
            self._skip_blanks()
            self._read_word()
        elif raw not in _SKIPPED:
            assigned = _ASSIGNMENT.match(raw)
            if assigned is None:
                command.words += words
            else:
                value = " ".join(word.text for word in words)[assigned.end() :]
                command.assignments.append((assigned[1], ShellWord(value, all(word.known for word in words))))

    def _end_command(self) -> None:
        command, sources = self._command, self._command.sources
        self._command = ShellCommand()
        if command.is_empty:
            self._command.sources = sources  # a line may end after a pipe, or a group may begin
            return
        self._last_start = len(self.commands)
        self.commands.append(command)
        if not command.words:
            self._assign(command.assignments)
        elif command.words[0].text == "set" and "--" in [word.text for word in command.words]:
            after = [word.text for word in command.words].index("--") + 1
            self.variables |= name_arguments(["", *(word.text for word in command.words[after:])])
        elif command.words[0].text in _DECLARING:
            matches = ((word, _ASSIGNMENT.match(word.text)) for word in command.words[1:])
            self._assign((found[1], word._replace(text=word.text[found.end() :])) for word, found in matches if found)

    def _assign(self, assignments: Iterable[tuple[str, ShellWord]]) -> None:
        for name, value in assignments:
            self.variables.pop(name, None)
            if value.known:
                self.variables[name] = value.text

    def _take_documents(self) -> None:
        for command, delimiter, strips_tabs, literal in self._awaited:
            lines: list[str] = []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.at = min(end + 1, len(self.text))
                if (line.lstrip("\t") if strips_tabs else line).rstrip("\r") == delimiter:
                    break
                lines.append(line)
            command.given = "\n".join(lines)
            if not literal:
                self._read_inside(command.given)
        self._awaited = []

    def _read_word(self) -> list[ShellWord]:
        characters: _Characters = []
        self._printed_by = []
        while self.at < len(self.text):
            character = self.text[self.at]
            if character in "<>" and self.text.startswith("(", self.at + 1):
                self.at += 2
                self._read_substitution(characters)
            elif character in _WORD_ENDS:
                break
            elif character == "'":
                end = self.text.find("'", self.at + 1)
                end = len(self.text) if end < 0 else end
                characters += _quote(self.text[self.at + 1 : end])
                self.at = end + 1
            elif character == '"':
                self.at += 1
                self._read_double(characters)
            elif character == "\\":
                characters += _quote(self.text[self.at + 1 : self.at + 2].replace("\n", ""))
                self.at += 2
            elif character in "$`":
                self._read_expansion(characters, quoted=False)
            else:
                characters.append((character, _Kind.PLAIN))
                self.at += 1
        printed_by = tuple(self._printed_by)
        return [word if word.known else word._replace(printed_by=printed_by) for word in _build_words(characters)]

    def _read_double(self, characters: _Characters) -> None:
        """Reads up to the double quote that ends it."""
        characters.append(("", _Kind.QUOTED))
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == '"':
                self.at += 1
                return
            if character == "\\" and self.text[self.at + 1 : self.at + 2] in {"$", "`", '"', "\\", "\n"}:
                characters += _quote(self.text[self.at + 1].replace("\n", ""))
                self.at += 2
            elif character in "$`":
                self._read_expansion(characters, quoted=True)
            else:
                characters.append((character, _Kind.QUOTED))
                self.at += 1

    def _read_expansion(self, characters: _Characters, *, quoted: bool) -> None:
        text, after = self.text, self.at + 1
        if text[self.at] == "`":
            end = _find_unescaped(text, "`", after)
            self._read_text(text[after:end].replace("\\`", "`"))
            self.at = end + 1
            characters.append(("", _Kind.UNKNOWN))
        elif text.startswith("(", after):
            self.at = after + 1
            self._read_substitution(characters)
        elif text.startswith("{", after):
            end = _find_closing_brace(text, after)
            self._read_parameter(text[after + 1 : end], characters, quoted=quoted)
            self.at = end + 1
        elif text.startswith("'", after) and not quoted:
            end = _find_unescaped(text, "'", after + 1)
            characters += _quote(_decode_escapes(text[after + 1 : end]))
            self.at = end + 1
        elif text.startswith('"', after) and not quoted:
            self.at = after  # a translated string reads like any other
        else:
            name = _NAME.match(text, after)
            self.at = name.end() if name else after
            if name is None:
                characters.append(("$", _Kind.QUOTED))
            else:
                self._expand(name[0], characters, quoted=quoted)

    def _read_parameter(self, inside: str, characters: _Characters, *, quoted: bool) -> None:
        """Reads `${…}`: a plain name is looked up, its default may replace it, and substitutions are read."""
        if _NAME.fullmatch(inside):
            self._expand(inside, characters, quoted=quoted)
            return
        default = _DEFAULT.match(inside)
        if default is None:
            self._read_inside(inside)
        elif default[2] != "+" and default[1] in self.variables:
            self._expand(default[1], characters, quoted=quoted)
            return
        else:
            characters += self._read_inside(inside[default.end() :], quoted=quoted)
        characters.append(("", _Kind.UNKNOWN))

    def _expand(self, name: str, characters: _Characters, *, quoted: bool) -> None:
        value = self.variables.get(name)
        if value is None:
            characters.append(("", _Kind.UNKNOWN))
        else:
            characters += _quote(value) if quoted and name != "@" else _split_blanks(value)

    def _read_substitution(self, characters: _Characters) -> None:
        """Reads the commands up to the closing parenthesis; what they print is not known."""
        inner = _Reader(self.text, dict(self.variables), self._depth + 1, self.at, closing=True)
        inner.read()
        self._take_over(inner)
        self._printed_by += inner.commands[inner._last_start :]
        self.at = inner.at
        characters.append(("", _Kind.UNKNOWN))

    def _read_text(self, text: str) -> None:
        inner = _Reader(text, dict(self.variables), self._depth + 1)
        inner.read()
        self._take_over(inner)
        self._printed_by += inner.commands[inner._last_start :]

    def _read_inside(self, text: str, *, quoted: bool = True) -> _Characters:
        """Reads the substitutions in a text that is otherwise taken as it is."""
        inner = _Reader(text, dict(self.variables), self._depth + 1)
        characters: _Characters = []
        if not inner.deep:
            while inner.at < len(text):
                inner._read_double(characters)
        self._take_over(inner)
        return characters if quoted else _split_blanks("".join(sign for sign, _ in characters))

    def _take_over(self, inner: _Reader) -> None:
        self.commands += inner.commands
        self.deep = self.deep or inner.deep


def _quote(text: str) -> _Characters:
    """Marks a text as quoted; an empty one too, so that it is a word."""
    return [("", _Kind.QUOTED), *((character, _Kind.QUOTED) for character in text)]


def _split_blanks(text: str) -> _Characters:
    """Marks a text as an expansion outside of quotes, whose blanks end words."""
    return [(sign, _Kind.SPLIT if sign.isspace() else _Kind.PLAIN) for sign in text]


def _is_descriptor(text: str) -> bool:
    return text.rstrip("-").isdecimal() or text == "-"


def _find_unescaped(text: str, sign: str, start: int) -> int:
    """Returns where the sign is, or the end of the text."""
    at = start
    while at < len(text) and text[at] != sign:
        at += 2 if text[at] == "\\" else 1
    return min(at, len(text))


def _find_closing_brace(text: str, start: int) -> int:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at
    return len(text)


def _decode_escapes(text: str) -> str:
    """Decodes the inside of `$'…'`."""
    parts: list[str] = []
    at = 0
    while at < len(text):
        if text[at] != "\\" or at + 1 == len(text):
            parts.append(text[at])
            at += 1
            continue
        code = _CODE.match(text, at + 1)
        if code is not None:
            number = int(code[4], 8) if code[4] else int(code[1] or code[2] or code[3], 16)
            parts.append(chr(number) if number <= _LAST_CHARACTER else "")
            at = code.end()
        else:
            parts.append(_ESCAPES.get(text[at + 1], text[at + 1]))
            at += 2
    return "".join(parts)


def _build_words(characters: _Characters) -> list[ShellWord]:
    return [word for expanded in _expand_braces(characters) for word in _split(expanded)]


def _split(characters: _Characters) -> Iterator[ShellWord]:
    """Splits where an expansion has blanks; nothing but an unquoted expansion can come to no word at all."""
    part: _Characters = []
    for character in (*characters, ("", _Kind.SPLIT)):
        if character[1] is not _Kind.SPLIT:
            part.append(character)
        elif part:
            yield ShellWord(
                text="".join(sign for sign, _ in part),
                known=all(kind is not _Kind.UNKNOWN for _, kind in part),
                pattern=any(kind is _Kind.PLAIN and sign in "*?[" for sign, kind in part),
            )
            part = []


def _expand_braces(characters: _Characters) -> list[_Characters]:
    """Expands `{a,b}`, as far as there are few."""
    done: list[_Characters] = []
    waiting = [characters]
    while waiting:
        one = waiting.pop(0)
        found = _find_braces(one)
        if found is None or len(waiting) + len(done) >= _MOST_EXPANDED:
            done.append(one)
        else:
            start, commas, end = found
            edges = [start, *commas, end]
            parts = [one[left + 1 : right] for left, right in pairwise(edges)]
            waiting[:0] = [[*one[:start], *part, *one[end + 1 :]] for part in parts]
    return done


def _find_braces(characters: _Characters) -> tuple[int, list[int], int] | None:
    """Finds the first opening brace with commas of its own: where it is, its commas, and where it ends."""
    opened: list[tuple[int, list[int]]] = []
    found: list[tuple[int, list[int], int]] = []
    for at, (sign, kind) in enumerate(characters):
        if kind is not _Kind.PLAIN:
            continue
        if sign == "{":
            opened.append((at, []))
        elif sign == "," and opened:
            opened[-1][1].append(at)
        elif sign == "}" and opened:
            start, commas = opened.pop()
            if commas:
                found.append((start, commas, at))
    return min(found, default=None)
