"""The reviewer's own choice of baselines, in a folder of theirs: who chooses the baseline chooses what is shown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from handoff_tui.core.errors import SnapshotUnusableError
from handoff_tui.system.files.cache_files import find_choices_folder
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER, LocalFolder

EVERY_HANDOFF: Final = "*"
"""The key of the pin that counts where a handoff has none of its own."""
_NAME = "pins.json"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


def read_pins(common_dir: Path) -> dict[str, str]:
    """Handoff id, or `*`, to the digest that was pinned; none where nobody pinned anything."""
    folder = find_choices_folder(common_dir)
    content = LocalFolder(folder).read(_NAME)
    if content is None:
        return {}
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not all(
        isinstance(digest, str) and _DIGEST.fullmatch(digest) for digest in value.values()
    ):
        raise SnapshotUnusableError(
            f"{folder / LOCAL_FOLDER / _NAME} is damaged: it is no table of snapshot digests",
            "Delete it and pin again; it holds nothing but pins.",
        )
    return dict(sorted(value.items()))


def write_pin(common_dir: Path, handoff: str, digest: str | None) -> None:
    """Pins a snapshot for a handoff, or for every one with `*`; nothing takes the pin away."""
    pins = read_pins(common_dir)
    pins.pop(handoff, None)
    if digest is not None:
        pins[handoff] = digest
    content = json.dumps(pins, sort_keys=True, ensure_ascii=True, indent=1) + "\n"
    LocalFolder(find_choices_folder(common_dir), make_outer=True).write(_NAME, content.encode("ascii"))


def find_pin(pins: dict[str, str], handoff: str | None) -> str | None:
    """The pin of a handoff, or else the one for all."""
    return pins.get(handoff or EVERY_HANDOFF) or pins.get(EVERY_HANDOFF)
