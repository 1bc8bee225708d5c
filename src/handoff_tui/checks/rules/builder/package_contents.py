"""Packages: manifests of the standard, their hashes, no leftovers, one owner per file, waves that are integrated."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping
from posixpath import normpath

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import JsonBrokenError, find_line, find_unreadable, parse_strictly
from handoff_tui.checks.rule import Findings, RuleFinding, critical_rule, high_rule, medium_rule
from handoff_tui.checks.rules.builder.documents import find_results, list_documents
from handoff_tui.checks.rules.builder.packages import (
    build_asset_path,
    find_measured,
    list_manifests,
    list_package_folders,
    list_packages,
    measure_hash,
    place_asset,
)
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Asset, Package
from handoff_tui.core.text.globs import matches_glob
from handoff_tui.handoffs.handoff import DocumentRole, Handoff, RegistryState

_LISTS = frozenset({"assets", "dependencies"})
_INTEGRATION = compile_later(r"\bintegrat(?:e|es|ion)\b", re.IGNORECASE)


@medium_rule(
    holds="No package contains caches, compiled files or desktop leftovers.",
    reads="paths inside package folders, including ignored ones",
    remedy="Delete these files before you build an archive, and add them to .gitignore.",
    commands=("find . -path '*/PKG-*' -name __pycache__ -prune -exec rm -r {} +",),
)
def packages_are_clean(context: Context) -> Findings:
    folders = _list_folders(context)
    if not folders:
        context.skip("no package here")
    patterns = context.settings.builder.unwanted_files
    inside = sorted({path for folder in folders for path in context.paths_below(folder)})
    by_folder = _group_paths(inside, frozenset(folders))
    for folder in folders:
        for path in _find_unwanted(context, folder, by_folder[folder], patterns):
            message = f"{path} does not belong in the package {folder}"
            yield RuleFinding(message, "unwanted", Place(path=path), "no such file", path)


def _list_folders(context: Context) -> tuple[str, ...]:
    """Returns the folders of the packages under review; of all packages without a scope."""
    handoffs = context.require_handoffs("builder")
    manifests = [
        document.path
        for handoff in handoffs
        for document in handoff.documents
        if document.role is DocumentRole.MANIFEST
    ]
    own = {path.rpartition("/")[0] for path in manifests} - {""}
    return tuple(sorted(own if context.scope is not None else {*own, *list_package_folders(context)}))


def _group_paths(paths: Iterable[str], folders: frozenset[str]) -> dict[str, list[str]]:
    """Groups paths by the package that contains them."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        parent = path.rpartition("/")[0]
        while parent and parent not in folders:
            parent = parent.rpartition("/")[0]
        if parent:
            found[parent].append(path)
    return found


def _find_unwanted(context: Context, folder: str, paths: Iterable[str], patterns: tuple[str, ...]) -> list[str]:
    """Returns the outermost unwanted paths, including those that git ignores."""
    found: set[str] = set()
    inner = {folder}
    for path in paths:
        parts = path.split("/")
        start = folder.count("/") + 1
        depth = next((n for n in range(start, len(parts)) if _is_unwanted(parts[n], patterns)), None)
        if depth is not None:
            found.add("/".join(parts[: depth + 1]))
        else:
            inner.update("/".join(parts[:n]) for n in range(start + 1, len(parts)))
    names = [pattern for pattern in patterns if not set(pattern) & set("*?[")]
    found.update(path for place in inner for name in names if context.exists(path := f"{place}/{name}"))
    return sorted(found)


def _is_unwanted(name: str, patterns: tuple[str, ...]) -> bool:
    return any(matches_glob(name, pattern) for pattern in patterns)


