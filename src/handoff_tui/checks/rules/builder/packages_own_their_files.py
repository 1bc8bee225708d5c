"""No two packages own one file; a package that another one supersedes does not count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from posixpath import normpath

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.facts.document_problems import find_unreadable
from handoff_tui.checks.rules.builder.packages import build_asset_path, list_manifests, list_packages, place_asset
from handoff_tui.core.packages import Package
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.handoff import Handoff


def judge(context: Context) -> Iterator[Found]:
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


def _find_namesakes(packages: Mapping[str, Package], reviewed: Mapping[str, Package]) -> Iterator[Found]:
    by_id: dict[str, list[Package]] = defaultdict(list)
    for package in packages.values():
        by_id[package.id].append(package)
    for name, same in by_id.items():
        if len(same) > 1 and any(package.where.path in reviewed for package in same):
            manifests = [package.where.path for package in same]
            yield Found(
                message=f"{len(same)} packages call themselves {name}",
                subject=f"package {name}",
                place=same[-1].where,
                expected="one manifest per package",
                actual=", ".join(manifests),
            )


def _find_shared(
    packages: Mapping[str, Package], reviewed: Mapping[str, Package], handoffs: tuple[Handoff, ...]
) -> Iterator[Found]:
    """One path where packages are installed, or one file here, that two packages list."""
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
            yield Found(
                message=f"{name} is owned by {len(found)} packages: {', '.join(by_id)}",
                subject=f"file {name}",
                place=place_asset(handoffs, last, written),
                expected="one owner",
                actual=", ".join(by_id),
            )


PACKAGES_OWN_THEIR_FILES = Rule(
    id="packages-own-their-files",
    system=System.BUILDER,
    severity=Severity.CRITICAL,
    holds="No two packages that are in force own one file",
    reads="assets and supersedes of all manifests",
    remedy="Leave the file to one package; where one package replaces another, say so in its supersedes.",
    judge=judge,
)
