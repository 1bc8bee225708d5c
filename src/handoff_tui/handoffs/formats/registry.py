"""The table of dialects. To add one: a file or folder beside this one, and a line here.

Where two are equally sure of a file, the one that stands first owns it.
"""

from __future__ import annotations

from handoff_tui.dialects.builder.dialect import BUILDER
from handoff_tui.dialects.claude import CLAUDE
from handoff_tui.dialects.contract import Dialect
from handoff_tui.dialects.gsd.dialect import GSD
from handoff_tui.dialects.hub.dialect import HUB
from handoff_tui.dialects.mosaic.dialect import MOSAIC
from handoff_tui.dialects.notes.dialect import NOTES
from handoff_tui.dialects.procedure.dialect import PROCEDURE
from handoff_tui.dialects.relay import RELAY
from handoff_tui.dialects.tdd.dialect import TDD

DIALECTS: tuple[Dialect, ...] = (MOSAIC, BUILDER, PROCEDURE, TDD, HUB, GSD, CLAUDE, RELAY, NOTES)
