"""Packages hold no leftovers, and no two of them own the same file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from posixpath import normpath

from handoff_tui.checks.context import Context
from handoff_tui.checks.facts.documents import find_unreadable
from handoff_tui.checks.rule import Rule, RuleFinding, System
from handoff_tui.checks.rules.builder.packages import (
    build_asset_path,
    list_manifests,
    list_package_folders,
    list_packages,
    place_asset,
)
from handoff_tui.core.packages import Package
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.handoff import DocumentRole, Handoff


def _judge_leftovers(context: Context) -> Iterator[RuleFinding]:
    folders = _list_folders(context)
    if not folders:
        context.skip("no package here")
    patterns = context.settings.builder.unwanted_files
    inside = sorted({path for folder in folders for path in context.paths_below(folder)})
    by_folder = _group_paths(inside, frozenset(folders))
    for folder in folders:
        for path in _find_unwanted(context, folder, by_folder[folder], patterns):
            message = f"{path} does not belong into the package {folder}"
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
    return any(fnmatchcase(name, pattern) for pattern in patterns)


PACKAGES_ARE_CLEAN = Rule(
    id="packages-are-clean",
    system=System.BUILDER,
    severity=Severity.MEDIUM,
    holds="No package contains caches, compiled files or desktop leftovers.",
    reads="paths inside package folders, including ignored ones",
    remedy="Delete these files before you build an archive, and add them to .gitignore.",
    judge=_judge_leftovers,
    commands=("find . -path '*/PKG-*' -name __pycache__ -prune -exec rm -r {} +",),
)


def _judge_owners(context: Context) -> Iterator[RuleFinding]:
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


def _find_namesakes(packages: Mapping[str, Package], reviewed: Mapping[str, Package]) -> Iterator[RuleFinding]:
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
) -> Iterator[RuleFinding]:
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


PACKAGES_OWN_THEIR_FILES = Rule(
    id="packages-own-their-files",
    system=System.BUILDER,
    severity=Severity.CRITICAL,
    holds="No two active packages own the same file.",
    reads="assets and supersedes in all manifests",
    remedy="Leave the file to one package. If one package replaces another, say so in its supersedes.",
    judge=_judge_owners,
)
