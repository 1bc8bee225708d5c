"""Whether the checks that an approval rests on still pass. Imports next to nothing: most gates never ask.

An approval is superseded if a blocking check about the handoff passed then and fails now. While the handoff stays the
same, only a check that reads files of others can begin to fail. The review record lists these files, and such a check
runs again only where one of them differs.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handoff_tui.checks.run.portable_run import SharedReading
    from handoff_tui.log.entry import GateKey
    from handoff_tui.log.gates.all_gates import LogGates


class CheckAgain:
    """Runs checks of a gate again. What was read for one handoff serves the others of the same repository."""

    def __init__(self) -> None:
        self._for: LogGates | None = None
        self._shared: SharedReading | None = None

    def __call__(self, gates: LogGates, key: GateKey, checks: Collection[str]) -> dict[str, str]:
        """Returns those of these checks that do not pass, each with what it found."""
        from handoff_tui.checks.run.portable_run import PortableRun, SharedReading  # noqa: PLC0415 - rarely needed

        if self._shared is None or self._for is not gates:
            self._for, self._shared = gates, SharedReading(gates)
        return PortableRun(self._shared, key).find_failing(checks)
