"""Streams of real programs, recorded: each was asked for the same work, and each is read to the same events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.agents.transcript.event import AgentTrouble, Event, Kind, Purpose, Usage, build_edit, find_trouble
from handoff_tui.agents.transcript.page import TranscriptLine, render_event
from handoff_tui.agents.transcript.reader import LONGEST_LINE, TranscriptReader
from handoff_tui.agents.transcript.tally import RunLimits, Tally

_STREAMS = Path(__file__).parent / "streams"
_NAMES = ("claude", "codex", "gemini", "opencode", "goose", "aider")


def _read(name: str) -> bytes:
    return (_STREAMS / f"{name}.txt").read_bytes()


def _list(name: str, content: bytes, size: int = 1 << 20) -> list[Event]:
    reader = TranscriptReader(name)
    events = [event for start in range(0, len(content), size) for event in reader.feed(content[start : start + size])]
    return [*events, *reader.end()]


def _render(name: str, content: bytes) -> list[TranscriptLine]:
    return [line for event in _list(name, content) for line in render_event(event)]


def _tally(name: str, content: bytes) -> Tally:
    tally = Tally()
    for event in _list(name, content):
        tally.add(event)
    return tally


def _claude(*values: Mapping[str, object]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def _call(command: str, number: int = 0) -> dict[str, object]:
    block = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
    return {"type": "assistant", "message": {"id": f"m{number}", "content": [block]}}


def _answer(text: str, number: int = 0, *, failed: bool = True) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text, "is_error": failed}
    return {"type": "user", "message": {"content": [block]}}


_DENIED = "Permission to use Bash with command pytest -q has been denied."


@pytest.mark.parametrize("name", _NAMES)
def test_each_program_tells_the_same_story(name: str) -> None:
    """What was said, the edit, the commit, the counts and the verdict are found in every stream."""
    tally = _tally(name, _read(name))
    usage = tally.usage
    assert (usage.tokens_in, usage.tokens_out) in {(4800, 320), (6000, 400), (1200, 80)}
    assert usage.turns == (1 if name == "aider" else 4)
    lines = [line.text for line in _render(name, _read(name))]
    text = "\n".join(lines)
    assert "calc.py" in text
    assert "commit" in text
    assert not any(line.lstrip().startswith('{"') for line in lines)
    if name != "aider":
        assert tally.ended is not None
        assert not tally.ended.failed
        assert tally.ended.text == "Done: `add` works and is committed."


@pytest.mark.parametrize(
    ("name", "session"), [("claude", "11111111-"), ("codex", "01a1eed4-"), ("opencode", "ses_e112")]
)
def test_the_session_is_known(name: str, session: str) -> None:
    """The session can be resumed, so its name is kept."""
    assert _tally(name, _read(name)).session.startswith(session)


@pytest.mark.parametrize("name", ["claude", "gemini"])
def test_what_was_not_allowed_is_marked(name: str) -> None:
    """Both programs refused a command that was not on the list."""
    (denial,) = _tally(name, _read(name)).denials
    assert denial.text.startswith("python3 -c")
    assert any("⊘ denied" in line.text for line in _render(name, _read(name)))


def test_an_edit_is_shown_as_a_diff() -> None:
    """An edit is shown as what it removes and adds."""
    lines = [(line.text, line.role) for line in _render("claude", _read("claude"))]
    assert ("  +def add(a, b):", "add") in lines
    assert build_edit("a\nb\nc", "a\nB\nc") == ("-b", "+B")


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_torn_lines_make_no_difference(name: str, size: int) -> None:
    """Output comes in parts of any size."""
    assert _list(name, _read(name), size) == _list(name, _read(name))


@pytest.mark.parametrize("name", _NAMES)
@given(content=st.binary(max_size=300), size=st.integers(1, 50))
def test_any_bytes_are_read(name: str, content: bytes, size: int) -> None:
    """Whatever is printed, nothing is raised, and a line that isn't part of the stream is kept."""
    for event in _list(name, content, size):
        Tally().add(event)
    _render(name, content)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def _damaged(draw: st.DrawFn) -> tuple[str, bytes]:
    """A line of a real stream in which some value was replaced by any other."""
    name = draw(st.sampled_from(_NAMES))
    value = json.loads(
        draw(st.sampled_from([line for line in _read(name).splitlines() if line.startswith(b"{")] or [b"{}"]))
    )
    place = value
    while isinstance(place, dict) and place:
        key = draw(st.sampled_from(sorted(place)))
        if not isinstance(place[key], dict) or draw(st.booleans()):
            place[key] = draw(_JSON)
            break
        place = place[key]
    return name, json.dumps(value).encode() + b"\n"


@given(damaged=_damaged())
def test_any_shape_is_read(damaged: tuple[str, bytes]) -> None:
    """A program may print other values than today's."""
    name, line = damaged
    _tally(name, line)
    _render(name, line)


