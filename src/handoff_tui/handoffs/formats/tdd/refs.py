"""Steps told by the names of tags, branches and refs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.core.work import Fact
from handoff_tui.handoffs.claim import ClaimKind
from handoff_tui.handoffs.formats.tdd.steps import STANDARD, Origin, Step, phase_of_agent, printable
from handoff_tui.handoffs.reading.claim_words import build_claim
from handoff_tui.handoffs.reading.format import RefFact

_TAG: Final = r"(?:(?P<agent>[^/]+)/)?cycle-(?P<cycle>\d{1,9})(?:[/-](?P<phase>[^/]+))?$"
_BRANCH: Final = compile_later(r"^refs/heads/tdd/cycle-(?P<cycle>\d{1,9})(?:/(?P<agent>[^/]+))?$")
_REF: Final = compile_later(r"^refs/handoff/(?:(?:.+/)?cycle-(?P<cycle>\d{1,9})(?:/(?P<agent>.+))?|(?P<name>.+))$")
_NOTES: Final = compile_later(r"^refs/notes/.*(?:handoff|tdd)", re.IGNORECASE)


def find_note_refs(refs: Iterable[RefFact], configured: str) -> list[str]:
    """Other notes whose name speaks of handoffs or of TDD, sorted."""
    return sorted({ref.name for ref in refs if _NOTES.match(ref.name) and ref.name != configured})


def read_ref_steps(refs: Iterable[RefFact], tag_prefixes: tuple[str, ...] = STANDARD.tag_prefixes) -> list[Step]:
    """A step per tag, branch or ref that marks one; its only fact is the ref itself."""
    steps: list[Step] = []
    tag = _build_tag_pattern(tag_prefixes)
    for ref in sorted(refs, key=lambda ref: ref.name):
        for kind, pattern in (("tag", tag), ("branch", _BRANCH), ("ref", _REF)):
            match = pattern.match(printable(ref.name))
            if match is not None:
                steps.append(_build_step(ref, kind, match.groupdict()))
    return steps


def _build_tag_pattern(prefixes: tuple[str, ...]) -> re.Pattern[str]:
    """A slash at the end of a prefix may be a hyphen as well."""
    words = (
        f"{re.escape(prefix[:-1])}[/-]" if prefix.endswith(("/", "-")) else re.escape(prefix) for prefix in prefixes
    )
    return re.compile(rf"^refs/tags/(?:{'|'.join(words)}){_TAG}" if prefixes else r"(?!)")


def _build_step(ref: RefFact, kind: str, groups: dict[str, str | None]) -> Step:
    name = printable(ref.name)
    where = Place(path=name)
    agent, cycle = groups.get("agent"), groups.get("cycle")
    worker = groups.get("phase") or groups.get("name") or agent
    is_tag = kind == "tag"
    return Step(
        origin=Origin.REF,
        where=where,
        cycle=int(cycle) if cycle else None,
        phase=phase_of_agent(worker) if worker else None,
        source_agent=agent if is_tag else None,
        commit=ref.commit,
        summary=printable(ref.subject) or name,
        claims=(build_claim(ClaimKind.COMMIT, where, name, value=ref.commit),),
        facts=(Fact(name=kind, value=f"{name.split('/', 2)[-1]} at {ref.commit[:SHORT_COMMIT]}", where=where),),
    )