@critical_rule(
    holds="No two active packages own the same file.",
    reads="assets and supersedes in all manifests",
    remedy="Leave the file to one package. If one package replaces another, say so in its supersedes.",
)
def packages_own_their_files(context: Context) -> Findings:
    reviewed = list_packages(context.require_handoffs("builder"))
    everything = tuple(handoff for handoff in context.every_handoff() if handoff.dialect == "builder")
    packages = list_packages(everything)
    unreadable = list(find_unreadable(context, list_manifests(context)))
    if not reviewed and not unreadable:
        context.skip("no package here")
    yield from unreadable
    superseded = {name for package in packages.values() for name in package.supersedes if name != package.id}
    current = {path: package for path, package in sorted(packages.items()) if package.id not in superseded}
    yield from _find_namesakes(current, reviewed)
    yield from _find_shared(current, reviewed, everything)


def _find_namesakes(packages: Mapping[str, Package], reviewed: Mapping[str, Package]) -> Findings:
    by_id: dict[str, list[Package]] = defaultdict(list)
    for package in packages.values():
        by_id[package.id].append(package)
    for name, same in by_id.items():
        if len(same) > 1 and any(package.where.path in reviewed for package in same):
            manifests = [package.where.path for package in same]
            message = f"{len(same)} packages call themselves {name}"
            expected = "one manifest per package"
            yield RuleFinding(message, f"package {name}", same[-1].where, expected, ", ".join(manifests))


def _find_shared(
    packages: Mapping[str, Package], reviewed: Mapping[str, Package], handoffs: tuple[Handoff, ...]
) -> Findings:
    """Finds installed paths, or files here, that two packages list."""
    owners: dict[str, dict[str, tuple[Package, str]]] = defaultdict(dict)
    for path, package in packages.items():
        for asset in package.assets:
            installed = normpath(asset.path)
            # a path that leads out of the package is a file of the repository, perhaps of another package
            here = normpath(f"{path.rpartition('/')[0]}/{asset.path}")
            for name in (installed, here) if build_asset_path(path, asset.path) else (here,):
                owners[name].setdefault(package.id, (package, asset.path))
    for name, by_id in owners.items():
        found = [package for package, _ in by_id.values()]
        if len(found) > 1 and any(package.where.path in reviewed for package in found):
            last, written = list(by_id.values())[-1]
            message = f"{name} is owned by {len(found)} packages: {', '.join(by_id)}"
            expected = "one owner"
            yield RuleFinding(message, f"file {name}", place_asset(handoffs, last, written), expected, ", ".join(by_id))


@high_rule(
    holds="Every package has a manifest with the fields that the standard requires.",
    reads="package manifests",
    remedy="Write the manifest with all required fields, an assets list, and a sha256: hash for each asset.",
)
def manifest_shape_fits(context: Context) -> Findings:
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


class _Manifest(NamedTuple):
    """A manifest as written."""

    path: str
    content: bytes
    root: dict[str, object]

    def report(
        self, message: str, subject: str, line: int | None, expected: str, actual: str | None = None
    ) -> RuleFinding:
        return RuleFinding(message, subject, Place(path=self.path, line=line), expected, actual)

    def find_line(self, key: str, value: str | None = None) -> int | None:
        return find_line(self.content, key, value)


def _judge_manifest(context: Context, path: str) -> Findings:
    content = context.read(path) or b""
    try:
        root = parse_strictly(content)
    except JsonBrokenError as broken:
        place = Place(path=path, line=broken.line)
        yield RuleFinding(f"{path} {broken.message}", "json", place, "a JSON object", broken.message)
        return
    if not isinstance(root, dict):
        kind = type(root).__name__
        yield RuleFinding(f"{path} is not a JSON object", "json", Place(path=path, line=1), "a JSON object", kind)
        return
    manifest = _Manifest(path, content, root)
    yield from _judge_fields(context, manifest)
    yield from _judge_identity(context, manifest)
    assets = root.get("assets")
    if isinstance(assets, list):
        yield from _judge_assets(context, manifest, assets)


