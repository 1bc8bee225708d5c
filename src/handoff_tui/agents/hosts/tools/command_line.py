"""What a shell command line would do that matters to a gate: pass work on, decide in a person's place, write files.

Pure: what the disk and git know (aliases, scripts) comes from `Surroundings`. Whatever stands around a command is
taken off first: options, paths, `env`, `sudo`, `xargs`, `sh -c`, `eval`, pipes into a shell, aliases, scripts.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from handoff_tui.agents.hosts.tools.programs import (
    CODE_RUNNERS,
    FORGES,
    GIT_BUILT_IN,
    GIT_VALUE_OPTIONS,
    GIT_WRITERS,
    PASSING_GIT,
    SHELLS,
    WRAPPERS,
    WRITERS,
    Wrapper,
    Writer,
    is_deciding,
)
from handoff_tui.agents.hosts.tools.shell import Command, Word, read_script
from handoff_tui.core.lazy_pattern import compile_later

_MOST_LAYERS = 24
_MOST_SCRIPTS = 8
_TOO_DEEP = "something nested too deeply"
_MOST_WORDS_SHOWN = 4
_CODE_PASSES_ON = compile_later(
    r"""\bgit\b['"]?[\s,]+(?:['"]?-[^\s,]*['"]?[\s,]+(?:['"][^'"]*['"][\s,]+)?)*['"]?(?:push|merge|send-pack)\b(?!-)"""
    r"""|\b(?:gh|glab)\b['"]?[\s,]+['"]?(?:pr|mr)['"]?[\s,]+['"]?(?:merge|accept)\b"""
)
_CODE_STARTS = compile_later(r"system|subprocess|[Pp]open|exec|spawn|\brun\b|check_|call|`|shell|\$\(")
_CODE_DECIDES = compile_later(r"""handoff[-_]tui\b['"]?[\s,]+['"]?(?:decide|init|policy|keys)\b""")
_CODE_WRITES = compile_later(
    r"write|unlink|remove|rename|replace|rmtree|rmSync|truncate|mkdir|copy|move|chmod|dump|open\s*\([^)]*['\"][wax+]"
    r"|[wax]\+?b?['\"]\s*\)"
)
_CODE_PATHS = compile_later(r"""['"]([^'"\n]{1,300})['"]""")
_LITERAL_SOURCES = frozenset({"echo", "printf", "cat", "tee"})
_HARMLESS_AFTER = frozenset({"--abort", "--quit", "--help", "-h"})
_TRANSFER_TOOLS = frozenset({"curl", "wget", "http", "https", "xh"})
_MERGE_ADDRESS = compile_later(
    r"/(?:pulls|merge_requests|pull-requests)/[^/\s]+/(?:merge|approve|approvals)\b|/merges\b"
)
_REMOTE_FORGE = compile_later(r"mergePullRequest|enablePullRequestAutoMerge|mergeBranch|/git/refs\b|/merge\b|/merges\b")


class ActKind(StrEnum):
    """What a command does."""

    PASS_ON = "pass on"
    """Pushes or merges work, or has a forge do so."""
    UNCLEAR = "unclear"
    """May do so; only a running shell would know."""
    DECIDE = "decide"
    """Decides, or changes who may."""
    WRITE = "write"
    """Changes the named file."""
    DELETE = "delete"
    """Takes the named file or folder away."""
    SIGN = "sign"
    """Signs with a person's key, or changes which one is used."""


class Act(NamedTuple):
    """One thing that a command line would do, and in which folder."""

    kind: ActKind
    what: str
    """The command in short; for a write, the path."""
    folder: str


@dataclass(frozen=True)
class Surroundings:
    """What a command line meets when it runs."""

    folder: str
    home: str
    aliases: Callable[[str], Mapping[str, str]] = lambda _: {}
    """The git aliases in a folder."""
    read_file: Callable[[str], str | None] = lambda _: None
    """The text of a small script; None if it isn't one."""


