"""The only place that writes git hooks.

At every moment a complete hook is in place, the old one or the new one: new content is written and synced under
another name and then renamed, and an earlier hook gets a second name before ours takes over its first.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import FileUnreadableError, HookError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.model import Model
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.system.files.named_files import read_user_file

SCHEMA = "handoff-tui/hooks/v1"
FORM = 2
"""Increased when a hook does something else."""
EARLIER_SUFFIX = ".before-handoff-tui"
CALL = "-m handoff_tui check --pre --fresh"
_HEADER = compile_later(rb"#!/bin/sh\n# handoff-tui hook (\d+) ([a-z-]+) sha256:([0-9a-f]{64})\n")
_MARK = b"# handoff-tui hook "
_VERSION = compile_later(rb"^# Written by handoff-tui ([^ \n]+):", re.MULTILINE)
_PYTHON = compile_later(rb"^python=(.+)$", re.MULTILINE)
# The body is for any POSIX shell. What is not obvious in it:
# - the earlier hook is found by its folder, not by "$0": a hook manager may have moved ours aside and call it there;
#   such a manager may itself be the earlier hook, and HANDOFF_TUI_CHAINED ends that circle;
# - husky up to version 4 asks $0 which hook it is, so it is run under its old name;
# - `-E -P` keep modules planted at the root of the repository from being imported in place of ours.
_BODY = """\
# Written by handoff-tui {version}: `handoff-tui hooks uninstall` takes it away, and puts back what was here before.
# Runs the earlier hook, if there was one, then the checks; only when both agree does git go on.
python={python}
here=$(CDPATH='' cd -- "${{0%/*}}" && pwd -P) || exit 1
earlier=$here/{name}{suffix}
{take}
run_earlier() {{
    line=
    {{ read -r line; read -r line; }} <"$earlier"
    case $line in
    '# husky'*) sh -c '. "$HANDOFF_TUI_CHAINED{suffix}"' "$here/{name}" "$@" ;;
    *) "$earlier" "$@" ;;
    esac
}}

if [ -f "$earlier" ] && [ -x "$earlier" ] && [ "$HANDOFF_TUI_CHAINED" != "$here/{name}" ]; then
    {feed}(HANDOFF_TUI_CHAINED=$here/{name}; export HANDOFF_TUI_CHAINED; run_earlier "$@") || exit
fi
if [ -x "$python" ]; then
    {feed}"$python" -E -P {call}{left_out} && exit 0
    code=$?
    "$python" -E -P -c 'import handoff_tui' 2>/dev/null && exit "$code"
