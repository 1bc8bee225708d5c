"""Defaults, schema and documentation of the settings, and the keymap."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from handoff_tui.agents.command import build_argv
from handoff_tui.config.keymap import DEFAULT_KEYMAP, find_collisions
from handoff_tui.config.load import build_settings, load_settings, read_first_file
from handoff_tui.config.pipeline import Edge, Phase
from handoff_tui.config.presets import PRESETS
from handoff_tui.config.schema import build_schema
from handoff_tui.config.settings.checks import Check, OutputForm
from handoff_tui.config.settings.pipeline import DEFAULT_PIPELINES, Agent, PipelineSettings, WorkFolder
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.errors import ConfigError
from handoff_tui.handoffs.handoff import HandoffType


def test_settings_survive_json() -> None:
    """The defaults are themselves valid, strictly, and come back equal."""
    settings = Settings()
    text = json.dumps(settings.model_dump(mode="json"))
    assert Settings.model_validate_json(text, strict=True) == settings


def test_settings_know_every_handoff_type_of_the_model() -> None:
    """The types that may be handed over are those that the model has."""
    assert set(Settings().procedures.handoff_types) == {kind.value for kind in HandoffType}


def test_pipelines_keep_deployment_for_people() -> None:
    """The hub deploys only by a person, and failed documents return to the writer."""
    phases = {phase.name: phase for phase in Settings().pipelines["hub"].build("hub").phases}
    assert [name for name, phase in phases.items() if phase.human_only] == ["DEPLOY"]
    assert phases["DOCS"].failure_target == "DOCS"


def test_pipeline_without_edges_goes_from_phase_to_phase() -> None:
    """Edges need be written only where the way is not straight."""
    pipeline = PipelineSettings(phases=(Phase(name="one"), Phase(name="two"))).build("own")
    assert [(edge.source, edge.target) for edge in pipeline.edges] == [("one", "two")]


@pytest.mark.parametrize(
    "fields",
    [
        {"phases": (Phase(name="one"), Phase(name="one"))},
        {"phases": (Phase(name="one"),), "failure_target": "two"},
        {"phases": (Phase(name="one", failure_target="two"),)},
        {"phases": (Phase(name="one"),), "edges": (Edge(source="one", target="two"),)},
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


AGENTS_PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")

VALUES = (
    *("prompt", "prompt_file", "context_file", "notes_file", "handoff", "phase", "attempt", "folder", "repository"),
    *("git_folder", "run_folder", "session"),
)


def test_examples_of_agents_load() -> None:
    """Those of the documentation and every preset load, and every field in them is filled in."""
    texts = re.findall(r"```toml\n(.*?)```", AGENTS_PAGE, re.DOTALL)
    texts += [f'agents.x.preset = "{name}"' for name in PRESETS]
    assert len(texts) > len(PRESETS)
    for agent in (agent for text in texts for agent in build_settings(None, text.encode()).settings.agents.values()):
        assert "{" not in " ".join(build_argv(agent, dict.fromkeys(VALUES, "x")))


def test_documentation_names_every_setting_of_an_agent() -> None:
    """And every file's field."""
    assert [name for name in Agent.model_fields if f"`{name}`" not in AGENTS_PAGE] == []
    assert [name for name in VALUES if f"`{{{name}}}`" not in AGENTS_PAGE] == []


def test_documentation_names_every_edge() -> None:
    """Of the two pipelines whose edges pass different things."""
    for name in ("tdd", "hub"):
        for phase in DEFAULT_PIPELINES[name].phases:
            assert phase.name in AGENTS_PAGE


def test_agent_works_in_the_repository_and_sees_little_by_default() -> None:
    """No key of anybody is passed on unless it is named."""
    agent = Agent(command=("x",))
    assert agent.folder is WorkFolder.REPOSITORY
    assert not [name for name in agent.environment if "KEY" in name or "TOKEN" in name]


@pytest.mark.parametrize("address", ["", "postgresql://ada@db.example/handoffs", "postgres:///x?host=/run/pg"])
def test_address_of_a_database_is_taken(address: str) -> None:
    """None is a file beside git's own."""
    found = build_settings(f'[engine]\naddress = "{address}"\n'.encode(), None)
    assert found.settings.engine.address == address


@pytest.mark.parametrize("address", ["postgresql://ada:secret@db/x", "postgresql://db/x?user=ada&password=secret"])
def test_address_with_a_password_is_refused(address: str) -> None:
    """Every listing of the settings would show it; the error does not."""
    with pytest.raises(ConfigError, match="holds a password") as refused:
        build_settings(f'[engine]\naddress = "{address}"\n'.encode(), None)
    assert "secret" not in refused.value.message


@pytest.mark.parametrize("address", ["mysql://db/x", "sqlite:///tmp/x", "postgresql://", "db.example"])
def test_other_addresses_are_refused(address: str) -> None:
    """Only PostgreSQL is shared by many workers."""
    with pytest.raises(ConfigError, match=r"engine\.address"):
        build_settings(f'[engine]\naddress = "{address}"\n'.encode(), None)


def test_repository_cannot_name_a_database() -> None:
    """A checkout would have every reviewer's runs sent to a server of its choice."""
    with pytest.raises(ConfigError, match="engine cannot be set by a repository"):
        build_settings(None, b'[engine]\naddress = "postgresql://evil.example/x"\n')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('steps = [{ name = "one", timeout_seconds = 1, rules = ["VR999"] }]', "VR999"),
        (
            'steps = []\nrollback = [{ name = "back", timeout_seconds = 1, undoes = ["two"] }]',
            "undoes 'two', which is not one of its steps",
        ),
    ],
)
def test_procedure_names_only_what_it_has(text: str, words: str) -> None:
    """A rule or a step that is not there is an error where it is said."""
    with pytest.raises(ConfigError, match=words):
        build_settings(None, f"[procedures.procedures.OWN]\n{text}\n".encode())


