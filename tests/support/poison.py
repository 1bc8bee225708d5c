"""A repository in which every text is an attack on the terminal that shows it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.real_log import RealLog
from tests.support.repositories import RepositoryBuilder

ESCAPES = {
    "clipboard": "\x1b]52;c;cG9pc29u\x07",
    "link": "\x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "title": "\x1b]0;POISONED\x07",
    "cursor": "\x1b[777;7H",
    "eight-bit": "\x9b777;7H",
    "override": "\u202e",
    "isolate": "\u2066",
    "zero-width": "\u200b",
    "tag": "\U000e0041",
}
"""Each must never be written as it is."""
MARKUP = ("[red]", "[@click=app.exit]", "[/]", "[bold", "[link=https://evil.example]")
"""Each must be seen as it is."""
ALL = "".join(ESCAPES.values()) + "".join(MARKUP)
_NAMES = (f"src/{ESCAPES['clipboard'].replace('/', '')}[red]a.py", f"src/{ESCAPES['override']}{ESCAPES['title']}b.py")
_LONG = 10_000_000


def build_poisoned_repository(folder: Path) -> RepositoryBuilder:
    """Names, documents, messages, authors, reasons and lines of ten million characters."""
    builder = RepositoryBuilder.init(folder)
    builder.write("README.md", f"{ALL}\n").write("tests/test_a.py", "def test_a():\n    pass\n").commit(f"start {ALL}")
    log = RealLog(builder)
    log.begin()
    log.submit(handoff="H-9", phase="build")
    log.decide(
        actor="alice", verb="reject", handoff="H-9", phase="build", reason=f"no {_strip_controls(ALL)} [red]x[/]"
    )
    log.builder.commit(f"a log {ALL}")
    for name in _NAMES:
        builder.write(name, f"first = '{ALL}'\nx = 1\n")
    builder.write("src/long.py", "x" * _LONG)
    _write_handoffs(builder)
    return builder.commit(f"{ALL}\n\nHandoff: {ALL}")


def _write_handoffs(builder: RepositoryBuilder) -> None:
    sections = "".join(f"## {number}. {ALL}\n\n{ALL}\n\n- `{ALL}` [x]({ALL})\n\n" for number in range(1, 4))
    builder.write("handoffs/H-9/H-9_BUILDER_HANDOFF.md", f"# H-9: {ALL}\n\n## 1. Mission\n\n{ALL}\n\n{sections}")
    builder.write(
        "handoffs/H-9/H-9_RESULTS.md",
        f"# Results: {ALL}\n\n**Status**: PASS {ALL}\n\n## Files created\n\n- `src/{ALL}.py`\n- `src/none.py`\n\n"
        f"## Tests\n\n- 12 tests pass {ALL}\n\n| a | {ALL} |\n|---|---|\n| {ALL} | b |\n\n```\n{ALL}\n```\n",
    )
    state = {"status": ALL, "phase": ALL, "task": ALL, "next_action": ALL, "blockers": [{"description": ALL}]}
    builder.write(".planning/HANDOFF.json", json.dumps(state))
    builder.write("HANDOFF.md", f"# Handoff {ALL}\n\n**Status**: done at `0123abc` {ALL}\n\n## Next\n\n- {ALL}\n")
    builder.write("docs/handoffs/big/HANDOFF.md", f"# Handoff\n\n{'y' * 3_000_000}\n\n## Next\n\n- go\n")


def _strip_controls(text: str) -> str:
    """What may stand in a reason: the log itself refuses controls."""
    return "".join(character for character in text if ord(character) >= 0x20 and not 0x7F <= ord(character) < 0xA0)


def list_leaks(written: bytes) -> list[str]:
    """The attacks that reached the terminal."""
    return [name for name, payload in ESCAPES.items() if payload.encode() in written]
