"""`python -m handoff_tui` and the installed command: runs a verb, or opens the app without one."""

from __future__ import annotations

import gc
import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # the current folder: a repository could bring modules of its own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def main() -> None:
    if sys.argv[1:] == ["--version"]:  # other programs ask for it often, and it needs nothing
        from handoff_tui import __version__  # noqa: PLC0415

        print(f"handoff-tui {__version__}")  # noqa: T201 - the one writer of stdout is not loaded yet
        return
    gc.set_threshold(_SELDOM)
    from handoff_tui.cli.main import main as run  # noqa: PLC0415 - nothing is loaded before it is needed

    code = run(open_app=_open_app)
    if sys.argv[1:2] and sys.argv[1] in _LOOKING:
        _leave(code)
    sys.exit(code)


_SELDOM = 100_000
"""How many new objects make Python look for garbage: most verbs end before there is any."""
_USUAL = gc.get_threshold()
_LOOKING = frozenset({"status", "show", "check", "gate", "diff", "coverage", "hook"})
"""Verbs that are called often, and leave nothing to be done at the end."""


def _leave(code: int) -> None:
    """Ends at once: to take every module and value apart costs more than many an answer."""
    import atexit  # noqa: PLC0415
    import os  # noqa: PLC0415

    atexit._run_exitfuncs()  # noqa: SLF001 - temporary files and processes that something else still holds
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # the reader is gone; Python says so in its own way
        return
    os._exit(code)


def _open_app(
    starts: Sequence[Path],
    theme: str | None,
    *,
    read_only: bool,
    ascii_only: bool = False,
    opening: tuple[str, str] | None = None,
    tour: bool = False,
) -> None:
    from handoff_tui.cli.diagnostics import write_note  # noqa: PLC0415 - the command line loaded it already

    gc.set_threshold(*_USUAL)
    from handoff_tui.tui.run import run_app  # noqa: PLC0415 - the command line does without Textual

    still = run_app(starts, theme=theme, read_only=read_only, ascii_only=ascii_only, opening=opening, tour=tour)
    for name in still:
        write_note(f"{name} is still running. `handoff-tui step --attach` follows it and checks its work.")


if __name__ == "__main__":
    main()
