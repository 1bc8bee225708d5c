"""JSON shapes of the agents' verbs, and the schema of what an agent is told: a promise. `make golden` writes them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from handoff_tui.agents.consent import ConfiguredPhase, PhaseAgent
from handoff_tui.agents.rollback.report import build_preview_json, build_rollback_json
from handoff_tui.agents.runs.run import RunStatus
from handoff_tui.agents.step.context import build_context_json, build_context_schema
from handoff_tui.agents.step.page import StepOverview, build_step_json, build_step_list_json, build_unlock_json
from handoff_tui.config.settings.pipeline import Agent
from tests.support.golden import compare_golden
from tests.support.step_reports import FULL, PREVIEW, RECORD, build_lock, build_report, build_view

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
AGENT = PhaseAgent("qa", Agent(command=("claude", "-p", "{prompt_file}")), from_repository=False)
AGENTS = [ConfiguredPhase("hub", "QA", AGENT)]

SHAPES = {
    HERE / "step.json": build_step_json(build_report()),
    HERE / "step-list.json": build_step_list_json(
        StepOverview((build_view(), build_view(RunStatus.FINISHED, build_report())), (build_lock(),), AGENTS)
    ),
    HERE / "rollback-preview.json": build_preview_json(PREVIEW),
    HERE / "rollback.json": build_rollback_json((RECORD,)),
    HERE / "unlock.json": build_unlock_json((), build_lock(stale=True)),
    HERE / "context.json": build_context_json(FULL),
    DOCS / "context.schema.json": build_context_schema(),
}


@pytest.mark.parametrize("place", SHAPES, ids=lambda place: str(place.name))
def test_shape_is_as_promised(place: Path) -> None:
    """Field for field."""
    compare_golden(place, json.dumps(SHAPES[place], indent=2) + "\n")


def test_context_is_valid_by_its_published_schema() -> None:
    """And a context that lacks something is not, so this test can fail."""
    schema = json.loads((DOCS / "context.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    value = build_context_json(FULL)
    validator.validate(value)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({name: part for name, part in value.items() if name != "route"})
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({**value, "schema": "other"})
