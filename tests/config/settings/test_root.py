from __future__ import annotations

import json
import re

import pytest
from pydantic import ValidationError

from handoff_tui.config.settings.checks import Check, OutputForm
from handoff_tui.config.settings.pipeline import Agent, EdgeSettings, PhaseSettings, PipelineSettings
from handoff_tui.config.settings.procedures import Procedure, Procedures, ProcedureStep
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.severity import Severity
from handoff_tui.handoffs.handoff import HandoffType

DIALECTS = ("mosaic", "builder", "procedure", "tdd", "hub", "gsd", "notes")


def test_settings_survive_json() -> None:
    """The defaults are themselves valid, strictly, and come back equal."""
    settings = Settings()
    text = json.dumps(settings.model_dump(mode="json"))
    assert Settings.model_validate_json(text, strict=True) == settings


def test_settings_have_the_thresholds_of_session_enforcement() -> None:
    """System A: the numbers of its own text."""
    mosaic = Settings().mosaic
    assert mosaic.handoff_message_minimum == 50
    assert mosaic.briefing_max_age_hours == 24
    assert mosaic.health.enabled is False
    targets = mosaic.targets
    assert (targets.failure_rate_maximum, targets.compliance_minimum) == (0.05, 1.0)
    assert (targets.resume_minutes_maximum, targets.rediscovery_maximum) == (5, 0)


def test_settings_have_the_thresholds_of_the_builder_standard() -> None:
    """System B: ten spec sections, tests by size, thirteen questions without a gap."""
    builder = Settings().builder
    assert len(builder.spec_sections) == 10
    assert [(size.source_files_maximum, size.tests_minimum) for size in builder.size_classes] == [
        (2, 10),
        (5, 25),
        (None, 40),
    ]
    numbers = [number for group in builder.questions.groups for number in range(group.first, group.last + 1)]
    assert numbers == list(range(1, builder.questions.count + 1))
    assert set(builder.checklist_sections) <= set(builder.results_sections)
    assert re.fullmatch(builder.hash_pattern, "sha256:" + "0" * 64)


@pytest.mark.parametrize(
    ("procedure", "seconds"), [("PHASE_TRANSITION_STANDARD", 165), ("AGENT_HANDOFF_STANDARD", 110)]
)
def test_settings_have_the_standard_procedures(procedure: str, seconds: int) -> None:
    """System C: four steps each, and the time they take in all."""
    steps = Settings().procedures.procedures[procedure].steps
    assert len(steps) == 4
    assert sum(step.timeout_seconds for step in steps) == seconds


def test_settings_have_eight_rules_of_which_four_are_critical() -> None:
    """System C: VR001 to VR008 with their severities."""
    rules = Settings().procedures.rules
    assert list(rules) == [f"VR00{number}" for number in range(1, 9)]
    critical = [name for name, rule in rules.items() if rule.severity is Severity.CRITICAL]
    assert critical == ["VR001", "VR002", "VR004", "VR005"]


def test_settings_have_six_reliability_profiles() -> None:
    """System C: iterations, limits, and the two odd ones."""
    profiles = Settings().procedures.profiles
    assert [profile.iterations for profile in profiles.values()] == [100, 50, 25, 75, 30, 200]
    assert profiles["STRESS_STANDARD"].stress_factor == 2.0
    assert profiles["FAILURE_INJECTION_STANDARD"].failure_rate == 0.1
    assert profiles["CONCURRENCY_STANDARD"].concurrent_maximum == Settings().procedures.concurrent_maximum == 50


def test_settings_know_every_handoff_type_of_the_model() -> None:
    """The types that may be handed over are those that the model has."""
    assert set(Settings().procedures.handoff_types) == {kind.value for kind in HandoffType}


def test_settings_have_the_thresholds_of_tdd() -> None:
    """System D: three retries with growing waits, one prefix list per working phase."""
    tdd = Settings().tdd
    assert tdd.notes_ref == "refs/notes/tdd-handoffs"
    assert (tdd.retry_budget, tdd.backoff_seconds) == (3, (1, 2, 4))
    assert [*tdd.commit_prefixes, "COMPLETE"] == list(tdd.phases)


