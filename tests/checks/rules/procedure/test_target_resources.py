from __future__ import annotations

import shlex

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.procedure.target_resources import (
    CONNECTIONS_STABLE,
    PERMISSIONS_GRANTED,
    TARGET_RESOURCES_PRESENT,
)
from handoff_tui.config.settings.pipeline import Agent, PhaseSettings, PipelineSettings
from handoff_tui.config.settings.root import Settings
from tests.support.cycles import SOURCE_FILE, TEST_FILE, cycle_world, note
from tests.support.procedures import PATH, procedure_world
from tests.support.world import MemoryWorld, find_subjects, judge


def pipeline(*names: str) -> PipelineSettings:
    return PipelineSettings(phases=tuple(PhaseSettings(name=name) for name in names))


def test_target_resources_present_passes_when_all_is_there() -> None:
    """Files, folders and packages that metadata names exist."""
    metadata = {"files": ["glaze/blue.txt"], "packages": ["PKG-BOWL"], "resources": ["glaze/", "two kilns", "water"]}
    files = {"glaze/blue.txt": "cobalt", "PKG-BOWL/manifest.json": "{}"}
    assert judge(TARGET_RESOURCES_PRESENT, procedure_world({"metadata": metadata}, files=files)) == []


@pytest.mark.parametrize(
    ("metadata", "path", "actual"),
    [
        ({"files": ["glaze/red.txt"]}, "glaze/red.txt", "missing"),
        ({"deep": {"files": [{"path": "glaze/red.txt", "size": 3}]}}, "glaze/red.txt", "missing"),
        ({"resources": {"recipe": "glaze/red.txt", "cups": "12"}}, "glaze/red.txt", "missing"),
        ({"workspace": "/srv/kiln"}, "/srv/kiln", "outside"),
        ({"folder": "shards"}, "shards", "missing"),
    ],
)
def test_target_resources_present_names_what_is_missing(metadata: dict[str, object], path: str, actual: str) -> None:
    """Each path once, at the context that names it."""
    (found,) = judge(TARGET_RESOURCES_PRESENT, procedure_world({"metadata": metadata}))
    assert (found.subject, found.actual) == (f"kiln-3 {path}", actual)
    assert found.message.startswith("VR002: ")
    assert found.place is not None
    assert found.place.path == PATH


def test_target_resources_present_asks_the_pipeline_of_the_configuration() -> None:
    """A pipeline named like the dialect decides which phases there are."""
    known = Settings(pipelines={"procedure": pipeline("firing", "glazing")})
    unknown = Settings(pipelines={"procedure": pipeline("firing", "selling")})
    assert judge(TARGET_RESOURCES_PRESENT, procedure_world(settings=known)) == []
    (found,) = judge(TARGET_RESOURCES_PRESENT, procedure_world(settings=unknown))
    assert (found.subject, found.expected) == ("kiln-3 phase glazing", "one of firing, selling")


def test_target_resources_present_asks_a_pipeline_that_has_the_source_phase() -> None:
    """A pipeline of the user's own speaks of a handoff whose source it has; that of another dialect never does."""
    own = Settings(pipelines={"pottery": pipeline("firing", "selling")})
    other = Settings(pipelines={"builder": pipeline("firing", "selling"), "kitchen": pipeline("cook", "eat")})
    assert find_subjects(TARGET_RESOURCES_PRESENT, procedure_world(settings=own)) == ["kiln-3 phase glazing"]
    assert judge(TARGET_RESOURCES_PRESENT, procedure_world(settings=other)) == []


def test_target_resources_present_asks_for_the_agent() -> None:
    """Where agents are configured, the target must be one of them or work in a phase."""
    stranger = Settings(agents={"stoker": Agent(command=("fire",))})
    known = Settings(agents={"Glazier": Agent(command=("dip",))})
    assert find_subjects(TARGET_RESOURCES_PRESENT, procedure_world(settings=stranger)) == ["kiln-3 agent glazier"]
    assert judge(TARGET_RESOURCES_PRESENT, procedure_world(settings=known)) == []


def test_target_resources_present_asks_for_the_files_of_a_cycle() -> None:
    """GREEN cannot start without the test file that RED claims."""
    world = cycle_world([note("PLAN"), note("RED")])
    assert judge(TARGET_RESOURCES_PRESENT, world) == []
    del world.files[TEST_FILE]
    del world.files[SOURCE_FILE]
    assert find_subjects(TARGET_RESOURCES_PRESENT, world) == [f"TDD-1 {TEST_FILE}"]


def test_target_resources_present_knows_no_unknown_phase_of_a_cycle() -> None:
    """BLUE is no phase of the TDD pipeline."""
    found = judge(TARGET_RESOURCES_PRESENT, cycle_world([note("RED", nextPhase="BLUE")]))
    assert [entry.subject for entry in found] == ["TDD-1 phase BLUE"]


def test_target_resources_present_needs_a_handoff() -> None:
    """Nothing handed over, nothing to judge."""
    with pytest.raises(NotApplicableError):
        judge(TARGET_RESOURCES_PRESENT, MemoryWorld())


REMOTES = {"origin": "../kiln.git", "far": "https://example.com/kiln.git"}


def test_connections_stable_passes_when_asked_remotes_answer() -> None:
    """One that may not be asked is left out."""
    assert judge(CONNECTIONS_STABLE, MemoryWorld(known_remotes=REMOTES, reached={"origin": True})) == []


def test_connections_stable_names_a_remote_that_does_not_answer() -> None:
    """With the command that asks it."""
    (found,) = judge(CONNECTIONS_STABLE, MemoryWorld(known_remotes=REMOTES, reached={"origin": False}))
    assert (found.subject, found.command) == ("remote origin", "git ls-remote -- origin")
    assert found.message.startswith("VR006: ")


@pytest.mark.parametrize("remotes", [{}, REMOTES])
def test_connections_stable_does_not_apply_when_nothing_was_asked(remotes: dict[str, str]) -> None:
    """No remote, or none that may be asked without consent."""
    with pytest.raises(NotApplicableError):
        judge(CONNECTIONS_STABLE, MemoryWorld(known_remotes=remotes))


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
    assert find_subjects(PERMISSIONS_GRANTED, world) == ["KILN-1 run tools/dip.sh"]


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