def _judge_fields(context: Context, manifest: _Manifest) -> Findings:
    path, root = manifest.path, manifest.root
    for field in context.settings.builder.manifest_fields:
        value = root.get(field)
        if value is None:
            yield manifest.report(f"{path} has no {field}", f"field {field}", None, field, "missing")
        elif not _fits_kind(field, value):
            kind, line = "a list" if field in _LISTS else "text", manifest.find_line(field)
            message = f"{field} in {path} is not {kind}"
            yield manifest.report(message, f"kind {field}", line, kind, type(value).__name__)
    for field, right in context.settings.builder.manifest_replaced_fields.items():
        if field in root:
            message = f"{path} uses {field}, for which the standard has {right}"
            yield manifest.report(message, f"field {field}", manifest.find_line(field), right, field)
    dependencies = root.get("dependencies")
    if isinstance(dependencies, list) and not all(isinstance(name, str) and name for name in dependencies):
        message, line = f"dependencies in {path} are not all ids of packages", manifest.find_line("dependencies")
        yield manifest.report(message, "dependencies", line, "ids of packages")


def _fits_kind(field: str, value: object) -> bool:
    if field in _LISTS:
        return isinstance(value, list)
    if isinstance(value, str):
        return bool(value.strip())
    return isinstance(value, int | float) and not isinstance(value, bool)


def _judge_identity(context: Context, manifest: _Manifest) -> Findings:
    """Checks that the id of a package is the name of its folder."""
    package, folder = manifest.root.get("package_id"), manifest.path.rpartition("/")[0].rpartition("/")[2]
    prefix = context.settings.builder.package_prefix
    if isinstance(package, str) and package.strip() and (package != folder or not package.startswith(prefix)):
        message = f"{manifest.path} is the manifest of {package}, not of its own folder"
        yield manifest.report(message, "package_id", manifest.find_line("package_id"), folder, package)


def _judge_assets(context: Context, manifest: _Manifest, assets: list[object]) -> Findings:
    path, report = manifest.path, manifest.report
    seen: set[str] = set()
    for number, asset in enumerate(assets):
        name = asset.get("path") if isinstance(asset, dict) else None
        if not isinstance(asset, dict) or not isinstance(name, str) or not name:
            message, line = f"an asset in {path} has no path", manifest.find_line("assets")
            yield report(message, f"asset {number}", line, "path, sha256 and classification")
            continue
        line = manifest.find_line("path", name)
        digest = asset.get("sha256")
        if not isinstance(digest, str) or not re.match(context.settings.builder.hash_pattern, digest):
            shown = str(digest) if digest is not None else "missing"
            message = f"the hash of {name} in {path} is not written as sha256:<64 hex digits>"
            yield report(message, f"hash {name}", line, "sha256:<64 hex digits>", shown)
        if not asset.get("classification"):
            message = f"{name} in {path} has no classification"
            yield report(message, f"classification {name}", line, "a classification")
        if build_asset_path(path, name) is None:
            message = f"{name} in {path} leads out of the package"
            yield report(message, f"path {name}", line, "a path inside the package", name)
        if name in seen:
            yield report(f"{name} is listed twice in {path}", f"twice {name}", line, "once", "twice")
        seen.add(name)


@critical_rule(
    holds="Every asset of every package has the hash that its manifest declares.",
    reads="package manifests and their assets",
    remedy="Find out who changed the file after the manifest was built. Then rebuild it from the tested files.",
)
def asset_hashes_match(context: Context) -> Findings:
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


def _judge_asset(context: Context, handoffs: tuple[Handoff, ...], package: Package, asset: Asset) -> Findings:
    where = place_asset(handoffs, package, asset.path)
    path = build_asset_path(package.where.path, asset.path)
    actual = None if path is None else measure_hash(context, path) or _find_large(context, handoffs, path)
    if actual is None:
        there = path is not None and context.exists(path)
        state, found = ("cannot be read", "unreadable") if there else ("is missing", "no file")
        message = f"{asset.path} of {package.id} {state}"
        yield RuleFinding(message, f"asset {asset.path}", where, asset.sha256 or "a file", found)
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


