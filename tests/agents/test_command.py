from __future__ import annotations

import pytest

from handoff_tui.agents.command import build_argv, build_backoff, fill, find_agent
from handoff_tui.config.pipeline import Phase
from handoff_tui.config.settings.pipeline import Agent
from handoff_tui.core.errors import AgentRunError


def test_known_fields_are_filled_in_once() -> None:
    """Other braces stay; what is filled in is not looked through again."""
    assert fill('{"a": {x}} {phase} {other}', {"phase": "{phase}"}) == '{"a": {x}} {phase} {other}'
    assert fill("{phase}-{attempt}", {"phase": "RED", "attempt": "2"}) == "RED-2"


def test_value_is_never_more_than_one_word() -> None:
    """Spaces, quotes and shell characters stay in it."""
    agent = Agent(command=("agent", "--say={prompt}", "{prompt_file}"))
    values = {"prompt": "a b; $(c) 'd'", "prompt_file": "/x y/p.md"}
    assert build_argv(agent, values) == ("agent", "--say=a b; $(c) 'd'", "/x y/p.md")


@pytest.mark.parametrize(("prompt", "words"), [("x" * 200_000, "too long"), ("a\0b", "NUL")])
def test_prompt_that_no_command_takes_is_refused(prompt: str, words: str) -> None:
    """With the way out."""
    with pytest.raises(AgentRunError, match=words) as refused:
        build_argv(Agent(command=("agent", "{prompt}")), {"prompt": prompt})
    assert "{prompt_file}" in refused.value.hint


def test_agent_of_a_phase_is_found_in_any_letters() -> None:
    """By the name that the phase gives, else by its own."""
    agents = {"Dev": Agent(command=("dev",)), "red": Agent(command=("red",))}
    assert find_agent(agents, Phase(name="BUILD", agent="dev"), "p")[0] == "Dev"
    assert find_agent(agents, Phase(name="RED"), "p")[1].command == ("red",)


def test_command_of_a_phase_wins() -> None:
    """The other settings are the agent's, or the usual ones."""
    agents = {"dev": Agent(command=("dev",), timeout_seconds=7)}
    name, agent = find_agent(agents, Phase(name="BUILD", agent="dev", command=("own", "x")), "p")
    assert (name, agent.command, agent.timeout_seconds) == ("dev", ("own", "x"), 7)
    assert find_agent({}, Phase(name="BUILD", command=("own",)), "p")[1].timeout_seconds == 1800


def test_phase_without_an_agent_says_what_to_configure() -> None:
    """The very table."""
    with pytest.raises(AgentRunError, match=r"\[agents\.test\] is not configured"):
        find_agent({}, Phase(name="RED", agent="test"), "tdd")


def test_waits_between_tries_grow_and_stay() -> None:
    """The last one is used again; none is configured as none."""
    agent = Agent(command=("a",), backoff_seconds=(1, 2, 4))
    assert [build_backoff(agent, retry) for retry in (0, 1, 2, 3, 4, 9)] == [0, 1, 2, 4, 4, 4]
    assert build_backoff(Agent(command=("a",), backoff_seconds=()), 3) == 0
