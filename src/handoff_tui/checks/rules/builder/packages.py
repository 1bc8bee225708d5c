"""Packages of the builder standard: which are under review, and where their files are."""

from __future__ import annotations

from collections.abc import Iterable
from posixpath import normpath

from handoff_tui.checks.context import Context
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Package
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.claims.evidence import build_hash
from handoff_tui.handoffs.handoff import DocumentRole, Handoff


def list_manifests(context: Context) -> tuple[str, ...]:
    """Returns the manifests of the handoffs under review, and of all package folders without a scope."""
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
    """Returns every folder with the name of a package, without those inside another package."""
    prefix = context.settings.builder.package_prefix
    found: dict[str, None] = {}
    for path in context.paths_holding(prefix):
        parts = path.split("/")
        depth = next((n for n, part in enumerate(parts[:-1], start=1) if part.startswith(prefix)), None)
        if depth is not None:
            found["/".join(parts[:depth])] = None
    return tuple(found)


def list_packages(handoffs: Iterable[Handoff]) -> dict[str, Package]:
    """Returns packages by the path of their manifest."""
    return {package.where.path: package for handoff in handoffs for package in handoff.packages}


def build_asset_path(manifest: str, asset: str) -> str | None:
    """Returns an asset's path in the repository; None if it leads out of the package."""
    folder = manifest.rpartition("/")[0]
    path = normpath(asset)
    if not asset.isprintable() or asset.startswith("/") or path.split("/", 1)[0] == ".." or path == ".":
        return None
    return f"{folder}/{path}" if folder else path


def place_asset(handoffs: Iterable[Handoff], package: Package, asset: str) -> Place:
    """Returns the line of an asset's hash in the manifest, or that of the package."""
    manifest = package.where.path
    folder = manifest.rpartition("/")[0]
    subject = f"{folder}/{asset}" if folder else asset
    for handoff in handoffs:
        for claim in handoff.claims:
            if claim.kind is ClaimKind.HASH and claim.subject == subject and claim.where.path == manifest:
                return claim.where
    return package.where


def measure_hash(context: Context, path: str) -> str | None:
    """Returns the current hash of a file; None if it is missing, too large or unreadable."""
    content = context.read(path)
    return None if content is None else build_hash(content)


def find_measured(context: Context, handoff: Handoff, claim: Claim) -> str | None:
    """Returns the hash measured for a claim, even if the file is too large to read here."""
    for verdict in context.verdicts(handoff.id):
        if verdict.claim == claim and isinstance(verdict.measured, str) and verdict.measured.startswith("sha256:"):
            return verdict.measured
    return None
