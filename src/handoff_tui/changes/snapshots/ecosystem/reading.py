"""What an ecosystem's file said, and how texts from such files are made fit to be stored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from handoff_tui.changes.snapshots.snapshot import PackageRecord, Unread

LONGEST_TEXT = 1_000


class EcosystemReading(NamedTuple):
    """The packages of one file, and what of it could not be read."""

    packages: tuple[PackageRecord, ...] = ()
    unread: tuple[Unread, ...] = ()


def build_unread(where: str, reason: str) -> EcosystemReading:
    return EcosystemReading(unread=(Unread(path=build_text(where), reason=build_text(reason)),))


def build_text(value: object) -> str:
    """A text that every JSON reader accepts: what has no UTF-8 form is written out, what is endless is cut."""
    text = str(value)[:LONGEST_TEXT]
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def build_constraint(value: object) -> str:
    """The constraint as written: a text as it is, a table as its version, or whole where it says more."""
    if isinstance(value, str):
        return build_text(value)
    if isinstance(value, Mapping) and value.keys() == {"version"} and isinstance(value["version"], str):
        return build_text(value["version"])
    return build_text(json.dumps(value, sort_keys=True, default=str))


def build_dependencies(table: object, group: str = "") -> dict[str, str]:
    """A table of names and constraints; those of a group have its name before theirs, as in `dev/pytest`."""
    if not isinstance(table, Mapping):
        return {}
    prefix = f"{group}/" if group else ""
    return {build_text(f"{prefix}{name}"): build_constraint(constraint) for name, constraint in table.items()}


def find_table(table: object, *names: str) -> Mapping[str, object]:
    """The table at the end of some keys; an empty one where there is none."""
    for name in names:
        table = table.get(name) if isinstance(table, Mapping) else None
    return table if isinstance(table, Mapping) else {}


def find_text(table: Mapping[str, object], name: str) -> str:
    value = table.get(name)
    return build_text(value) if isinstance(value, str) else ""


def name_folder(where: str) -> str:
    """What a package without a name is called: the folder of its file."""
    return build_text(where.rpartition("/")[0] or ".")
