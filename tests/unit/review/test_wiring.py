"""Calls and mere mentions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.review.wiring import Call, find_calls, find_mentions, find_toothless

SCRIPT = "tools/validate.py"

CALLS = [
    "handoff-tui check --pre",
    "  exec handoff-tui check --pre",
    "CI=1 handoff-tui --repo . check",
    "/opt/venv/bin/handoff-tui check",
    "${{ runner.temp }}/bin/handoff-tui check",
    "\t@$(BIN)/handoff-tui check --post",
    "      - run: handoff-tui check --pre",
    "        run: 'handoff-tui check --pre'",
    "  - handoff-tui check",
    "  - script: handoff-tui check",
    'script: ["handoff-tui check"]',
    "        entry: handoff-tui check --pre",
    "    sh 'handoff-tui check --pre'",
    "    sh(script: 'handoff-tui check --pre')",
    '"command": "handoff-tui check --pre >&2 || exit 2",',
    "python3 -E -m handoff_tui check",
    "uv run handoff-tui check",
    "uvx handoff-tui check",
    "cd sub && handoff-tui check || exit 1",
    "if ! handoff-tui check; then exit 1; fi",
    "handoff-tui check  # before every commit",
    "python3 tools/validate.py --pre",
    "./tools/validate.py",
    'bash -e "$ROOT/tools/validate.py"',
]
MENTIONS = [
    "# handoff-tui check --pre",
    "- name: handoff-tui check",
    "echo handoff-tui check",
    "echo 'first; handoff-tui check'",
    "handoff-tui status",
    "handoff-tui checkout",
    "pip install handoff-tui  # check",
    "cat tools/validate.py",
    "python3 tools/other.py tools/validate.py",
    "python3 -m handoff_tui",
    "don't run handoff-tui check",
    "my-handoff-tui check",
    "not/tools/validate.pyc",
]
SHRUGS = [
    "handoff-tui check || true",
    "handoff-tui check || :",
    "handoff-tui check; exit 0",
    "handoff-tui check || echo failed",
    "handoff-tui check | tee log",
    "handoff-tui check &",
    "\t-handoff-tui check",
    "\t@-handoff-tui check",
    "python3 tools/validate.py || exit 0",
]


@pytest.mark.parametrize("line", CALLS)
def test_call_is_found(line: str) -> None:
    """In the words of a shell, of YAML, JSON, make and Jenkins."""
    assert find_calls(f"first\n{line}\n", (SCRIPT,)) == [Call(2)]


@pytest.mark.parametrize("line", MENTIONS)
def test_mention_is_no_call(line: str) -> None:
    """A comment, a title, an argument or another verb runs nothing."""
    assert find_calls(line, (SCRIPT,)) == []


@pytest.mark.parametrize("line", SHRUGS)
def test_call_without_consequence_says_why(line: str) -> None:
    """Its answer is thrown away, lost, or not waited for."""
    [call] = find_calls(line, (SCRIPT,))
    assert call.shrug


def test_only_scripts_are_found_when_ours_is_not_asked_for() -> None:
    """The repository's own script is told from this program."""
    text = "handoff-tui check\ntools/validate.py\n"
    assert find_calls(text, (SCRIPT,), ours=False) == [Call(2)]
    assert find_mentions(text, (SCRIPT,), ours=False) == [Call(2)]
    assert find_calls(text) == [Call(1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run `handoff-tui check --pre` before you stop.", [Call(1)]),
        ("First\n\n    handoff-tui --repo . check\n", [Call(3)]),
        ("Do not run `handoff-tui check`.", [Call(1, "says not to")]),
        ("Never skip it: run `handoff-tui check`.", [Call(1, "says not to")]),
        ("Do not guess. Run `handoff-tui check`.", [Call(1)]),
        ("<!--\nhandoff-tui check\n-->\nhandoff-tui check", [Call(4)]),
        ("We like handoff-tui, and check things.", []),
        ("", []),
    ],
)
def test_prompt_that_names_the_call_is_told(text: str, expected: list[Call]) -> None:
    """Hidden text does not count; advice against it is shown as such, rather once too often."""
    assert find_mentions(text) == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("- run: x\n  continue-on-error: true\n", 2),
        ("  allow_failure: true\n", 1),
        ("if: ${{ false }}\n", 1),
        ("continue-on-error: false\n# allow_failure: true\n", None),
    ],
)
def test_toothless_step_is_found(text: str, line: int | None) -> None:
    """The words by which CI lets a step fail."""
    assert find_toothless(text) == line


@settings(max_examples=100)
@given(st.text(), st.sampled_from([*CALLS, *MENTIONS, *SHRUGS]))
def test_no_text_is_too_odd(text: str, line: str) -> None:
    """Nothing raises, and the same text gives the same answer."""
    for odd in (text, text + line, line + text):
        assert find_calls(odd, (SCRIPT,)) == find_calls(odd, (SCRIPT,))
        find_mentions(odd, (SCRIPT,))
        find_toothless(odd)
