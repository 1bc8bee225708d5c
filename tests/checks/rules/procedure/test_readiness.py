"""Whether the next phase can start."""

from __future__ import annotations

import shlex

import pytest

from handoff_tui.checks.rule import NotApplicableError
from handoff_tui.checks.rules.procedure.handing_over import context_transfer_complete
from handoff_tui.checks.rules.procedure.target_ready import (
    agent_ready,
    connections_stable,
    permissions_granted,
    target_resources_present,
)
from handoff_tui.config.pipeline import Phase
from handoff_tui.config.settings.pipeline import Agent, PipelineSettings
from handoff_tui.config.settings.procedures import Procedure, Procedures, ProcedureStep
from handoff_tui.config.settings.root import Settings
from tests.support.format_states import (
    EXECUTION,
    PATH,
    SOURCE_FILE,
    TEST_FILE,
    cycle_world,
    files_world,
    note,
    procedure_world,
)
from tests.support.world import MemoryWorld, find_subjects, judge


def agents(command: str) -> Settings:
    return Settings(agents={"glazier": Agent(command=(command, "--now"))})


def test_agent_ready_names_a_program_that_is_missing() -> None:
    """With what to look for."""
    (found,) = judge(agent_ready, procedure_world(settings=agents("dip")))
    assert (found.subject, found.command) == ("kiln-3 agent glazier", "command -v -- dip")
    assert found.message.startswith("VR004: ")


@pytest.mark.parametrize("command", ["{repository}/tools/dip.sh", "tools/dip.sh", "./tools/dip.sh"])
def test_agent_ready_looks_for_a_script_in_the_repository(command: str) -> None:
    """There it must be executable."""
    world = procedure_world(settings=agents(command), files={"tools/dip.sh": "true"})
    assert len(judge(agent_ready, world)) == 1
    world.executables = frozenset({"tools/dip.sh"})
    assert judge(agent_ready, world) == []


def test_agent_ready_fails_when_a_pipeline_requires_the_agent() -> None:
    """Named by the handoff and by the configuration, but without a command."""
    phases = (Phase(name="firing"), Phase(name="glazing", agent="Glazier"))
    settings = Settings(pipelines={"procedure": PipelineSettings(phases=phases)})
    (found,) = judge(agent_ready, procedure_world(settings=settings))
    assert (found.actual, found.expected) == ("none", "a command in [agents.glazier]")


def test_agent_ready_asks_nothing_of_shipped_pipelines_without_agents() -> None:
    """The TDD pipeline names agents; who starts them by hand configures none."""
    world = cycle_world([note("RED", nextAgent="implement")])
    with pytest.raises(NotApplicableError):
        judge(agent_ready, world)
    world.overrides["agents"] = {"test": Agent(command=("pytest",))}
    assert find_subjects(agent_ready, world) == ["TDD-1 agent implement"]


def test_agent_ready_asks_for_the_agents_of_the_procedure() -> None:
    """A configured procedure that requires agents needs each of them."""
    steps = (ProcedureStep(name="wait", timeout_seconds=1),)
    required = {"AGENT_HANDOFF_STANDARD": Procedure(steps=steps, required_agents=("potter",))}
    world = procedure_world(settings=Settings(procedures=Procedures(procedures=required)))
    assert find_subjects(agent_ready, world) == ["kiln-3 agent potter"]


def test_agent_ready_starts_no_phase_that_is_for_people() -> None:
    """A phase that only a person may start needs no command."""
    phases = (Phase(name="firing"), Phase(name="glazing", agent="glazier", human_only=True))
    settings = Settings(pipelines={"procedure": PipelineSettings(phases=phases)})
    with pytest.raises(NotApplicableError):
        judge(agent_ready, procedure_world(settings=settings))


SPEC = "# H-5: Jug\n\n## 1. Mission\n\nThrow a jug.\n\n## 2. Critical Constraints\n\n1. Clay only\n"

RESULTS = "# RESULTS H-5\n\n## Status: PASS\n\n## Files Created\n\n- `jug.py`\n\n## Test Results\n\n- Total: 3 tests\n"


def test_context_transfer_complete_passes_a_whole_packet() -> None:
    """Phases, agents, metadata and the documents that it names."""
    metadata = {"prompt": "docs/glaze.md", "previous_results": ["docs/firing.md"]}
    files = {"docs/glaze.md": "Dip twice.", "docs/firing.md": "Cone 6."}
    assert judge(context_transfer_complete, procedure_world({"metadata": metadata}, files=files)) == []


@pytest.mark.parametrize(
    ("context", "subject"),
    [
        ({"metadata": {"prompt": "docs/none.md"}}, "kiln-3 prompt docs/none.md"),
        ({"metadata": {"previous_results": ["docs/empty.md"]}}, "kiln-3 previous_results docs/empty.md"),
        ({"metadata": {}}, "kiln-3 metadata"),
        ({"target_agent": None}, "kiln-3 target_agent"),
        ({"target_phase": " "}, "kiln-3 target_phase"),
    ],
)
def test_context_transfer_complete_names_what_is_missing(context: dict[str, object], subject: str) -> None:
    """A document that is not there or empty, a field without a value, a packet without content."""
    (found,) = judge(context_transfer_complete, procedure_world(context, files={"docs/empty.md": " \n"}))
    assert found.subject == subject
    assert found.message.startswith("VR005: ")
    assert (found.place and found.place.path) == PATH


