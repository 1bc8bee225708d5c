"""Which files belong to one handoff."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.handoffs.formats.builder.names import NamedFile, find_ids, is_framework, is_same_framework, parse_path
from handoff_tui.handoffs.handoff import DocumentRole, build_id
from handoff_tui.handoffs.reading.format import Source


class NamedSource(NamedTuple):
    """A file with the meaning of its name."""

    source: Source
    named: NamedFile


@dataclass(slots=True)
class HandoffFiles:
    """The files of one handoff, by role, in the order of their paths."""

    id: str
    original: str | None = None
    members: dict[DocumentRole, list[NamedSource]] = field(default_factory=dict)

    def of(self, role: DocumentRole) -> list[NamedSource]:
        return self.members.get(role, [])

    def sources(self, *roles: DocumentRole) -> list[Source]:
        return [member.source for role in roles for member in self.of(role)]

    def add(self, member: NamedSource) -> None:
        self.members.setdefault(member.named.role, []).append(member)

    @property
    def folders(self) -> list[str]:
        """The folders that hold nothing but this handoff."""
        found = [m.named.own_folder for members in self.members.values() for m in members if m.named.own_folder]
        return list(dict.fromkeys(found))


def group_files(sources: Iterable[Source]) -> tuple[list[HandoffFiles], list[Problem]]:
    """Groups by canonical id. A second, different spec with the same id starts another handoff."""
    by_id: dict[str, list[HandoffFiles]] = {}
    problems: list[Problem] = []
    members = [_build_member(source) for source in sources]
    members.sort(key=lambda found: (found[1].named.role is not DocumentRole.SPEC, found[1].source.path))
    for handoff, member in members:
        groups = by_id.setdefault(handoff, [])
        group = _find_group(groups, member)
        if group is None:
            group = HandoffFiles(_free_id(by_id, handoff, member) if groups else handoff, member.named.original)
            if groups:
                problems.append(_report_second_spec(handoff, groups[0], group, member))
            groups.append(group)
        group.add(member)
    found = [group for groups in by_id.values() for group in groups]
    return sorted(found, key=lambda group: group.id), problems


def _build_member(source: Source) -> tuple[str, NamedSource]:
    title = source.outline.title if source.readable else None
    named = parse_path(source.path, title) or NamedFile(DocumentRole.OTHER, None, None, specific=False)
    in_title = find_ids(title or "")
    if named.id is None or not named.specific:
        handoff = next(iter(in_title), None) or named.id or named.original or source.name
        return build_id(handoff.replace("/", "-")), NamedSource(source, named)
    same_kind = [found for found in in_title if is_framework(found) == is_framework(named.id)]
    if same_kind and not any(found == named.id or is_same_framework(found, named.id) for found in same_kind):
        source.report(f"is named for {named.id}, but its title says {same_kind[0]}", _title_line(source))
    return build_id(named.id.replace("/", "-")), NamedSource(source, named)


def _title_line(source: Source) -> int | None:
    return next((section.line for section in source.outline.sections if section.level), None)


def _find_group(groups: list[HandoffFiles], member: NamedSource) -> HandoffFiles | None:
    """The group a file belongs to: for a spec one with the same text; else the nearest by folder, then by name."""
    if member.named.role is DocumentRole.SPEC:
        sha256 = member.source.sha256
        return next(
            (group for group in groups if any(s.sha256 == sha256 for s in group.sources(DocumentRole.SPEC))), None
        )
    if len(groups) < 2:  # noqa: PLR2004 - nothing to choose from
        return groups[0] if groups else None
    folder, slug = member.source.folder, member.named.slug
    by_slug = [g for g in groups if slug and any(m.named.slug == slug for m in g.of(DocumentRole.SPEC))]
    by_folder = [g for g in groups if any(m.source.folder == folder for m in g.of(DocumentRole.SPEC))]
    return next(iter([*by_slug, *by_folder]), groups[0])


def _free_id(by_id: dict[str, list[HandoffFiles]], handoff: str, member: NamedSource) -> str:
    words = member.named.slug or member.source.folder.replace("/", "-") or "second"
    taken = {group.id for groups in by_id.values() for group in groups} | set(by_id)
    wanted = build_id(f"{handoff}-{words}")
    number = 2
    while wanted in taken:
        wanted = build_id(f"{handoff}-{words}"[:120] + f"-{number}")
        number += 1
    return wanted


def _report_second_spec(handoff: str, first: HandoffFiles, second: HandoffFiles, member: NamedSource) -> Problem:
    other = first.sources(DocumentRole.SPEC)[0].path
    message = f"is a second spec for {handoff}, besides {other}; it is shown as {second.id}"
    return Problem(path=member.source.path, line=1, message=message, level=ProblemLevel.WARNING)
