"""The builder's packages: from a manifest as a dialect read it to the record of a snapshot."""

from __future__ import annotations

import re
from posixpath import normpath
from typing import Final

from handoff_tui.changes.snapshots.ecosystem.reading import build_text
from handoff_tui.changes.snapshots.snapshot import PackageRecord
from handoff_tui.core.packages import Package

KIND = "manifest"
_BARE_HASH: Final = re.compile(r"(?:sha256:)?([0-9a-f]{64})", re.IGNORECASE)


def build_manifest_record(package: Package) -> PackageRecord:
    """Assets under their paths in the repository, with the hashes that the manifest declares."""
    assets = {build_asset_path(package.where.path, asset.path): _build_hash(asset.sha256) for asset in package.assets}
    return PackageRecord(
        kind=KIND,
        name=build_text(package.id),
        where=build_text(package.where.path),
        version=build_text(package.version or ""),
        dependencies={build_text(name): "" for name in sorted(package.dependencies)},
        assets={build_text(path): digest for path, digest in sorted(assets.items())},
        supersedes=tuple(build_text(name) for name in sorted(set(package.supersedes))),
    )


def build_asset_path(manifest: str, asset: str) -> str:
    """Where an asset lies in the repository; one that leads out of it stays as it is written."""
    folder = manifest.rpartition("/")[0]
    path = normpath(f"{folder}/{asset}" if folder and not asset.startswith("/") else asset)
    return asset if path.startswith(("/", "../")) or path in {"..", "."} else path


def _build_hash(written: str | None) -> str:
    """In the one form where it is a SHA-256; as written where it is something else."""
    if written is None:
        return ""
    matched = _BARE_HASH.fullmatch(written.strip())
    return f"sha256:{matched[1].lower()}" if matched else build_text(written)
