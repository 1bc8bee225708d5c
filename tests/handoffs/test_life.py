"""Which handoffs are live: by folder, series, twins, the document's own words, the log and the history."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Fact
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff, RegistryState
from handoff_tui.handoffs.life import Life, LifeFacts, LifeState, find_lives, is_archived
from tests.support.command_line import say
from tests.support.gates import GateDesk
from tests.support.repositories import RepositoryBuilder

NOTE = "# Handoff: {0}\n\nStatus: COMPLETE\n\n## What was done\n- {0} works.\n\n## Next steps\n- Look at it.\n"


def note(path: str, sha256: str = "", **fields: Any) -> Handoff:  # noqa: ANN401
    document = Document(path=path, role=DocumentRole.NOTE, sha256=sha256 or path)
    return Handoff(id=f"notes/{path}", dialect="notes", documents=(document,), **fields)


def on_branch(name: str) -> Claim:
    return Claim(text=name, kind=ClaimKind.BRANCH, where=Place(path="x", line=1), value=name)


def list_live(*handoffs: Handoff, **facts: frozenset[str]) -> set[str]:
    lives = find_lives(handoffs, LifeFacts(**facts))
    return {name.removeprefix("notes/") for name, life in lives.items() if not life.is_past}


@pytest.mark.parametrize(
    ("path", "over"),
    [
        ("docs/archive/HANDOFF.md", True),
        ("docs/_Archive/2025/HANDOFF.md", True),
        ("handoffs/old/a.md", True),
        (".handoffs/history/a.md", True),
        ("docs/handoffs_archive/a.md", True),
        (".planning/milestones/v1-phases/03-x/HANDOFF.json", True),
        ("src/browser-history/HANDOFF.md", False),
        ("docs/oldenburg/HANDOFF.md", False),
        ("docs/milestones/HANDOFF.md", False),
        ("archive-HANDOFF.md", False),
    ],
)
def test_folder_says_what_is_over(path: str, *, over: bool) -> None:
    """A folder counts by its whole name, not by a word in it or by the name of the file."""
    assert is_archived(path) is over
    assert list_live(note(path)) == (set() if over else {path})


@pytest.mark.parametrize(
    ("paths", "live"),
    [
        (("HANDOFF_1.md", "HANDOFF_2.md", "HANDOFF_10.md"), {"HANDOFF_10.md"}),
        (("h/session-3-login.md", "h/session-4-billing.md"), {"h/session-4-billing.md"}),
        (("h/session3.md", "h/session4.md"), {"h/session4.md"}),
        (("h/lamp2x-handoff.md", "h/lamp3x-handoff.md"), {"h/lamp2x-handoff.md", "h/lamp3x-handoff.md"}),
        (("h/task-3-handoff.md", "h/task-4-handoff.md"), {"h/task-3-handoff.md", "h/task-4-handoff.md"}),
        (("S_2026-01-08.md", "S_2026-01-09.md"), {"S_2026-01-09.md"}),
        (("S_20260108_0900.md", "S_20260108_1730.md"), {"S_20260108_1730.md"}),
        (("h/2026-01-08-login.md", "h/2026-01-09-billing.md"), {"h/2026-01-08-login.md", "h/2026-01-09-billing.md"}),
        (("h/2026-01-08-login.md", "h/2026-01-20-billing.md"), {"h/2026-01-20-billing.md"}),
        (("h/2026-01-08-login.md", "h/2026-01-09-login.md"), {"h/2026-01-09-login.md"}),
        (("a/HANDOFF_1.md", "b/HANDOFF_2.md"), {"a/HANDOFF_1.md", "b/HANDOFF_2.md"}),
        (("s/2026-01-08/handoff.md", "s/2026-01-09/handoff.md"), {"s/2026-01-09/handoff.md"}),
        (("specs/001-a/handoff.md", "specs/002-b/handoff.md"), {"specs/001-a/handoff.md", "specs/002-b/handoff.md"}),
        (("h/LATEST.md", "h/2026-01-08.md", "h/2026-01-09.md"), {"h/LATEST.md"}),
    ],
)
def test_newest_of_a_series_is_live(paths: tuple[str, ...], live: set[str]) -> None:
    """Numbers and dates count sessions through; behind a word such as task, a number says which work it is."""
    assert list_live(*map(note, paths)) == live


def test_latest_link_stands_for_its_target() -> None:
    """The link and its target are one, and nothing is newer than that."""
    lives = find_lives([note("h/LATEST.md", "same"), note("h/2026-01-09.md", "same"), note("h/2026-01-08.md")])
    assert lives["notes/h/2026-01-09.md"] == Life()
    assert lives["notes/h/LATEST.md"].successor == "notes/h/2026-01-09.md"
    assert lives["notes/h/2026-01-08.md"].successor == "notes/h/2026-01-09.md"


def test_newest_may_lie_in_another_place_too() -> None:
    """Then the older ones of its series are over all the same."""
    twins = note("HANDOFF.md", "same"), note("docs/HANDOFF_3.md", "same")
    assert list_live(note("docs/archive/HANDOFF_1.md"), note("docs/HANDOFF_2.md"), *twins) == {"HANDOFF.md"}
    lives = find_lives((note("docs/archive/HANDOFF_1.md"), note("docs/HANDOFF_2.md"), *twins))
    assert {life.successor for life in lives.values()} == {None, "notes/HANDOFF.md"}


def test_lines_of_work_end_on_their_own() -> None:
    """Open branches and tasks are told apart; once a branch is merged, the next session follows it."""
    first, second = (note(f"S_{n}.md", claims=(on_branch(f"work/{n}"),)) for n in (1, 2))
    assert list_live(first, second) == {"S_1.md", "S_2.md"}
    assert list_live(first, second, merged=frozenset({"work/1", "work/2"})) == {"S_2.md"}
    third, fourth = (note(f"{n}.md", created=f"2026-01-0{n}", facts=(Fact(name="task", value="T-9"),)) for n in (3, 4))
    assert list_live(third, fourth) == {"4.md"}


def test_filed_away_is_history_of_the_live_one_beside_its_archive() -> None:
    """The only live one in the folder above the archive."""
    lives = find_lives([note("docs/HANDOFF.md"), note("docs/archive/HANDOFF_1.md"), note("other/archive/H.md")])
    assert lives["notes/docs/archive/HANDOFF_1.md"].successor == "notes/docs/HANDOFF.md"
    assert lives["notes/other/archive/H.md"].successor is None


def test_log_and_history_end_a_handoff_but_never_what_a_person_left_open() -> None:
    """An approval ends it once its branch is merged; a rejection keeps it."""
    done = note("a.md", claims=(on_branch("work/a"),))
    facts = {"done": frozenset({done.id}), "merged": frozenset({"work/a"})}
    assert list_live(done, **facts) == set()
    assert list_live(done, done=facts["done"]) == {"a.md"}
    assert list_live(note("archive/a.md"), unsettled=frozenset({"notes/archive/a.md"})) == {"archive/a.md"}
    assert list_live(note("a.md"), before_line=frozenset({"notes/a.md"})) == set()
    assert list_live(note("a.md", registry=RegistryState.SUPERSEDED), note("b.md", status="ARCHIVED")) == set()
    assert list_live(note("a/b.md"), ignored=frozenset({"a/b.md"})) == set()


PATHS = st.lists(
    st.from_regex(r"(archive/|h/)?(LATEST|S|task)?[-_]?(20260[1-3]1[0-9]|[1-9])?(-[ab])?\.md", fullmatch=True),
    unique=True,
    max_size=8,
)


@given(PATHS, st.data())
def test_life_does_not_depend_on_the_order_and_leads_to_a_live_one(paths: list[str], data: st.DataObject) -> None:
    """Each successor is live, and a series never dies out altogether."""
    handoffs = [note(path, data.draw(st.sampled_from(["", "same"]))) for path in paths]
    lives = find_lives(handoffs)
    assert lives == find_lives(data.draw(st.permutations(handoffs)))
    for life in lives.values():
        assert life.successor is None or not lives[life.successor].is_past
        assert life.is_past == bool(life.why)
    if any(not is_archived(path) for path in paths):
        assert LifeState.LIVE in {life.state for life in lives.values()}


def test_status_speaks_of_live_handoffs_only(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Past ones are counted, listed on request, shown with the live one, and fail no check, in any clone."""
    broken = NOTE.format("nothing") + "\n## Files created\n- `gone.py`\n"
    for number in (1, 2, 3):
        builder.write(f"handoffs/HANDOFF_{number}.md", broken if number < 3 else NOTE.format("all"))
        builder.write(f"handoffs/archive/HANDOFF_{number}.md", broken.replace("nothing", str(number))).commit("session")
    builder.write(".gitignore", "/scratch/\n").write("scratch/HANDOFF.md", broken).step("add", "-f", ".").commit("more")
    ends = {}
    for folder in (builder.folder, tmp_path / "clone"):
        if not folder.exists():
            builder.git("clone", "-q", ".", str(folder))
        state = json.loads(say("status", "--json", "--repo", folder).stdout)
        assert state["life"] == {"live": 1, "past": 6}
        ends = {one["id"]: one["life"] for one in state["handoffs"]}
        assert ends["notes/handoffs/HANDOFF_1.md"] == {
            "state": "past", "why": "notes/handoffs/HANDOFF_3.md is newer", "successor": "notes/handoffs/HANDOFF_3.md"
        }  # fmt: skip
        assert ends["notes/scratch/HANDOFF.md"]["why"] == "in scratch/, which git ignores"
    page = say("status", "--repo", builder.folder).stdout
    assert "1 live, 6 past" in page
    assert "HANDOFF_1.md" not in page
    assert "handoffs/archive/HANDOFF_1.md" in say("status", "--past", "--repo", builder.folder).stdout
    shown = json.loads(say("show", "notes/handoffs/HANDOFF_3.md", "--json", "--repo", builder.folder).stdout)
    assert len(shown["earlier"]) == 5
    checked = json.loads(say("check", "--json", "--only", "claims-hold", "--repo", builder.folder).stdout)
    assert {result["outcome"] for result in checked["results"]} == {"pass"}


