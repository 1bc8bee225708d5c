"""Packages hold nothing that is left over from running or from a desktop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from handoff_tui.checks.context import Context
from handoff_tui.checks.contract import Found, Rule, System
from handoff_tui.checks.rules.builder.packages import list_package_folders
from handoff_tui.core.place import Place
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.document import DocumentRole


def judge(context: Context) -> Iterator[Found]:
    folders = _list_folders(context)
    if not folders:
        context.skip("no package here")
    patterns: tuple[str, ...] = context.setting("builder.unwanted_files", tuple)
    inside = sorted({path for folder in folders for path in context.paths_below(folder)})
    by_folder = _group_paths(inside, frozenset(folders))
    for folder in folders:
        for path in _find_unwanted(context, folder, by_folder[folder], patterns):
            yield Found(
                message=f"{path} does not belong into the package {folder}",
                subject="unwanted",
                place=Place(path=path),
                expected="no such file",
                actual=path,
            )


def _list_folders(context: Context) -> tuple[str, ...]:
    """Folders of the packages under review; all of them when no single handoff is."""
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
    """Paths by the package that holds them."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        parent = path.rpartition("/")[0]
        while parent and parent not in folders:
            parent = parent.rpartition("/")[0]
        if parent:
            found[parent].append(path)
    return found


def _find_unwanted(context: Context, folder: str, paths: Iterable[str], patterns: tuple[str, ...]) -> list[str]:
    """The outermost unwanted names; those that git ignores are asked for by name in each folder."""
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
    holds="No package holds caches, compiled files or leftovers of a desktop",
    reads="paths inside package folders, ignored ones by name",
    remedy="Delete these files before an archive is built, and let git ignore them.",
    judge=judge,
    commands=("find . -path '*/PKG-*' -name __pycache__ -prune -exec rm -r {} +",),
)
