"""Package manifests: who owns which files, with the hashes they declare."""

from __future__ import annotations

from handoff_tui.core.model import Model
from handoff_tui.core.place import Place


class Asset(Model):
    """A file that a package owns, with the hash as its manifest writes it."""

    path: str
    sha256: str | None = None
    classification: str | None = None


class Package(Model):
    """A package manifest as read; a missing field is None."""

    id: str
    where: Place
    version: str | None = None
    schema_version: str | None = None
    spec_id: str | None = None
    framework_id: str | None = None
    plane_id: str | None = None
    title: str | None = None
    supersedes: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    assets: tuple[Asset, ...] = ()
