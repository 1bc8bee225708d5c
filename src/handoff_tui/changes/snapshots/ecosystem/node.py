"""Node: `package.json`."""

from __future__ import annotations

from collections.abc import Mapping

from handoff_tui.changes.snapshots.ecosystem.reading import (
    EcosystemReading,
    build_dependencies,
    build_text,
    find_text,
    name_folder,
)
from handoff_tui.changes.snapshots.snapshot import PackageRecord

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
