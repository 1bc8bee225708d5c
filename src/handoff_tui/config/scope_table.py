"""Writes the `[scopes."ID"]` table of one handoff into the text of a configuration. Pure."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from handoff_tui.config.settings.review import ScopeSettings
from handoff_tui.core.errors import ConfigError

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


def render_scope_table(handoff: str, scope: ScopeSettings) -> str:
    """The table as it stands in a file."""
    lines = [f"[scopes.{_render(handoff)}]"]
    lines += [f"since = {_render(scope.since)}"] if scope.since else []
    lines += [f"until = {_render(scope.until)}"] if scope.until else []
    lines += [f"paths = [{', '.join(map(_render, scope.paths))}]"] if scope.paths else []
    return "\n".join(lines) + "\n"


def set_scope_table(text: str, handoff: str, scope: ScopeSettings) -> str:
    """The text with this table in the place of the handoff's present one, or at its end."""
    content = _load(text)
    table = render_scope_table(handoff, scope)
    start, end = _find_table(text, handoff)
    before, after = text[:start].rstrip("\n"), text[end:]
    changed = "\n\n".join(filter(None, (before, table + ("\n" + after if after else ""))))
    expected = {**content, "scopes": {**content.get("scopes", {}), **_load(table)["scopes"]}}
    if _load(changed) != expected:
        raise ConfigError(
            "handoff-tui.toml is written in a way that can't be changed automatically", f"Put this into it:\n{table}"
        )
    return changed


def _find_table(text: str, handoff: str) -> tuple[int, int]:
    """Where the handoff's table begins and the next one begins; the end of the text if there is none."""
    name = re.escape(handoff)
    header = re.compile(
        rf"^[ \t]*\[[ \t]*scopes[ \t]*\.[ \t]*(?:\"{name}\"|'{name}'|{name})[ \t]*\][ \t]*(?:\#.*)?$", re.MULTILINE
    )
    found = header.search(text)
    if found is None:
        return len(text), len(text)
    following = _HEADER.search(text, found.end())
    return found.start(), following.start() if following else len(text)


def _load(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as wrong:
        raise ConfigError(f"handoff-tui.toml is not TOML: {wrong}", "Mend it first.") from wrong


def _render(text: str) -> str:
    """A TOML string: JSON's, and DEL escaped as well."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
