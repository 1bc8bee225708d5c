from __future__ import annotations

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rules.mosaic.session_state import find_states, is_state_file, read_state_file, says_something
from tests.support.session_states import build_state
from tests.support.world import MemoryWorld


def build_context(**files: str | bytes) -> Context:
    return Context(Answers(MemoryWorld(files={name.replace("__", "."): text for name, text in files.items()})))


def test_states_are_found_wherever_they_lie() -> None:
    """Each folder of the name has its own state and handoff; manifests beside it are none."""
    files = {**build_state(), **build_state(folder="app/.mosaic"), ".ai-agents/handoff_1.json": '{"commit": "abcdef1"}'}
    states = find_states(Context(Answers(MemoryWorld(files=files))))
    assert [(state.folder, state.handoff.id) for state in states] == [
        (".mosaic", "mosaic"),
        ("app/.mosaic", "app/mosaic"),
    ]
    assert states[1].path("x.json") == "app/.mosaic/x.json"


@pytest.mark.parametrize(
    ("path", "is_state"),
    [
        (".mosaic/agent_state.json", True),
        (".mosaic/session_log.jsonl", True),
        (".mosaic/LATEST_HANDOFF.md", True),
        (".mosaic/SESSION_HANDOFF_2026-03-04.md", True),
        ("app/.mosaic/blockers.json", True),
        (".ai-agents/handoff_20260304.json", True),
        (".mosaic/enforcement/session-gate.sh", False),
        (".mosaic/enforcement/agent_state.json", False),
        (".mosaic/notes.md", False),
        (".ai-agents/AI_AGENT_PROMPT.md", False),
        ("x.mosaic/agent_state.json", False),
        ("agent_state.json", False),
        ("src/a.py", False),
    ],
)
def test_state_files_are_told_from_work(path: str, *, is_state: bool) -> None:
    """Only the files that tell the state are state, not all that lies beside them."""
    assert is_state_file(build_context(), path) is is_state


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is not valid JSON"),
        ('["a"]', "is not an object"),
        ('{"a": 1, "a": 2}', "a is given twice"),
        (b"\xff", "is not UTF-8"),
    ],
)
def test_state_file_that_nobody_read_before_is_judged_here(content: str | bytes, words: str) -> None:
    """Also a file that no dialect looked at is broken when it is."""
    file = read_state_file(build_context(state__json=content), "state.json")
    assert [words in found.message for found in file.broken] == [True]
    assert file.members == {}


def test_missing_state_file_is_broken() -> None:
    """What is not there has no members, and says so."""
    assert [found.message for found in read_state_file(build_context(), "state.json").broken] == [
        "state.json is missing"
    ]


def test_state_file_knows_the_place_of_a_member() -> None:
    """The line of a member, or only the file where it is absent."""
    file = read_state_file(build_context(state__json='{\n"a": 1,\n"b": 2\n}'), "state.json")
    assert (file.members, file.broken) == ({"a": 1, "b": 2}, ())
    assert (str(file.place("b")), str(file.place("c"))) == ("state.json:3", "state.json")


@pytest.mark.parametrize(
    ("text", "says"),
    [("two words", True), ("same same", False), ("Same, same!", False), ("", False), ("- -", False), ("one", False)],
)
def test_text_says_something_with_two_different_words(text: str, *, says: bool) -> None:
    """Case and punctuation do not make another word."""
    assert says_something(text) is says
