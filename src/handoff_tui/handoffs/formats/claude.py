"""`.claude/handoff.json`: what one phase of a seven-phase pipeline gives the next."""

from __future__ import annotations

from typing import Final

from handoff_tui.core.place import Severity
from handoff_tui.core.tasks import Blocker, Fact
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.grammar.author_words import words_of_members
from handoff_tui.handoffs.handoff import DocumentRole, Handoff, HandoffType
from handoff_tui.handoffs.reading.claim_words import build_facts, build_unique_id, build_unread, claim_paths, read_each
from handoff_tui.handoffs.reading.format import Confidence, FormatFiles, FormatReading, HandoffFormat, Source
from handoff_tui.handoffs.reading.json_document import JsonNode

_PHASES: Final = ("specify", "architect", "test-design", "security", "implement", "review", "document")
_REQUIRED: Final = (
    *("feature", "phase", "goal", "scope"),
    *("relevant_files", "acceptance_criteria", "verification_commands", "source_spec"),
)
_OPTIONAL: Final = ("constraints", "known_risks", "produced_by", "timestamp", "checkpoint_pending")
_OWN_FIELDS: Final = ("relevant_files", "acceptance_criteria", "verification_commands", "source_spec", "scope")
_FACTS: Final = ("scope", "acceptance_criteria", "verification_commands", "constraints", "known_risks")
_CHECKPOINTS: Final = ("clarification", "architecture-review")
_ADDRESS: Final = "https://github.com/"
_MOSTLY_THERE = 6
_ENOUGH_OWN_FIELDS = 2


def may_own(path: str) -> bool:
    lowered = path.lower()
    return lowered.endswith(".json") and "handoff" in lowered and not lowered.endswith(".schema.json")


def recognise(source: Source) -> float:
    root = source.json
    if root is None:
        return Confidence.POSSIBLE if source.path.endswith(".claude/handoff.json") else Confidence.NO
    if source.path.endswith(".claude/handoff.json") and root.has("checkpoint_pending"):
        return Confidence.CERTAIN
    if not root.has("feature"):
        return Confidence.NO
    if sum(root.has(field) for field in _REQUIRED) >= _MOSTLY_THERE:
        return Confidence.CERTAIN
    own = sum(root.has(field) for field in _OWN_FIELDS)
    return Confidence.LIKELY if root.has("phase", "goal") and own >= _ENOUGH_OWN_FIELDS else Confidence.NO


def read(owned: list[Source], files: FormatFiles) -> FormatReading:  # noqa: ARG001 - every format is given the files
    return read_each(owned, _build_handoff)


def _build_handoff(source: Source, taken: dict[str, str]) -> Handoff:
    root = source.json
    document = source.document(DocumentRole.STATE, confidence=recognise(source))
    if root is None or not isinstance(root.value, dict):
        return build_unread(source, "claude", taken, document)
    _report_fields(root)
    feature, agent, goal = root.scalar("feature"), root.scalar("produced_by"), root.text("goal")
    source_phase, target_phase = _read_phases(root)
    return Handoff(
        id=build_unique_id(taken, source, "claude", feature or source.path),
        dialect="claude",
        title=feature,
        original_name=feature,
        type=HandoffType.PHASE_TRANSITION,
        source_phase=source_phase,
        target_phase=target_phase,
        source_agent=agent,
        words=tuple(words_of_members(root)),
        producers=(agent,) if agent else (),
        message=goal,
        next_action=goal,
        claims=_claim_references(root),
        documents=(document,),
        blockers=_build_checkpoint(root),
        facts=(*build_facts(root, _FACTS), *_build_spec_fact(root)),
        created=root.scalar("timestamp"),
    )


def _read_phases(root: JsonNode) -> tuple[str | None, str | None]:
    """The name of the phase that wrote this, and of the one after it; the word as written if it isn't a number."""
    member = root.get("phase")
    if member is None:
        return None, None
    number = member.value
    if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= len(_PHASES):
        return _PHASES[number - 1], _PHASES[number] if number < len(_PHASES) else None
    member.report(f"phase is not a number from 1 to {len(_PHASES)}")
    return member.as_text(), None


def _claim_references(root: JsonNode) -> tuple[Claim, ...]:
    nodes = root.items("relevant_files")
    spec = root.get("source_spec")
    if spec is not None and not (isinstance(spec.value, str) and spec.value.startswith(_ADDRESS)):
        nodes.append(spec)
    return tuple(claim_paths(nodes, ClaimKind.FILE_REFERENCED))


def _build_spec_fact(root: JsonNode) -> list[Fact]:
    spec = root.get("source_spec")
    if spec is None or not isinstance(spec.value, str) or not spec.value.startswith(_ADDRESS):
        return []
    return [Fact(name="source_spec", value=spec.value, where=spec.where)]


def _build_checkpoint(root: JsonNode) -> tuple[Blocker, ...]:
    checkpoint = root.scalar("checkpoint_pending")
    if checkpoint is None or checkpoint == "false":
        return ()
    if checkpoint == "true":
        checkpoint = root.scalar("checkpoint_type") or ""
    elif checkpoint not in _CHECKPOINTS:
        root.report(f"checkpoint_pending is not one of {', '.join(_CHECKPOINTS)}", "checkpoint_pending")
    return (
        Blocker(
            id="checkpoint",
            title=f"clear the checkpoint: {checkpoint}" if checkpoint else "clear the checkpoint",
            where=root.place_of("checkpoint_pending"),
            severity=Severity.HIGH,
            status="pending",
            needs_human=True,
        ),
    )


def _report_fields(root: JsonNode) -> None:
    for field in _REQUIRED:
        if not root.has(field):
            root.report(f"{field} is missing")
    for key in sorted({*root.keys()} - {*_REQUIRED, *_OPTIONAL}):
        root.report(f"{key} is not a field of this format", key)
    if root.has("timestamp") and not root.has("produced_by"):
        root.report("produced_by is missing: it is not said who wrote this", "timestamp")
    spec = root.text("source_spec")
    if spec is not None and not spec.startswith(("docs/", _ADDRESS)):
        root.report(f"source_spec is neither below docs/ nor at {_ADDRESS}", "source_spec")


CLAUDE: Final = HandoffFormat(id="claude", may_own=may_own, recognise=recognise, read=read)
