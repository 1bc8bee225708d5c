from __future__ import annotations

import pytest

from handoff_tui.handoffs.formats.mosaic.recognition import recognise
from handoff_tui.handoffs.reading.format import CERTAIN, LIKELY, NO, POSSIBLE, Source, SourceFile


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (".mosaic/agent_state.json", '{"last_agent": "a", "next_agent": "b"}', CERTAIN),
        (".mosaic/agent_state.json", '{"last_agent": "a", "colour": "red"}', LIKELY),
        (".mosaic/agent_state.json", '{"colour": "red"}', NO),
        (".mosaic/agent_state.json", "{}", POSSIBLE),
        (".mosaic/agent_state.json", "[1]", POSSIBLE),
        (".mosaic/agent_state.json", '{"last_agent": ', POSSIBLE),
        (".mosaic/blockers.json", '{"blockers": []}', CERTAIN),
        (".mosaic/session_log.jsonl", '{"agent": "a", "action": "b"}\nbroken', CERTAIN),
        (".mosaic/session_log.jsonl", '{"colour": 1}', NO),
        (".mosaic/session_log.jsonl", "", POSSIBLE),
        (".mosaic/gemini_approval.json", '{"verdict": "APPROVE", "score": 3}', CERTAIN),
        (".mosaic/theme/palette.json", '{"colour": "red"}', POSSIBLE),
        (".mosaic/SESSION_HANDOFF_1.md", "# Session handoff\n", CERTAIN),
        (".mosaic/wrap-up.md", "# Handoff of the evening\n", LIKELY),
        (".mosaic/thoughts.md", "# Recipes\n", POSSIBLE),
        (".ai-agents/handoff_1.json", '{"commit": "abc1234", "branch": "main"}', CERTAIN),
        (".ai-agents/handoff_1.json", '{"colour": "red"}', NO),
        (".ai-agents/emergency_handoff.txt", "EMERGENCY: stop", LIKELY),
        (".ai-agents/emergency_handoff.txt", "", POSSIBLE),
        ("elsewhere/agent_state.json", '{"last_agent": "a", "next_agent": "b"}', NO),
    ],
)
def test_recognise_judges_by_content(path: str, text: str, expected: float) -> None:
    """Content decides; the place alone never gives more than possible, foreign content nothing."""
    assert recognise(Source.of_text(path, text)) == expected


def test_recognise_keeps_an_unreadable_file_at_its_place() -> None:
    """A dangling link at a place of the state is shown under this dialect."""
    assert recognise(Source(SourceFile(".mosaic/LATEST_HANDOFF.md", "", readable=False))) == POSSIBLE
    assert recognise(Source(SourceFile("LATEST_HANDOFF.md", "", readable=False))) == NO
