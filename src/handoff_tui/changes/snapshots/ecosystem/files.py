"""Which files declare packages, and what one of them says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import Final

from handoff_tui.changes.snapshots.ecosystem.go import parse_go_mod
from handoff_tui.changes.snapshots.ecosystem.python import build_pyproject, parse_requirements, parse_setup_cfg
from handoff_tui.changes.snapshots.ecosystem.reading import (
    EcosystemReading,
    build_dependencies,
    build_text,
    build_unread,
    find_text,
    name_folder,
)
from handoff_tui.changes.snapshots.ecosystem.rust import build_cargo
from handoff_tui.changes.snapshots.snapshot import PackageRecord
from handoff_tui.config.layer import parse_layer
from handoff_tui.core.errors import ConfigError

KIND = "node"
_GROUPS = {"dependencies": "", "devDependencies": "dev", "peerDependencies": "peer", "optionalDependencies": "optional"}


def build_package_json(table: Mapping[str, object], where: str) -> EcosystemReading:
    """A file that only says how its folder is read (`{"type": "module"}`) declares no package."""
    dependencies: dict[str, str] = {}
    for key, group in _GROUPS.items():
        dependencies |= build_dependencies(table.get(key), group)
    name, version = find_text(table, "name"), find_text(table, "version")
    if not name and not version and not dependencies:
        return EcosystemReading()
    record = PackageRecord(
        kind=KIND,
        name=name or name_folder(where),
        where=build_text(where),
        version=version,
        dependencies=dict(sorted(dependencies.items())),
    )
    return EcosystemReading((record,))


MOST_BYTES = 4 * 1024 * 1024
_REQUIREMENTS = "requirements*.txt"
_BORROWED: Final = frozenset({"node_modules", "site-packages", "vendor"})
"""Folders with copies of other people's packages."""

TableBuilder = Callable[[Mapping[str, object], str], EcosystemReading]
TextParser = Callable[[str, str], EcosystemReading]
_TOML: Final[dict[str, TableBuilder]] = {"pyproject.toml": build_pyproject, "Cargo.toml": build_cargo}
_JSON: Final[dict[str, TableBuilder]] = {"package.json": build_package_json}
_TEXT: Final[dict[str, TextParser]] = {"go.mod": parse_go_mod, "setup.cfg": parse_setup_cfg}
_NAMES: Final = frozenset({*_TOML, *_JSON, *_TEXT})


def is_ecosystem_file(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    if name not in _NAMES and not (name.startswith("requirements") and fnmatchcase(name, _REQUIREMENTS)):
        return False
    return not folder or _BORROWED.isdisjoint(folder.split("/"))


def parse_ecosystem_file(path: str, content: bytes) -> EcosystemReading:
    """The packages that a file declares; what cannot be read is named with the reason, never raised."""
    if len(content) > MOST_BYTES:
        return build_unread(path, f"is too large: {len(content):,} bytes; the limit is {MOST_BYTES:,}")
    try:
        return _parse_by_name(path, content)
    except ConfigError as broken:
        return build_unread(path, broken.message.removeprefix(path).lstrip(": "))
    except UnicodeDecodeError:
        return build_unread(path, "is not UTF-8")
    except RecursionError:
        return build_unread(path, "is nested too deeply to be read")


def _parse_by_name(path: str, content: bytes) -> EcosystemReading:
    name = path.rpartition("/")[2]
    if name in _TOML:
        return _TOML[name](parse_layer(content, path).table, path)
    text = content.decode("utf-8-sig")
    if name in _JSON:
        return _parse_json(text, path, _JSON[name])
    return _TEXT.get(name, parse_requirements)(text, path)


def _parse_json(text: str, path: str, build: TableBuilder) -> EcosystemReading:
    try:
        value = json.loads(text)
    except ValueError as broken:  # JSONDecodeError is one; a number with thousands of digits is another
        return build_unread(path, f"is not JSON: {broken}")
    return build(value, path) if isinstance(value, dict) else build_unread(path, "is no JSON object")
