"""Packages of the builder standard: which are under review, and where their files lie."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from posixpath import normpath

from handoff_tui.checks.context import Context
from handoff_tui.core.packages import Package
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.handoff import DocumentRole, Handoff


def list_manifests(context: Context) -> tuple[str, ...]:
    """Manifests under review: those of the handoffs, and, when everything is reviewed, any in a package folder."""
    name = context.settings.builder.manifest_name
    documents = {
        document.path
        for handoff in context.handoffs("builder")
        for document in handoff.documents
        if document.role is DocumentRole.MANIFEST
    }
    if context.scope is None:
        expected = (f"{folder}/{name}" for folder in list_package_folders(context))
        documents.update(path for path in expected if context.has_path(path))
    return tuple(sorted(documents))


def list_package_folders(context: Context) -> tuple[str, ...]:
    """Every folder that is named like a package; one inside another belongs to that one."""
    prefix = context.settings.builder.package_prefix
    found: dict[str, None] = {}
    for path in context.paths_holding(prefix):
        parts = path.split("/")
        depth = next((n for n, part in enumerate(parts[:-1], start=1) if part.startswith(prefix)), None)
        if depth is not None:
            found["/".join(parts[:depth])] = None
    return tuple(found)


def list_packages(handoffs: Iterable[Handoff]) -> dict[str, Package]:
    """Packages by the path of their manifest."""
    return {package.where.path: package for handoff in handoffs for package in handoff.packages}


def build_asset_path(manifest: str, asset: str) -> str | None:
    """An asset's path in the repository; nothing where it leads out of the package's folder."""
    folder = manifest.rpartition("/")[0]
    path = normpath(asset)
    if not asset.isprintable() or asset.startswith("/") or path.split("/", 1)[0] == ".." or path == ".":
        return None
    return f"{folder}/{path}" if folder else path


def place_asset(handoffs: Iterable[Handoff], package: Package, asset: str) -> Place:
    """The line of an asset's hash in the manifest, else that of the package."""
    manifest = package.where.path
    folder = manifest.rpartition("/")[0]
    subject = f"{folder}/{asset}" if folder else asset
    for handoff in handoffs:
        for claim in handoff.claims:
            if claim.kind is ClaimKind.HASH and claim.subject == subject and claim.where.path == manifest:
                return claim.where
    return package.where


def measure_hash(context: Context, path: str) -> str | None:
    """The hash of a file now; nothing when it is missing, too large, or may not be read."""
    content = context.read(path)
    return None if content is None else build_hash(content)


def find_measured(context: Context, handoff: Handoff, claim: Claim) -> str | None:
    """The hash that was measured for a claim, also for files too large to be read here."""
    for verdict in context.verdicts(handoff.id):
        if verdict.claim == claim and isinstance(verdict.measured, str) and verdict.measured.startswith("sha256:"):
            return verdict.measured
    return None


def build_hash(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
