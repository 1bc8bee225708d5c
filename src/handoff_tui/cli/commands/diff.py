"""`diff`: what has changed since the baseline: tests, checks, packages by id, then the files."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from fnmatch import fnmatchcase

from handoff_tui.cli.diagnostics import write_note
from handoff_tui.cli.exit_codes import ExitCode
from handoff_tui.cli.options import add_reading_options, find_start
from handoff_tui.cli.output import write_json, write_page
from handoff_tui.cli.plain import write_bytes
from handoff_tui.cli.telling import following
from handoff_tui.errors import UsageError
from handoff_tui.models.file_diff import ChangedFile, DiffOptions, FileDiff, Whitespace
from handoff_tui.models.snapshot_diff import DiffScope
from handoff_tui.presentation.diff_json import build_tree_diff_json
from handoff_tui.presentation.diff_page import add_file_diff, add_file_list
from handoff_tui.presentation.page import Cell, Page
from handoff_tui.presentation.safe_text import render_safe
from handoff_tui.presentation.snapshot_diff import build_snapshot_diff_json
from handoff_tui.presentation.snapshot_diff_page import build_snapshot_diff_page
from handoff_tui.review.desk import load_terminal_theme, open_desk
from handoff_tui.review.diff import Difference, DiffRequest, FilesDiff, diff

SCHEMA = "handoff-tui/diff/v1"
_SCOPES = {
    "baseline": DiffScope.SINCE_BASELINE,
    "my-review": DiffScope.SINCE_MY_REVIEW,
    "attempt": DiffScope.SINCE_PREVIOUS_ATTEMPT,
}
_MOST_FILES = 20
_WIDTH_OF_A_PIPE = 120
_NAME_IT = "Name a snapshot or a commit with --against; `handoff-tui baseline list` lists the snapshots."
_EXAMPLES = """\
examples:
  handoff-tui diff                           since the baseline: pinned, or last approved, or declared
  handoff-tui diff --handoff H-3             what explains a drop is looked for in its documents
  handoff-tui diff --against v1.4 --stat     only the list of files
  handoff-tui diff --between 3f9a1c main     any two snapshots or commits
  handoff-tui diff --since attempt           since the previous attempt; my-review: since I last decided
  handoff-tui diff src/app.py -y             one file, side by side
  handoff-tui diff --patch | git apply -R    the plain patch
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "paths", metavar="PATH", nargs="*", help="only the lines of these files (patterns such as 'src/*' too)"
    )
    parser.add_argument("--handoff", metavar="ID", help="the handoff under review")
    sides = parser.add_mutually_exclusive_group()
    sides.add_argument("--against", metavar="BASELINE", help="compare with this snapshot or commit")
    sides.add_argument("--between", nargs=2, metavar=("ONE", "OTHER"), help="compare two snapshots or commits")
    sides.add_argument("--since", choices=tuple(_SCOPES), default="baseline", help="from where on (default: baseline)")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--stat", action="store_true", help="only the list of files with counts")
    forms.add_argument("--patch", action="store_true", help="only the plain patch, for git apply")
    parser.add_argument("-y", "--side-by-side", action="store_true", help="old and new beside each other")
    parser.add_argument(
        "--whitespace",
        choices=[one.value for one in Whitespace],
        default="all",
        help="which differences in white space count",
    )
    parser.add_argument(
        "--context", type=_parse_context, default=3, metavar="N", help="lines around a change (default: 3)"
    )
    add_reading_options(parser)


def run(arguments: argparse.Namespace) -> ExitCode:
    desk = open_desk(find_start(arguments))
    with following() as telling:
        found = diff(desk, _build_request(arguments), telling)
    if telling.cancel.is_set():
        return ExitCode.INTERRUPTED
    if arguments.patch:
        return _write_patch(found)
    if arguments.stat:
        _require_files(found)
    files = found.files.list_files(counted=True) if found.files else []
    wanted = [] if arguments.stat else _choose(files, arguments.paths, everything=arguments.all)
    diffs = _read(found.files, wanted, _build_options(arguments)) if found.files else iter(())
    if arguments.json:
        note = found.files.listed.note if found.files else None
        record = {} if arguments.stat else build_snapshot_diff_json(found.record, found.pair, found.claims)
        write_json(
            {**record, "schema": SCHEMA, "missing": list(found.notes), **build_tree_diff_json(files, diffs, note)}
        )
        return ExitCode.OK
    write_page(_build_page(found, files, diffs, arguments), load_terminal_theme())
    left = 0 if arguments.stat or arguments.paths else len(files) - len(wanted)
    if left > 0:
        write_note(f"{left} more files changed; name some to see their lines, or --all")
    return ExitCode.OK


def _build_request(arguments: argparse.Namespace) -> DiffRequest:
    against, instead = arguments.between or (arguments.against, None)
    return DiffRequest(
        handoff=arguments.handoff,
        scope=_SCOPES[arguments.since],
        against=against,
        instead=instead,
        files_only=arguments.stat or arguments.patch,
    )


def _build_options(arguments: argparse.Namespace) -> DiffOptions:
    whitespace = Whitespace(arguments.whitespace)
    if arguments.all:
        return DiffOptions(whitespace, arguments.context, most_lines=None)
    return DiffOptions(whitespace, arguments.context)


def _choose(files: list[ChangedFile], patterns: list[str], *, everything: bool) -> list[ChangedFile]:
    """The files whose lines are shown."""
    if not patterns:
        return files if everything else files[:_MOST_FILES]
    chosen = [file for file in files if any(_fits(file.change.path, pattern) for pattern in patterns)]
    if not chosen:
        raise UsageError(
            f"nothing that changed fits {' '.join(patterns)}", "`handoff-tui diff --stat` lists what changed."
        )
    return chosen


def _fits(path: str, pattern: str) -> bool:
    return path == pattern or path.startswith(pattern.rstrip("/") + "/") or fnmatchcase(path, pattern)


def _read(files: FilesDiff, wanted: list[ChangedFile], options: DiffOptions) -> Iterator[FileDiff]:
    return (files.read_file(file.change, options) for file in wanted)


def _build_page(
    found: Difference, files: list[ChangedFile], diffs: Iterator[FileDiff], arguments: argparse.Namespace
) -> Page:
    """The record first, then the files, then the lines of some of them."""
    page = Page()
    if not arguments.stat:
        page = build_snapshot_diff_page(found.record, found.pair, found.claims, everything=arguments.all)
    for note in found.notes:
        page.line(Cell("! ", "warning"), Cell(render_safe(note)), indent=2)
    if found.files is not None:
        add_file_list(page, files, found.files.listed.note, everything=arguments.all)
    width = shutil.get_terminal_size((_WIDTH_OF_A_PIPE, 24)).columns if arguments.side_by_side else None
    for one in diffs:
        add_file_diff(page, one, split_width=width, expanded=arguments.all or bool(arguments.paths))
    return page


def _require_files(found: Difference) -> FilesDiff:
    if found.files is None:
        raise UsageError(
            f"the files cannot be compared: {' '.join((found.pair.before.reason, *found.notes))}", _NAME_IT
        )
    return found.files


def _write_patch(found: Difference) -> ExitCode:
    for piece in _require_files(found).read_patch():
        write_bytes(piece)
    return ExitCode.OK


def _parse_context(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of lines")
    return int(text[:6])
