"""Python: `pyproject.toml` (PEP 621, PEP 735, Poetry), `setup.cfg`, `requirements*.txt`."""

from __future__ import annotations

import configparser
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from handoff_tui.changes.snapshots.ecosystem.reading import (
    EcosystemReading,
    build_constraint,
    build_text,
    build_unread,
    find_table,
    find_text,
    name_folder,
)
from handoff_tui.changes.snapshots.snapshot import PackageRecord

KIND = "python"
REQUIREMENTS_KIND = "requirements"
_REQUIREMENT: Final = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(.*)", re.DOTALL)
_EGG: Final = re.compile(r"[#&]egg=([A-Za-z0-9._-]+)")
_HASHES: Final = re.compile(r"\s--hash[= ]\S+")
_COMMENT: Final = re.compile(r"(?:^|\s)#.*$")
_ADDRESS: Final = re.compile(r"(?:[a-z+]+://|git\+|\.{0,2}/)", re.IGNORECASE)


def build_pyproject(table: Mapping[str, object], where: str) -> EcosystemReading:
    """One record where the file declares a project; a file with settings of tools only declares none."""
    project, poetry = find_table(table, "project"), find_table(table, "tool", "poetry")
    dependencies = _list_poetry(poetry) | _list_groups(table)
    dependencies |= build_requirements(_list_texts(project.get("dependencies")))
    for extra, requirements in find_table(project, "optional-dependencies").items():
        dependencies |= build_requirements(_list_texts(requirements), extra)
    if not project and not poetry and not dependencies:
        return EcosystemReading()
    name = find_text(project, "name") or find_text(poetry, "name") or name_folder(where)
    version = find_text(project, "version") or find_text(poetry, "version")
    return EcosystemReading((_build(KIND, name, where, version, dependencies),))


def parse_setup_cfg(text: str, where: str) -> EcosystemReading:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as wrong:
        return build_unread(where, f"is not a configuration file: {wrong.message}")
    name = parser.get("metadata", "name", fallback="").strip()
    requirements = parser.get("options", "install_requires", fallback="").splitlines()
    dependencies = build_requirements(requirements)
    if parser.has_section("options.extras_require"):
        for extra, lines in parser.items("options.extras_require"):
            dependencies |= build_requirements(lines.splitlines(), extra)
    if not name and not dependencies:
        return EcosystemReading()
    version = parser.get("metadata", "version", fallback="").strip()
    return EcosystemReading((_build(KIND, name or name_folder(where), where, version, dependencies),))


def parse_requirements(text: str, where: str) -> EcosystemReading:
    """A list of requirements is a package of its own, named by its path."""
    lines = re.sub(r"\\\r?\n", " ", text).splitlines()
    record = _build(REQUIREMENTS_KIND, where, where, "", build_requirements(lines))
    return EcosystemReading((record,))


def build_requirements(lines: Iterable[str], group: str = "") -> dict[str, str]:
    """Requirements by the one name that Python's tools give a package, however it is spelled."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        bare = _HASHES.sub("", _COMMENT.sub("", line)).strip()
        if bare:
            name, constraint = _split_requirement(bare)
            found[build_text(f"{group}/{name}" if group else name)].add(build_text(constraint))
    # one package on several lines: each for another Python or system
    return {name: " | ".join(sorted(constraints)) for name, constraints in found.items()}


def _split_requirement(line: str) -> tuple[str, str]:
    egg = _EGG.search(line)
    if egg:
        return _normalise(egg[1]), line
    matched = _REQUIREMENT.fullmatch(line)
    if line.startswith("-") or _ADDRESS.match(line) or matched is None:
        return line, ""
    return _normalise(matched[1]), " ".join(matched[2].split())


def _normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _list_texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _list_groups(table: Mapping[str, object]) -> dict[str, str]:
    found: dict[str, str] = {}
    for group, requirements in find_table(table, "dependency-groups").items():
        found |= build_requirements(_list_texts(requirements), group)
    return found


def _list_poetry(poetry: Mapping[str, object]) -> dict[str, str]:
    found = _list_constraints(poetry.get("dependencies"), "")
    found |= _list_constraints(poetry.get("dev-dependencies"), "dev")
    for group, content in find_table(poetry, "group").items():
        found |= _list_constraints(find_table(content).get("dependencies"), group)
    return found


def _list_constraints(table: object, group: str) -> dict[str, str]:
    prefix = f"{group}/" if group else ""
    return {
        build_text(f"{prefix}{_normalise(name)}"): build_constraint(value) for name, value in find_table(table).items()
    }


def _build(kind: str, name: str, where: str, version: str, dependencies: dict[str, str]) -> PackageRecord:
    return PackageRecord(
        kind=kind,
        name=build_text(name),
        where=build_text(where),
        version=build_text(version),
        dependencies=dict(sorted(dependencies.items())),
    )
