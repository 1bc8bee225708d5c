"""The opened log of a repository: pin, witness, cache, drift."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from handoff_tui.core.errors import LogBrokenError
from handoff_tui.git.repository import open_repository
from handoff_tui.log.entry import LogVerdict
from handoff_tui.log.journal import Appended
from handoff_tui.log.open_log import PIN_VARIABLE, OpenLog, find_pin, open_log
from tests.support.fingerprint import read_fingerprint
from tests.support.journals import build_decision
from tests.support.log_keys import build_example_key
from tests.support.real_log import RealLog
from tests.support.repositories import RepositoryBuilder

OTHER = "sha256:" + "6" * 64


@pytest.fixture
def log(builder: RepositoryBuilder) -> RealLog:
    """A log with a policy and a decision."""
    real = RealLog(builder)
    real.begin()
    real.decide()
    return real


def open_it(log: RealLog, *, pin: str | None = None, remembered: bool = True) -> OpenLog:
    return open_log(open_repository(log.folder), pin=pin, remembered=remembered)


def append(opened: OpenLog) -> Appended:
    return opened.journal.append(lambda parents: build_decision(parents, "H-2"), build_example_key("alice"))


def list_codes(verdict: LogVerdict) -> list[str]:
    return [problem.code for problem in verdict.problems]


def test_looking_writes_nothing_to_the_repository(log: RealLog) -> None:
    """Verifying, with its cache, leaves the repository as it was, git's folder included."""
    before = read_fingerprint(log.folder)
    assert list_codes(open_it(log).verify()) == []
    assert read_fingerprint(log.folder) == before


@pytest.mark.parametrize("remembered", [True, False])
def test_entry_changed_in_place_is_noticed(log: RealLog, *, remembered: bool) -> None:
    """Also by the user who has verified it before, with the cache and without."""
    open_it(log).verify()
    log.place(log.heads()[0]).write_bytes(b"changed in place")
    assert "unsuitable-file" in list_codes(open_it(log, remembered=remembered).verify())


def test_witness_is_recorded_when_asked_and_only_when_sound(log: RealLog) -> None:
    """Once somebody vouched for it, `remember` notes the heads of a clean log; a broken one is not noted."""
    opened = open_it(log)
    opened.remember(opened.verify())
    assert opened.memory.load().genesis is None
    opened.consent(opened.verify())
    opened.remember(opened.verify())
    seen = opened.memory.load()
    assert (seen.genesis, seen.entries) == (log.genesis, frozenset(log.heads()))
    broken = open_it(log, pin=OTHER)
    broken.remember(broken.verify())
    assert opened.memory.load() == seen


def test_witness_pins_the_first_entry(log: RealLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clone that has seen the log begin knows how it must begin."""
    opened = open_it(log)
    assert opened.verify().anchor == "none"
    opened.consent(opened.verify())
    assert opened.verify().anchor == "user"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    assert open_it(log).verify().anchor == "none"  # anybody who can write here could have made it seem seen
    for entry in log.entries:
        log.place(entry).unlink()
    assert set(list_codes(open_it(log).verify())) == {"genesis-missing", "rollback"}


def test_pin_comes_from_the_environment_or_the_users_own_configuration(
    log: RealLog, isolated_user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The repository's own configuration pins nothing: an agent can write it."""
    repository = open_repository(log.folder)
    log.builder.config("handoff-tui.repository.pin", OTHER)
    assert find_pin(repository) is None
    name = f'[handoff-tui "repository"]\n\tpin = {log.genesis}\n'
    (isolated_user / "gitconfig").write_text(name, encoding="utf-8")
    assert find_pin(open_repository(log.folder)) == log.genesis
    assert open_it(log).verify().anchor == "configuration"
    monkeypatch.setenv(PIN_VARIABLE, OTHER)
    assert find_pin(repository) == OTHER
    assert open_it(log).verify().anchor == "environment"
    assert "genesis-missing" in list_codes(open_it(log).verify())
    assert open_it(log, pin=log.genesis).verify().anchor == "option"
    assert list_codes(open_it(log, pin=log.genesis).verify()) == []


def test_pin_that_is_no_id_closes_every_gate(log: RealLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistyped pin is never no pin."""
    monkeypatch.setenv(PIN_VARIABLE, "sha256:oops")
    assert open_it(log).verify().fatal


@pytest.mark.parametrize("damage", ["garbage", "link", "pipe"])
def test_damaged_witness_is_fatal_and_takes_no_entry(log: RealLog, tmp_path: Path, damage: str) -> None:
    """Nothing is judged sound and nothing is added while it cannot be told what was there before."""
    opened = open_it(log)
    opened.consent(opened.verify())
    place = log.folder / ".git/handoff-tui/witness.json"
    content = place.read_bytes()
    place.unlink()
    if damage == "garbage":
        place.write_bytes(content[:-3])
    elif damage == "link":
        (tmp_path / "away").write_bytes(content)
        place.symlink_to(tmp_path / "away")
    else:
        os.mkfifo(place)
    again = open_it(log)
    assert list_codes(again.verify()) == ["witness-damaged"]
    with pytest.raises(LogBrokenError, match="not intact"):
        append(again)
    assert len(list((log.folder / ".handoff-tui/log").rglob("*.jsonl"))) == 2


def test_appended_entry_is_witnessed(log: RealLog) -> None:
    """The person who adds an entry will miss it."""
    opened = open_it(log)
    opened.consent(opened.verify())
    added = append(opened)
    assert added.entry.id in opened.memory.load().entries
    log.place(added.entry.id).unlink()
    assert list_codes(open_it(log).verify()) == ["rollback"]


def test_clock_is_asked_each_time(log: RealLog) -> None:
    """An entry from the future counts when its time has come."""
    log.decide("bob", time="2030-01-01T00:00:00Z")
    times = iter([datetime(2029, 1, 1, tzinfo=UTC), datetime(2031, 1, 1, tzinfo=UTC)])
    opened = open_log(open_repository(log.folder), now=lambda: next(times))
    assert list_codes(opened.verify()) == ["future"]
    assert list_codes(opened.verify()) == []


def test_candidates_are_those_of_the_last_verdict(log: RealLog) -> None:
    """Also what is refused can be shown; the log is found from a folder inside the repository."""
    stranger = log.decide("mallory")
    (log.folder / "inside").mkdir()
    opened = open_log(open_repository(log.folder / "inside"))
    assert list_codes(opened.verify()) == ["unknown-key"]
    assert opened.find_candidates().keys() == set(log.entries)
    assert stranger in opened.find_candidates()
