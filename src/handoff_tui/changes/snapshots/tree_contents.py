"""What a tree holds for a snapshot besides its files: packages of ecosystems, and paths of reports. Kept by tree id."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import ValidationError

from handoff_tui.changes.snapshots.ecosystem.files import MOST_BYTES, is_ecosystem_file, parse_ecosystem_file
from handoff_tui.changes.snapshots.ecosystem.reading import EcosystemReading, build_unread
from handoff_tui.changes.snapshots.path_patterns import build_matcher
from handoff_tui.changes.snapshots.snapshot import PackageRecord, Unread
from handoff_tui.config.settings.baseline import Baseline
from handoff_tui.git.command import Git
from handoff_tui.git.history.commits import read_blobs
from handoff_tui.git.objects.tree_files import Objects
from handoff_tui.system.files.cache_files import load_json, write_json

_VERSION: Final = 1


class TreeContents(NamedTuple):
    """Of one tree, in order of path."""

    packages: tuple[PackageRecord, ...]
    unread: tuple[Unread, ...]
    reports: tuple[str, ...]
    coverage: tuple[str, ...]


def load_tree_contents(git: Git, tree: str, objects: Objects, settings: Baseline, cache_folder: Path) -> TreeContents:
    """From the cache where this was the last tree that was asked about, else read."""
    place = cache_folder / "tree-contents.json"
    key = _build_key(tree, settings)
    known = _parse_record(load_json(place), key)
    if known is not None:
        return known
    contents = _read_contents(git, tree, objects, settings)
    write_json(place, _build_record(contents, key))
    return contents


def _read_contents(git: Git, tree: str, objects: Objects, settings: Baseline) -> TreeContents:
    listing = git.read("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree, extra=objects)
    paths = os.fsdecode(listing).split("\0")[:-1]
    declaring = sorted(path for path in paths if is_ecosystem_file(path))
    names = {f"{tree}:{path}": path for path in declaring}
    found = read_blobs(git, list(names), MOST_BYTES, objects)
    readings = [_read_one(path, found[name]) for name, path in names.items()]
    reports, coverage = build_matcher(settings.reports), build_matcher(settings.coverage)
    return TreeContents(
        packages=tuple(record for reading in readings for record in reading.packages),
        unread=tuple(unread for reading in readings for unread in reading.unread),
        reports=tuple(sorted(path for path in paths if reports.fullmatch(path))),
        coverage=tuple(sorted(path for path in paths if coverage.fullmatch(path))),
    )


def _read_one(path: str, content: bytes | None) -> EcosystemReading:
    if content is None:
        return build_unread(path, f"is missing, no file, or larger than {MOST_BYTES:,} bytes")
    return parse_ecosystem_file(path, content)


def _build_key(tree: str, settings: Baseline) -> str:
    said = json.dumps([_VERSION, tree, settings.reports, settings.coverage])
    return hashlib.sha256(said.encode()).hexdigest()


def _build_record(contents: TreeContents, key: str) -> dict[str, object]:
    return {
        "key": key,
        "packages": [record.model_dump(mode="json") for record in contents.packages],
        "unread": [unread.model_dump(mode="json") for unread in contents.unread],
        "reports": contents.reports,
        "coverage": contents.coverage,
    }


def _parse_record(value: object, key: str) -> TreeContents | None:
    if not isinstance(value, dict) or value.get("key") != key:
        return None
    try:
        return TreeContents(
            tuple(PackageRecord.model_validate(record) for record in value["packages"]),
            tuple(Unread.model_validate(unread) for unread in value["unread"]),
            tuple(str(path) for path in value["reports"]),
            tuple(str(path) for path in value["coverage"]),
        )
    except (KeyError, TypeError, ValidationError):
        return None
