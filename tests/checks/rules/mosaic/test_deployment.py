from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError, RuleFinding
from handoff_tui.checks.rules.mosaic.deployment import DEPLOYMENT_ANSWERS, PRODUCTION_STATE_DETERMINABLE
from tests.support.session_states import build_agent_state, build_state
from tests.support.world import MemoryWorld, find_subjects, judge


def judge_state(**changes: object) -> list[RuleFinding]:
    world = MemoryWorld(files=build_state(build_agent_state(**changes)))
    return judge(PRODUCTION_STATE_DETERMINABLE, world)


@pytest.mark.parametrize("state", ["live", "deploying", "none", "down since noon", "not deployed"])
def test_state_that_tells_passes(state: str) -> None:
    """Any definite word on the deployment will do, also that there is none."""
    assert judge_state(implementation_progress={"deployment_status": state}) == []


@pytest.mark.parametrize("state", ["unknown", "TBD", "pending_verification", "Unclear: ask Ines", "?"])
def test_word_that_does_not_tell_is_found(state: str) -> None:
    """To say that one does not know is honest, but leaves the next agent where it was."""
    [found] = judge_state(implementation_progress={"deployment_status": state})
    assert (found.subject, found.actual) == ("deployment", state)
    assert "does not tell what is live" in found.message


def test_one_definite_word_is_enough() -> None:
    """A health check that waits does not make a known state unknown."""
    progress = {"deployment_status": "deploying", "health_check": "pending"}
    assert judge_state(implementation_progress=progress) == []


def test_words_that_do_not_tell_come_from_the_configuration() -> None:
    """A project may have other words for it."""
    files = build_state(build_agent_state(implementation_progress={"deployment_status": "foggy"}))
    assert judge(PRODUCTION_STATE_DETERMINABLE, MemoryWorld(files=files)) == []
    world = MemoryWorld(files=files, overrides={"mosaic.undetermined_words": ("foggy",)})
    assert len(judge(PRODUCTION_STATE_DETERMINABLE, world)) == 1


def test_progress_without_a_deployment_is_found() -> None:
    """A state that never speaks of a deployment does not tell."""
    [found] = judge_state(implementation_progress={"sailings": "complete"})
    assert found.message == ".mosaic/agent_state.json does not say whether anything is deployed"


def test_session_document_may_tell() -> None:
    """What a document of the state says counts as well; a manifest of another day does not."""
    state = build_agent_state(implementation_progress={"sailings": "complete"})
    document = "# SESSION HANDOFF\n\n- Service: https://ferry.example.org LIVE\n"
    files = {**build_state(state), ".mosaic/SESSION_HANDOFF_1.md": document}
    assert judge(PRODUCTION_STATE_DETERMINABLE, MemoryWorld(files=files)) == []
    manifest = '{"commit": "abcdef1", "branch": "main", "deployment_status": "live"}'
    files = {**build_state(state), ".ai-agents/handoff_1.json": manifest}
    assert len(judge(PRODUCTION_STATE_DETERMINABLE, MemoryWorld(files=files))) == 1


@pytest.mark.parametrize(("value", "actual"), [(..., "absent"), (None, "empty"), ("", "empty"), (" ", "empty")])
def test_field_without_a_value_is_found(value: object, actual: str) -> None:
    """Who worked last must be said, not left blank."""
    [found] = judge_state(last_agent=value)
    assert (found.subject, found.actual) == ("last_agent", actual)
    assert found.message == ".mosaic/agent_state.json does not say its last_agent"


@pytest.mark.parametrize("value", [..., {}, []])
def test_empty_progress_is_found(value: object) -> None:
    """An empty progress says neither how far the work is nor what is deployed."""
    assert [found.subject for found in judge_state(implementation_progress=value)] == [
        "implementation_progress",
        "deployment",
    ]


def test_required_fields_come_from_the_configuration() -> None:
    """Other projects need other fields; a field that holds false or zero holds something."""
    files = build_state(build_agent_state(ready=False, tides=0))
    world = MemoryWorld(files=files, overrides={"mosaic.required_fields": ("ready", "tides", "moon")})
    assert find_subjects(PRODUCTION_STATE_DETERMINABLE, world) == ["moon"]


