"""A world that differs from its baseline: files before and now."""

from __future__ import annotations

from handoff_tui.checks.world import Change
from tests.support.world import MemoryWorld

BASE = "b" * 40


def build_changed_world(
    before: dict[str, str], now: dict[str, str], renamed: dict[str, str] | None = None
) -> MemoryWorld:
    """`renamed` maps new paths to old ones, as git tells renames; without it they are a deletion and an addition."""
    renamed = renamed or {}
    changes = [Change("R", new, old) for new, old in renamed.items()]
    changes += [
        Change("A" if path not in before else "D" if path not in now else "M", path)
        for path in sorted({*before, *now} - {*renamed, *renamed.values()})
        if before.get(path) != now.get(path)
    ]
    return MemoryWorld(
        dict(now),
        base=BASE,
        changed=tuple(changes),
        old_files={(BASE, path): text.encode() for path, text in before.items()},
    )
