"""The engine under procedures: where it keeps its state, how its workers behave. Only the user's file may set it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from handoff_tui.config.settings.quantities import Quantity, Seconds
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.model import Model

_PASSWORD = compile_later(r"^[a-z+]+://[^/@]*:[^/@]+@|[?&]password=")


class EngineSettings(Model):
    """The engine under procedures."""

    address: Annotated[str, Field(pattern=r"^(?:|postgres(?:ql)?://\S+)$")] = ""
    """A PostgreSQL database for many workers, `postgresql://user@host:5432/name`; with none, a file beside git's."""
    agents_per_worker: Quantity = 4
    """How many agents one worker runs at once; runs that only wait do not count."""
    agents_maximum: Quantity = 16
    """How many agents all workers run at once."""
    poll_seconds: Seconds = 0.5
    """How often a worker looks for work."""
    idle_seconds: Seconds = 60
    """How long a worker that was started on demand stays when nothing is left to do."""

    @field_validator("address")
    @classmethod
    def _holds_no_password(cls, address: str) -> str:
        if _PASSWORD.search(address):
            raise ValueError(
                "holds a password, which every listing would show; put it into ~/.pgpass, where it is found"
            )
        return address
