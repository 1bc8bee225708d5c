"""What is known about programs: which run others, which write which of their arguments, which pass work on. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later

_Says = Callable[[Sequence[str]], bool]
ASSIGNMENT = compile_later(r"[A-Za-z_][A-Za-z0-9_]*=")

SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash", "yash"})

CODE_RUNNERS: Mapping[str, frozenset[str]] = {
    "python": frozenset({"-c"}),
    "pypy3": frozenset({"-c"}),
    "node": frozenset({"-e", "--eval", "-p", "--print"}),
    "bun": frozenset({"-e", "--eval"}),
    "deno": frozenset({"eval"}),
    "ruby": frozenset({"-e"}),
    "perl": frozenset({"-e", "-E", "-ne", "-pe"}),
    "php": frozenset({"-r"}),
    "lua": frozenset({"-e"}),
    "osascript": frozenset({"-e"}),
    "expect": frozenset({"-c"}),
}
"""Interpreters of other languages, with the options that are followed by code."""


class Wrapper(NamedTuple):
    """A program that runs the program named by its arguments."""

    values: frozenset[str] = frozenset()
    """Options followed by a value."""
    flags: frozenset[str] = frozenset()
    skipped: int = 0
    """How many words stand before the program."""
    text_options: frozenset[str] = frozenset()
    """Options followed by a command line."""
    joins: bool = False
    """Whether a shell reads all further words as one command line."""
    after: frozenset[str] = frozenset()
    """Options after which a program stands; nothing else is one."""
    any_word: bool = False
    """Whether any of its words may be the program, because its options are not listed here."""
    types: bool = False
    """Whether it types its words into a terminal, or gives them to a shell."""
    appends: bool = False
    """Whether it adds words from its input."""

    def find_program(self, words: Sequence[str]) -> tuple[int, bool]:
        """Returns where the program stands, and whether every option before it is known."""
        at, skipped, clear = 0, 0, not self.any_word
        while at < len(words):
            word = words[at]
            if word == "--":
                at += 1
                break
            if word.startswith("-") and word != "-":
                name, equals, _ = word.partition("=")
                if name in self.values and not equals:
                    at += 1
                elif not (equals or word in self.flags or name in self.values or self._is_known_cluster(word)):
                    clear = False
            elif word != "-" and not ASSIGNMENT.match(word):
                if skipped == self.skipped:
                    break
                skipped += 1
            at += 1
        return at, clear

    def _is_known_cluster(self, word: str) -> bool:
        """Whether it is several short flags in one word, or a short option with its value."""
        if word.startswith("--"):
            return False
        first = word[:2]
        return first in self.values or all(f"-{letter}" in self.flags for letter in word[1:])


def _wrap(values: str = "", flags: str = "", skipped: int = 0, texts: str = "", *, joins: bool = False) -> Wrapper:
    return Wrapper(
        frozenset([*values.split(), *texts.split()]), frozenset(flags.split()), skipped, frozenset(texts.split()), joins
    )


_RUNNER = Wrapper(any_word=True)

WRAPPERS: Mapping[str, Wrapper] = {
    "env": _wrap("-u --unset -C --chdir", "-i --ignore-environment -0 --null -v --debug", texts="-S --split-string"),
    "sudo": _wrap(
        "-u --user -g --group -h --host -p --prompt -C --close-from -D --chdir -R --chroot -T -U -r -t",
        "-A -b -E -H -i -K -k -n -P -S -s --preserve-env --login --non-interactive --set-home --shell --background",
    ),
    "doas": _wrap("-u -C", "-n -s -L"),
    "su": _wrap("-s --shell -g -G -w", "- -l --login -m -p", 1, "-c --command"),
    "runuser": _wrap("-u -g -G -s", "-l -m -p", 0, "-c --command"),
    "nohup": _wrap(),
    "setsid": _wrap("", "-c -f -w --ctty --fork --wait"),
    "time": _wrap("-f --format -o --output", "-p -v -a --portability --verbose --append"),
    "nice": _wrap("-n --adjustment"),
    "ionice": _wrap("-c --class -n --classdata", "-t"),
    "chrt": _wrap("", "-b -f -i -o -r", 1),
    "taskset": _wrap("", "-a -c", 1),
    "timeout": _wrap("-k --kill-after -s --signal", "--foreground --preserve-status -v --verbose", 1),
    "stdbuf": _wrap("-i --input -o --output -e --error"),
    "xargs": _wrap(
        "-I -n --max-args -P --max-procs -L --max-lines -d --delimiter -E -s --max-chars -a --arg-file --replace",
        "-0 --null -r --no-run-if-empty -t --verbose -p --interactive -x --exit -i -o",
    )._replace(appends=True),
    "parallel": _wrap(
        "-j --jobs -a --arg-file -I -n -N -L --colsep --delay --timeout", "-0 -k -q -u -X -m --will-cite"
    )._replace(appends=True, types=True),
    "command": _wrap("", "-p"),
    "builtin": _wrap(),
    "exec": _wrap("-a", "-c -l"),
    "busybox": _wrap(),
    "toybox": _wrap(),
    "chroot": _wrap("--userspec --groups", "", 1),
    "unshare": _wrap("-S -G -R -w", "-m -u -i -n -p -U -C -T -r -f --fork --mount --pid --net --user --map-root-user"),
    "nsenter": _wrap("-t --target", "-m -u -i -n -p -U -C -a"),
    "strace": _wrap("-e -o -p -s -u -E -P", "-f -ff -q -qq -t -tt -v -y -c -C"),
    "ltrace": _wrap("-e -o -p -s -u -n", "-f -c -C -S"),
    "watch": _wrap("-n --interval", "-d -t -b -e -g -c -x", joins=True),
    "script": _wrap("-O -I -B -o -E -T -m", "-a -e -f -q", 1, "-c --command"),
    "flock": _wrap("-w --timeout -E", "-s -x -u -n -e -o -F", 1, "-c --command"),
    "ssh": _wrap(
        "-p -i -o -l -F -J -L -R -D -b -c -e -E -m -S -W", "-4 -6 -A -a -C -f -N -n -q -T -t -v -X", 1, joins=True
    ),
    "caffeinate": _wrap("-t -w", "-d -i -m -s -u"),
    "unbuffer": _wrap("", "-p"),
    "chronic": _wrap(),
    "catchsegv": _wrap(),
    "proxychains": _wrap("-f", "-q"),
    "direnv": Wrapper(skipped=2),
    "find": Wrapper(after=frozenset({"-exec", "-execdir", "-ok", "-okdir"})),
    "fd": Wrapper(after=frozenset({"-x", "--exec", "-X", "--exec-batch"})),
    "tmux": Wrapper(any_word=True, types=True),
    "screen": Wrapper(any_word=True, types=True),
    "hyperfine": Wrapper(any_word=True, types=True),
    "npx": Wrapper(any_word=True, text_options=frozenset({"-c", "--call"})),
    "npm": Wrapper(any_word=True, text_options=frozenset({"-c", "--call"})),
    "uv": _RUNNER,
    "uvx": _RUNNER,
    "pipx": _RUNNER,
    "poetry": _RUNNER,
    "pdm": _RUNNER,
    "hatch": _RUNNER,
    "pixi": _RUNNER,
    "mise": _RUNNER,
    "bunx": _RUNNER,
    "pnpm": _RUNNER,
    "yarn": _RUNNER,
    "bundle": _RUNNER,
    "nix": _RUNNER,
    "docker": _RUNNER,
    "podman": _RUNNER,
}

QUOTING = frozenset(
    """
    echo printf grep egrep fgrep rg ag ack man which whereis type hash tldr apropos info whatis test [ [[ ls cat bat
    head tail wc sort uniq cut tr diff cmp less more read export declare local readonly unset let expr basename dirname
    stat file du logger say notify-send jq return exit break continue true false : sleep kill wait help mkdir pip pip3
    apt apt-get brew dnf yum apk cargo go pytest
    """.split()  # noqa: SIM905
)
"""Programs that only print, search for or name what stands after them, and start none of it."""

GIT_VALUE_OPTIONS = frozenset({
    "-C", "-c", "--config-env", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix",
    "--attr-source",
})  # fmt: skip
GIT_BUILT_IN = frozenset(
    """
    add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore
    check-mailmap check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit
    commit-graph commit-tree config count-objects credential daemon describe diagnose diff diff-files diff-index
    diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref
    for-each-repo format-patch fsck gc get-tar-commit-id grep gui hash-object help hook index-pack init init-db
    instaweb interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge-base
    merge-file merge-index merge-one-file merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes
    pack-objects pack-refs patch-id prune prune-packed range-diff read-tree rebase reflog refs remote repack
    replace replay request-pull rerere reset restore rev-list rev-parse revert rm shortlog show show-branch
    show-index show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag
    unpack-file unpack-objects update-index update-ref update-server-info var verify-commit verify-pack verify-tag
    version whatchanged worktree write-tree --version --help
    """.split()  # noqa: SIM905 - a list of this length would fill pages
)
"""Commands of git, which no alias can replace."""


def _always(_: Sequence[str]) -> bool:
    return True


def _begins(*words: str) -> _Says:
    return lambda said: drop_options(said)[: len(words)] == list(words)


def _has(word: str) -> _Says:
    return lambda said: word in said


PASSING_GIT: Mapping[str, _Says] = {
    "push": _always,
    "merge": _always,
    "send-pack": _always,
    "http-push": _always,
    "pull": lambda said: drop_options(said)[:1] == ["."],
    "subtree": lambda said: drop_options(said)[:1] in (["push"], ["merge"]),
    "lfs": _begins("push"),
    "svn": _begins("dcommit"),
    "p4": _begins("submit"),
    "review": _always,
    "flow": _has("finish"),
    "town": _has("ship"),
}
"""Commands of git that pass work on, each with the arguments for which it does."""

_TRUNK = compile_later(r"(?:refs/heads/)?(main|master|trunk|develop|production|release\b.*)$")


def _moves_trunk(*options: str) -> _Says:
    """Whether it sets a trunk to other work than a remote's same trunk; where options are named, with one of them."""

    def says(said: Sequence[str]) -> bool:
        named = drop_options(said)
        trunk = _TRUNK.match(named[0]) if named else None
        forced = not options or any(word.startswith(options) for word in said)
        return trunk is not None and forced and len(named) > 1 and not named[1].endswith(f"/{trunk[1]}")

    return says


MOVING_GIT: Mapping[str, _Says] = {
    "branch": _moves_trunk("-f", "--force", "-M", "-C"),
    "checkout": _moves_trunk("-B"),
    "switch": _moves_trunk("-C", "--force-create"),
    "update-ref": _moves_trunk(),
    "fetch": lambda said: drop_options(said)[:1] == ["."] and any(":" in word for word in said),
}
"""Commands of git that merge by moving a branch, each with the arguments for which they do."""

_REPOSITORY_OPTIONS = frozenset({"-R", "--repo", "--hostname", "-h"})


def drop_options(said: Sequence[str], values: frozenset[str] = frozenset()) -> list[str]:
    """Returns the words that are neither options nor, for the named ones, their values."""
    kept: list[str] = []
    at = 0
    while at < len(said):
        if said[at] in values:
            at += 1
        elif not said[at].startswith("-"):
            kept.append(said[at])
        at += 1
    return kept


def _says_pair(first: Sequence[str], second: Sequence[str]) -> _Says:
    def says(said: Sequence[str]) -> bool:
        kept = drop_options(said, _REPOSITORY_OPTIONS)
        return len(kept) > 1 and kept[0] in first and kept[1] in second

    return says


def _approves(said: Sequence[str]) -> bool:
    """`gh pr review --approve`, also in short and among other letters."""
    return any(word.startswith("--approve") or (word[:1] == "-" != word[1:2] and "a" in word[1:]) for word in said)


def _is_gh(said: Sequence[str]) -> bool:
    return _says_pair(["pr"], ["merge"])(said) or (_says_pair(["pr"], ["review"])(said) and _approves(said))


FORGES: Mapping[str, _Says] = {
    "gh": _is_gh,
    "glab": _says_pair(["mr", "merge-request"], ["merge", "accept", "approve"]),
    "tea": _says_pair(["pr", "pull", "pulls"], ["merge", "m", "approve", "a"]),
    "az": lambda said: _begins("repos", "pr")(said) and bool({"completed", "set-vote", "--auto-complete"} & {*said}),
    "jj": _begins("git", "push"),
    "hg": _begins("push"),
    "sl": lambda said: drop_options(said)[:1] in (["push"], ["land"]),
    "gt": lambda said: drop_options(said)[:1] in (["submit"], ["merge"]),
    "arc": _begins("land"),
    "hub": lambda _: False,
    "aws": lambda said: _begins("codecommit")(said) and any(word.startswith("merge-") for word in said),
}
"""Other programs that pass work on, each with the arguments for which it does."""


class Writer(NamedTuple):
    """A program that writes files named by its arguments."""

    values: frozenset[str] = frozenset()
    last_only: bool = False
    """Whether only the last word is written; `-t` names the folder otherwise."""
    only_with: tuple[str, ...] = ()
    """Options without which it writes nothing, by how they begin."""
    first: int = 0
    """How many words come before the files."""
    prefix: str = ""
    """What stands before the name of the file, such as `of=`."""
    deletes: bool = False
    """Whether it takes them away from where they are."""

    def find_written(self, words: Sequence[str]) -> list[str]:
        """Returns the paths that it writes."""
        if self.only_with and not any(word.startswith(self.only_with) for word in words):
            return []
        if self.prefix:
            return [word.removeprefix(self.prefix) for word in words if word.startswith(self.prefix)]
        paths = drop_options(words, self.values)[self.first :]
        if not self.last_only:
            return paths
        folders = [words[at + 1] for at, word in enumerate(words[:-1]) if word in {"-t", "--target-directory"}]
        folders += [word.partition("=")[2] for word in words if word.startswith("--target-directory=")]
        goals, copied = (folders, paths) if folders else (paths[-1:], paths[:-1])
        return [*goals, *(posixpath.join(goal, posixpath.basename(one)) for goal in goals for one in copied)]


_ALL = Writer()
_LAST = Writer(last_only=True)
_GONE = Writer(deletes=True)

WRITERS: Mapping[str, Writer] = {
    **dict.fromkeys(["rm", "rmdir", "unlink", "shred", "mv", "trash", "trash-put", "srm"], _GONE),
    **dict.fromkeys(["truncate", "touch", "chmod", "chown", "tee", "sponge", "patch", "chattr", "setfacl"], _ALL),
    **dict.fromkeys(["vi", "vim", "nvim", "nano", "ed", "ex", "emacs"], _ALL),
    **dict.fromkeys(["cp", "install", "rsync", "scp", "ln"], _LAST),
    **dict.fromkeys(
        ["sed", "gsed"], Writer(frozenset({"-e", "-f"}), only_with=("-i", "--in-place", "-ni", "-Ei", "-ri"))
    ),
    "perl": Writer(frozenset({"-e", "-E"}), only_with=("-i", "-pi", "-ni", "-p0i", "-0pi")),
    "prettier": Writer(only_with=("--write", "-w")),
    "yq": Writer(only_with=("-i", "--inplace", "--in-place")),
    "jq": Writer(only_with=("-i", "--in-place")),
    "dd": Writer(prefix="of="),
}
"""Programs that write files named by their arguments."""

GIT_WRITERS: Mapping[str, Writer] = {
    "rm": _GONE,
    "mv": _GONE,
    "clean": Writer(frozenset({"-e", "--exclude"}), deletes=True),
    "checkout": Writer(frozenset({"-b", "-B"})),
    "restore": Writer(frozenset({"-s", "--source"})),
    "update-index": _ALL,
}

_GLOBAL_VALUES = frozenset({"--repo", "--theme"})
_READING = {"policy": frozenset({"show"}), "keys": frozenset({"list"})}
_PARTS = {"baseline": "pin", "log": "pin", "hook": "uninstall", "hooks": "uninstall"}
_PERSONAL_OPTIONS = ("--trust", "--note", "--beyond-budget")
_SHORTEST = len("--no")


def is_deciding(words: Sequence[str]) -> bool:
    """Whether these arguments of handoff-tui are for a person only: they decide, or change what decides."""
    if {"--help", "-h"} & {*words}:
        return False
    said = drop_options(words, _GLOBAL_VALUES)
    verb, part = (*said, "", "")[:2]
    if verb in {"decide", "init"}:
        return True
    if verb in _READING:
        return part not in _READING[verb] and part != ""
    if part and _PARTS.get(verb) == part:
        return True
    return verb in {"check", "step", "run", "gate"} and any(map(_is_personal_option, words))


def _is_personal_option(word: str) -> bool:
    """Options may be shortened as long as they are clear."""
    name = word.partition("=")[0]
    return len(name) >= _SHORTEST and any(option.startswith(name) for option in _PERSONAL_OPTIONS) and name != "--no"
