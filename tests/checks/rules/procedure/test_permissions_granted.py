from __future__ import annotations

import shlex

import pytest

from handoff_tui.checks.contract import NotApplicableError
from handoff_tui.checks.rules.procedure.target_resources import PERMISSIONS_GRANTED
from tests.support.cycles import SOURCE_FILE, TEST_FILE, cycle_world, note
from tests.support.procedures import PATH, procedure_world
from tests.support.world import MemoryWorld, judge

REPORT = "# Kiln Report\n\n**Contract ID**: KILN-1\n**Status**: COMPLETED\n\nRun `tools/dip.sh` next.\n"


def test_permissions_granted_passes_when_all_is_open() -> None:
    """State files and outputs can be written, scripts can be run."""
    metadata = {"outputs": ["glaze/new.txt"], "scripts": ["tools/dip.sh"]}
    world = procedure_world({"metadata": metadata}, files={"tools/dip.sh": "true", "glaze/old.txt": ""})
    world.executables = frozenset({"tools/dip.sh"})
    assert judge(PERMISSIONS_GRANTED, world) == []


@pytest.mark.parametrize(
    ("closed", "subject", "command"),
    [
        (PATH, f"kiln-3 write {PATH}", f"chmod u+w -- {PATH}"),
        ("glaze", "kiln-3 write glaze/deep/new.txt", "chmod u+w -- glaze"),
    ],
)
def test_permissions_granted_names_what_is_closed(closed: str, subject: str, command: str) -> None:
    """A file, or the folder in which it must be made."""
    world = procedure_world({"metadata": {"outputs": "glaze/deep/new.txt"}}, files={"glaze/old.txt": ""})
    world.unwritable = frozenset({closed})
    (found,) = judge(PERMISSIONS_GRANTED, world)
    assert (found.subject, found.command) == (subject, command)
    assert found.message.startswith("VR007: ")


@pytest.mark.parametrize(("files", "actual"), [({"tools/dip.sh": "true"}, "not executable"), ({}, "missing")])
def test_permissions_granted_names_a_script_that_cannot_run(files: dict[str, str], actual: str) -> None:
    """There but not executable, or not there at all."""
    (found,) = judge(PERMISSIONS_GRANTED, procedure_world({"metadata": {"script": "tools/dip.sh"}}, files=files))
    assert (found.subject, found.actual) == ("kiln-3 run tools/dip.sh", actual)


def test_permissions_granted_quotes_paths_in_commands() -> None:
    """A name chosen by somebody else cannot smuggle a second command into one that is copied."""
    path = "tools/a'; echo gone; '.sh"
    (found,) = judge(PERMISSIONS_GRANTED, procedure_world({"metadata": {"script": path}}, files={path: "true"}))
    assert found.command is not None
    assert shlex.split(found.command) == ["chmod", "+x", "--", path]


def test_permissions_granted_asks_for_scripts_that_a_report_names() -> None:
    """A shell script that the next agent is told to run."""
    world = MemoryWorld(files={"reports/kiln_report.md": REPORT, "tools/dip.sh": "true"})
    assert [found.subject for found in judge(PERMISSIONS_GRANTED, world)] == ["KILN-1 run tools/dip.sh"]


def test_permissions_granted_asks_for_the_files_of_a_cycle() -> None:
    """After RED the implementation must be writable; after PLAN both are."""
    world = cycle_world([note("PLAN"), note("RED")])
    assert judge(PERMISSIONS_GRANTED, world) == []
    world.unwritable = frozenset({SOURCE_FILE, TEST_FILE})
    assert {found.subject for found in judge(PERMISSIONS_GRANTED, world)} == {
        f"TDD-1 write {SOURCE_FILE}",
        f"TDD-1 write {TEST_FILE}",
    }


def test_permissions_granted_does_not_apply_without_files() -> None:
    """No handoff, or one that names nothing to write or to run."""
    bare = MemoryWorld(files={"reports/kiln_report.md": REPORT.replace("`tools/dip.sh`", "it")})
    for world in (MemoryWorld(), bare):
        with pytest.raises(NotApplicableError):
            judge(PERMISSIONS_GRANTED, world)
