"""The files of a package are those whose hashes its manifest declares."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable
from handoff_tui.checks.rules.builder.packages import (
    build_asset_path,
    find_measured,
    list_manifests,
    list_packages,
    measure_hash,
    place_asset,
)
from handoff_tui.core.packages import Asset, Package
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.handoff import Handoff


def judge(context: Context) -> Iterator[Found]:
    handoffs = context.require_handoffs("builder")
    packages = list_packages(handoffs)
    manifests = list_manifests(context)
    unreadable = list(find_unreadable(context, manifests))
    if not unreadable and not any(package.assets for package in packages.values()):
        context.skip("no package here declares an asset")
    yield from unreadable
    for package in packages.values():
        for asset in package.assets:
            yield from _judge_asset(context, handoffs, package, asset)


def _judge_asset(context: Context, handoffs: tuple[Handoff, ...], package: Package, asset: Asset) -> Iterator[Found]:
    where = place_asset(handoffs, package, asset.path)
    path = build_asset_path(package.where.path, asset.path)
    actual = None if path is None else measure_hash(context, path) or _find_large(context, handoffs, path)
    if actual is None:
        there = path is not None and context.exists(path)
        message = (
            f"{asset.path} of {package.id} cannot be read" if there else f"{asset.path} of {package.id} is missing"
        )
        yield Found(
            message, f"asset {asset.path}", where, asset.sha256 or "a file", "unreadable" if there else "no file"
        )
    elif asset.sha256 is None:
        message = f"{asset.path} of {package.id} has no hash that its file could be compared with"
        yield Found(message, f"asset {asset.path}", where, actual, "no hash")
    elif _bare(asset.sha256) != _bare(actual):
        message = f"{asset.path} of {package.id} is not the file whose hash the manifest declares"
        command = f"sha256sum {shlex.quote(path)}" if path else None
        yield Found(message, f"asset {asset.path}", where, asset.sha256, actual, command)


def _find_large(context: Context, handoffs: tuple[Handoff, ...], path: str) -> str | None:
    """The hash of a file that is too large to be read as a whole; a missing one is not looked for elsewhere."""
    if not context.exists(path):
        return None
    for handoff in handoffs:
        for claim in handoff.claims:
            if claim.subject == path and (measured := find_measured(context, handoff, claim)):
                return measured
    return None


def _bare(digest: str) -> str:
    """How a hash is written is another rule's matter."""
    return digest.strip().lower().removeprefix("sha256:")


ASSET_HASHES_MATCH = Rule(
    id="asset-hashes-match",
    system=System.BUILDER,
    severity=Severity.CRITICAL,
    holds="Every asset of every package is the file whose hash its manifest declares",
    reads="manifests of packages and their assets",
    remedy="Find out who changed the file after its manifest; then rebuild the manifest from the tested files.",
    judge=judge,
)
