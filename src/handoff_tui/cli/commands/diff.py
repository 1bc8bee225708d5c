"""`diff`: shows what changed since the baseline: tests, checks, packages, then files."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from posixpath import normpath

from handoff_tui.changes.comparison.page import (
    add_pair,
    build_pair_json,
    build_snapshot_diff_json,
    build_snapshot_diff_page,
)
from handoff_tui.changes.comparison.snapshot_diff import DiffScope
from handoff_tui.changes.diff import ChangesReport, DiffRequest, FilesDiff, build_own_json, diff
from handoff_tui.changes.files.page import LEAST_SPLIT_WIDTH, add_file_diff, add_file_list, build_tree_diff_json
from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_reading_options, open_named_session
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.cli.plain import write_pieces
from handoff_tui.cli.progress import following
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import UsageError
from handoff_tui.core.text.page import Cell, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.git.file_diff import ChangedFile, DiffOptions, FileDiff, Whitespace

SCHEMA = "handoff-tui/diff/v1"
_SCOPES = {
    "baseline": DiffScope.SINCE_BASELINE,
    "my-review": DiffScope.SINCE_MY_REVIEW,
    "attempt": DiffScope.SINCE_PREVIOUS_ATTEMPT,
}
_MOST_FILES = 20
"""How many files are shown with their lines, unless files are named."""
_MOST_LINES = 400
"""How many lines are shown, unless files are named."""
_WIDTH_OF_A_PIPE = 120
_NAME_IT = "Name a snapshot or a commit with --against; `handoff-tui baseline list` lists the snapshots."
EXAMPLES = """\
examples:
  handoff-tui diff                           since the baseline: pinned, last approved or declared
  handoff-tui diff --handoff H-3             only what belongs to this handoff, from its start to its result
  handoff-tui diff --handoff H-3 --all       the whole repository, with explanations from its documents
  handoff-tui diff --against v1.4 --stat     only the list of files
  handoff-tui diff --between 3f9a1c main     any two snapshots or commits
  handoff-tui diff --since my-review         since my last decision
  handoff-tui diff --since attempt --handoff H-3    its own changes since its previous attempt
  handoff-tui diff src/app.py -y             one file, side by side
  handoff-tui diff --patch | git apply -R    the plain patch

With PATH, --stat or --patch only files are compared, and no check runs. The same goes for a handoff's own changes.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="PATH", nargs="*", help="only these files, folders or patterns such as '*.py'")
    parser.add_argument(
        "--handoff", metavar="ID", help="only the changes of this handoff, unless another side is named"
    )
    sides = parser.add_mutually_exclusive_group()
    sides.add_argument("--against", metavar="BASELINE", help="compare with this snapshot or commit")
    sides.add_argument("--between", nargs=2, metavar=("ONE", "OTHER"), help="compare two snapshots or commits")
    sides.add_argument(
        "--since",
        choices=tuple(_SCOPES),
        help="the starting point (default: the baseline, or the start of the handoff named with --handoff)",
    )
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--stat", action="store_true", help="print only the list of files, with counts")
    forms.add_argument("--patch", action="store_true", help="print only the patch, for git apply")
    parser.add_argument("-y", "--side-by-side", action="store_true", help="show old and new side by side")
    parser.add_argument(
        "--whitespace",
        choices=[one.value for one in Whitespace],
        default="all",
        help="which changes in white space count (default: all)",
    )
    parser.add_argument(
        "--context", type=_parse_context, default=3, metavar="N", help="lines around a change (default: 3)"
    )
    add_reading_options(parser)


class _Shown(NamedTuple):
    """The files that are listed, the lines of some of them, and how many have lines that are not shown."""

    files: list[ChangedFile]
    diffs: list[FileDiff]
    left: int


def run(arguments: argparse.Namespace) -> ExitCode:
    if arguments.patch and (arguments.json or arguments.whitespace != "all"):
        raise UsageError("--patch prints the exact patch", "Leave out --json and --whitespace.")
    session = open_named_session(arguments)
    arguments.paths = [name for path in arguments.paths for name in _build_names(path, session.repository.root)]
    with following() as progress:
        found = diff(session, _build_request(arguments), progress)
    if arguments.patch:
        return _write_patch(_require_files(found), arguments)
    if arguments.stat or arguments.paths:
        _require_files(found)
    shown = _show(found.files, arguments) if found.files else None
    if arguments.json:
        write_json(_build_json(found, shown, arguments))
        return ExitCode.OK
    write_page(_build_page(found, shown, arguments))
    _write_notes(shown, arguments)
    return ExitCode.OK


def _build_request(arguments: argparse.Namespace) -> DiffRequest:
    against, instead = arguments.between or (arguments.against, None)
    return DiffRequest(
        handoff=arguments.handoff,
        scope=DiffScope.OWN if _is_own(arguments) else _SCOPES[arguments.since or "baseline"],
        against=against,
        instead=instead,
        whole=arguments.all,
        files_only=_is_about_files(arguments),
    )


def _is_own(arguments: argparse.Namespace) -> bool:
    """Whether a handoff's own changes are asked for: it is named, and no other side is."""
    elsewhere = arguments.all or arguments.since or arguments.against or arguments.between
    return arguments.handoff is not None and not elsewhere