def test_state_that_cannot_be_read_is_found() -> None:
    """A broken state tells nothing."""
    world = MemoryWorld(files={**build_state(), ".mosaic/agent_state.json": "{"})
    [found] = judge(PRODUCTION_STATE_DETERMINABLE, world)
    assert "is not valid JSON" in found.message


def test_repository_without_a_state_does_not_apply() -> None:
    """Nothing there speaks of production."""
    with pytest.raises(NotApplicableError, match="no session state under review"):
        judge(PRODUCTION_STATE_DETERMINABLE, MemoryWorld(files={"a.txt": ""}))


ADDRESS = "https://ferry.example.org"


def judge_progress(
    progress: dict[str, object], answers: dict[str, int | str | None], **overrides: object
) -> list[RuleFinding]:
    files = build_state(build_agent_state(implementation_progress=progress))
    settings = {key.replace("__", "."): value for key, value in overrides.items()}
    return judge(DEPLOYMENT_ANSWERS, MemoryWorld(files=files, addresses=answers, overrides=settings))


def test_rule_never_blocks_by_itself() -> None:
    """A network that is down does not close a gate."""
    assert DEPLOYMENT_ANSWERS.blocking is False


def test_deployment_that_answers_passes() -> None:
    """The claimed address with the path of the health check has the expected status."""
    assert judge_progress({"deployment_status": "live", "service_url": ADDRESS}, {f"{ADDRESS}/health": 200}) == []


def test_address_with_a_slash_at_its_end_is_the_same() -> None:
    """The path is not doubled."""
    progress: dict[str, object] = {"deployment_status": "LIVE", "service_url": f"{ADDRESS}/"}
    assert judge_progress(progress, {f"{ADDRESS}/health": 200}) == []


@pytest.mark.parametrize(
    ("answer", "words"), [(503, "answers 503"), (301, "answers 301"), ("timed out", "does not answer: timed out")]
)
def test_deployment_that_does_not_answer_is_found(answer: int | str, words: str) -> None:
    """Another status, or none, contradicts the claim."""
    progress: dict[str, object] = {"deployment_status": "deployed", "service_url": ADDRESS}
    [found] = judge_progress(progress, {f"{ADDRESS}/health": answer})
    assert words in found.message
    assert (found.subject, found.expected, found.actual) == (f"{ADDRESS}/health", "200", str(answer))
    assert found.place is not None


def test_path_and_status_come_from_the_configuration() -> None:
    """Other services have other pages."""
    found = judge_progress(
        {"deployment_status": "up", "service_url": ADDRESS},
        {f"{ADDRESS}/ping": 204},
        mosaic__health__path="/ping",
        mosaic__health__expected_status=204,
        mosaic__health__live_words=("up",),
    )
    assert found == []


def test_page_that_a_document_names_is_asked_as_it_is() -> None:
    """A document's address with a path is a page; one without is a service."""
    document = f"# SESSION HANDOFF\n\n- {ADDRESS}/list is live\n- {ADDRESS} is live\n"
    files = {
        **build_state(build_agent_state(implementation_progress={"a": 1})),
        ".mosaic/SESSION_HANDOFF_1.md": document,
    }
    world = MemoryWorld(files=files, addresses={f"{ADDRESS}/list": 404, f"{ADDRESS}/health": 200})
    assert find_subjects(DEPLOYMENT_ANSWERS, world) == [f"{ADDRESS}/list"]


def test_live_deployment_without_an_address_is_found() -> None:
    """What nobody can ask is not shown to be live; that needs no network."""
    [found] = judge_progress({"deployment_status": "live"}, {})
    assert "gives no address to ask" in found.message


def test_without_consent_the_rule_does_not_apply() -> None:
    """Looking must not reach the network unasked, and the reason says so."""
    with pytest.raises(NotApplicableError, match="needs network access"):
        judge_progress({"deployment_status": "live", "service_url": ADDRESS}, {})


@pytest.mark.parametrize("state", ["not live", "deploying", "down", "?", "unlive"])
def test_deployment_that_is_not_said_to_be_live_is_not_asked(state: str) -> None:
    """Only a claim to be reachable can be wrong about it."""
    with pytest.raises(NotApplicableError, match="no deployment is claimed to be live"):
        judge_progress({"deployment_status": state, "service_url": ADDRESS}, {f"{ADDRESS}/health": 500})
