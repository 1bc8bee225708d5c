"""Writes docs/transcript.md: the demo, status and show, as they are printed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tests.support.command_line import say

_COMMANDS = (
    ("status",),
    ("show", "H-3"),
    ("show", "mosaic"),
    ("show", "T007"),
    ("check", "--pre", "--except", "briefing-fresh"),
)
_WIDTH = "100"
_SHOWN_AT = "/tmp/sample"  # noqa: S108 - a name in a document, not a file


def build_transcript() -> str:
    """The same text on every machine: the path is replaced, the width is fixed."""
    with tempfile.TemporaryDirectory(prefix="handoff-tui-transcript-") as folder:
        target = Path(folder).resolve() / "sample"
        os.environ["COLUMNS"] = _WIDTH
        built = say("demo", "--dir", target, "--no-open")
        repository = built.stdout.strip()
        parts = [_show(f"handoff-tui demo --dir {_SHOWN_AT} --no-open", built.stdout)]
        for command in _COMMANDS:
            said = say(*command, folder=Path(repository))
            if said.stderr:
                raise RuntimeError(said.stderr)
            parts.append(_show(f"handoff-tui {' '.join(command)}", said.stdout))
        return _HEADING + "\n".join(parts).replace(str(target), _SHOWN_AT)


def _show(command: str, output: str) -> str:
    lines = "\n".join(line.rstrip() for line in output.rstrip("\n").split("\n"))
    return f"```console\n$ {command}\n{lines}\n```\n"


_HEADING = """\
# A session with the sample repository

Written by `make golden`; a test fails when it is stale. The sample is built anew, with the same commit ids each time.

"""
