"""`doctor` as a process: its codes and shapes, and that it leaves a hostile repository asleep."""

from __future__ import annotations

import pytest

from tests.support.command_line import say
from tests.support.fingerprint import compare_fingerprints, read_fingerprint
from tests.support.hostile import HostileRepository
from tests.support.repositories import RepositoryBuilder


@pytest.mark.parametrize("more", [(), ("--json",), ("--all",)])
def test_doctor_runs_nothing_and_writes_nothing(hostile_repository: HostileRepository, more: tuple[str, ...]) -> None:
    """Everything planted stays asleep, every byte and time stamp stays."""
    before = read_fingerprint(hostile_repository.folder)
    said = say("doctor", *more, "--repo", hostile_repository.folder)
    assert (said.code, said.stderr) == (1, "")
    assert hostile_repository.list_fired() == []
    assert compare_fingerprints(before, read_fingerprint(hostile_repository.folder)) == []


def test_doctor_prints_the_promised_shape(builder: RepositoryBuilder) -> None:
    """One object; each diagnosis has a standing, evidence and commands."""
    said = say("doctor", "--json", folder=builder.folder)
    assert said.code == 1
    assert (said.json["schema"], said.json["verdict"]) == ("handoff-tui/doctor/v1", "not-wired")
    assert said.json["repo"] == str(builder.folder)
    for diagnosis in said.json["diagnoses"]:
        assert diagnosis["standing"] in {"ok", "weak", "missing", "cannot tell"}
        assert {"id", "message", "evidence", "commands"} <= diagnosis.keys()


def test_doctor_shows_hooks_that_were_installed(builder: RepositoryBuilder) -> None:
    """Install, look, uninstall, look: the lines follow."""

    def standings() -> list[str]:
        told = say("doctor", "--json", folder=builder.folder).json["diagnoses"]
        return [diagnosis["standing"] for diagnosis in told if diagnosis["id"] in {"hook-pre-commit", "hook-pre-push"}]

    assert say("hooks", "install", "--pre-push", folder=builder.folder).code == 0
    assert standings() == ["missing", "ok"]
    assert say("hooks", "install", folder=builder.folder).code == 0
    assert standings() == ["ok", "ok"]
    assert say("hooks", "uninstall", folder=builder.folder).code == 0
    assert standings() == ["missing", "missing"]


def test_doctor_makes_hostile_names_safe(builder: RepositoryBuilder) -> None:
    """An escape sequence in a setting of the repository cannot repaint a line."""
    with builder.place(".git/config").open("a") as file:
        file.write('[core]\n\thooksPath = "\x1b[2K\x1b[32mok"\n')
    said = say("doctor", folder=builder.folder)
    assert said.code == 1
    assert "\x1b" not in said.stdout
