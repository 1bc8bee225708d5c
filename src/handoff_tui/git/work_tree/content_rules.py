"""Whether the bytes of a file are what git stores of it: filters, line ends and encodings may come between."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from handoff_tui.git.repository import Repository

_SYSTEM_FILE = Path("/etc/gitattributes")
_CONVERTING = (b"filter", b"ident", b"working-tree-encoding")
"""Attributes that change content beyond its line ends; where one of these words stands, git is asked instead."""
_MOST_BYTES = 1024 * 1024


class ContentRules(NamedTuple):
    """What the configuration says about content, as of one look."""

    modes_count: bool
    """Whether git looks at the executable bit."""
    attribute_files: tuple[Path, ...]
    """Those that hold for every path."""


def read_content_rules(repository: Repository) -> ContentRules:
    git = repository.git
    modes = git.run("config", "--type=bool", "--get", "core.fileMode")
    named = git.run("config", "--type=path", "--get", "core.attributesFile")
    own = Path(named.text) if named.ok and named.text else _find_usual_file()
    return ContentRules(
        modes_count=not modes.ok or modes.text != "false",
        attribute_files=(_SYSTEM_FILE, *([own] if own else []), repository.common_dir / "info" / "attributes"),
    )


def is_stored_as_is(rules: ContentRules, root: Path, path: str, content: bytes) -> bool:
    """Whether git would store just these bytes. Without a carriage return no rule about line ends changes any."""
    if b"\r" in content:
        return False
    folders = [root]
    for name in path.split("/")[:-1]:
        folders.append(folders[-1] / name)
    files = (*rules.attribute_files, *(folder / ".gitattributes" for folder in folders))
    return not any(_may_convert(place) for place in files)


def _find_usual_file() -> Path | None:
    base = os.environ.get("XDG_CONFIG_HOME") or (os.environ.get("HOME") and f"{os.environ['HOME']}/.config")
    return Path(base) / "git" / "attributes" if base else None


def _may_convert(place: Path) -> bool:
    """Also where it cannot be told."""
    try:
        with place.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return len(content) > _MOST_BYTES or any(word in content for word in _CONVERTING)
