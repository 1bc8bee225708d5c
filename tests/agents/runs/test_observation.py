"""What is seen around a run: the repository, reports, locks and named files."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.agents.runs import phase_locks
from handoff_tui.agents.runs.observation import Observation, read_observation
from handoff_tui.agents.runs.reports import append_note, read_notes
from handoff_tui.agents.runs.run import RunKey, RunState, RunStatus
from handoff_tui.agents.step.report import OperatorNote
from handoff_tui.core.errors import PhaseLockedError, StoreWriteError, UsageError
from handoff_tui.live.state.agents import find_mentioned_files
from tests.support.repositories import RepositoryBuilder

RULES = ("handoff-tui.toml", "tools/gate.sh")


def look(builder: RepositoryBuilder, *guarded: str) -> Observation:
    return read_observation(builder.folder, builder.folder, RULES, guarded)


def test_every_kind_of_change_is_seen(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Files, commits, refs, rules, our own folder, git's files, guarded places, neighbours."""
    builder.write("a").write(".handoff-tui/x").commit()
    guarded = tmp_path / "keys"
    guarded.mkdir()
    before = look(builder, str(guarded))
    builder.write("a", "other").write(".handoff-tui/x", "other").write("handoff-tui.toml", "").commit()
    builder.step("branch", "more").config("core.pager", "x")
    (guarded / "id").touch()
    (tmp_path / "beside").touch()
    after = look(builder, str(guarded))
    for name in ("head", "refs", "tree", "own", "rules", "git_files", "guarded", "neighbours"):
        assert getattr(before, name) != getattr(after, name), name
    assert set(after.refs) - set(before.refs) == {"refs/heads/more"}
    assert str(tmp_path / "beside") in after.neighbours


def test_own_refs_and_own_files_outside_the_tree_are_no_change(builder: RepositoryBuilder) -> None:
    """What handoff-tui itself writes beside git's objects says nothing of the agent."""
    builder.write("a").commit()
    before = look(builder)
    builder.ref("refs/handoff-tui/saved/1").write(".git/handoff-tui/runs/x", "y")
    assert look(builder) == before


def test_repository_that_cannot_be_read_is_told(builder: RepositoryBuilder) -> None:
    """The rest is looked at all the same."""
    builder.write("a").write(".handoff-tui/x").commit()
    builder.place(".git/HEAD").unlink()
    seen = look(builder)
    assert seen.problem is not None
    assert list(seen.own) == [".handoff-tui/x"]


def test_links_are_seen_by_where_they_lead(builder: RepositoryBuilder) -> None:
    """Not by what they lead to."""
    builder.write("a").link(".handoff-tui/x", "/etc/passwd").commit()
    before = look(builder)
    builder.place(".handoff-tui/x").unlink()
    builder.link(".handoff-tui/x", "/etc/group")
    assert look(builder).own != before.own


KEY = RunKey(handoff="H-1", phase="build")


def state(folder: Path) -> RunState:
    return RunState(key=KEY, folder=str(folder), status=RunStatus.FINISHED)


def note(text: str) -> OperatorNote:
    return OperatorNote(text=text, author="ada@example.org", time="2026-01-01T00:00:00Z")


def test_notes_are_kept_in_order_for_their_handoff(tmp_path: Path) -> None:
    """Lines and all; another handoff has its own."""
    append_note(tmp_path, "a/b", note("first\nline"))
    append_note(tmp_path, "a/b", note("second"))
    append_note(tmp_path, "c", note("other"))
    assert [one.text for one in read_notes(tmp_path, "a/b")] == ["first\nline", "second"]
    assert read_notes(tmp_path, "nobody") == ()


