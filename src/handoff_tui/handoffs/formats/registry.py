"""The table of dialects. To add one: a file or folder beside this one, and a line here.

Where two are equally sure of a file, the one that stands first owns it.
"""

from __future__ import annotations

from handoff_tui.handoffs.formats.builder.dialect import BUILDER
from handoff_tui.handoffs.formats.claude import CLAUDE
from handoff_tui.handoffs.formats.gsd.dialect import GSD
from handoff_tui.handoffs.formats.hub.dialect import HUB
from handoff_tui.handoffs.formats.mosaic.dialect import MOSAIC
from handoff_tui.handoffs.formats.notes.dialect import NOTES
from handoff_tui.handoffs.formats.procedure.dialect import PROCEDURE
from handoff_tui.handoffs.formats.relay import RELAY
from handoff_tui.handoffs.formats.tdd.dialect import TDD
from handoff_tui.handoffs.reading.format import Dialect

DIALECTS: tuple[Dialect, ...] = (MOSAIC, BUILDER, PROCEDURE, TDD, HUB, GSD, CLAUDE, RELAY, NOTES)
