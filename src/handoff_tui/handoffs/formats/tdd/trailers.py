"""Steps told in commit messages: trailers such as `Handoff-Phase: RED`, and the bracket style of subjects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place, Problem, ProblemLevel
from handoff_tui.core.short_id import SHORT_COMMIT
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.formats.tdd.steps import (
    STANDARD,
    Origin,
    PhaseRules,
    Step,
    normalise_phase,
    phase_of_agent,
    printable,
)
from handoff_tui.handoffs.reading.claim_words import build_claim
from handoff_tui.handoffs.reading.format import CommitFact
from handoff_tui.handoffs.reading.json_claims import normalise_status, parse_path

_TRAILER: Final = compile_later(r"^([A-Za-z][A-Za-z0-9-]*)\s*:\s*(\S.*)$")
_BRACKET: Final = compile_later(r"^\[([A-Za-z][A-Za-z _-]*)\]\s+(.+)$")
_BRACKET_FIELD: Final = compile_later(r"^\s*([a-z_-]+)\s*:\s*(\S.*?)\s*$")
_WITH_PREFIX: Final = {
    "phase": "phase",
    "next": "next",
    "next-phase": "next",
    "next-agent": "next_agent",
    "to": "next_agent",
    "cycle": "cycle",
    "agent": "agent",
    "from": "agent",
    "status": "status",
    "result": "status",
    "test-result": "status",
    "test-file": "test_file",
}
"""Fields by how a trailer goes on after its prefix."""
_WITHOUT_PREFIX: Final = {"next-phase": "next", "next-agent": "next_agent", "test-result": "status"}
_LONGEST_CYCLE = 18


def read_commit_steps(commits: Sequence[CommitFact], rules: PhaseRules) -> tuple[list[Step], list[Problem]]:
    """The steps told by commits, newest first, and what is wrong with their words."""
    steps: list[Step] = []
    problems: list[Problem] = []
    for commit in commits:
        trailers = parse_trailers(printable(commit.body), rules.trailer_prefixes)
        fields = trailers or parse_bracket(printable(commit.subject))
        if "phase" in fields or "next" in fields or "next_agent" in fields:
            step = _build_step(commit, fields, rules.phases)
            steps.append(step)
            problems.extend(_find_problems(step, fields, rules))
    return steps, problems


def parse_trailers(body: str, prefixes: tuple[str, ...] = STANDARD.trailer_prefixes) -> dict[str, str]:
    """The fields we know from the last paragraph, if it consists of `Key: value` lines."""
    paragraphs = re.split(r"\n[ \t]*\n", body.strip())
    if len(paragraphs) == 1:
        return {}
    fields: dict[str, str] = {}
    for line in paragraphs[-1].split("\n"):
        match = _TRAILER.match(line)
        if match is None:
            if line[:1] in {" ", "\t"} and fields:
                continue
            return {}
        name = _find_field(match.group(1).lower(), prefixes)
        if name is not None:
            fields[name] = match.group(2).strip()
    return fields


def _find_field(key: str, prefixes: tuple[str, ...]) -> str | None:
    for prefix in prefixes:
        if key.startswith(prefix.lower()):
            return _WITH_PREFIX.get(key[len(prefix) :])
    return _WITHOUT_PREFIX.get(key)


def parse_bracket(subject: str) -> dict[str, str]:
    """`[TEST-AGENT] test: what was done | next:IMPL | test_file:tests/x.py`."""
    match = _BRACKET.match(subject)
    if match is None:
        return {}
    fields: dict[str, str] = {}
    for part in match.group(2).split("|")[1:]:
        field = _BRACKET_FIELD.match(part)
        if field is not None:
            fields[field.group(1).replace("-", "_")] = field.group(2)
    if "next" not in fields:
        return {}
    fields["next_agent"] = fields.pop("next")
    fields["agent"] = match.group(1)
    return fields


def _build_step(commit: CommitFact, fields: dict[str, str], phases: tuple[str, ...]) -> Step:
    where = Place(path=f"commit:{commit.id[:SHORT_COMMIT]}")
    agent, next_agent, next_word = fields.get("agent"), fields.get("next_agent"), fields.get("next")
    phase = normalise_phase(fields["phase"], phases) if "phase" in fields else phase_of_agent(agent or "")
    next_phase = normalise_phase(next_word, phases) if next_word else phase_of_agent(next_agent or "")
    status = normalise_status(fields["status"]) if "status" in fields else None
    cycle = fields.get("cycle", "")
    subject = printable(commit.subject)
    return Step(
        origin=Origin.TRAILER,
        where=where,
        cycle=int(cycle) if cycle.isdecimal() and len(cycle) <= _LONGEST_CYCLE else None,
        phase=phase,
        next_phase=next_phase,
        source_agent=agent,
        target_agent=next_agent,
        status=status,
        commit=commit.id,
        when=commit.date,
        summary=subject,
        claims=tuple(_build_claims(commit, fields, where, status, phase)),
    )


def _build_claims(
    commit: CommitFact, fields: dict[str, str], where: Place, status: str | None, phase: str | None
) -> list[Claim]:
    claims = [build_claim(ClaimKind.COMMIT, where, printable(commit.subject), value=commit.id)]
    if status is not None:
        claims.append(build_claim(ClaimKind.STATUS, where, fields["status"], value=status))
    path = parse_path(fields.get("test_file", ""))
    if path is not None:
        kind = ClaimKind.FILE_CREATED if phase == "RED" else ClaimKind.FILE_REFERENCED
        claims.append(build_claim(kind, where, fields["test_file"], subject=path))
    return claims


def _find_problems(step: Step, fields: dict[str, str], rules: PhaseRules) -> list[Problem]:
    messages = [
        f"{value!r} is no phase; phases are {', '.join(rules.phases)}"
        for value in (step.phase, step.next_phase)
        if value is not None and value not in rules.phases
    ]
    failed = step.status == "FAIL"
    if step.phase and step.next_phase and not rules.is_legal(step.phase, step.next_phase, retried=failed):
        messages.append(f"{step.next_phase} may not follow {step.phase}")
    if "cycle" in fields and step.cycle is None:
        messages.append(f"{fields['cycle']!r} is no cycle number")
    return [Problem(path=step.where.path, message=message, level=ProblemLevel.WARNING) for message in messages]