def test_context_transfer_complete_needs_no_agent_between_phases() -> None:
    """A phase transition may leave open who takes over, and words may stand for metadata."""
    context: dict[str, object] = {
        "handoff_type": "phase_transition",
        "target_agent": None,
        "metadata": {},
        "description": "Blue bowls",
    }
    assert judge(context_transfer_complete, procedure_world(context)) == []


def test_context_transfer_complete_needs_a_context() -> None:
    """An execution alone tells the next agent nothing."""
    assert find_subjects(context_transfer_complete, files_world({PATH: [EXECUTION]})) == ["kiln-3 context"]


def test_context_transfer_complete_asks_for_spec_and_results() -> None:
    """A reviewer needs both, and the results of what the work builds on."""
    whole = {"handoffs/H-5/H-5_BUILDER_HANDOFF.md": SPEC, "handoffs/H-5/H-5_RESULTS.md": RESULTS}
    assert judge(context_transfer_complete, MemoryWorld(files=dict(whole))) == []
    half = {"handoffs/H-5/H-5_RESULTS.md": RESULTS}
    assert find_subjects(context_transfer_complete, MemoryWorld(files=dict(half))) == ["H-5 spec"]


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({}, "is not in this repository"),
        ({"handoffs/H-4/H-4_BUILDER_HANDOFF.md": SPEC.replace("H-5", "H-4")}, "has no results"),
    ],
)
def test_context_transfer_complete_asks_for_earlier_results(extra: dict[str, str], message: str) -> None:
    """Work that builds on H-4 needs the results of H-4."""
    registry = "# Registry\n\n| Handoff | Status | Blocked-By |\n|---|---|---|\n| H-5 | COMPLETE | H-4 |\n"
    files = {
        "handoffs/H-5/H-5_BUILDER_HANDOFF.md": SPEC,
        "handoffs/H-5/H-5_RESULTS.md": RESULTS,
        "handoffs/REGISTRY.md": registry,
        **extra,
    }
    found = judge(context_transfer_complete, MemoryWorld(files=dict(files)))
    assert [(entry.subject, message in entry.message) for entry in found] == [("H-5 H-4", True)]


def test_context_transfer_complete_asks_for_words_of_other_handoffs() -> None:
    """A note that names the next phase and says nothing else leaves the next agent alone."""
    head = "---\nphase: throw\nnext_phase: dry\nstatus: complete\n---\n\n# Handoff\n\n"
    silent = MemoryWorld(files={"HANDOFF.md": head})
    telling = MemoryWorld(files={"HANDOFF.md": f"{head}## Next steps\n\n- [ ] Dry for two days\n"})
    assert [handoff.target_phase for handoff in silent.handoffs()] == ["dry"]
    assert judge(context_transfer_complete, telling) == []
    assert [found.subject.rpartition(" ")[2] for found in judge(context_transfer_complete, silent)] == ["action"]


def test_context_transfer_complete_does_not_apply_to_definitions() -> None:
    """A procedure that is only defined hands nothing over."""
    definition = {"procedure_id": "DRY", "name": "Dry", "steps": [{"name": "wait"}], "validation_rules": []}
    with pytest.raises(NotApplicableError):
        judge(context_transfer_complete, files_world({"procedures/dry.json": definition}))


def pipeline(*names: str) -> PipelineSettings:
    return PipelineSettings(phases=tuple(Phase(name=name) for name in names))


def test_target_resources_present_passes_when_all_is_there() -> None:
    """Files, folders and packages that metadata names exist."""
    metadata = {"files": ["glaze/blue.txt"], "packages": ["PKG-BOWL"], "resources": ["glaze/", "two kilns", "water"]}
    files = {"glaze/blue.txt": "cobalt", "PKG-BOWL/manifest.json": "{}"}
    assert judge(target_resources_present, procedure_world({"metadata": metadata}, files=files)) == []


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
    (found,) = judge(target_resources_present, procedure_world({"metadata": metadata}))
    assert (found.subject, found.actual) == (f"kiln-3 {path}", actual)
    assert found.message.startswith("VR002: ")
    assert (found.place and found.place.path) == PATH


def test_target_resources_present_asks_the_pipeline_of_the_configuration() -> None:
    """A pipeline named like the format decides which phases there are."""
    known = Settings(pipelines={"procedure": pipeline("firing", "glazing")})
    unknown = Settings(pipelines={"procedure": pipeline("firing", "selling")})
    assert judge(target_resources_present, procedure_world(settings=known)) == []
    (found,) = judge(target_resources_present, procedure_world(settings=unknown))
    assert (found.subject, found.expected) == ("kiln-3 phase glazing", "one of firing, selling")


