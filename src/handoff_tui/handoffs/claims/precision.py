"""How often each kind of claim was found and judged rightly, measured three ways; unmeasured kinds never block.

`read` is from documents of public repositories, read by eye: of so many sampled sentences, so many claim what was found
in them. `generated` is from documents of known truth, which the tests write: how many verdicts "false" are right.
`blind` is the first look at 147 passages by somebody who had not read the grammar, before anything was changed for
them: of so many claims found, so many are claimed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.handoffs.claim import ClaimKind

LEAST: Final = 0.9


class Precision(NamedTuple):
    """Of so many claims that were read, how many were right; and the share of right verdicts in generated documents."""

    right: int
    read: int
    generated: float | None
    blind: tuple[int, int] | None = None

    @property
    def may_block(self) -> bool:
        measured = self.read > 0 and self.generated is not None
        blind_right, blind_found = self.blind or (1, 1)
        shares = (self.right / self.read, self.generated or 0, blind_right / blind_found) if measured else (0,)
        return min(shares) >= LEAST


MEASURED: Final[Mapping[ClaimKind, Precision]] = {
    ClaimKind.FILE_CREATED: Precision(35, 36, 1.0, (34, 35)),
    ClaimKind.FILE_MODIFIED: Precision(30, 30, 1.0, (22, 24)),
    ClaimKind.FILE_DELETED: Precision(9, 9, 1.0, (4, 4)),
    ClaimKind.FILE_REFERENCED: Precision(23, 24, 1.0, (6, 6)),
    ClaimKind.HASH: Precision(30, 30, 1.0, (12, 12)),
    ClaimKind.COMMIT: Precision(32, 32, 1.0, (12, 13)),
    ClaimKind.BRANCH: Precision(17, 18, 1.0, (5, 6)),
    ClaimKind.UNCOMMITTED: Precision(29, 29, 1.0, (6, 8)),
    ClaimKind.COUNT: Precision(44, 44, 1.0, (24, 25)),
    ClaimKind.BASELINE: Precision(8, 8, 1.0),
}
"""Kinds that aren't here are never false by measurement, or have rules of their own."""


def may_block(kind: ClaimKind) -> bool:
    """Whether a false claim of this kind is a reason against an approval, and no mere hint."""
    return kind not in MEASURED or MEASURED[kind].may_block
