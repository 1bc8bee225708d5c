"""What a shell command line would do that matters to a gate: pass work on, decide in a person's place, write files.

Pure: what the disk and git know (aliases, scripts) comes from `Surroundings`. Whatever stands around a command is
taken off first: options, paths, `env`, `sudo`, `xargs`, `sh -c`, `eval`, pipes into a shell, aliases, scripts.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from copy import copy

from handoff_tui.agents.hosts.tools import code as other_language
from handoff_tui.agents.hosts.tools.acts import Act, ActKind, Surroundings
from handoff_tui.agents.hosts.tools.code import changes_forge
from handoff_tui.agents.hosts.tools.known_texts import KnownTexts, name_program
from handoff_tui.agents.hosts.tools.programs import (
    ASSIGNMENT,
    CODE_RUNNERS,
    FORGES,
    GIT_BUILT_IN,
    GIT_VALUE_OPTIONS,
    GIT_WRITERS,
    MOVING_GIT,
    PASSING_GIT,
    QUOTING,
    SHELLS,
    WRAPPERS,
    WRITERS,
    Wrapper,
    Writer,
    drop_options,
    is_deciding,
)
from handoff_tui.agents.hosts.tools.shell import ShellCommand, ShellWord, name_arguments, read_script
from handoff_tui.core.lazy_pattern import compile_later

_MOST_LAYERS = 24
_MOST_SCRIPTS = 8
_TOO_DEEP = "something nested too deeply"
_MOST_WORDS_SHOWN = 4
_STARTED_BY_OTHERS = frozenset({"git", "hub", "handoff-tui", *SHELLS, *FORGES})
_HARMLESS_AFTER = frozenset({"--abort", "--quit", "--help", "-h"})
_TRANSFER_TOOLS = frozenset({"curl", "wget", "http", "https", "xh"})
_RUN_BY_GIT = compile_later(r"PAGER|EDITOR|VISUAL|_COMMAND|_DIFF|ASKPASS|GIT_SSH$|BASH_ENV|^ENV$")
"""Variables that hold a command."""
_OPTION_WITH_COMMAND = compile_later(r"(?i)^(?:(?:-[cx]|/c|--?(?:command|exec|run|call|eval|shell|cmd))(?:=|$)|EXEC:)")
_STANDARD_INPUT = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
_TARGET = frozenset({"-t"})
_TYPED = {"Space": " ", "Enter": "\n", "C-m": "\n", "KPEnter": "\n"}
_CRON_FIELDS = 5


def judge_command_line(text: str, surroundings: Surroundings) -> tuple[Act, ...]:
    """Returns what the command line would do that matters, in order and without repetitions."""
    judge = _Judge(surroundings, surroundings.folder)
    judge.run_text(text)
    return tuple(dict.fromkeys(judge.acts))


class _Judge:
    """Goes through the commands one after the other, as a shell would."""

    def __init__(self, around: Surroundings, folder: str) -> None:
        self.around = around
        self.folder = folder
        self.acts: list[Act] = []
        self.layers = 0
        self.scripts = 0
        self.environment: dict[str, str] = {}
        self.texts = KnownTexts(self._resolve, self.around.read_file, lambda shown: self._add(ActKind.UNCLEAR, shown))

    def run_text(self, text: str, arguments: Sequence[str] = (), outer: ShellCommand | None = None) -> None:
        """Runs a command line; `outer` is the command whose input it reads."""
        if self._is_too_deep():
            return
        variables = {"HOME": self.around.home, "PWD": self.folder, **name_arguments(list(arguments))}
        script = read_script(text, variables)
        if script.deep:
            self._add(ActKind.UNCLEAR, _TOO_DEEP)
        self.layers += 1
        for command in script.commands:
            if outer is not None and command.given is None and not command.sources and command.reads is None:
                command.given, command.sources, command.reads = outer.given, outer.sources, outer.reads
            self._run(command)
        self.layers -= 1

    def _is_too_deep(self) -> bool:
        if self.layers <= _MOST_LAYERS:
            return False
        self._add(ActKind.UNCLEAR, _TOO_DEEP)
        return True

    def _run(self, command: ShellCommand) -> None:
        for target in command.writes:
            self._write(target)
            self.texts.note_written(target, command)
        self._set_variables(command)
        self._run_words(command.words, command)

    def _set_variables(self, command: ShellCommand) -> None:
        """Notes variables that stay, and runs those that hold a command for git or a shell."""
        assigned = {name: value.text for name, value in command.assignments}
        is_export = bool(command.words) and command.words[0].text in {"export", "declare", "typeset"}
        if is_export:
            assigned |= dict(word.text.split("=", 1) for word in command.words[1:] if "=" in word.text)
        for name, value in assigned.items():
            if _RUN_BY_GIT.search(name):
                self.run_text(value)
        if is_export or not command.words:
            self.environment |= assigned

    def _run_words(self, words: list[ShellWord], command: ShellCommand) -> None:
        if not words or self._is_too_deep():
            return
        self.layers += 1
        self._judge_program(words, command)
        self.layers -= 1

    def _judge_program(self, words: list[ShellWord], command: ShellCommand) -> None:
        name, rest = name_program(words[0]), words[1:]
        if not name:
            self._judge_unknown(words[0], rest)
        elif name == "git" or (name == "hub" and [word.text for word in rest[:1]] != ["api"]):
            self._run_git(rest, command)
        elif name.startswith("git-") and name.removeprefix("git-") in PASSING_GIT:
            self._run_git([ShellWord(name.removeprefix("git-")), *rest], command)
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

    def _run_other(self, name: str, words: list[ShellWord], command: ShellCommand) -> None:
        rest = words[1:]
        if name in WRITERS:
            self._write_all(WRITERS[name], rest)
            self._run_escapes(rest)
            if name == "tee":
                for word in rest:
                    self.texts.note_written(word, command)
        elif name in {"at", "batch", "crontab"}:
            self._run_input(command, _CRON_FIELDS if name == "crontab" else 0)
        elif name == "ssh-keygen":
            self._judge_key_tool(rest)
        elif name in {"awk", "gawk", "mawk"}:
            self._judge_code(" ".join(word.text for word in rest))
        elif name in _TRANSFER_TOOLS:
            self._judge_request(name, rest)
        elif name == "apply_patch":
            for path in list_patched("\n".join([*(word.text for word in rest), command.given or ""])):
                self._write(ShellWord(path))
        elif "/" in words[0].text and self._run_file(words, command):
            pass
        else:
            self._run_built_in(name, rest, command)

    def _run_built_in(self, name: str, rest: list[ShellWord], command: ShellCommand) -> None:
        """Runs what the shell itself does, or else a program that nothing is known of."""
        if name in {"cd", "pushd"}:
            target = next((word for word in rest if not word.text.startswith("-")), ShellWord("~"))
            self.folder = self._resolve(target) if target.known else self.folder
        elif name == "eval":
            self._run_joined(rest, command)
        elif name == "alias":
            for word in rest:
                self.run_text(word.text.partition("=")[2])
        elif name in {".", "source"}:
            self._run_file(rest, command)
        elif name == "trap":
            self.run_text(rest[0].text if rest else "")
        elif name not in QUOTING:
            self._try_words(rest, command)

    def _try_words(self, words: list[ShellWord], command: ShellCommand) -> None:
        """Judges what an unknown program may start: the words after it, or the text of an option for that."""
        for at, word in enumerate(words):
            if name_program(word) in QUOTING and not (at and words[at - 1].text.startswith("-")):
                break
            if name_program(word) in _STARTED_BY_OTHERS and at + 1 < len(words):
                self._run_words(words[at:], command)
            option = _OPTION_WITH_COMMAND.match(word.text)
            if option is not None:
                text = word.text[option.end() :] or "".join(after.text for after in words[at + 1 : at + 2])
                self.run_text(text)
                self._judge_code(text)
        self._run_escapes(words)

    def _run_escapes(self, words: list[ShellWord]) -> None:
        """Runs what an editor or a pager is told to give to a shell: `-c '!…'`, `+!…`."""
        for word in words:
            text = word.text.lstrip("+:")
            if text.startswith("!"):
                self.run_text(text[1:])

    def _judge_unknown(self, program: ShellWord, rest: list[ShellWord]) -> None:
        """Judges a program that only the shell knows: what it is made of, or what follows, tells what it could be."""
        if program.printed_by and not program.text:
            text = self.texts.find_output(program.printed_by, "a command made by a pipe")
            if text is not None:
                self.run_text(" ".join([text, *(_quote(word.text) for word in rest)]))
                return
        said = [word.text for word in rest if not word.text.startswith("-")]
        if said[:1] and (said[0] in PASSING_GIT or said[:2] in (["pr", "merge"], ["mr", "merge"])):
            self._add(ActKind.UNCLEAR, f"$… {' '.join(said[:2])}")
        elif said[:1] == ["decide"]:
            self._add(ActKind.DECIDE, "$… decide")

    def _run_git(self, words: list[ShellWord], command: ShellCommand) -> None:
        environment = self.environment | {name: value.text for name, value in command.assignments}
        folder, aliases, rest = self._take_git_options(words, environment)
        if not rest:
            return
        verb, arguments = rest[0], rest[1:]
        texts = [word.text for word in arguments]
        if not verb.known or verb.pattern:
            passing = verb.text in PASSING_GIT or (not verb.text and bool(texts) and texts[0] in PASSING_GIT)
            self._add(ActKind.PASS_ON if passing else ActKind.UNCLEAR, "git $…", folder)
        elif verb.text in PASSING_GIT:
            tries = verb.text == "push" and _is_dry(arguments)
            if PASSING_GIT[verb.text](texts) and not tries and not _HARMLESS_AFTER.intersection(texts):
                self._add(ActKind.PASS_ON, _show("git", verb.text, texts), folder)
        elif verb.text in MOVING_GIT and MOVING_GIT[verb.text](texts):
            self._add(ActKind.PASS_ON, _show("git", verb.text, texts), folder)
        elif verb.text in GIT_WRITERS:
            self._write_all(GIT_WRITERS[verb.text], arguments, folder)
        elif verb.text == "config":
            self._judge_setting(texts, folder)
        elif verb.text not in GIT_BUILT_IN:
            hidden = any(key.startswith("GIT_CONFIG") for key in environment)
            self._run_alias([verb, *arguments], aliases, folder, hidden=hidden)
        self._run_git_commands(verb.text, arguments, folder)

    def _take_git_options(
        self, words: list[ShellWord], environment: Mapping[str, str]
    ) -> tuple[str, dict[str, str], list[ShellWord]]:
        """Takes off the options before git's verb: where it runs, and the aliases that they set."""
        folder, aliases = self.folder, dict[str, str]()
        for name in ("GIT_DIR", "GIT_WORK_TREE"):
            folder = self._find_work_tree(folder, environment[name]) if environment.get(name) else folder
        at = 0
        while at < len(words) and (words[at].text.startswith("-") or (not words[at].known and not words[at].text)):
            option, value = words[at].text, words[at + 1] if at + 1 < len(words) else ShellWord("")
            if not words[at].known and not option:  # may be options, or nothing at all
                if value.known and value.text and not value.text.startswith("-"):
                    at += 1
                    break
                if not value.text:
                    break
            else:
                name, equals, text = _split_git_option(option)
                if not equals and name in GIT_VALUE_OPTIONS:
                    text, at = value.text, at + 1
                folder = self._take_git_option(name, text, folder, aliases)
            at += 1
        return folder, aliases, words[at:]

    def _take_git_option(self, name: str, value: str, folder: str, aliases: dict[str, str]) -> str:
        """Takes one option with its value; returns the folder that git works in from there on."""
        if name == "-C":
            return posixpath.normpath(posixpath.join(folder, self._expand_home(value)))
        if name in {"--work-tree", "--git-dir"}:
            return self._find_work_tree(folder, value)
        if name in {"-c", "--config-env"}:
            self._take_setting(value, aliases, folder, hidden=name != "-c")
        return folder

    def _find_work_tree(self, folder: str, path: str) -> str:
        found = posixpath.normpath(posixpath.join(folder, self._expand_home(path)))
        return posixpath.dirname(found) if posixpath.basename(found) == ".git" else found

    def _take_setting(self, setting: str, aliases: dict[str, str], folder: str, *, hidden: bool = False) -> None:
        """Takes a setting: an alias, or maybe a command; with `hidden`, its value comes from a variable."""
        key, _, value = setting.partition("=")
        key = key.lower()
        if key.startswith("alias."):
            aliases[key.removeprefix("alias.")] = "push" if hidden else value
        elif key == "help.autocorrect":
            aliases["help.autocorrect"] = value
        else:
            self._in_folder(folder, value.removeprefix("!"))

    def _run_alias(self, words: list[ShellWord], given: Mapping[str, str], folder: str, *, hidden: bool) -> None:
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
        self._run_words([ShellWord("git"), *meant, *arguments], ShellCommand())
        self.folder = before

    def _run_git_commands(self, verb: str, arguments: list[ShellWord], folder: str) -> None:
        """Runs the commands that git itself is told to run."""
        texts = [word.text for word in arguments]
        for at, text in enumerate(texts if verb in {"rebase", "difftool", "filter-branch"} else ()):
            name, equals, value = text.partition("=")
            if name in {"-x", "--exec", "--extcmd"} or name.endswith("-filter"):
                self._in_folder(folder, value if equals else " ".join(texts[at + 1 : at + 2]))
            elif text.startswith("-x"):
                self._in_folder(folder, text[2:])
        if verb == "bisect" and texts[:1] == ["run"]:
            self._run_words(arguments[1:], ShellCommand())
        elif verb == "for-each-repo":
            own = [word for word in arguments if not word.text.startswith("-")]
            self._run_words([ShellWord("git"), *own], ShellCommand())
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
        if key.startswith(("handoff-tui.", "gpg.")) or key in {"user.signingkey", "core.hookspath"}:
            if changes:
                self._add(ActKind.SIGN, f"git config {said[0]}", folder)
        elif key.startswith("alias.") and values:
            value = values[0]
            self._in_folder(folder, value[1:] if value.startswith("!") else f"git {value}")

    def _run_forge(self, name: str, words: list[ShellWord]) -> None:
        texts = [word.text for word in words]
        if FORGES[name](texts) and not {"--help", "-h"}.intersection(texts):
            self._add(ActKind.PASS_ON, _show(name, "", texts))
        elif texts[:2] == ["alias", "set"]:
            value = next((text for text in texts[3:] if not text.startswith("-")), "")
            self.run_text(value.removeprefix("!") if value.startswith("!") else f"{name} {value}")
        elif texts[:1] == ["api"] and changes_forge(texts):
            self._add(ActKind.PASS_ON, _show(name, "", texts))

    def _judge_request(self, name: str, words: list[ShellWord]) -> None:
        if changes_forge([word.text for word in words]):
            self._add(ActKind.PASS_ON, f"{name} …/merge")

    def _run_ours(self, words: list[ShellWord]) -> None:
        texts = [word.text for word in words]
        verb = next((word for word in words if not word.text.startswith("-")), ShellWord(""))
        if is_deciding(texts) or not (verb.known or verb.text):
            self._add(ActKind.DECIDE, _show("handoff-tui", "", texts if verb.known else ["$…"]))

    def _judge_key_tool(self, words: list[ShellWord]) -> None:
        texts = [word.text for word in words]
        if "sign" in texts and any(text.startswith("-Y") for text in texts):
            self._add(ActKind.SIGN, "ssh-keygen -Y sign")
        for at, text in enumerate(texts[:-1]):
            if text == "-f" and "-l" not in texts and "-y" not in texts:
                self._write(words[at + 1])

    def _run_shell(self, words: list[ShellWord], command: ShellCommand) -> None:
        """Runs what a shell is told to: by `-c`, by a script, or on its input."""
        at = 0
        while at < len(words) and words[at].text.startswith(("-", "+")):
            option = words[at].text
            if not option.startswith("--") and "c" in option:
                script = next((word for word in words[at + 1 :] if not word.text.startswith(("-", "+"))), None)
                if script is not None:
                    after = words[words.index(script) + 1 :]
                    self._run_made(script, "sh -c $…", [word.text for word in after], command)
                return
            if option in {"-o", "+o", "-O", "+O", "--rcfile", "--init-file"}:
                at += 1
            elif option in {"-s", "--"}:
                break
            at += 1
        if at < len(words) and words[at].text != "-s":
            self._run_file(words[at:], command)
        else:
            self._run_input(command)

    def _run_made(self, script: ShellWord, shown: str, arguments: Sequence[str], command: ShellCommand) -> None:
        """Runs a word as a command line; one that only the shell knows may be anything."""
        if script.known or script.text.strip():
            self.run_text(script.text, arguments, command)
        elif not script.printed_by:
            self._add(ActKind.UNCLEAR, shown)
        else:
            self.run_text(self.texts.find_output(script.printed_by, shown) or "")

    def _run_input(self, command: ShellCommand, skipped: int = 0) -> None:
        """Runs what a shell reads from its input, without the first words of each line."""
        text = self.texts.find_input(command)
        lines = [" ".join(line.split(None, skipped)[skipped:]) for line in text.splitlines()] if skipped else [text]
        self.run_text("\n".join(lines))

    def _run_code(self, runner: str, words: list[ShellWord], command: ShellCommand) -> None:
        """Looks at code in another language for what it starts and writes."""
        module = _find_module(words)
        if module is not None:
            if module[0].replace("-", "_") == "handoff_tui":
                self._run_ours(module[1])
            return
        codes = [words[at + 1].text for at, word in enumerate(words[:-1]) if word.text in CODE_RUNNERS[runner]]
        codes += [word.text[2:] for word in words if word.text[:2] in {"-c", "-e"} and len(word.text) > len("-c")]
        codes += [
            value for name, _, value in (word.text.partition("=") for word in words) if name in CODE_RUNNERS[runner]
        ]
        codes += [command.given] if command.given else []
        for code in codes:
            self._judge_code(code)
        if runner in WRITERS:
            self._write_all(WRITERS[runner], words)
        script = next((word for word in words if not word.text.startswith("-")), None)
        if codes or script is None:
            return
        if posixpath.basename(script.text) == "handoff-tui":
            self._run_ours(words[words.index(script) + 1 :])
        else:
            self._judge_code(self.texts.find_file(script) or "", writes=False)

    def _judge_code(self, code: str, *, writes: bool = True) -> None:
        for words in other_language.list_started(code):
            self._run_words([ShellWord(word) for word in words], ShellCommand())
        called = other_language.find_library_call(code)
        if called is not None:
            self._add(ActKind.PASS_ON, called)
        if other_language.decides(code):
            self._add(ActKind.DECIDE, "handoff-tui in code")
        for path in other_language.list_written(code) if writes else ():
            self._write(ShellWord(path))

    def _unwrap(self, wrapper: Wrapper, words: list[ShellWord], command: ShellCommand) -> None:
        """Takes off a program that runs another; where an option of it isn't known, tries every word as the program."""
        self._run_text_options(wrapper.text_options, words)
        texts = [word.text for word in words]
        if wrapper.after:
            self._run_after(wrapper.after, words)
            return
        if wrapper.types:
            start = next((at + 1 for at, text in enumerate(texts) if text in {"send-keys", "send", "stuff"}), 0)
            typed = [_TYPED.get(text, text.replace("\\n", "\n")) for text in drop_options(texts[start:], _TARGET)]
            for text in (*(text for text in typed if " " in text), "".join(typed), " ".join(typed)):
                self.run_text(text)
        if wrapper.appends:
            words = [ShellWord("", known=False) if word.text in {"{}", "%"} else word for word in words]
            words.append(ShellWord("", known=False))
        at, clear = wrapper.find_program(texts)
        assigned = [text.split("=", 1) for text in texts[:at] if ASSIGNMENT.match(text)]
        if assigned:
            command = copy(command)
            command.assignments, command.words = [(name, ShellWord(value)) for name, value in assigned], words[at:]
            self._set_variables(command)
        if wrapper.joins:
            self._run_joined(words[at:], command)
        elif clear:
            self._run_words(words[at:], command)
        else:
            self._try_all(words, command)

    def _try_all(self, words: list[ShellWord], command: ShellCommand) -> None:
        """Tries every word as the program, up to one that only prints or searches for what follows it."""
        for start, word in enumerate(words):
            if start and name_program(word) in QUOTING:
                return
            if start and word.text.startswith("git-"):  # a name for something, not git's own command
                continue
            self._run_words(words[start:], command)

    def _run_text_options(self, options: frozenset[str], words: list[ShellWord]) -> None:
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

    def _run_after(self, options: frozenset[str], words: list[ShellWord]) -> None:
        """Runs the programs after `-exec` and similar options; `find -delete` deletes where it starts."""
        for at, word in enumerate(words):
            if word.text in options:
                self._run_words(words[at + 1 :], ShellCommand())
            elif word.text == "-delete":
                for start in words[:at]:
                    self._write(start, kind=ActKind.DELETE)

    def _run_joined(self, words: list[ShellWord], command: ShellCommand) -> None:
        """Runs words as one command line; without any, what is on the input."""
        if not words:
            self._run_input(command)
        elif len(words) == 1:
            self._run_made(words[0], "eval $…", (), command)
        else:
            self.run_text(" ".join(self.texts.find_text(word) for word in words), (), command)

    def _run_file(self, words: list[ShellWord], command: ShellCommand) -> bool:
        """Runs a script with its arguments, if it is a small one that can be read; says whether it was."""
        if not words or self.scripts >= _MOST_SCRIPTS:
            return False
        self.scripts += 1
        is_input = words[0].text in _STANDARD_INPUT
        text = self.texts.find_input(command) if is_input else self.texts.find_file(words[0])
        if text is None:
            return False
        first = text.partition("\n")[0]
        if first.startswith("#!") and "sh" not in first:
            self._judge_code(text, writes=False)
        else:
            folder = self.folder
            self.run_text(text, [word.text for word in words])
            self.folder = folder
        return True

    def _in_folder(self, folder: str, text: str) -> None:
        before, self.folder = self.folder, folder
        self.run_text(text)
        self.folder = before

    def _write_all(self, writer: Writer, words: list[ShellWord], folder: str | None = None) -> None:
        kind = ActKind.DELETE if writer.deletes else ActKind.WRITE
        for path in writer.find_written([word.text for word in words]):
            self._write(ShellWord(path), folder, kind)

    def _write(self, target: ShellWord, folder: str | None = None, kind: ActKind = ActKind.WRITE) -> None:
        if target.text:
            self._add(kind, self._resolve(target, folder), folder)

    def _resolve(self, word: ShellWord, folder: str | None = None) -> str:
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