def test_target_resources_present_asks_a_pipeline_that_has_the_source_phase() -> None:
    """A pipeline of the user's own is about a handoff whose source it has; that of another format never is."""
    own = Settings(pipelines={"pottery": pipeline("firing", "selling")})
    other = Settings(pipelines={"builder": pipeline("firing", "selling"), "kitchen": pipeline("cook", "eat")})
    assert find_subjects(target_resources_present, procedure_world(settings=own)) == ["kiln-3 phase glazing"]
    assert judge(target_resources_present, procedure_world(settings=other)) == []


def test_target_resources_present_asks_for_the_agent() -> None:
    """Where agents are configured, the target must be one of them or work in a phase."""
    stranger = Settings(agents={"stoker": Agent(command=("fire",))})
    known = Settings(agents={"Glazier": Agent(command=("dip",))})
    assert find_subjects(target_resources_present, procedure_world(settings=stranger)) == ["kiln-3 agent glazier"]
    assert judge(target_resources_present, procedure_world(settings=known)) == []


def test_target_resources_present_asks_for_the_files_of_a_cycle() -> None:
    """GREEN cannot start without the test file that RED claims."""
    world = cycle_world([note("PLAN"), note("RED")])
    assert judge(target_resources_present, world) == []
    del world.files[TEST_FILE]
    del world.files[SOURCE_FILE]
    assert find_subjects(target_resources_present, world) == [f"TDD-1 {TEST_FILE}"]


REMOTES = {"origin": "../kiln.git", "far": "https://example.com/kiln.git"}


def test_connections_stable_passes_when_asked_remotes_answer() -> None:
    """One that may not be asked is left out."""
    assert judge(connections_stable, MemoryWorld(known_remotes=REMOTES, reached={"origin": True})) == []


def test_connections_stable_names_a_remote_that_does_not_answer() -> None:
    """With the command that asks it."""
    (found,) = judge(connections_stable, MemoryWorld(known_remotes=REMOTES, reached={"origin": False}))
    assert (found.subject, found.command) == ("remote origin", "git ls-remote -- origin")
    assert found.message.startswith("VR006: ")


@pytest.mark.parametrize("remotes", [{}, REMOTES])
def test_connections_stable_does_not_apply_when_nothing_was_asked(remotes: dict[str, str]) -> None:
    """No remote, or none that may be asked without consent."""
    with pytest.raises(NotApplicableError):
        judge(connections_stable, MemoryWorld(known_remotes=remotes))


REPORT = "# Kiln Report\n\n**Contract ID**: KILN-1\n**Status**: COMPLETED\n\nRun `tools/dip.sh` next.\n"


def test_permissions_granted_passes_when_all_is_open() -> None:
    """State files and outputs can be written, scripts can be run."""
    metadata = {"outputs": ["glaze/new.txt"], "scripts": ["tools/dip.sh"]}
    world = procedure_world({"metadata": metadata}, files={"tools/dip.sh": "true", "glaze/old.txt": ""})
    world.executables = frozenset({"tools/dip.sh"})
    assert judge(permissions_granted, world) == []


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
    (found,) = judge(permissions_granted, world)
    assert (found.subject, found.command) == (subject, command)
    assert found.message.startswith("VR007: ")


def test_permissions_granted_quotes_paths_in_commands() -> None:
    """A name chosen by somebody else cannot smuggle a second command into one that is copied."""
    path = "tools/a'; echo gone; '.sh"
    (found,) = judge(permissions_granted, procedure_world({"metadata": {"script": path}}, files={path: "true"}))
    assert found.command is not None
    assert shlex.split(found.command) == ["chmod", "+x", "--", path]


def test_permissions_granted_asks_for_scripts_that_a_report_names() -> None:
    """A shell script that the next agent is told to run."""
    world = MemoryWorld(files={"reports/kiln_report.md": REPORT, "tools/dip.sh": "true"})
    assert find_subjects(permissions_granted, world) == ["KILN-1 run tools/dip.sh"]


def test_permissions_granted_asks_for_the_files_of_a_cycle() -> None:
    """After RED the implementation must be writable; after PLAN both are."""
    world = cycle_world([note("PLAN"), note("RED")])
    assert judge(permissions_granted, world) == []
    world.unwritable = frozenset({SOURCE_FILE, TEST_FILE})
    assert {found.subject for found in judge(permissions_granted, world)} == {
        f"TDD-1 write {SOURCE_FILE}",
        f"TDD-1 write {TEST_FILE}",
    }


def test_permissions_granted_does_not_apply_without_files() -> None:
    """A handoff that names nothing to write or to run."""
    with pytest.raises(NotApplicableError):
        judge(permissions_granted, MemoryWorld({"reports/kiln_report.md": REPORT.replace("`tools/dip.sh`", "it")}))


def test_agent_without_a_command_is_not_judged() -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError, match="glazier"):
        judge(agent_ready, procedure_world())
