"""`python -m handoff_tui` and the installed command: a verb runs the command line."""

from __future__ import annotations

import sys


def main() -> None:
    from handoff_tui.cli.main import main as run  # noqa: PLC0415 - the app will be the other branch

    sys.exit(run())


if __name__ == "__main__":
    main()
