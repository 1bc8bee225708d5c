"""Packages go to the handoffs that name them; the rest is kept together, so that nothing is dropped."""

from __future__ import annotations

from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.document import DocumentRole
from handoff_tui.handoffs.formats.builder.draft import Draft
from handoff_tui.handoffs.formats.builder.identifiers import find_packages
from handoff_tui.handoffs.formats.builder.manifest import ManifestReading
from handoff_tui.handoffs.formats.builder.sections import normalise
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.reading.format import Source

_IN_PASSING: Final = compile_later(
    r"(?:baseline|clean room|full regression|regression|issues|notes|existing code|dependenc|end to end|install order"
    r"|gates?\b|known pitfalls|expected)"
)
"""Sections that list the packages of the whole system rather than those of the work."""


def attach_packages(drafts: list[Draft], manifests: list[ManifestReading]) -> Handoff | None:
    """Adds each package to its handoffs; those that nobody names come back as a handoff of their own."""
    if not manifests:
        return None
    subjects = [_find_named(draft, in_passing=False) for draft in drafts]
    mentions = [_find_named(draft, in_passing=True) for draft in drafts]
    unnamed: list[ManifestReading] = []
    for reading in manifests:
        name = reading.package.id if reading.package else reading.source.folder.rpartition("/")[2]
        owners = [draft for draft, names in zip(drafts, subjects, strict=True) if name in names]
        owners = owners or [draft for draft, names in zip(drafts, mentions, strict=True) if name in names]
        for draft in owners:
            draft.documents.append(reading.source.document(DocumentRole.MANIFEST))
            draft.claims.extend(reading.claims)
            if reading.package is not None:
                draft.packages.append(reading.package)
        if not owners:
            unnamed.append(reading)
    return _build_rest(unnamed, {draft.group.id for draft in drafts}) if unnamed else None


def _find_named(draft: Draft, *, in_passing: bool) -> set[str]:
    return {name for source in draft.sources for name in _named_in(source, in_passing=in_passing)}


def _named_in(source: Source, *, in_passing: bool) -> list[str]:
    if not source.readable or "PKG-" not in source.text:
        return []
    if in_passing:
        return find_packages(source.text)
    names: list[str] = []
    skipped: int | None = None
    for section in source.outline.sections:
        if skipped is not None and section.level > skipped:
            continue
        skipped = section.level if section.level > 1 and _IN_PASSING.match(normalise(section.name)) else None
        if skipped is None:
            names.extend(find_packages(section.title))
            names.extend(name for line in section.lines() for name in find_packages(line.text))
    return names


def _build_rest(readings: list[ManifestReading], taken: set[str]) -> Handoff:
    name = "packages"
    while name in taken:
        name += "-rest"
    return Handoff(
        id=name,
        dialect="builder",
        title="Packages without a handoff",
        source_phase="build",
        target_phase="review",
        claims=tuple(claim for reading in readings for claim in reading.claims),
        documents=tuple(reading.source.document(DocumentRole.MANIFEST) for reading in readings),
        packages=tuple(reading.package for reading in readings if reading.package is not None),
    )
