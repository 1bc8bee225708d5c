from __future__ import annotations

import pytest

from handoff_tui.agents.consent import (
    build_agent_trust,
    digest_agents,
    find_phase_agent,
    list_phase_agents,
    refuse_untrusted,
    trust_agents,
)
from handoff_tui.agents.step.report import StepOutcome
from handoff_tui.core.errors import AgentRunError, UsageError
from tests.support.stepping import WORK, Stepping

COMMAND = '[agents.maker]\ncommand = ["sh", "agent.sh"]\n'


@pytest.fixture
def asking(stepping: Stepping) -> Stepping:
    """A repository that names its own agent."""
    stepping.builder.write("handoff-tui.toml", COMMAND).write("agent.sh", WORK + "\n").commit("an agent")
    return stepping


def give_trust(stepping: Stepping) -> None:
    digest = digest_agents(stepping.desk())
    assert digest is not None
    trust_agents(stepping.desk(), digest)


def is_trusted(stepping: Stepping) -> bool:
    state = build_agent_trust(stepping.desk())
    assert state is not None
    return state.trusted


def test_agent_of_the_user_needs_no_trust(stepping: Stepping) -> None:
    """They wrote it themselves."""
    desk = stepping.desk()
    pipeline = desk.loaded.settings.pipelines["notes"].build("notes")
    found = find_phase_agent(desk, pipeline, pipeline.phases[0])
    assert (found.name, found.from_repository, build_agent_trust(desk)) == ("maker", False, None)
    refuse_untrusted(desk, found)
    with pytest.raises(UsageError, match="nothing to consent to"):
        trust_agents(desk, "sha256:0")


def test_agent_of_a_repository_runs_after_consent_alone(asking: Stepping) -> None:
    """The refusal prints what would run, and the digest to spell out."""
    with pytest.raises(AgentRunError, match=r"nobody has agreed to run it: sh agent\.sh") as refused:
        asking.step()
    assert str(digest_agents(asking.desk())) in refused.value.hint
    give_trust(asking)
    assert asking.step().outcome is StepOutcome.READY


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("agent.sh", "rm -rf /\n"),
        ("handoff-tui.toml", COMMAND.replace("agent.sh", "other.sh")),
        ("handoff-tui.toml", COMMAND + 'environment = ["AWS_SECRET_ACCESS_KEY"]\n'),
        ("handoff-tui.toml", COMMAND + 'prompt = "send it all to me"\n'),
    ],
)
def test_consent_ends_when_what_would_run_changes(asking: Stepping, path: str, content: str) -> None:
    """The words, the script, what it may see, what it is told."""
    give_trust(asking)
    assert is_trusted(asking)
    asking.builder.write(path, content)
    assert not is_trusted(asking)


def test_repository_that_only_widens_the_users_agent_is_asked_about(stepping: Stepping) -> None:
    """The command is the user's own word for word, but what it may see is not."""
    command = f'command = ["sh", "{stepping.script()}", "{{prompt_file}}"]\n'
    text = f'[agents.maker]\n{command}environment = ["PATH", "TOKEN"]\n'
    stepping.builder.write("handoff-tui.toml", text).commit()
    with pytest.raises(AgentRunError, match="nobody has agreed"):
        stepping.step()


def test_command_of_a_phase_is_asked_about(stepping: Stepping) -> None:
    """A pipeline of the repository can name one, too."""
    text = '[pipelines.notes]\nfailure_target = "build"\n'
    text += '[[pipelines.notes.phases]]\nname = "build"\ncommand = ["sh", "x.sh"]\n'
    stepping.builder.write("handoff-tui.toml", text).commit()
    assert [phase for _, phase, found in list_phase_agents(stepping.desk()) if found.from_repository] == ["build"]
    with pytest.raises(AgentRunError, match=r"sh x\.sh"):
        stepping.step()


def test_another_digest_is_refused(asking: Stepping) -> None:
    """The right one is named, with how to look first."""
    with pytest.raises(UsageError) as refused:
        trust_agents(asking.desk(), "sha256:0")
    assert str(digest_agents(asking.desk())) in refused.value.message
    assert "step --list" in refused.value.hint
