"""Rust: `Cargo.toml`, of a package, of a workspace, or of both."""

from __future__ import annotations

from collections.abc import Mapping

from handoff_tui.changes.snapshots.ecosystem.reading import (
    EcosystemReading,
    build_dependencies,
    build_text,
    find_table,
    find_text,
    name_folder,
)
from handoff_tui.changes.snapshots.snapshot import PackageRecord

KIND = "rust"
_GROUPS = {"dependencies": "", "dev-dependencies": "dev", "build-dependencies": "build"}


def build_cargo(table: Mapping[str, object], where: str) -> EcosystemReading:
    records: list[PackageRecord] = []
    package = find_table(table, "package")
    if package:
        dependencies = _list_groups(table, "")
        for target, content in find_table(table, "target").items():
            dependencies |= _list_groups(find_table(content), target)
        name = find_text(package, "name") or name_folder(where)
        records.append(_build(name, where, _find_version(package), dependencies))
    if "workspace" in table:
        workspace = find_table(table, "workspace")
        version = find_text(find_table(workspace, "package"), "version")
        shared = build_dependencies(workspace.get("dependencies"))
        records.append(_build(f"workspace {name_folder(where)}", where, version, shared))
    return EcosystemReading(tuple(records))


def _list_groups(table: Mapping[str, object], target: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, group in _GROUPS.items():
        found |= build_dependencies(table.get(key), "/".join(part for part in (target, group) if part))
    return found


def _find_version(package: Mapping[str, object]) -> str:
    """A version that is the workspace's is said so; which one that is, the workspace's own record says."""
    if find_table(package, "version").get("workspace") is True:
        return "workspace"
    return find_text(package, "version")


def _build(name: str, where: str, version: str, dependencies: dict[str, str]) -> PackageRecord:
    return PackageRecord(
        kind=KIND,
        name=build_text(name),
        where=build_text(where),
        version=version,
        dependencies=dict(sorted(dependencies.items())),
    )