@medium_rule(
    holds="Every declared wave is complete, and an integration handoff joins its packages into one system.",
    reads="waves and integration handoffs declared in specs, and results",
    remedy="Finish the wave. Then write an integration handoff that connects the packages and tests them together.",
)
def wave_is_integrated(context: Context) -> Findings:
    reviewed = {handoff.id for handoff in context.handoffs("builder")}
    everything = [handoff for handoff in context.every_handoff() if handoff.dialect == "builder"]
    integrations = [handoff for handoff in everything if _is_integration(handoff)]
    waves: dict[int, list[Handoff]] = defaultdict(list)
    for handoff in everything:
        number = _find_wave(handoff)
        if number is not None and handoff not in integrations:
            waves[number].append(handoff)
    members = [handoff for wave in waves.values() for handoff in wave]
    if not any(handoff.id in reviewed for handoff in (*members, *(integrations if members else ()))):
        context.skip("no builder handoff belongs to a wave")
    passing = context.settings.builder.passing_statuses
    found = [
        *_find_overtaken(waves, passing),
        *_find_early_integration(members, integrations, passing),
        *_find_missing_integration(context, members, integrations, passing),
    ]
    unfinished = [handoff.id for handoff in members if not _is_complete(handoff, passing)]
    if not found and unfinished:
        context.skip(f"the waves are still being built: {', '.join(unfinished)}")
    yield from found


def _find_wave(handoff: Handoff) -> int | None:
    value = next((fact.value for fact in handoff.facts if fact.name == "wave"), "")
    return int(value) if value.isdecimal() else None


def _is_integration(handoff: Handoff) -> bool:
    """Decides by the title of the spec, because other specs mention the integration to come."""
    titles = [handoff.title, *(document.title for document in list_documents(handoff, DocumentRole.SPEC))]
    said = any(fact.name == "integration handoff" for fact in handoff.facts)
    return said and any(title and _INTEGRATION.search(title) for title in titles)


def _is_complete(handoff: Handoff, passing: tuple[str, ...]) -> bool:
    if handoff.registry is RegistryState.SUPERSEDED:
        return True
    return find_results(handoff) is not None and handoff.status in passing


def _find_overtaken(waves: dict[int, list[Handoff]], passing: tuple[str, ...]) -> Findings:
    for number, wave in sorted(waves.items()):
        later = [other for after, others in waves.items() if after > number for other in others if find_results(other)]
        for handoff in wave:
            if later and not _is_complete(handoff, passing):
                message = f"wave {number} lacks {handoff.id}, but {later[0].id} of a later wave has results"
                place = Place(path=handoff.documents[0].path)
                expected = f"results of {handoff.id} that say {' or '.join(passing)}"
                yield RuleFinding(message, f"{handoff.id} wave", place, expected, handoff.status or "no results")


def _find_early_integration(members: list[Handoff], integrations: list[Handoff], passing: tuple[str, ...]) -> Findings:
    unfinished = [handoff.id for handoff in members if not _is_complete(handoff, passing)]
    for handoff in integrations:
        results = find_results(handoff)
        if results is not None and unfinished:
            message = f"{handoff.id} integrated the waves before {', '.join(unfinished)} had passed"
            expected = "all handoffs of the waves have passed"
            actual = f"not yet: {', '.join(unfinished)}"
            yield RuleFinding(message, f"{handoff.id} integration", Place(path=results.path), expected, actual)


def _find_missing_integration(
    context: Context, members: list[Handoff], integrations: list[Handoff], passing: tuple[str, ...]
) -> Findings:
    least = context.settings.builder.integration_packages_minimum
    if integrations or len(members) < least or not all(_is_complete(handoff, passing) for handoff in members):
        return
    names = ", ".join(handoff.id for handoff in members)
    message = f"the waves are complete ({names}), but no integration handoff follows"
    expected = "a spec of an integration handoff"
    yield RuleFinding(message, "integration handoff", Place(path=members[-1].documents[0].path), expected, "none")
