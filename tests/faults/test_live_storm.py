"""Storms at a live desk: however much happens at once, what it shows in the end is what a fresh desk shows."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from handoff_tui.git.watch.noticed import Watching
from handoff_tui.live.state.app import AppState, Part, RepositoryPart
from tests.support.live_desks import Onlooker, build_results, build_work, looking, save_atomically, without_moment
from tests.support.repositories import RepositoryBuilder

PARTS = (Part.SHOWN, Part.CHECKS, Part.PIPELINE, Part.LOG)
TOUCHES = [2_000, pytest.param(20_000, marks=pytest.mark.slow)]
SAVES = [25, pytest.param(300, marks=pytest.mark.slow)]
FOLDERS = 20
FILES = 200


def build_large_work(builder: RepositoryBuilder) -> RepositoryBuilder:
    build_work(builder, handoffs=3)
    for number in range(FILES):
        builder.write(f"src/part{number % FOLDERS:02}/file{number:05}.py", f"value = {number}\n")
    return builder.write(".gitignore", "ignored/\n*.log\n").commit()


def finish(builder: RepositoryBuilder, onlooker: Onlooker) -> AppState:
    """What the desk shows when it has heard of the last thing that happened, and nothing is left to be read."""
    builder.write("the-last.txt", "done\n")

    def has_heard(state: AppState) -> bool:
        value = state.repositories[0].state.value
        return value is not None and "the-last.txt" in value.repository.untracked

    onlooker.wait_for(has_heard)
    onlooker.wait_for(lambda state: state.repositories[0].watching is Watching.LIVE)  # whatever it met on the way
    return without_moment(onlooker.wait_until_live())


def compare(state: AppState, fresh: AppState) -> None:
    """Part by part, so that a failure says where they differ."""
    ours, theirs = state.repositories[0].state.value, fresh.repositories[0].state.value
    assert ours is not None
    assert theirs is not None
    assert ours.repository == theirs.repository
    assert [one.handoff for one in ours.handoffs] == [one.handoff for one in theirs.handoffs]
    assert ours == theirs
    assert [(one.key, one.since) for one in state.inbox] == [(one.key, one.since) for one in fresh.inbox]
    assert [(one.risks, one.size) for one in state.inbox] == [(one.risks, one.size) for one in fresh.inbox]
    assert state.inbox == fresh.inbox
    assert state.checks == fresh.checks
    assert [describe_watching(one) for one in state.repositories] == [
        describe_watching(one) for one in fresh.repositories
    ]
    assert state == fresh


def describe_watching(part: RepositoryPart) -> tuple[str, ...]:
    return (part.watching.value, part.explanation, part.hint, part.reviewer_note, *part.fatal, part.refused)


def read_fresh(place: Path) -> AppState:
    """What a desk shows that has just been opened."""
    with looking(place) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", *PARTS)
        return without_moment(onlooker.wait_until_live())


@pytest.mark.parametrize("touches", TOUCHES)
def test_storm_ends_as_a_fresh_desk(builder: RepositoryBuilder, touches: int) -> None:
    """Touched files, nested folders, ignored ones, a branch switch and a garbage collection, all while it looks."""
    build_large_work(builder)
    builder.step("checkout", "-q", "-b", "other").step("rm", "-rq", "src/part01")
    builder.write("handoffs/H-8/H-8_RESULTS.md", build_results(8)).commit().step("checkout", "-q", "main")
    with looking(builder.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", *PARTS)
        for number in range(touches):
            place = builder.place(f"src/part{number % FOLDERS:02}/file{number % FILES:05}.py")
            place.write_text(f"value = -{number}\n", encoding="utf-8")
            if number % 40 == 0:
                builder.write(f"new/{number % 7}/{number}/a/b/file.txt", f"{number}\n")
                builder.write(f"ignored/{number}/a/file.txt", f"{number}\n")
        builder.step("stash", "-q", "-u").step("checkout", "-q", "other").step("gc", "-q")
        builder.write("handoffs/H-1/H-1_RESULTS.md", build_results(1, tests=9))
        builder.place("src/part02/file00002.py").unlink()
        state = finish(builder, onlooker)
    compare(state, read_fresh(builder.folder))


@pytest.mark.parametrize("saves", SAVES)
def test_single_saves_end_as_a_fresh_desk(builder: RepositoryBuilder, saves: int) -> None:
    """One by one, each told before the next: edited, put back, deleted, created, ignored, made executable."""
    build_large_work(builder)
    dice = random.Random(6)  # noqa: S311 - the same story every time
    with looking(builder.folder) as onlooker:
        onlooker.wait_until_live()
        onlooker.choose("H-1", *PARTS)
        for number in range(saves):
            seen = onlooker.state.generation
            act(builder, dice, number)
            onlooker.wait_for(lambda state, seen=seen: state.generation > seen)  # type: ignore[misc]
        state = finish(builder, onlooker)
    compare(state, read_fresh(builder.folder))


def act(builder: RepositoryBuilder, dice: random.Random, number: int) -> None:
    """Something that a person or an agent would do to one file."""
    path = f"src/part{dice.randrange(3):02}/file{dice.randrange(6):05}.py"
    match dice.randrange(6):
        case 0:
            builder.write(path, f"value = {number}.5\n")
        case 1:
            builder.write("src/part.py", f"value = {number}\n")
        case 2:
            save_atomically(builder.place("src/part.py"), "value = 1\n" if number % 2 else f"value = {number}\n")
        case 3:
            builder.write("handoffs/H-1/H-1_RESULTS.md", build_results(1, tests=number + 4))
        case 4:
            builder.write(f"notes-{number}.txt", "a note\n")
        case 5:
            place = builder.place("src/other.py")
            place.unlink() if place.exists() else builder.write("src/other.py", f"value = {number}\n")
