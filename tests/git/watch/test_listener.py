from __future__ import annotations

import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Literal

import pytest

from handoff_tui.core.errors import FoldersMovedError, WatchRefusedError
from handoff_tui.git.watch.events import ADDED, Event
from handoff_tui.git.watch.keeper import (
    Listener,
    Notify,
    Pace,
    build_refusal,
    is_watchable,
    open_notify,
    open_rust_notify,
)


def test_importing_the_watcher_does_not_import_watchfiles() -> None:
    """Only who really watches pays for it."""
    code = (
        "import sys, handoff_tui.git.watch.watcher; sys.exit('watchfiles' in sys.modules or 'asyncio' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_listener_tells_and_stops(tmp_path: Path) -> None:
    """What happens in the folder arrives; after the stop event the thread ends."""
    heard: queue.SimpleQueue[set[Event]] = queue.SimpleQueue()
    stop = threading.Event()
    listener = Listener(open_notify([str(tmp_path)]), Pace(), stop, heard.put, lambda _: None)
    (tmp_path / "file").touch()
    assert (ADDED, str(tmp_path / "file")) in heard.get(timeout=150)
    stop.set()
    listener.join(20)
    assert not listener.is_alive()


def test_retired_listener_tells_what_it_has_heard(tmp_path: Path) -> None:
    """Nothing is lost when another takes over."""
    heard: queue.SimpleQueue[set[Event]] = queue.SimpleQueue()
    notify = open_notify([str(tmp_path)])
    (tmp_path / "file").touch()
    listener = Listener(notify, Pace(), threading.Event(), heard.put, lambda _: None)
    listener.retire()
    assert (ADDED, str(tmp_path / "file")) in heard.get(timeout=150)
    listener.join(20)
    assert not listener.is_alive()


def test_listener_that_breaks_says_so(tmp_path: Path) -> None:
    """A name that is not UTF-8 ends a listener of watchfiles for good."""
    broken: queue.SimpleQueue[str] = queue.SimpleQueue()
    listener = Listener(open_notify([str(tmp_path)]), Pace(), threading.Event(), lambda _: None, broken.put)
    (Path(str(tmp_path)) / "\udcff").touch()
    assert "decode" in broken.get(timeout=150)
    listener.join(20)
    assert not listener.is_alive()


def test_listener_rests_when_nothing_happens_and_wakes_with_the_first_event() -> None:
    """Longer steps after five empty seconds; short ones again as soon as something is heard."""
    steps: list[int] = []
    stop = threading.Event()
    quiet: list[set[Event] | Literal["stop", "timeout"]] = ["timeout"]
    answers = [*quiet * 6, {(ADDED, "x")}, *quiet, "stop"]

    class Scripted:
        def watch(
            self, debounce_ms: int, step_ms: int, timeout_ms: int, stop_event: threading.Event | None
        ) -> set[Event] | Literal["signal", "stop", "timeout"]:
            assert (debounce_ms, timeout_ms, stop_event) == (50, 1_000, stop)
            steps.append(step_ms)
            return answers[len(steps) - 1]

        def close(self) -> None:
            """Nothing is open."""

    listener = Listener(Scripted(), Pace(), stop, lambda _: None, lambda _: None)
    listener.join(20)
    assert steps == [5, 5, 5, 5, 5, 10, 10, 5, 5]


def test_missing_folder_does_not_keep_the_others_from_being_watched(tmp_path: Path) -> None:
    """It went away between being found and being watched, as folders do; a file is no folder."""
    (tmp_path / "there").mkdir()
    (tmp_path / "file").touch()
    asked: list[list[str]] = []

    def note(folders: list[str]) -> Notify:
        asked.append(folders)
        return open_rust_notify(folders)

    open_notify([str(tmp_path / "gone"), str(tmp_path / "there"), str(tmp_path / "file")], note).close()
    assert asked == [[str(tmp_path / "there")]]


def test_folder_that_vanishes_while_it_is_taken_in_is_tried_without(tmp_path: Path) -> None:
    """The call fails for all of them; the next one leaves it out."""
    places = [tmp_path / "a", tmp_path / "b"]
    for place in places:
        place.mkdir()

    def vanish(folders: list[str]) -> Notify:
        if places[1].exists():
            places[1].rmdir()
        return open_rust_notify(folders)

    open_notify([str(place) for place in places], vanish).close()


def test_limit_is_refused_and_never_passed_over(tmp_path: Path) -> None:
    """Every error but a missing folder is told, with the words of the system."""

    def refuse(_: list[str]) -> Notify:
        raise OSError("OS file watch limit reached.")

    with pytest.raises(WatchRefusedError, match="limit reached") as raised:
        open_notify([str(tmp_path)], refuse)
    assert "max_user_watches" in raised.value.hint


def test_folders_that_vanish_again_and_again_are_refused(tmp_path: Path) -> None:
    """Trying ends."""
    tries: list[int] = []

    def vanish(_: list[str]) -> Notify:
        tries.append(1)
        raise FileNotFoundError("gone")

    with pytest.raises(FoldersMovedError, match="gone"):
        open_notify([str(tmp_path)], vanish)
    assert len(tries) == 5


@pytest.mark.parametrize(
    ("fault", "remedy"),
    [
        (RuntimeError("Too many open files (os error 24)"), "max_user_instances"),
        (OSError("No space left on device (os error 28)"), "max_user_watches"),
        (OSError("Function not implemented (os error 38)"), "network drive"),
    ],
)
def test_refusal_names_a_remedy(fault: Exception, remedy: str) -> None:
    """Each limit has its own setting."""
    assert remedy in build_refusal(fault).hint


def test_name_must_be_utf8_to_be_watched() -> None:
    """watchfiles takes no other."""
    assert is_watchable("/work/straße")
    assert not is_watchable("/work/\udcff")