def test_schema_is_a_valid_schema_and_says_which() -> None:
    """The result is JSON Schema 2020-12."""
    schema = build_schema()
    assert next(iter(schema)) == "$schema"
    jsonschema.Draft202012Validator.check_schema(schema)


def test_schema_accepts_the_defaults() -> None:
    """The default settings satisfy their own schema."""
    jsonschema.validate(Settings().model_dump(mode="json"), build_schema())


@pytest.mark.parametrize("table", [{"limit": {}}, {"limits": {"commits": "x"}}, {"keymap": {"app.quid": "Q"}}])
def test_schema_refuses_what_loading_refuses(table: dict[str, object]) -> None:
    """Unknown keys, wrong types and unknown actions."""
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(table, build_schema())


def test_schema_describes_every_setting() -> None:
    """No setting is without a sentence."""
    schema: dict[str, Any] = build_schema()
    parts = {"": schema, **schema["$defs"]}
    silent = [
        f"{name}.{field}"
        for name, part in parts.items()
        for field, definition in part.get("properties", {}).items()
        if not definition.get("description")
    ]
    assert silent == []


CONFIGURATION_PAGE = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")


def test_examples_of_configuration_load() -> None:
    """The example of a repository's file and that of a user's file are right, alone and together."""
    repository, user = re.findall(r"```toml\n(.*?)```", CONFIGURATION_PAGE, re.DOTALL)
    loaded = build_settings(user.encode(), repository.encode())
    assert loaded.settings.theme == "high-contrast"
    assert [phase.name for phase in loaded.settings.pipelines["release"].phases] == ["write", "publish"]


def test_documentation_names_every_section() -> None:
    """No section of the settings is missing in the table."""
    table = CONFIGURATION_PAGE[CONFIGURATION_PAGE.index("## Sections") :]
    assert [name for name in Settings.model_fields if f"`{name}" not in table] == []


def test_first_file_says_nothing_yet(tmp_path: Path) -> None:
    """All of it is comments, so every default counts."""
    (tmp_path / "handoff-tui.toml").write_text(read_first_file())
    assert tomllib.loads(read_first_file()) == {}
    assert load_settings(tmp_path).settings == Settings()


def test_examples_of_the_first_file_are_settings(tmp_path: Path) -> None:
    """Who takes the # away in front of a line has a file that is accepted."""
    lines = [line.removeprefix("#") for line in read_first_file().split("\n") if not line.startswith("# ")]
    (tmp_path / "handoff-tui.toml").write_text("\n".join(lines))
    settings = load_settings(tmp_path).settings
    assert settings.checks["regression"].severity == "critical"
    assert [phase.name for phase in settings.pipelines["release"].phases] == ["write", "publish"]


def test_collisions_are_found_with_keys_that_work_everywhere() -> None:
    """A view's key cannot hide one that every view has."""
    assert find_collisions({"decide.approve": "a", "app.follow": "a"}) == (
        "the key a is given to both decide.approve and app.follow",
    )


def test_key_means_one_thing_in_every_view() -> None:
    """Only a dialog has keys of its own; the keys that come with the app don't collide."""
    assert find_collisions({"changes.wrap": "s", "agent.start": "s"}) != ()
    assert find_collisions(DEFAULT_KEYMAP) == ()
    assert find_collisions({"app.back": "escape", "decision.cancel": "escape"}) == ()


@pytest.mark.parametrize(
    ("keymap", "message"),
    [
        ({"nav.dwn": "d"}, "did you mean nav.down"),
        ({"nav.down": "ctrl+nothing"}, "is not a key"),
        ({"nav.down": "j,,k"}, "is not a key"),
        ({"nav.down": "é"}, "is not a key"),
        ({"decision.confirm": "y"}, "a decision needs"),
        ({"decision.confirm": "enter"}, "a decision needs"),
        ({"decision.confirm": "ctrl+m"}, "a decision needs"),
        ({"decision.confirm": "ctrl+j"}, "a decision needs"),
        ({"decision.confirm": "ctrl+s,space"}, "a decision needs"),
        ({"decide.approve": "x", "decide.reject": "x"}, "given to both"),
        ({"view.inbox": "i"}, "digits choose the tabs you see"),
        ({"inbox.sort": "i"}, "sorted by what you can do"),
        ({"diff.comment": "i", "document.comment": "k"}, "keep one of them"),
    ],
)
def test_keymap_refuses(keymap: dict[str, str], message: str) -> None:
    """Unknown actions, odd keys, collisions, and a decision by a key that is pressed by accident."""
    with pytest.raises(ValidationError, match=message):
        Settings.model_validate({"keymap": keymap})


def test_keymap_of_an_earlier_version_is_taken_over() -> None:
    """Under the name that the action has now; two actions that became one may share their key."""
    old = {"diff.comment": "i", "document.comment": "i", "checks.bisect": "alt+b", "app.quit": "Q"}
    assert Settings.model_validate({"keymap": old}).keymap == {
        "review.comment": "i",
        "review.bisect": "alt+b",
        "app.quit": "Q",
    }


@pytest.mark.parametrize("keys", ["", "f10", "ctrl+y"])
def test_keymap_accepts_deliberate_keys_to_confirm(keys: str) -> None:
    """The confirming key may be changed or taken away."""
    assert Settings(keymap={"decision.confirm": keys}).keymap == {"decision.confirm": keys}
