"""Reasons that a reviewer gives again and again, as texts to begin with."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from handoff_tui.core.model import Model

Template = Annotated[str, StringConstraints(min_length=1, max_length=4_000)]
"""No longer than a reason may be."""


class Reasons(Model):
    """Templates by verb. A dialog offers them; nothing is decided by choosing one."""

    approve: tuple[Template, ...] = ("read in full; the checks and the claims hold",)
    """For work that may pass."""
    reject: tuple[Template, ...] = (
        "the claims do not match what was measured: ",
        "tests are missing for: ",
        "it does more than the handoff says: ",
        "see the remarks on lines",
    )
    """For work that may not."""
    retry: tuple[Template, ...] = (
        "the same work once more, with the remarks",
        "a check failed for reasons outside the work: ",
    )
    """For work that is to be tried again."""
    skip: tuple[Template, ...] = ("this phase is not needed because: ",)
    """For a phase that is left out."""
    override: tuple[Template, ...] = (
        "the failing check is known and tracked in: ",
        "the check is wrong here: ",
    )
    """For going over a failing check."""
    hold: tuple[Template, ...] = ("waits for an answer to: ", "waits for: ")
    """For work that waits."""
    withdraw: tuple[Template, ...] = ("decided too early: ", "something was overlooked: ")
    """For taking a decision back."""
    carry: tuple[Template, ...] = ("only the history was rewritten",)
    """For an approval that still holds."""
