"""Session state beside the world: briefing, deployment and the session gate."""

from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError, RuleFinding
from handoff_tui.checks.rules.mosaic.named_evidence import deployment_answers, production_state_determinable
from handoff_tui.checks.rules.mosaic.session_start import mandatory_documents_present, session_gate_wired
from tests.support.command_line import say
from tests.support.format_states import build_agent_state, build_blocker, build_state
from tests.support.repositories import RepositoryBuilder
from tests.support.world import MemoryWorld, find_subjects, judge

ADDRESS = "https://ferry.example.org"
GATE = ".mosaic/enforcement/session-gate.sh"
VALIDATION = ".mosaic/enforcement/handoff_validation_tests.py"
CALL = f"#!/bin/sh\n./{GATE} || exit 1\n"
BRIEFING = ".mosaic/MANDATORY_AGENT_BRIEFING.md"
RULES = ("briefing-acknowledged", "critical-blockers-closed", "mandatory-documents-present")
OPEN = {"version": 1, "blockers": [build_blocker(severity="critical", status="open", resolution=None)]}


def judge_state(**changes: object) -> list[RuleFinding]:
    world = MemoryWorld(files=build_state(build_agent_state(**changes)))
    return judge(production_state_determinable, world)


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


def test_session_document_may_tell() -> None:
    """What a document of the state says counts as well; a manifest of another day does not."""
    state = build_agent_state(implementation_progress={"sailings": "complete"})
    document = "# SESSION HANDOFF\n\n- Service: https://ferry.example.org LIVE\n"
    files = {**build_state(state), ".mosaic/SESSION_HANDOFF_1.md": document}
    assert judge(production_state_determinable, MemoryWorld(files=files)) == []
    manifest = '{"commit": "abcdef1", "branch": "main", "deployment_status": "live"}'
    files = {**build_state(state), ".ai-agents/handoff_1.json": manifest}
    assert len(judge(production_state_determinable, MemoryWorld(files=files))) == 1


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


def test_state_that_cannot_be_read_is_found() -> None:
    """A broken state tells nothing."""
    world = MemoryWorld(files={**build_state(), ".mosaic/agent_state.json": "{"})
    [found] = judge(production_state_determinable, world)
    assert "is not valid JSON" in found.message


def judge_progress(
    progress: dict[str, object], answers: dict[str, int | str | None], **overrides: object
) -> list[RuleFinding]:
    files = build_state(build_agent_state(implementation_progress=progress))
    settings = {key.replace("__", "."): value for key, value in overrides.items()}
    return judge(deployment_answers, MemoryWorld(files=files, addresses=answers, overrides=settings))


def test_deployment_that_answers_passes() -> None:
    """The claimed address with the path of the health check has the expected status."""
    assert judge_progress({"deployment_status": "live", "service_url": ADDRESS}, {f"{ADDRESS}/health": 200}) == []


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


def test_page_that_a_document_names_is_asked_as_it_is() -> None:
    """A document's address with a path is a page; one without is a service."""
    document = f"# SESSION HANDOFF\n\n- {ADDRESS}/list is live\n- {ADDRESS} is live\n"
    files = {
        **build_state(build_agent_state(implementation_progress={"a": 1})),
        ".mosaic/SESSION_HANDOFF_1.md": document,
    }
    world = MemoryWorld(files=files, addresses={f"{ADDRESS}/list": 404, f"{ADDRESS}/health": 200})
    assert find_subjects(deployment_answers, world) == [f"{ADDRESS}/list"]


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


def judge_files(executable: tuple[str, ...] = (GATE,), **files: str) -> list[RuleFinding]:
    """Files by a short name; the gate is there unless it is set to an empty text."""
    paths = {
        "gate": GATE,
        "validation": VALIDATION,
        "hook": ".git/hooks/pre-push",
        "prompt": "AI_AGENT_PROMPT.md",
        "workflow": ".github/workflows/test.yml",
    }
    named = {paths[name]: text for name, text in {"gate": "exit 0", **files}.items() if text}
    world = MemoryWorld(files={**build_state(), **named}, executables=frozenset(executable))
    return judge(session_gate_wired, world)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("hook", CALL),
        ("hook", f'#!/bin/sh\n"$(git rev-parse --show-toplevel)/{GATE}"\n'),
        ("prompt", f"# Start\n\n```bash\n./{GATE}\n```\n"),
        ("prompt", f"# Start\n\n1. Run `./{GATE}` and read its answer.\n"),
        ("workflow", f"jobs:\n  gate:\n    steps:\n      - run: ./{GATE}\n"),
        ("workflow", "jobs:\n  gate:\n    steps:\n      - run: handoff-tui check --post\n"),
        ("hook", "#!/bin/sh\nexec handoff-tui   check --pre\n"),
    ],
)
def test_gate_that_is_called_passes(place: str, text: str) -> None:
    """A hook, a CI file or a prompt that runs the gate, or our own checks, is enough."""
    assert judge_files((GATE, ".git/hooks/pre-push"), **{place: text}) == []


def test_hook_that_cannot_be_executed_calls_nothing() -> None:
    """Git passes over a hook without the permission to run."""
    [found] = judge_files((GATE,), hook=CALL)
    assert "calls it" in found.message


def test_gate_that_may_not_be_executed_is_found() -> None:
    """A call of a script that cannot run stops nobody; the command is there to copy."""
    [found] = judge_files((), workflow=f"      - run: ./{GATE}\n")
    assert found.message == f"{GATE} is there, but may not be executed"
    assert found.command == f"chmod +x {GATE}"