def test_settings_have_the_rules_of_the_hub() -> None:
    """System E: priorities by severity, and failed documents stay with the writer."""
    hub = Settings().hub
    assert list(hub.task_priorities.values()) == [10, 10, 7, 5]
    assert hub.run_failure_targets["docs_failed"] == "docs"
    assert hub.run_failure_targets["qa_failed"] == "dev"
    assert len(hub.roles) == 7


@pytest.mark.parametrize(
    ("output", "suspicious"),
    [
        ("error: HTTP 500 from the model", True),
        ("HTTP/1.1 503 Service Unavailable", True),
        ("Traceback (most recent call last):", True),
        ("status: 502", True),
        ("500 tests passed", False),
        ("all good, 12 files written", False),
    ],
)
def test_hub_patterns_find_suspicious_output(*, output: str, suspicious: bool) -> None:
    """A failed request in raw output is found; a number is not taken for one."""
    assert any(re.search(pattern, output) for pattern in Settings().hub.suspicious_output) is suspicious


@pytest.mark.parametrize("dialect", DIALECTS)
def test_pipelines_exist_for_each_dialect(dialect: str) -> None:
    """Each dialect has a pipeline whose edges join its own phases."""
    pipeline = Settings().pipelines[dialect].build(dialect)
    names = {phase.name for phase in pipeline.phases}
    assert pipeline.name == dialect
    assert pipeline.edges
    assert {end for edge in pipeline.edges for end in (edge.source, edge.target)} <= names


def test_pipelines_keep_deployment_for_people() -> None:
    """The hub deploys only by a person, and failed documents return to the writer."""
    phases = {phase.name: phase for phase in Settings().pipelines["hub"].build("hub").phases}
    assert [name for name, phase in phases.items() if phase.human_only] == ["DEPLOY"]
    assert phases["DOCS"].failure_target == "DOCS"


def test_pipeline_without_edges_goes_from_phase_to_phase() -> None:
    """Edges need be written only where the way is not straight."""
    pipeline = PipelineSettings(phases=(PhaseSettings(name="one"), PhaseSettings(name="two"))).build("own")
    assert [(edge.source, edge.target) for edge in pipeline.edges] == [("one", "two")]


@pytest.mark.parametrize(
    "fields",
    [
        {"phases": (PhaseSettings(name="one"), PhaseSettings(name="one"))},
        {"phases": (PhaseSettings(name="one"),), "failure_target": "two"},
        {"phases": (PhaseSettings(name="one", failure_target="two"),)},
        {"phases": (PhaseSettings(name="one"),), "edges": (EdgeSettings(source="one", target="two"),)},
    ],
)
def test_pipeline_refuses_phases_it_does_not_have(fields: dict[str, object]) -> None:
    """No phase twice, no edge and no failure to nowhere."""
    with pytest.raises(ValidationError):
        PipelineSettings.model_validate(fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"run": ("tool",), "python": "module:function"},
        {"run": ("tool", "argument"), "shell": True},
        {"shell": True},
        {"parse": OutputForm.JUNIT},
        {"python": "no function"},
    ],
)
def test_check_refuses_contradictions(fields: dict[str, object]) -> None:
    """A check is a command or a function; output is read only where there is a command."""
    with pytest.raises(ValidationError):
        Check.model_validate(fields)


def test_check_of_each_kind_is_accepted() -> None:
    """Built-in, command, shell line, function with parameters."""
    assert Check(enabled=False).run == ()
    assert Check(python="module:function", parameters={"minimum": 50}).run == ()
    assert Check(run=("tool",), parse=OutputForm.TAP).shell is False
    assert Check.model_validate({"run": ("a | b",), "shell": True}).shell
    assert Check(python="package.module:function").python == "package.module:function"


def test_agent_needs_a_command() -> None:
    """An agent without a program is refused."""
    with pytest.raises(ValidationError):
        Agent(command=())


def test_procedures_refuse_an_unknown_rule() -> None:
    """A procedure cannot be judged by a rule that does not exist."""
    step = ProcedureStep(name="move", timeout_seconds=1)
    with pytest.raises(ValidationError, match="VR999"):
        Procedures(procedures={"OWN": Procedure(steps=(step,), rules=("VR999",))})