def test_a_huge_line_is_named_and_not_kept() -> None:
    """A line that is too long for an event is counted and let go."""
    content = b'{"type":"assistant","message":"' + b"x" * LONGEST_LINE + b'"}\n{"type":"system","subtype":"init"}\n'
    first, *_ = _list("claude", content, 1 << 16)
    assert first.kind is Kind.PLAIN
    assert first.text.endswith("bytes)")
    assert len(first.text) < 100


def test_counts_of_one_answer_count_once() -> None:
    """Claude Code repeats the counts of an answer for each of its blocks, and adds them up at the end."""
    counts = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 100}
    message = {"id": "m1", "content": [{"type": "text", "text": "hi"}], "usage": counts}
    tally = _tally("claude", _claude(*[{"type": "assistant", "message": message}] * 3))
    assert tally.usage == Usage(110, 5, None, 1)


def test_a_limit_is_noticed_while_it_runs() -> None:
    """Tokens and turns are known before the run ends."""
    counts = {"input_tokens": 600, "output_tokens": 5}
    said = [{"type": "text", "text": "hi"}]
    answers = [{"type": "assistant", "message": {"id": f"m{n}", "content": said, "usage": counts}} for n in range(3)]
    tally = _tally("claude", _claude(*answers))
    assert tally.find_excess(RunLimits(tokens=1000)) == "it used 1,815 tokens; max_tokens is 1,000"
    assert tally.find_excess(RunLimits(turns=2)) == "it took 3 turns; max_turns is 2"
    assert tally.find_excess(RunLimits(1.0, 2000, 3)) == ""


def test_a_denial_stands_until_the_same_was_done() -> None:
    """A denied test run is settled by a test run; by nothing else."""
    denied = _claude(_call("pytest -q"), _answer(_DENIED))
    (denial,) = _tally("claude", denied).denials
    assert denial.purpose is Purpose.TESTS
    other = denied + _claude(_call("ls", 1), _answer("a", 1, failed=False))
    assert len(_tally("claude", other).denials) == 1
    settled = denied + _claude(_call("python -m pytest", 1), _answer("1 passed", 1, failed=False))
    listed = {"tool_name": "Bash", "tool_use_id": "t0", "tool_input": {"command": "pytest -q"}}
    end = _claude({"type": "result", "is_error": False, "result": "done", "permission_denials": [listed]})
    assert _tally("claude", settled + end).denials == []
    assert len(_tally("claude", end).denials) == 1


def test_a_sandbox_that_forbids_a_commit_is_a_denial() -> None:
    """A read-only git folder is a denial, whoever made it so."""
    item = {"id": "i1", "type": "command_execution", "command": "/bin/bash -lc 'git commit -m x'"}
    said = "fatal: Unable to create '/home/ada/calc/.git/index.lock': Read-only file system\n"
    done = {**item, "aggregated_output": said, "exit_code": 128, "status": "failed"}
    content = _claude({"type": "item.started", "item": item}, {"type": "item.completed", "item": done})
    (denial,) = _tally("codex", content).denials
    assert (denial.text, denial.purpose) == ("git commit -m x", Purpose.COMMIT)


_COMPLAINTS = [
    (
        "claude",
        b'{"type":"system","subtype":"api_retry","attempt":2,"error_status":401,"error":"authentication_failed"}\n',
    ),
    (
        "claude",
        b'{"type":"result","subtype":"success","is_error":true,"result":"Not logged in \xc2\xb7 Please run /login"}\n',
    ),
    ("codex", b'{"type":"error","message":"Reconnecting... 2/5 (unexpected status 401 Unauthorized: refused)"}\n'),
    ("gemini", b"Please set an Auth method in your settings.json or specify one of: GEMINI_API_KEY\n"),
    ("goose", b"  error: No provider configured. Run 'goose configure' first.\n"),
    ("aider", b"Waiting up to 5 minutes for you to finish in the browser...\n"),
]


@pytest.mark.parametrize(("name", "content"), _COMPLAINTS)
def test_a_missing_login_is_understood(name: str, content: bytes) -> None:
    """Each program says in its own words that it has no login."""
    assert _tally(name, content).trouble is AgentTrouble.LOGIN


def test_trouble_that_is_over_is_forgotten() -> None:
    """A program that got on after all has no trouble."""
    retry = {"type": "system", "subtype": "api_retry", "attempt": 1, "error_status": None, "error": "unknown"}
    tally = _tally("claude", _claude(retry))
    assert tally.trouble is AgentTrouble.NETWORK
    assert _tally("claude", _claude(retry, _call("ls"))).trouble is None


def test_tool_output_is_no_complaint() -> None:
    """An agent may read about logins and connections all day."""
    content = _claude(_call("grep -r login"), _answer("401 Unauthorized: not logged in", failed=False))
    assert _tally("claude", content).trouble is None
    assert find_trouble("Traceback (most recent call last)") is None


def test_a_refusal_is_a_failure() -> None:
    """A model that refuses has not done the work, whatever the program exits with."""
    result = {"type": "result", "subtype": "success", "is_error": False, "stop_reason": "refusal", "result": ""}
    tally = _tally("claude", _claude(result))
    assert tally.ended is not None
    assert tally.ended.failed
    assert tally.trouble is AgentTrouble.REFUSAL