def test_damaged_line_loses_only_itself(tmp_path: Path) -> None:
    """The others are still read."""
    append_note(tmp_path, "a", note("one"))
    with (tmp_path / "handoff-tui" / "notes" / "a.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"half": \n')
    append_note(tmp_path, "a", note("two"))
    assert [one.text for one in read_notes(tmp_path, "a")] == ["one", "two"]


def test_note_that_is_too_long_or_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    """It goes into a prompt."""
    with pytest.raises(StoreWriteError, match="limit"):
        append_note(tmp_path, "a", note("x" * 70_000))
    (tmp_path / "handoff-tui").write_text("in the way", encoding="utf-8")
    with pytest.raises(StoreWriteError):
        append_note(tmp_path, "a", note("x"))


LOCK_KEY = RunKey(handoff="H-1", phase="GREEN", attempt=2)


def change(folder: Path, **changes: object) -> None:
    place = phase_locks.find_lock_place(folder, LOCK_KEY)
    place.write_text(json.dumps(json.loads(place.read_bytes()) | changes), encoding="utf-8")


def test_lock_names_its_holder(tmp_path: Path) -> None:
    """Owner, pid, host, since when; it is alive while the process is."""
    phase_locks.take_lock(tmp_path, LOCK_KEY, "ada@example.org")
    state = phase_locks.find_lock(tmp_path, LOCK_KEY)
    assert state is not None
    assert (state.lock.owner, state.lock.pid, state.alive, state.stale) == ("ada@example.org", os.getpid(), True, False)
    assert "ada@example.org" in phase_locks.describe_holder(state)
    assert [one.lock for one in phase_locks.list_locks(tmp_path)] == [state.lock]


def test_second_operator_sees_who_holds_it(tmp_path: Path) -> None:
    """In any spelling of the phase; another phase is free, and so is the phase of another handoff."""
    phase_locks.take_lock(tmp_path, LOCK_KEY, "ada@example.org")
    with pytest.raises(PhaseLockedError, match=r"locked by ada@example\.org"):
        phase_locks.take_lock(tmp_path, LOCK_KEY.model_copy(update={"phase": "green"}), "bo@example.org")
    for other in ({"phase": "RED"}, {"handoff": "H-2"}):
        phase_locks.take_lock(tmp_path, LOCK_KEY.model_copy(update=other), "bo@example.org")
    with pytest.raises(UsageError, match="more than one phase is locked"):
        phase_locks.unlock(tmp_path, "GREEN", force=True)
    assert phase_locks.unlock(tmp_path, "GREEN", "H-2", force=True).lock.handoff == "H-2"


def test_lock_that_was_left_behind_is_not_taken_over(tmp_path: Path) -> None:
    """Only a request breaks it."""
    with subprocess.Popen(["true"]) as gone:
        pass
    phase_locks.take_lock(tmp_path, LOCK_KEY, "ada@example.org")
    change(tmp_path, pid=gone.pid)
    state = phase_locks.find_lock(tmp_path, LOCK_KEY)
    assert state is not None
    assert (state.alive, state.stale) == (False, True)
    with pytest.raises(PhaseLockedError, match="left behind") as refused:
        phase_locks.take_lock(tmp_path, LOCK_KEY, "bo@example.org")
    assert "unlock GREEN" in refused.value.hint
    assert phase_locks.unlock(tmp_path, None).stale
    phase_locks.take_lock(tmp_path, LOCK_KEY, "bo@example.org")


def test_holder_on_another_machine_is_judged_by_its_signs(tmp_path: Path) -> None:
    """Whether it is alive cannot be told; long silence makes it stale."""
    phase_locks.take_lock(tmp_path, LOCK_KEY, "ada@example.org")
    change(tmp_path, host="elsewhere")
    state = phase_locks.find_lock(tmp_path, LOCK_KEY)
    assert state is not None
    assert (state.alive, state.stale) == (None, False)
    os.utime(phase_locks.find_lock_place(tmp_path, LOCK_KEY), (0, 0))
    state = phase_locks.find_lock(tmp_path, LOCK_KEY)
    assert state is not None
    assert state.stale


def test_lock_is_given_back_by_its_holder_alone(tmp_path: Path) -> None:
    """Not when it was broken and taken by somebody else meanwhile."""
    first = phase_locks.take_lock(tmp_path, LOCK_KEY, "ada@example.org")
    phase_locks.unlock(tmp_path, "GREEN", force=True)
    second = phase_locks.take_lock(tmp_path, LOCK_KEY, "bo@example.org")
    phase_locks.release_lock(first)
    assert phase_locks.find_lock(tmp_path, LOCK_KEY) is not None
    phase_locks.release_lock(second)
    assert phase_locks.find_lock(tmp_path, LOCK_KEY) is None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"phase": 3}'])
