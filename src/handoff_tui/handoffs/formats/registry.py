"""The table of formats. To add one: a file or folder beside this one, and a line here.

If two are equally sure of a file, the first one in the table owns it.
"""

from __future__ import annotations

from handoff_tui.handoffs.formats.builder.format import BUILDER
from handoff_tui.handoffs.formats.claude import CLAUDE
from handoff_tui.handoffs.formats.gsd import GSD
from handoff_tui.handoffs.formats.hub.format import HUB
from handoff_tui.handoffs.formats.mosaic.format import MOSAIC
from handoff_tui.handoffs.formats.notes.format import NOTES
from handoff_tui.handoffs.formats.procedure import PROCEDURE
from handoff_tui.handoffs.formats.relay import RELAY
from handoff_tui.handoffs.formats.tdd.format import TDD
from handoff_tui.handoffs.reading.format import HandoffFormat

FORMATS: tuple[HandoffFormat, ...] = (MOSAIC, BUILDER, PROCEDURE, TDD, HUB, GSD, CLAUDE, RELAY, NOTES)