def _split_git_option(option: str) -> tuple[str, str, str]:
    """Splits an option of git from its value: `--name=value`, or `-Cvalue`."""
    if option[:2] in {"-c", "-C"} and len(option) > len("-c"):
        return option[:2], "=", option[2:]
    return option.partition("=") if option.startswith("--") else (option, "", "")


def _find_module(words: list[ShellWord]) -> tuple[str, list[ShellWord]] | None:
    """Returns the module that `python -m` runs, and its arguments."""
    for at, word in enumerate(words):
        if word.text == "-m" and at + 1 < len(words):
            return words[at + 1].text, words[at + 2 :]
        if word.text.startswith("-m"):
            return word.text[2:], words[at + 1 :]
        if not word.text.startswith("-") or word.text in {"-c", "-"}:
            return None
    return None


def _is_dry(arguments: list[ShellWord]) -> bool:
    """Whether a push only tries: nothing in it is hidden, and nothing takes `--dry-run` back."""
    texts = {word.text for word in arguments}
    return bool(texts & {"--dry-run", "-n"}) and "--no-dry-run" not in texts and all(word.known for word in arguments)


def _show(program: str, verb: str, arguments: list[str]) -> str:
    words = [word for word in (program, verb, *arguments) if word]
    return " ".join(words[:_MOST_WORDS_SHOWN]) + (" …" if len(words) > _MOST_WORDS_SHOWN else "")


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