def read_life(builder: RepositoryBuilder) -> dict[str, object]:
    """The life of the only handoff."""
    (only,) = json.loads(say("status", "--json", "--repo", builder.folder).stdout)["handoffs"]
    return dict(only["life"])


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("> **Superseded by** `HANDOFF_9.md`", "Superseded by HANDOFF_9.md"),
        ("This handoff is obsolete.", "This handoff is obsolete."),
        ("Superseded by [the next](docs/HANDOFF_9.md)", "Superseded by docs/HANDOFF_9.md"),
        ("Superseded code was removed.", ""),
    ],
)
def test_note_says_that_it_is_over(builder: RepositoryBuilder, head: str, why: str) -> None:
    """Near the top, in a sentence about the note itself."""
    builder.write("HANDOFF.md", NOTE.format("lamp").replace("\n\nStatus", f"\n\n{head}\n\nStatus")).commit("note")
    assert read_life(builder)["why"] == why


def test_title_says_that_it_is_over_and_the_words_which_took_its_place(builder: RepositoryBuilder) -> None:
    """The one it names is its successor; a field with the task makes one series of notes that have other names."""
    ended = NOTE.format("lamp").replace("lamp\n", "lamp (SUPERSEDED)\n", 1)
    builder.write("a/HANDOFF_lamp.md", ended)
    builder.write("b/HANDOFF_wick.md", "Superseded by ../c/HANDOFF_oil.md\n\n" + NOTE.format("wick"))
    builder.write("c/HANDOFF_oil.md", NOTE.format("oil"))
    task = "\n**Task**: T-9\n**Date**: 2031-0{}-01\n\nStatus"
    builder.write("d/handoff_up.md", NOTE.format("up").replace("\nStatus", task.format(1)))
    builder.write("e/handoff_down.md", NOTE.format("down").replace("\nStatus", task.format(2))).commit("notes")
    shown = json.loads(say("status", "--json", "--repo", builder.folder).stdout)["handoffs"]
    successors = {one["id"]: one["life"]["successor"] for one in shown if one["life"]["state"] == "past"}
    assert successors == {
        "notes/a/HANDOFF_lamp.md": None,
        "notes/b/HANDOFF_wick.md": "notes/c/HANDOFF_oil.md",
        "notes/d/handoff_up.md": "notes/e/handoff_down.md",
    }


