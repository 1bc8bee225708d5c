"""Package manifests have the fields of the standard and the hashes of their files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import JsonBrokenError, find_line, find_unreadable, parse_strictly
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.checks.rules.builder.packages import (
    build_asset_path,
    find_measured,
    list_manifests,
    list_package_folders,
    list_packages,
    measure_hash,
    place_asset,
)
from handoff_tui.core.packages import Asset, Package
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.handoff import Handoff

_LISTS = frozenset({"assets", "dependencies"})


def _judge_shape(context: Context) -> Iterator[RuleFinding]:
    context.require_handoffs("builder")
    manifests = list_manifests(context)
    folders = list_package_folders(context) if context.scope is None else ()
    name = context.settings.builder.manifest_name
    bare = [folder for folder in folders if f"{folder}/{name}" not in manifests]
    if not manifests and not bare:
        context.skip("no package here")
    for folder in bare:
        message = f"the package {folder} has no manifest"
        yield RuleFinding(message, f"manifest {folder}", Place(path=f"{folder}/{name}"), name, "missing")
    for path in manifests:
        yield from _judge_manifest(context, path)


def _judge_manifest(context: Context, path: str) -> Iterator[RuleFinding]:
    content = context.read(path) or b""
    try:
        root = parse_strictly(content)
    except JsonBrokenError as broken:
        place = Place(path=path, line=broken.line)
        yield RuleFinding(f"{path} {broken.message}", "json", place, "a JSON object", broken.message)
        return
    if not isinstance(root, dict):
        kind = type(root).__name__
        yield RuleFinding(f"{path} is no JSON object", "json", Place(path=path, line=1), "a JSON object", kind)
        return
    yield from _judge_fields(context, path, content, root)
    yield from _judge_identity(context, path, content, root)
    assets = root.get("assets")
    if isinstance(assets, list):
        yield from _judge_assets(context, path, content, assets)


def _judge_fields(context: Context, path: str, content: bytes, root: dict[str, object]) -> Iterator[RuleFinding]:
    fields = context.settings.builder.manifest_fields
    replaced = context.settings.builder.manifest_replaced_fields
    for field in fields:
        value = root.get(field)
        if value is None:
            yield RuleFinding(f"{path} has no {field}", f"field {field}", Place(path=path), field, "missing")
        elif not _fits_kind(field, value):
            kind = "a list" if field in _LISTS else "text"
            where = Place(path=path, line=find_line(content, field))
            yield RuleFinding(f"{field} in {path} is not {kind}", f"kind {field}", where, kind, type(value).__name__)
    for field, right in replaced.items():
        if field in root:
            where = Place(path=path, line=find_line(content, field))
            yield RuleFinding(
                f"{path} uses {field}, for which the standard has {right}", f"field {field}", where, right, field
            )
    dependencies = root.get("dependencies")
    if isinstance(dependencies, list) and not all(isinstance(name, str) and name for name in dependencies):
        where = Place(path=path, line=find_line(content, "dependencies"))
        yield RuleFinding(
            f"dependencies in {path} are not all ids of packages", "dependencies", where, "ids of packages"
        )


def _fits_kind(field: str, value: object) -> bool:
    if field in _LISTS:
        return isinstance(value, list)
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, int | float) and not isinstance(value, bool)


def _judge_identity(context: Context, path: str, content: bytes, root: dict[str, object]) -> Iterator[RuleFinding]:
    """Checks that the id of a package is the name of its folder."""
    package, folder = root.get("package_id"), path.rpartition("/")[0].rpartition("/")[2]
    prefix = context.settings.builder.package_prefix
    if isinstance(package, str) and package.strip() and (package != folder or not package.startswith(prefix)):
        where = Place(path=path, line=find_line(content, "package_id"))
        yield RuleFinding(
            f"{path} is the manifest of {package}, not of its own folder", "package_id", where, folder, package
        )


def _judge_assets(context: Context, path: str, content: bytes, assets: list[object]) -> Iterator[RuleFinding]:
    pattern = context.settings.builder.hash_pattern
    seen: set[str] = set()
    for number, asset in enumerate(assets):
        name = asset.get("path") if isinstance(asset, dict) else None
        if not isinstance(asset, dict) or not isinstance(name, str) or not name:
            where = Place(path=path, line=find_line(content, "assets"))
            yield RuleFinding(
                f"an asset in {path} has no path", f"asset {number}", where, "path, sha256 and classification"
            )
            continue
        where = Place(path=path, line=find_line(content, "path", name))
        digest = asset.get("sha256")
        if not isinstance(digest, str) or not re.match(pattern, digest):
            shown = str(digest) if digest is not None else "missing"
            message = f"the hash of {name} in {path} is not written as sha256:<64 hex digits>"
            yield RuleFinding(message, f"hash {name}", where, "sha256:<64 hex digits>", shown)
        if not asset.get("classification"):
            yield RuleFinding(
                f"{name} in {path} has no classification", f"classification {name}", where, "a classification"
            )
        if build_asset_path(path, name) is None:
            message = f"{name} in {path} leads out of the package"
            yield RuleFinding(message, f"path {name}", where, "a path inside the package", name)
        if name in seen:
            yield RuleFinding(f"{name} is listed twice in {path}", f"twice {name}", where, "once", "twice")
        seen.add(name)


MANIFEST_SHAPE_FITS = Rule(
    id="manifest-shape-fits",
    system=System.BUILDER,
    severity=Severity.HIGH,
    holds="Every package has a manifest with the fields that the standard requires.",
    reads="package manifests",
    remedy="Write the manifest with all required fields, an assets list, and a sha256: hash for each asset.",
    judge=_judge_shape,
)


def _judge_hashes(context: Context) -> Iterator[RuleFinding]:
    handoffs = context.require_handoffs("builder")
    packages = list_packages(handoffs)
    manifests = list_manifests(context)
    unreadable = list(find_unreadable(context, manifests))
    if not unreadable and not any(package.assets for package in packages.values()):
        context.skip("no package declares an asset")
    yield from unreadable
    for package in packages.values():
        for asset in package.assets:
            yield from _judge_asset(context, handoffs, package, asset)


def _judge_asset(
    context: Context, handoffs: tuple[Handoff, ...], package: Package, asset: Asset
) -> Iterator[RuleFinding]:
    where = place_asset(handoffs, package, asset.path)
    path = build_asset_path(package.where.path, asset.path)
    actual = None if path is None else measure_hash(context, path) or _find_large(context, handoffs, path)
    if actual is None:
        there = path is not None and context.exists(path)
        message = (
            f"{asset.path} of {package.id} cannot be read" if there else f"{asset.path} of {package.id} is missing"
        )
        yield RuleFinding(
            message, f"asset {asset.path}", where, asset.sha256 or "a file", "unreadable" if there else "no file"
        )
    elif asset.sha256 is None:
        message = f"{asset.path} of {package.id} has no hash that its file could be compared with"
        yield RuleFinding(message, f"asset {asset.path}", where, actual, "no hash")
    elif _bare(asset.sha256) != _bare(actual):
        message = f"{asset.path} of {package.id} is not the file whose hash the manifest declares"
        command = f"sha256sum {shlex.quote(path)}" if path else None
        yield RuleFinding(message, f"asset {asset.path}", where, asset.sha256, actual, command)


def _find_large(context: Context, handoffs: tuple[Handoff, ...], path: str) -> str | None:
    """Returns the measured hash of a file that is too large to read; None if the file is missing."""
    if not context.exists(path):
        return None
    for handoff in handoffs:
        for claim in handoff.claims:
            if claim.subject == path and (measured := find_measured(context, handoff, claim)):
                return measured
    return None


def _bare(digest: str) -> str:
    """Strips the notation, which is checked by another rule."""
    return digest.strip().lower().removeprefix("sha256:")


ASSET_HASHES_MATCH = Rule(
    id="asset-hashes-match",
    system=System.BUILDER,
    severity=Severity.CRITICAL,
    holds="Every asset of every package has the hash that its manifest declares.",
    reads="package manifests and their assets",
    remedy="Find out who changed the file after the manifest was built. Then rebuild it from the tested files.",
    judge=_judge_hashes,
)