@pytest.mark.parametrize("call", [f"bash {GATE}", f"sh -eu ./{GATE}", f'bash "$ROOT/{GATE}"'])
def test_interpreter_needs_no_permission(call: str) -> None:
    """What an interpreter is given to read need not be executable."""
    assert judge_files((), workflow=f"      - run: {call}\n") == []


def test_validation_that_nobody_calls_is_found() -> None:
    """Each script of the enforcement must be called."""
    [found] = judge_files((GATE, VALIDATION), validation="import os", workflow=f"      - run: ./{GATE}\n")
    assert found.subject == VALIDATION


def test_gate_that_the_validation_calls_is_called() -> None:
    """A script may be called by the other one, if that one is called itself."""
    validation = f'run(["{GATE}"])\n'
    assert judge_files(validation=validation, workflow=f"      - run: python3 {VALIDATION} --post\n") == []
    found = judge_files((GATE, VALIDATION), validation=validation)
    assert [finding.subject for finding in found] == [GATE, VALIDATION]


def test_call_of_a_script_that_is_not_there_is_found() -> None:
    """The call is told with its line."""
    found = judge_files(gate="", prompt=f"# Start\n\n```\n./{GATE}\n```\n")
    assert [finding.message for finding in found] == [
        f"neither {GATE} nor {VALIDATION} is there, and nothing calls handoff-tui check: nothing is enforced",
        f"AI_AGENT_PROMPT.md calls {GATE}, which does not exist",
    ]
    assert (found[1].place and found[1].place.line) == 4


def test_state_without_any_enforcement_is_found() -> None:
    """A state that nothing checks is the lesson this rule is for; our own checks in a hook are an answer to it."""
    [found] = judge_files(gate="")
    assert found.subject == "enforcement"
    assert judge_files((".git/hooks/pre-push",), gate="", hook="handoff-tui check --pre\n") == []


def list_blocking(builder: RepositoryBuilder) -> set[str]:
    """Which of the rules block the check of everything."""
    said = say("check", "--json", "--repo", builder.folder)
    assert said.code in {0, 1}, said.stderr
    results = json.loads(said.stdout)["results"]
    return {one["id"] for one in results if one["id"] in RULES and one["outcome"] == "fail" and one["blocking"]}


def test_session_does_not_start_without_its_briefing_or_with_a_critical_blocker(builder: RepositoryBuilder) -> None:
    """Each blocks at once, and still does once it is committed."""
    builder.write(BRIEFING, "# Read this first\n")
    for path, content in build_state().items():
        builder.write(path, content)
    builder.write("src/a.py").commit("state")
    assert list_blocking(builder) == set()
    for rule, wrong in (
        ("briefing-acknowledged", build_state(agent_state=build_agent_state(briefing_acknowledgment=...))),
        ("critical-blockers-closed", build_state(blockers=OPEN)),
        ("mandatory-documents-present", {}),
    ):
        before = builder.head()
        for path, content in wrong.items():
            builder.write(path, content)
        if not wrong:
            builder.place(BRIEFING).unlink()
        assert list_blocking(builder) == {rule}
        builder.commit("as it is")
        assert list_blocking(builder) == {rule}
        builder.step("reset", "--hard", "-q", before)


def test_briefing_that_came_after_the_state_is_missed_too(builder: RepositoryBuilder) -> None:
    """Also where nothing tells which work came before: as if it had never been there."""
    for path, content in build_state().items():
        builder.write(path, content)
    builder.write("src/a.py").commit("state")
    builder.write("MANDATORY_BRIEFING.md", "# Read this first\n").commit("briefing")
    builder.place("MANDATORY_BRIEFING.md").unlink()
    assert "mandatory-documents-present" in list_blocking(builder)
    builder.commit("without it")
    assert "mandatory-documents-present" in list_blocking(builder)


@pytest.mark.parametrize(
    ("files", "deleted", "missing"),
    [
        ({".mosaic/enforcement/session-gate.sh": "# see OLD.md\ntest -r docs/how.md\n"}, (), ["docs/how.md"]),
        ({".mosaic/enforcement/session-gate.sh": "test -r docs/how.md\n", "docs/how.md": "x"}, (), []),
        ({}, ("docs/BRIEFING.md",), ["docs/BRIEFING.md"]),
        ({"docs/AGENT_BRIEFING.md": "x"}, ("docs/BRIEFING.md",), []),
        ({}, ("docs/archive/BRIEFING.md", "src/briefing.py"), []),
        ({"AGENTS.md": "Start with docs/ML_BRIEFING.md.", "docs/OTHER_BRIEFING.md": "x"}, (), ["docs/ML_BRIEFING.md"]),
        ({"CLAUDE.md": "MANDATORY: read docs/rules.md\nSee docs/more.md."}, (), ["docs/rules.md"]),
        ({"CLAUDE.md": "Read docs/rules.md first.", "docs/rules.md": " \n"}, (), ["docs/rules.md"]),
        ({"SESSION_BRIEFING.md": "x"}, ("MANDATORY_BRIEFING.md",), ["MANDATORY_BRIEFING.md"]),
    ],
    ids=["asked-for", "there", "deleted", "renamed", "filed-away", "prompt", "must-read", "empty", "mandatory"],
)
def test_documents_to_read_must_be_there(files: dict[str, str], deleted: tuple[str, ...], missing: list[str]) -> None:
    """Those that the gate names in its code, and a briefing that nothing replaced."""
    world = MemoryWorld(files={**build_state(), **files}, deleted=deleted)
    assert find_subjects(mandatory_documents_present, world) == missing
