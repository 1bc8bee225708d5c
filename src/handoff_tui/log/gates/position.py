"""A handoff as the log sees it: its phase, attempt, producers, and the digest of what it says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from handoff_tui.core.errors import UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.safe_text import fold_lookalikes
from handoff_tui.handoffs.handoff import Handoff, build_id
from handoff_tui.log.entries.fields import LABEL
from handoff_tui.log.entry import SENDING_BACK
from handoff_tui.log.policy.policy import Policy

if TYPE_CHECKING:
    from handoff_tui.log.index import DecisionEntry, LogIndex

_OUTSIDE_GRAMMAR = compile_later(r"[^A-Za-z0-9._%+@-]+")
_LONGEST = 128
NO_PHASE = "review"
"""The phase of work whose format has none."""


def build_principals(names: Iterable[str], policy: Policy | None) -> frozenset[str]:
    """Spells names as the log spells principals: as the policy has them, whatever their case, or made to fit."""
    enrolled: dict[str, str] = {}
    if policy is not None:
        enrolled = {signer.principal.casefold(): signer.principal for signer in policy.signers.values()}
        enrolled |= {name.casefold(): name for role in policy.roles.values() for name in role}
    fitted = (_OUTSIDE_GRAMMAR.sub("-", name).strip("-")[:_LONGEST] for name in names)
    return frozenset(enrolled.get(name.casefold(), name) for name in fitted if name)


def find_phase(handoff: Handoff, named: str | None = None) -> str:
    """Returns the named phase, or the one whose work was handed over, spelled as the log spells phases."""
    if named is None:
        return build_id(fold_lookalikes(handoff.source_phase or NO_PHASE).strip())
    if not LABEL.fullmatch(named):
        raise UsageError(
            f"{named!r} cannot be a phase in the log",
            "A letter or digit first, then letters, digits and ._/- (at most 128).",
        )
    return named


def list_sent_back(index: LogIndex, handoff: str, phase: str) -> list[DecisionEntry]:
    """Lists decisions that sent an attempt back, oldest first, unless their author changed their mind."""
    last: dict[tuple[str, int], DecisionEntry] = {}
    for made in index.list_decisions(handoff, phase):
        if not index.is_void(made.entry.id):
            last[made.entry.actor, made.work.attempt] = made
    return [made for made in last.values() if made.decision.verb in SENDING_BACK]


def build_handoff_digest(handoff: Handoff) -> str:
    """Returns the SHA-256 of the handoff as read, whatever its format."""
    return build_value_digest(
        handoff.model_dump(mode="json", exclude_defaults=True, exclude={"asked", "ended", "branch"})
    )


def build_value_digest(value: object) -> str:
    """Returns the SHA-256 of a value as JSON with sorted keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()