def judge_command_line(text: str, surroundings: Surroundings) -> tuple[Act, ...]:
    """Returns what the command line would do that matters, in order and without repetitions."""
    judge = _Judge(surroundings, surroundings.folder)
    judge.run_text(text)
    return tuple(dict.fromkeys(judge.acts))


@dataclass
class _Judge:
    """Goes through the commands one after the other, as a shell would."""

    around: Surroundings
    folder: str
    acts: list[Act] = field(default_factory=list)
    layers: int = 0
    scripts: int = 0

    def run_text(self, text: str) -> None:
        if self._is_too_deep():
            return
        script = read_script(text, {"HOME": self.around.home, "PWD": self.folder})
        if script.deep:
            self._add(ActKind.UNCLEAR, _TOO_DEEP)
        self.layers += 1
        for command in script.commands:
            self._run(command)
        self.layers -= 1

    def _is_too_deep(self) -> bool:
        if self.layers <= _MOST_LAYERS:
            return False
        self._add(ActKind.UNCLEAR, _TOO_DEEP)
        return True

    def _run(self, command: Command) -> None:
        for target in command.writes:
            self._write(target)
        self._run_words(command.words, command)

    def _run_words(self, words: list[Word], command: Command) -> None:
        if not words or self._is_too_deep():
            return
        self.layers += 1
        self._judge_program(words, command)
        self.layers -= 1

    def _judge_program(self, words: list[Word], command: Command) -> None:
        name, rest = _name_program(words[0]), words[1:]
        if not name:
            self._judge_unknown(rest)
        elif name in {"git", "hub"}:
            self._run_git(rest, command)
        elif name.startswith("git-") and name.removeprefix("git-") in PASSING_GIT:
            self._run_git([Word(name.removeprefix("git-")), *rest], command)
        elif name in FORGES:
            self._run_forge(name, rest)
        elif name == "handoff-tui":
            self._run_ours(rest)
        elif name in SHELLS:
            self._run_shell(rest, command)
        elif name in CODE_RUNNERS:
            self._run_code(name, rest, command)
        elif name in WRAPPERS:
            self._unwrap(WRAPPERS[name], rest, command)
        else:
            self._run_other(name, words, command)

    def _run_other(self, name: str, words: list[Word], command: Command) -> None:
        rest = words[1:]
        if name in WRITERS:
            self._write_all(WRITERS[name], rest)
        elif name == "ssh-keygen":
            self._judge_key_tool(rest)
        elif name in {"awk", "gawk", "mawk"}:
            self._judge_code(" ".join(word.text for word in rest))
        elif name in _TRANSFER_TOOLS:
            self._judge_request(name, rest)
        elif name == "apply_patch":
            for path in list_patched("\n".join([*(word.text for word in rest), command.given or ""])):
                self._write(Word(path))
        elif "/" in words[0].text:
            self._run_file(words[:1])
        else:
            self._run_built_in(name, rest)

    def _run_built_in(self, name: str, rest: list[Word]) -> None:
        """Runs what the shell itself does."""
        if name in {"cd", "pushd"}:
            target = next((word for word in rest if not word.text.startswith("-")), Word("~"))
            self.folder = self._resolve(target) if target.known else self.folder
        elif name == "eval":
            self._run_joined(rest)
        elif name == "alias":
            for word in rest:
                self.run_text(word.text.partition("=")[2])
        elif name in {".", "source"}:
            self._run_file(rest)
        elif name == "trap":
            self.run_text(rest[0].text if rest else "")

    def _judge_unknown(self, rest: list[Word]) -> None:
        """Judges a program that only the shell knows: what follows tells whether it could be git."""
        said = [word.text for word in rest if not word.text.startswith("-")]
        if said[:1] and (said[0] in PASSING_GIT or said[:2] in (["pr", "merge"], ["mr", "merge"])):
            self._add(ActKind.UNCLEAR, f"$… {' '.join(said[:2])}")
        elif said[:1] == ["decide"]:
            self._add(ActKind.DECIDE, "$… decide")

    def _run_git(self, words: list[Word], command: Command) -> None:
        folder, aliases, rest = self._take_git_options(words)
        environment = {name.upper() for name, _ in command.assignments}
        if not rest:
            return
        verb, arguments = rest[0], rest[1:]
        texts = [word.text for word in arguments]
        if not verb.known:
            passing = verb.text in PASSING_GIT or (not verb.text and bool(texts) and texts[0] in PASSING_GIT)
            self._add(ActKind.PASS_ON if passing else ActKind.UNCLEAR, "git $…", folder)
        elif verb.text in PASSING_GIT:
            if PASSING_GIT[verb.text](texts) and not _HARMLESS_AFTER.intersection(texts):
                self._add(ActKind.PASS_ON, _show("git", verb.text, texts), folder)
        elif verb.text in GIT_WRITERS:
            self._write_all(GIT_WRITERS[verb.text], arguments, folder)
        elif verb.text == "config":
            self._judge_setting(texts, folder)
        elif verb.text not in GIT_BUILT_IN:
            hidden = any(key.startswith("GIT_CONFIG") for key in environment)
            self._run_alias([verb, *arguments], aliases, folder, hidden=hidden)
        self._run_git_commands(verb.text, arguments, folder)

    def _take_git_options(self, words: list[Word]) -> tuple[str, dict[str, str], list[Word]]:
        """Takes off the options before git's verb: where it runs, and the aliases that they set."""
        folder, aliases = self.folder, dict[str, str]()
        at = 0
        while at < len(words) and (words[at].text.startswith("-") or (not words[at].known and not words[at].text)):
            option, value = words[at].text, words[at + 1] if at + 1 < len(words) else Word("")
            if not words[at].known and not option:  # may be options, or nothing at all
                if value.known and value.text and not value.text.startswith("-"):
                    at += 1
                    break
                if not value.text:
                    break
            elif option in GIT_VALUE_OPTIONS:
                if option == "-C" and value.known:
                    folder = posixpath.normpath(posixpath.join(folder, self._expand_home(value.text)))
                elif option in {"-c", "--config-env"}:
                    self._take_setting(value.text, aliases, folder)
                elif option in {"--work-tree", "--git-dir"} and value.known:
                    folder = self._find_work_tree(folder, value.text)
                at += 1
            elif option.startswith(("--git-dir=", "--work-tree=")):
                folder = self._find_work_tree(folder, option.partition("=")[2])
            elif option.startswith("-c") and option != "-c":
                self._take_setting(option[2:], aliases, folder)
            elif option.startswith("-C") and option != "-C":
                folder = posixpath.normpath(posixpath.join(folder, self._expand_home(option[2:])))
            at += 1
        return folder, aliases, words[at:]

    def _find_work_tree(self, folder: str, path: str) -> str:
        found = posixpath.normpath(posixpath.join(folder, self._expand_home(path)))
        return posixpath.dirname(found) if posixpath.basename(found) == ".git" else found

    def _take_setting(self, setting: str, aliases: dict[str, str], folder: str) -> None:
        key, _, value = setting.partition("=")
        key = key.lower()
        if key.startswith("alias."):
            aliases[key.removeprefix("alias.")] = value
        elif key == "help.autocorrect":
            aliases["help.autocorrect"] = value
        elif key in {"core.pager", "core.editor", "core.sshcommand", "sequence.editor", "core.fsmonitor"}:
            self._in_folder(folder, value)

    def _run_alias(self, words: list[Word], given: Mapping[str, str], folder: str, *, hidden: bool) -> None:
        """Runs what an alias stands for; the name of none may be corrected by git, or be set out of sight."""
        verb, arguments = words[0].text, words[1:]
        known = {**self.around.aliases(folder), **given}
        meaning = known.get(verb.lower())
        if meaning is None:
            if hidden or "help.autocorrect" in known:
                self._add(ActKind.UNCLEAR, f"git {verb}", folder)
            return
        if meaning.startswith("!"):
            self._in_folder(folder, " ".join([meaning[1:], *(_quote(word.text) for word in arguments)]))
            return
        inner = read_script(meaning).commands
        meant = inner[0].words if inner else []
        before, self.folder = self.folder, folder
        self._run_words([Word("git"), *meant, *arguments], Command())
        self.folder = before

    def _run_git_commands(self, verb: str, arguments: list[Word], folder: str) -> None:
        """Runs the commands that git itself is told to run."""
        texts = [word.text for word in arguments]
        for at, text in enumerate(texts):
            if verb == "rebase" and text in {"--exec", "-x"} and at + 1 < len(texts):
                self._in_folder(folder, texts[at + 1])
            elif verb == "rebase" and text.startswith("--exec="):
                self._in_folder(folder, text.partition("=")[2])
        if verb == "bisect" and texts[:1] == ["run"]:
            self._run_words(arguments[1:], Command())
        elif verb == "submodule" and "foreach" in texts:
            rest = [text for text in texts[texts.index("foreach") + 1 :] if text not in {"--recursive", "--quiet"}]
            self._in_folder(folder, " ".join(rest))

    def _judge_setting(self, texts: list[str], folder: str) -> None:
        """Judges `git config`: settings of keys, and aliases that would pass work on."""
        said = [text for text in texts if not text.startswith("-")]
        if said[:1] in (["set"], ["unset"]):
            said = said[1:]
        elif said[:1] in (["get"], ["list"]):
            return
        reads = any(text.startswith(("--get", "--list", "-l")) for text in texts)
        if not said or reads:
            return
        key, values = said[0].lower(), said[1:]
        changes = bool(values) or any(text.startswith(("--unset", "--remove")) for text in texts) or "unset" in texts
        if key.startswith(("handoff-tui.", "gpg.")) or key == "user.signingkey":
            if changes:
                self._add(ActKind.SIGN, f"git config {said[0]}", folder)
        elif key.startswith("alias.") and values:
            value = values[0]
            self._in_folder(folder, value[1:] if value.startswith("!") else f"git {value}")

    def _run_forge(self, name: str, words: list[Word]) -> None:
        texts = [word.text for word in words]
        if FORGES[name](texts) and not {"--help", "-h"}.intersection(texts):
            self._add(ActKind.PASS_ON, _show(name, "", texts))
        elif texts[:2] == ["alias", "set"]:
            value = next((text for text in texts[3:] if not text.startswith("-")), "")
            self.run_text(value.removeprefix("!") if value.startswith("!") else f"{name} {value}")
        elif texts[:1] == ["api"] and _REMOTE_FORGE.search(" ".join(texts)):
            self._add(ActKind.PASS_ON, _show(name, "", texts))

    def _judge_request(self, name: str, words: list[Word]) -> None:
        text = " ".join(word.text for word in words)
        if _MERGE_ADDRESS.search(text) or "mergePullRequest" in text:
            self._add(ActKind.PASS_ON, f"{name} …/merge")

    def _run_ours(self, words: list[Word]) -> None:
        texts = [word.text for word in words]
        if is_deciding(texts):
            self._add(ActKind.DECIDE, _show("handoff-tui", "", texts))

    def _judge_key_tool(self, words: list[Word]) -> None:
        texts = [word.text for word in words]
        if "sign" in texts and any(text.startswith("-Y") for text in texts):
            self._add(ActKind.SIGN, "ssh-keygen -Y sign")
        for at, text in enumerate(texts[:-1]):
            if text == "-f" and "-l" not in texts and "-y" not in texts:
                self._write(words[at + 1])

    def _run_shell(self, words: list[Word], command: Command) -> None:
        """Runs what a shell is told to: by `-c`, by a script, or on its input."""
        at = 0
        while at < len(words) and words[at].text.startswith(("-", "+")):
            option = words[at].text
            if not option.startswith("--") and "c" in option:
                script = next((word for word in words[at + 1 :] if not word.text.startswith(("-", "+"))), None)
                if script is not None:
                    self.run_text(script.text)
                    if not script.known and not script.text.strip():
                        self._add(ActKind.UNCLEAR, "sh -c $…")
                return
            if option in {"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}:
                at += 1
            elif option in {"-s", "--"}:
                break
            at += 1
        if at < len(words) and words[at].text != "-s":
            self._run_file(words[at : at + 1])
        else:
            self._run_input(command)

    def _run_input(self, command: Command) -> None:
        """Runs what a shell reads from its input: text that stands in the command line, changed on its way or not."""
        if command.given:
            self.run_text(command.given)
        if not command.sources:
            return
        printed = [_find_printed(source) for source in _list_sources(command)]
        last = [_find_printed(source) for source in command.sources]
        if any(text is not None for text in last):
            for text in last:
                self.run_text(text or "")
        elif any(printed):
            self._add(ActKind.UNCLEAR, "a text made into commands by a pipe")

    def _run_code(self, name: str, words: list[Word], command: Command) -> None:
        """Looks at code in another language for what it starts and writes."""
        module = _find_module(words)
        if module is not None:
            if module[0].replace("-", "_") == "handoff_tui":
                self._run_ours(module[1])
            return
        codes = [words[at + 1].text for at, word in enumerate(words[:-1]) if word.text in CODE_RUNNERS[name]]
        codes += [word.text[2:] for word in words if word.text[:2] in {"-c", "-e"} and len(word.text) > len("-c")]
        codes += [command.given] if command.given else []
        for code in codes:
            self._judge_code(code)
        if name in WRITERS:
            self._write_all(WRITERS[name], words)
        script = next((word for word in words if not word.text.startswith("-")), None)
        if not codes and script is not None and posixpath.basename(script.text) == "handoff-tui":
            self._run_ours(words[words.index(script) + 1 :])

    def _judge_code(self, code: str) -> None:
        passed = _CODE_PASSES_ON.search(code)
        if passed is not None and _CODE_STARTS.search(code):
            self._add(ActKind.PASS_ON, " ".join(passed[0].replace(",", " ").replace("'", "").replace('"', "").split()))
        if _CODE_DECIDES.search(code) and _CODE_STARTS.search(code):
            self._add(ActKind.DECIDE, "handoff-tui in code")
        if _CODE_WRITES.search(code):
            for path in _CODE_PATHS.finditer(code):
                self._write(Word(path[1]))

    def _unwrap(self, wrapper: Wrapper, words: list[Word], command: Command) -> None:
        """Takes off a program that runs another; where an option of it isn't known, tries every word as the program."""
        self._run_text_options(wrapper.text_options, words)
        texts = [word.text for word in words]
        if wrapper.after:
            self._run_after(wrapper.after, words)
            return
        if wrapper.types:
            for text in texts:
                if " " in text:
                    self.run_text(text)
        at, clear = wrapper.find_program(texts)
        if wrapper.joins:
            self._run_joined(words[at:])
        elif clear:
            self._run_words(words[at:], command)
        else:
            for start in range(len(words)):
                self._run_words(words[start:], command)

    def _run_text_options(self, options: frozenset[str], words: list[Word]) -> None:
        """Runs the command lines in options such as `-c`: alone, last of several letters, or with the text attached."""
        for at, word in enumerate(words if options else ()):
            text = word.text
            is_last_letter = text[:1] == "-" != text[1:2] and f"-{text[-1:]}" in options
            if (text in options or is_last_letter) and at + 1 < len(words):
                self.run_text(words[at + 1].text)
            elif text[:2] in options:
                self.run_text(text[2:])
            elif text.partition("=")[0] in options:
                self.run_text(text.partition("=")[2])

    def _run_after(self, options: frozenset[str], words: list[Word]) -> None:
        """Runs the programs after `-exec` and the like; `find -delete` deletes where it starts."""
        for at, word in enumerate(words):
            if word.text in options:
                self._run_words(words[at + 1 :], Command())
            elif word.text == "-delete":
                for start in words[:at]:
                    self._write(start, kind=ActKind.DELETE)

    def _run_joined(self, words: list[Word]) -> None:
        self.run_text(" ".join(word.text for word in words))
        if words and not words[0].known and not words[0].text:
            self._add(ActKind.UNCLEAR, "eval $…")

    def _run_file(self, words: list[Word]) -> None:
        """Runs a script, if it is a small one that can be read."""
        if not words or not words[0].known or self.scripts >= _MOST_SCRIPTS:
            return
        self.scripts += 1
        text = self.around.read_file(self._resolve(words[0]))
        if text is not None:
            folder = self.folder
            self.run_text(text)
            self.folder = folder

    def _in_folder(self, folder: str, text: str) -> None:
        before, self.folder = self.folder, folder
        self.run_text(text)
        self.folder = before

    def _write_all(self, writer: Writer, words: list[Word], folder: str | None = None) -> None:
        kind = ActKind.DELETE if writer.deletes else ActKind.WRITE
        for path in writer.find_written([word.text for word in words]):
            self._write(Word(path), folder, kind)

    def _write(self, target: Word, folder: str | None = None, kind: ActKind = ActKind.WRITE) -> None:
        if target.text:
            self._add(kind, self._resolve(target, folder), folder)

    def _resolve(self, word: Word, folder: str | None = None) -> str:
        return posixpath.normpath(posixpath.join(folder or self.folder, self._expand_home(word.text)))

    def _expand_home(self, path: str) -> str:
        return self.around.home + path[1:] if path == "~" or path.startswith("~/") else path

    def _add(self, kind: ActKind, what: str, folder: str | None = None) -> None:
        self.acts.append(Act(kind, what, folder or self.folder))


def list_patched(patch: str) -> list[str]:
    """Lists the files that a patch in the form of `apply_patch` touches, or a unified one."""
    marks = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
    paths: list[str] = []
    for line in patch.splitlines():
        mark = next((mark for mark in marks if line.startswith(mark)), None)
        if mark is not None:
            paths.append(line.removeprefix(mark).strip())
        elif line.startswith(("+++ ", "--- ", "rename from ", "rename to ")):
            path = line.split(" ", 2)[-1] if line.startswith("rename") else line[4:]
            path = path.split("\t")[0].strip()
            paths.append(path[2:] if path.startswith(("a/", "b/")) else path)
    return [path for path in paths if path != "/dev/null"]


def _name_program(word: Word) -> str:
    """Returns the name of a program without its folder; empty if only the shell knows it."""
    name = posixpath.basename(word.text)
    if word.pattern and any(sign in name for sign in "*?["):
        return ""
    if not word.known and not name:
        return ""
    name = name.removesuffix(".exe")
    return "python" if name.startswith("python") else name


def _find_module(words: list[Word]) -> tuple[str, list[Word]] | None:
    """Returns the module that `python -m` runs, and its arguments."""
    for at, word in enumerate(words):
        if word.text == "-m" and at + 1 < len(words):
            return words[at + 1].text, words[at + 2 :]
        if word.text.startswith("-m"):
            return word.text[2:], words[at + 1 :]
        if not word.text.startswith("-") or word.text in {"-c", "-"}:
            return None
    return None


def _find_printed(command: Command) -> str | None:
    """Returns the text that a command prints because it stands in its words; None if it comes from elsewhere."""
    name = _name_program(command.words[0]) if command.words else ""
    if name not in _LITERAL_SOURCES:
        return None
    if command.given is not None:
        return command.given
    if name in {"cat", "tee"}:
        return None
    texts = [word.text for word in command.words[1:] if word.text not in {"-e", "-n", "-E", "-ne", "-en", "--"}] or [""]
    text = " ".join(texts)
    if name == "printf" and "%" in texts[0]:
        text = texts[0]
        for value in texts[1:]:
            text = text.replace("%s", value, 1) if "%s" in text else f"{text} {value}"
    return text.replace("\\n", "\n")


def _list_sources(command: Command) -> Iterable[Command]:
    for source in command.sources:
        yield source
        yield from _list_sources(source)


def _show(program: str, verb: str, arguments: list[str]) -> str:
    words = [word for word in (program, verb, *arguments) if word]
    return " ".join(words[:_MOST_WORDS_SHOWN]) + (" …" if len(words) > _MOST_WORDS_SHOWN else "")


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
