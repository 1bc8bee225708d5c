from __future__ import annotations

import re
from pathlib import Path

from handoff_tui.agents.command import build_argv
from handoff_tui.config.load import build_settings
from handoff_tui.config.settings.pipeline import DEFAULT_PIPELINES, Agent, WorkFolder

PAGE = (Path(__file__).parents[3] / "docs" / "agents.md").read_text(encoding="utf-8")
VALUES = ("prompt", "prompt_file", "context_file", "notes_file", "handoff", "phase", "attempt", "folder", "repository")


def test_examples_of_the_documentation_load() -> None:
    """For each of the programs, and every field in them is filled in."""
    [text] = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    agents = build_settings(None, text.encode()).settings.agents
    assert {agent.command[0] for agent in agents.values()} == {"claude", "codex", "goose", "aider", "opencode", "sh"}
    for agent in agents.values():
        assert "{" not in " ".join(build_argv(agent, dict.fromkeys(VALUES, "x")))


def test_documentation_names_every_setting_of_an_agent() -> None:
    """And every file's field."""
    assert [name for name in Agent.model_fields if f"`{name}`" not in PAGE] == []
    assert [name for name in VALUES if f"`{{{name}}}`" not in PAGE] == []


def test_documentation_names_every_edge() -> None:
    """Of the two pipelines whose edges pass different things."""
    for name in ("tdd", "hub"):
        for phase in DEFAULT_PIPELINES[name].phases:
            assert phase.name in PAGE


def test_agent_works_in_the_repository_and_sees_little_by_default() -> None:
    """No key of anybody is passed on unless it is named."""
    agent = Agent(command=("x",))
    assert agent.folder is WorkFolder.REPOSITORY
    assert not [name for name in agent.environment if "KEY" in name or "TOKEN" in name]