def test_damaged_lock_still_locks(tmp_path: Path, content: str) -> None:
    """By somebody; it is stale and can be broken."""
    place = phase_locks.find_lock_place(tmp_path, LOCK_KEY)
    place.parent.mkdir(parents=True)
    place.write_text(content, encoding="utf-8")
    with pytest.raises(PhaseLockedError, match="left behind by somebody"):
        phase_locks.take_lock(tmp_path, LOCK_KEY, "ada@example.org")


def test_own_lock_of_a_life_before_is_found_again(tmp_path: Path) -> None:
    """Who names its mark takes over what it left when it died; a living holder keeps it, and so does another mark."""
    phase_locks.take_lock(tmp_path, LOCK_KEY, "the procedure P", "mine")
    with pytest.raises(PhaseLockedError):
        phase_locks.take_lock(tmp_path, LOCK_KEY, "the procedure P", "mine")
    change(tmp_path, started="another process")
    with pytest.raises(PhaseLockedError, match="left behind"):
        phase_locks.take_lock(tmp_path, LOCK_KEY, "the procedure P", "other")
    held = phase_locks.take_lock(tmp_path, LOCK_KEY, "the procedure P", "mine")
    assert [(one.lock.mark, one.stale) for one in phase_locks.list_locks(tmp_path)] == [("mine", False)]
    phase_locks.release_lock(held)
    assert phase_locks.list_locks(tmp_path) == ()


def test_living_holder_keeps_its_lock_unless_forced(tmp_path: Path) -> None:
    """It is named; the only lock need not be."""
    phase_locks.take_lock(tmp_path, LOCK_KEY, "ada@example.org")
    with pytest.raises(PhaseLockedError, match=r"held by ada@example\.org"):
        phase_locks.unlock(tmp_path, "green")
    assert not phase_locks.unlock(tmp_path, None, force=True).stale
    assert phase_locks.list_locks(tmp_path) == ()


def test_choice_between_locks_is_the_operators(tmp_path: Path) -> None:
    """And what is not locked cannot be unlocked."""
    with pytest.raises(UsageError, match="no phase is locked"):
        phase_locks.unlock(tmp_path, None)
    for phase in ("RED", "GREEN"):
        phase_locks.take_lock(tmp_path, RunKey(handoff="H-1", phase=phase), "ada@example.org")
    with pytest.raises(UsageError, match="more than one"):
        phase_locks.unlock(tmp_path, None)
    with pytest.raises(UsageError, match="PLAN is not locked") as refused:
        phase_locks.unlock(tmp_path, "PLAN")
    assert "GREEN of H-1, RED of H-1" in refused.value.hint


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("src/app.py:12: error: no", [("src/app.py", 12)]),
        ("FAILED tests/test_app.py::test_add - assert 1 == 2", [("tests/test_app.py", None)]),
        ('  File "src/app.py", line 7, in add', [("src/app.py", 7)]),
        ('  File "/desk/src/app.py", line 7, in add', [("src/app.py", 7)]),
        ("app.py:3", [("app.py", 3)]),
        ("app.py alone is a word", []),
        ("./a/b.rs:1 and ./a/b.rs:1 again, a/c.rs:2", [("a/b.rs", 1), ("a/c.rs", 2)]),
        ("see https://example.org/a/b.html:8", []),
        ("told by /desk/.git/handoff-tui/runs/H-1/prompt.md", []),
        ("/etc/passwd.txt:1 and ../../secret.txt:2", []),
        ("12:30:45 took 1.5s of v2.0.1", []),
        ("", []),
    ],
)
def test_places_are_found_as_they_are_written(line: str, places: list[tuple[str, int | None]]) -> None:
    """Nothing outside the repository, no address, no number."""
    assert [tuple(place) for place in find_mentioned_files([line], "/desk")] == places


@pytest.mark.parametrize("piece", ["@", "+a", "a/", "a.", "a./", 'a.py", line '])
def test_hostile_lines_take_no_longer_than_others(piece: str) -> None:
    """What would be tried in every way is cut, and tried from few places."""
    assert len(find_mentioned_files([piece * 100_000] * 50)) <= 1


@given(st.lists(st.text(max_size=200), max_size=5))
def test_no_place_leads_out_of_the_repository(lines: list[str]) -> None:
    """Whatever is printed."""
    for place in find_mentioned_files(lines):
        assert not place.path.startswith("/")
        assert ".." not in place.path.split("/")