def test_pause_ends_with_the_summary_of_its_plan(builder: RepositoryBuilder) -> None:
    """A pause file that was left behind waits for nobody."""
    phase = ".planning/phases/03-lamp"
    state = {"phase": "03", "phase_name": "lamp", "phase_dir": phase, "plan": 2, "status": "paused"}
    state |= {"completed_tasks": [], "remaining_tasks": [{"id": 1, "name": "wick"}], "uncommitted_files": []}
    builder.write(".planning/HANDOFF.json", json.dumps(state)).write(f"{phase}/03-02-PLAN.md").commit("pause")
    assert read_life(builder)["state"] == "live"
    builder.write(f"{phase}/03-02-SUMMARY.md").commit("resume")
    assert read_life(builder) == {"state": "past", "why": "consumed: 03-02-SUMMARY.md is there", "successor": None}


def test_handoff_that_files_itself_away_with_its_work_is_live(gate_desk: GateDesk) -> None:
    """What was written into an archive beside its work waits for a review; a note that moved there doesn't."""
    gate_desk.begin(gate_desk.person("grace"))
    builder = gate_desk.builder
    builder.write("docs/archive/HANDOFF-sly.md", NOTE.format("sly")).write("src/sly.py").commit("sly")
    builder.write("docs/HANDOFF-old.md", NOTE.format("old")).write("src/old.py").commit("old")
    builder.step("mv", "docs/HANDOFF-old.md", "docs/archive/HANDOFF-old.md").write("src/new.py").commit("moved")
    builder.write("docs/archive/HANDOFF-alone.md", NOTE.format("alone")).commit("a record")
    shown = json.loads(say("status", "--json", "--repo", builder.folder).stdout)["handoffs"]
    live = {one["id"] for one in shown if one["life"]["state"] == "live"}
    assert live & {f"notes/docs/archive/HANDOFF-{name}.md" for name in ("sly", "old", "alone")} == {
        "notes/docs/archive/HANDOFF-sly.md"
    }