def _is_about_files(arguments: argparse.Namespace) -> bool:
    return bool(arguments.stat or arguments.patch or arguments.paths)


def _show(files: FilesDiff, arguments: argparse.Namespace) -> _Shown:
    listed = files.list_files(counted=True, whitespace=Whitespace(arguments.whitespace))
    listed = _choose(listed, arguments.paths)
    if arguments.stat:
        return _Shown(listed, [], 0)
    wanted = listed if arguments.all or arguments.paths else listed[:_MOST_FILES]
    diffs = list(_read(files, wanted, arguments))
    return _Shown(listed, diffs, len(listed) - len(diffs))


def _build_names(written: str, root: Path) -> tuple[str, ...]:
    """Returns a path as seen from the root of the repository and from the current folder."""
    here = Path.cwd()
    inside = here.relative_to(root).as_posix() if here.is_relative_to(root) else "."
    return tuple(dict.fromkeys((normpath(written), normpath(f"{inside}/{written}"))))


def _choose(files: list[ChangedFile], patterns: list[str]) -> list[ChangedFile]:
    if not patterns:
        return files
    chosen = [file for file in files if any(_fits(file, pattern) for pattern in patterns)]
    if not chosen:
        raise UsageError(
            f"no changed file matches {' '.join(patterns)}", "`handoff-tui diff --stat` lists what changed."
        )
    return chosen


def _fits(file: ChangedFile, pattern: str) -> bool:
    return any(
        path == pattern or path.startswith(f"{pattern}/") or fnmatchcase(path, pattern) or pattern == "."
        for path in (file.change.path, file.change.old_path)
        if path is not None
    )


def _read(files: FilesDiff, wanted: list[ChangedFile], arguments: argparse.Namespace) -> Iterator[FileDiff]:
    """Yields the lines of the files, up to the limit."""
    options = DiffOptions(Whitespace(arguments.whitespace), arguments.context)
    if arguments.all:
        options = options._replace(most_lines=None)
    room = None if arguments.all or arguments.paths or arguments.json else _MOST_LINES
    for file in wanted:
        if room is not None:
            if room <= 0:
                return
            options = options._replace(most_lines=room)
        one = files.read_file(file.change, options)
        if room is not None:
            room -= sum(len(hunk.lines) for hunk in one.hunks)
        yield one


def _build_json(found: ChangesReport, shown: _Shown | None, arguments: argparse.Namespace) -> dict[str, object]:
    record = build_pair_json(found.pair)
    if not _is_about_files(arguments):
        record = build_snapshot_diff_json(found.record, found.pair, found.claims)
    changed: dict[str, object] | None = None
    if shown is not None and found.files is not None:
        changed = {**build_tree_diff_json(shown.files, shown.diffs, found.files.listed.note), "left_out": shown.left}
    own = {"own": build_own_json(found.own)} if found.own is not None else {}
    return {**record, "schema": SCHEMA, "missing": list(found.notes), "changed": changed, **own}


def _build_page(found: ChangesReport, shown: _Shown | None, arguments: argparse.Namespace) -> Page:
    """Lays out the snapshot diff, then the files, then the lines of some of them."""
    page = Page()
    own = found.own
    if own is not None:
        page.line(Cell(render_safe(own.scope.handoff), "key"))
    if found.record is None and (own is not None or _is_about_files(arguments)):
        add_pair(page, found.pair)
    else:
        number = len(shown.files) if shown else None
        page = build_snapshot_diff_page(found.record, found.pair, found.claims, number, everything=arguments.all)
    notes = (*found.notes, *(own.notes if own is not None else ()))
    if notes:
        page.blank()
    for note in notes:
        page.warn(note)
    if shown is None or found.files is None:
        return page
    add_file_list(page, shown.files, found.files.listed.note, everything=arguments.all or own is not None)
    width = _find_width() if arguments.side_by_side else None
    for one in shown.diffs:
        add_file_diff(page, one, split_width=width, expanded=arguments.all or bool(arguments.paths))
    return page


def _write_notes(shown: _Shown | None, arguments: argparse.Namespace) -> None:
    if shown is not None and shown.left and not arguments.stat:
        files = "1 more file" if shown.left == 1 else f"{shown.left:,} more files"
        way = "--patch" if _is_own(arguments) else "--all"
        write_note(f"The lines of {files} are not shown. Name a file, or use {way}.")
    if arguments.side_by_side and _find_width() < LEAST_SPLIT_WIDTH:
        write_note(f"Side by side needs {LEAST_SPLIT_WIDTH} columns; old and new are shown one below the other.")


def _find_width() -> int:
    return shutil.get_terminal_size((_WIDTH_OF_A_PIPE, 24)).columns


def _require_files(found: ChangesReport) -> FilesDiff:
    if found.files is None:
        reasons = found.notes or (f"the files can't be compared: {found.pair.before.reason}",)
        raise UsageError(reasons[0], "\n".join((*reasons[1:], _NAME_IT)))
    return found.files


def _write_patch(files: FilesDiff, arguments: argparse.Namespace) -> ExitCode:
    only = None
    if arguments.paths:
        only = [file.change for file in _choose(files.list_files(counted=False), arguments.paths)]
    write_pieces(files.read_patch(only, arguments.context))
    return ExitCode.OK


def _parse_context(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of lines")
    return int(text[:6])
