from __future__ import annotations

import pytest

from handoff_tui.checks.rule import NotApplicableError, RuleFinding
from handoff_tui.checks.rules.mosaic.session_gate_wired import SESSION_GATE_WIRED
from tests.support.session_states import build_state
from tests.support.world import MemoryWorld, judge

GATE = ".mosaic/enforcement/session-gate.sh"
VALIDATION = ".mosaic/enforcement/handoff_validation_tests.py"
CALL = f"#!/bin/sh\n./{GATE} || exit 1\n"


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
    return judge(SESSION_GATE_WIRED, world)


def test_rule_never_blocks_by_itself() -> None:
    """It says whether others can be relied on."""
    assert SESSION_GATE_WIRED.blocking is False


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


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("prompt", f"# Start\n\nThere is a script at {GATE} for those who like it.\n"),
        ("prompt", f"# Start\n\nDo not run `./{GATE}` any more.\n"),
        ("prompt", f"# Start\n\n<!--\n```bash\n./{GATE}\n```\n-->\n"),
        ("hook", f"#!/bin/sh\n# ./{GATE}\nexit 0\n"),
        ("hook", f"#!/bin/sh\nexit 0 # ./{GATE}\n"),
        ("hook", f"#!/bin/sh\necho 'run ./{GATE} yourself'\n"),
        ("hook", f"#!/bin/sh\n./{GATE} || true\n"),
        ("hook", f"#!/bin/sh\n./{GATE}.disabled\n"),
        ("workflow", f"# - run: ./{GATE}\njobs: {{}}\n"),
    ],
)
def test_mere_mention_is_no_call(place: str, text: str) -> None:
    """Prose, comments, talk and calls whose answer is thrown away enforce nothing."""
    [found] = judge_files((GATE, ".git/hooks/pre-push"), **{place: text})
    assert found.message == f"{GATE} is there, but no hook, CI file or agent prompt calls it"
    assert found.subject == GATE


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
    assert found[1].place is not None
    assert found[1].place.line == 4


def test_state_without_any_enforcement_is_found() -> None:
    """A state that nothing checks is the lesson this rule is for; our own checks in a hook are an answer to it."""
    [found] = judge_files(gate="")
    assert found.subject == "enforcement"
    assert judge_files((".git/hooks/pre-push",), gate="", hook="handoff-tui check --pre\n") == []


def test_places_come_from_the_configuration() -> None:
    """A project may call its gate from elsewhere; patterns are allowed."""
    files = {**build_state(), GATE: "exit 0", "ops/gate.sh": CALL}
    places = {"mosaic.wiring_places": ("ops/*.sh",)}
    world = MemoryWorld(files=files, executables=frozenset({GATE}), overrides=dict(places))
    assert judge(SESSION_GATE_WIRED, world) == []


def test_state_of_another_folder_has_its_own_scripts() -> None:
    """Its scripts lie beside it; they may be called from the root."""
    files = {
        **build_state(folder="server/.mosaic"),
        f"server/{GATE}": "exit 0",
        ".github/workflows/x.yml": f"      - run: ./server/{GATE}\n",
    }
    assert judge(SESSION_GATE_WIRED, MemoryWorld(files=files, executables=frozenset({f"server/{GATE}"}))) == []
    del files[".github/workflows/x.yml"]
    assert len(judge(SESSION_GATE_WIRED, MemoryWorld(files=files, executables=frozenset({f"server/{GATE}"})))) == 1


def test_repository_without_a_state_does_not_apply() -> None:
    """Nothing there needs a session gate."""
    with pytest.raises(NotApplicableError, match="no session state under review"):
        judge(SESSION_GATE_WIRED, MemoryWorld(files={"a.txt": ""}))