fi
program=$(command -v handoff-tui)
case $program in
/*) {feed}"$program" check --pre --fresh{left_out}; exit ;;
esac
printf '%s\\n' "handoff-tui: the {name} hook finds handoff-tui neither at $python nor on PATH: nothing was checked." \\
    "  hint: install it and run handoff-tui hooks install again, or delete $here/{name}" >&2
exit 1
"""
_TAKE = """\
# git names what is pushed on standard input; the earlier hook and the checks both get to read it.
given=$(cat; printf x)
given=${given%x}
give() { printf '%s' "$given" 2>/dev/null; }
"""
_MAX_BYTES = 1024 * 1024
_NEW_SUFFIX = ".handoff-tui-new"
_LEGACY_SUFFIX = ".legacy"
"""Where the tool pre-commit moves an existing hook, which it calls from its own."""
_LEGACY_CALLER = b"hook-impl"


class HookName(StrEnum):
    """The hooks that can be installed."""

    PRE_COMMIT = "pre-commit"
    PRE_PUSH = "pre-push"


class HookCondition(StrEnum):
    """What git finds in place of a hook."""

    ABSENT = "absent"
    CURRENT = "current"
    """Ours, exactly as it would be written now."""
    OUTDATED = "outdated"
    """Ours and unchanged, but of another version, for another Python, or not executable."""
    EDITED = "edited"
    """Ours, but changed by somebody."""
    FOREIGN = "foreign"
    """Not ours."""
    UNUSABLE = "unusable"
    """Not a readable file: a folder, a pipe, or something else."""


class HookDeed(StrEnum):
    """What is done to one hook."""

    INSTALL = "install"
    """There was none: write ours."""
    CHAIN = "chain"
    """There was another: keep it beside ours and run it first."""
    RENEW = "renew"
    """Write ours again."""
    REMOVE = "remove"
    """Remove ours; there was none before."""
    RESTORE = "restore"
    """Put the earlier hook back."""
    CLEAN = "clean"
    """Remove what an interrupted installation left behind; the earlier hook is still in place."""
    NOTHING = "nothing"
    """Nothing to do."""


class HookStep(Model):
    """One hook, what is done to it, and why."""

    name: HookName
    path: str
    earlier: str | None
    """Where the earlier hook is kept."""
    deed: HookDeed
    text: str


class HookReport(Model):
    """What was done, or would be done, to the hooks of a repository."""

    repo: str
    folder: str
    shared: bool
    dry_run: bool
    verb: str
    steps: tuple[HookStep, ...]
    notes: tuple[str, ...] = ()


def build_hooks_json(report: HookReport) -> dict[str, object]:
    """Builds the promised JSON shape; fields may be added, never renamed."""
    return {"schema": SCHEMA, **report.model_dump(mode="json")}


def build_hooks_page(report: HookReport) -> Page:
    """Builds one line per hook: what was done, or would be."""
    page = Page()
    for step in report.steps:
        nothing = step.deed is HookDeed.NOTHING
        glyph, role = ("·", "muted") if nothing else ("○", "accent") if report.dry_run else ("✓", "pass")
        page.line(Cell(f"{glyph} {step.name.value}  ", role), Cell(render_safe(step.text)), indent=4)
    for note in report.notes:
        page.line(Cell("! ", "warning"), Cell(render_safe(note)), indent=4)
    if report.dry_run:
        page.line(Cell("Nothing was changed: this was a dry run.", "muted"))
    elif report.verb == "install":
        page.line(
            Cell(
                "`git commit --no-verify` skips hooks; `handoff-tui doctor` shows what else enforces the checks.",
                "muted",
            )
        )
    return page


_LEFT_OUT = {
    HookName.PRE_COMMIT: ("nothing-unpushed", "changes-are-documented"),
    HookName.PRE_PUSH: ("nothing-unpushed",),
}
"""Checks that would block the very commit or push that fixes them."""


class HookScript(NamedTuple):
    """What one of our hooks says about itself."""

    form: int
    name: str
    python: str | None
    version: str | None
    unchanged: bool


def render_hook(name: HookName, python: str, version: str) -> bytes:
    """Renders the file of a hook."""
    reads = name is HookName.PRE_PUSH
    body = _BODY.format(
        version=version,
        python=shlex.quote(python),
        name=name.value,
        suffix=EARLIER_SUFFIX,
        call=CALL,
        left_out="".join(f" --except {rule}" for rule in _LEFT_OUT[name]),
        take=_TAKE if reads else "",
        feed="give | " if reads else "",
    )
    content = os.fsencode(body)
    digest = hashlib.sha256(content).hexdigest()
    return f"#!/bin/sh\n# handoff-tui hook {FORM} {name.value} sha256:{digest}\n".encode() + content


def parse_hook(content: bytes) -> HookScript | None:
    """Parses one of our hooks, also a changed one; None if it isn't ours."""
    header = _HEADER.match(content)
    if header is None:
        return HookScript(0, "", None, None, unchanged=False) if _MARK in content else None
    rest = content[header.end() :]
    version = _VERSION.search(rest)
    return HookScript(
        form=int(header[1]),
        name=header[2].decode(),
        python=_parse_python(rest),
        version=os.fsdecode(version[1]) if version else None,
        unchanged=hashlib.sha256(rest).hexdigest().encode() == header[3],
    )


def _parse_python(body: bytes) -> str | None:
    said = _PYTHON.search(body)
    try:
        words = shlex.split(os.fsdecode(said[1])) if said else []
    except ValueError:
        return None
    return words[0] if len(words) == 1 else None


class FoundHook(NamedTuple):
    """What is in place of a hook, and whether an earlier hook is kept beside it."""

    name: HookName
    place: Path
    condition: HookCondition
    content: bytes
    """Empty if it was not read, such as a link or a folder."""
    script: HookScript | None
    executable: bool
    kept: bool
    """An earlier hook is kept."""
    kept_is_same: bool
    """The kept hook is still in place, because an installation was interrupted."""

    @property
    def earlier(self) -> Path:
        return find_earlier(self.place)


def find_earlier(place: Path) -> Path:
    """Returns where the earlier hook is kept, by the hook's name even if ours was moved."""
    return place.with_name(place.name.removesuffix(_LEGACY_SUFFIX) + EARLIER_SUFFIX)


def read_hook(folder: Path, name: HookName, wanted: bytes) -> FoundHook:
    """Reads the hook in place, or ours where the tool pre-commit has moved it aside and calls it."""
    found = _read_place(folder / name.value, name, wanted)
    if found.condition is HookCondition.FOREIGN and _LEGACY_CALLER in found.content:
        moved = _read_place(folder / f"{name.value}{_LEGACY_SUFFIX}", name, wanted)
        if moved.script is not None:
            return moved
    return found


def read_hook_file(place: Path) -> bytes:
    """Reads the text of a hook, following a link; empty if there is nothing to read."""
    try:
        return read_user_file(place, _MAX_BYTES) or b""
    except FileUnreadableError:
        return b""


def write_hook(found: FoundHook, content: bytes) -> None:
    """Puts ours in place, after keeping an earlier hook."""
    with _explained(found.place):
        new = found.place.with_name(found.place.name + _NEW_SUFFIX)
        _write_new(new, content)
        if found.condition is HookCondition.FOREIGN and not found.kept:
            _keep(found.place, found.earlier)
        if found.condition is HookCondition.ABSENT:
            _move_to_free_place(new, found.place)
        else:
            new.replace(found.place)


def put_back(found: FoundHook) -> None:
    """Puts the earlier hook back, with its mode and times."""
    with _explained(found.place):
        found.earlier.rename(found.place)


def remove_hook(found: FoundHook) -> None:
    with _explained(found.place):
        found.place.unlink()


def remove_second_name(found: FoundHook) -> None:
    """Undoes an interrupted installation: the earlier hook is in place, and stays."""
    with _explained(found.earlier):
        found.earlier.unlink()


@contextmanager
def hold_folder(folder: Path, *, make: bool) -> Iterator[None]:
    """Allows one writer at a time, and syncs to disk afterwards. Creates a missing folder if asked to."""
    if not make and not folder.is_dir():
        yield
        return
    if os.path.lexists(folder) and not folder.is_dir():
        raise HookError(f"{folder} isn't a folder, so git finds no hooks", "Find out who set it up that way, and why.")
    with _explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as busy:
            raise HookError(f"{folder} is being changed by another handoff-tui", "Try again when it is done.") from busy
        except OSError:  # a file system without locks
            pass
        with _explained(folder):
            for leftover in folder.glob(f"pre-*{_NEW_SUFFIX}*"):
                leftover.unlink(missing_ok=True)
        yield
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_place(place: Path, name: HookName, wanted: bytes) -> FoundHook:
    condition, content, script = _judge(place, name, wanted)
    earlier = find_earlier(place)
    kept = os.path.lexists(earlier)
    return FoundHook(
        name=name,
        place=place,
        condition=condition,
        content=content,
        script=script,
        executable=os.access(place, os.X_OK),
        kept=kept,
        kept_is_same=kept and condition is HookCondition.FOREIGN and _is_same(place, earlier),
    )


def _judge(place: Path, name: HookName, wanted: bytes) -> tuple[HookCondition, bytes, HookScript | None]:
    if place.is_symlink():
        return HookCondition.FOREIGN, read_hook_file(place), None
    try:
        content = read_user_file(place, _MAX_BYTES)
    except FileUnreadableError:
        is_large_file = place.is_file() and os.access(place, os.R_OK)
        return (HookCondition.FOREIGN if is_large_file else HookCondition.UNUSABLE), b"", None
    if content is None:
        return HookCondition.ABSENT, b"", None
    script = parse_hook(content)
    if script is None:
        return HookCondition.FOREIGN, content, None
    if not script.unchanged or script.name != name.value:
        return HookCondition.EDITED, content, script
    current = content == wanted and os.access(place, os.X_OK)
    return (HookCondition.CURRENT if current else HookCondition.OUTDATED), content, script


def _write_new(place: Path, content: bytes) -> None:
    """A new file, executable for whom the umask allows it and always for its owner, and on the disk."""
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o777)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), stat.S_IMODE(os.fstat(file.fileno()).st_mode) | 0o700)
            os.fsync(file.fileno())
    except OSError:
        place.unlink(missing_ok=True)
        raise


def _move_to_free_place(new: Path, place: Path) -> None:
    """Unlike a rename, fails where somebody else has put a hook there meanwhile."""
    try:
        os.link(new, place)
    except FileExistsError:
        raise
    except OSError:  # a file system without second names
        new.replace(place)
    else:
        new.unlink()


def _keep(place: Path, earlier: Path) -> None:
    """Gives a hook a second name; where the file system has no second names, a copy with the same mode and times."""
    try:
        os.link(place, earlier, follow_symlinks=False)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):
        _copy(place, earlier)


def _copy(place: Path, earlier: Path) -> None:
    status = place.lstat()
    times = (status.st_atime_ns, status.st_mtime_ns)
    if place.is_symlink():
        earlier.symlink_to(place.readlink())
        os.utime(earlier, ns=times, follow_symlinks=False)
        return
    new = earlier.with_name(place.name + _NEW_SUFFIX + "-copy")
    new.unlink(missing_ok=True)
    _write_new(new, place.read_bytes())
    new.chmod(stat.S_IMODE(status.st_mode))
    os.utime(new, ns=times)
    new.rename(earlier)


def _is_same(place: Path, earlier: Path) -> bool:
    one, other = place.lstat(), earlier.lstat()
    if (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino):
        return True
    if stat.S_IFMT(one.st_mode) != stat.S_IFMT(other.st_mode):
        return False
    if place.is_symlink():
        return place.readlink() == earlier.readlink()
    # only a copy made for want of second names has the very time stamp of the other
    same_time = one.st_mtime_ns == other.st_mtime_ns
    return same_time and place.is_file() and place.read_bytes() == earlier.read_bytes()


@contextmanager
def _explained(place: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError as exists:
        raise HookError(
            f"{exists.filename2 or exists.filename} has just appeared", "See who wrote it, then try again."
        ) from exists
    except OSError as refused:
        raise HookError(
            f"{place} can't be changed: {refused.strerror}", "The earlier hook is still there."
        ) from refused
