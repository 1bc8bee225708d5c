"""Calls and mere mentions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.checks.facts.script_calls import Call, find_calls, find_toothless

SCRIPT = "tools/validate.py"
OURS = [
    "handoff-tui check --pre",
    "  exec handoff-tui check --pre",
    "CI=1 handoff-tui --repo . check",
    "/opt/venv/bin/handoff-tui check",
    "${{ runner.temp }}/bin/handoff-tui check",
    "\t@$(BIN)/handoff-tui check --post",
    "      - run: handoff-tui check --pre",
    "      - run: handoff-tui   check",
    "        run: 'handoff-tui check --pre'",
    "  - handoff-tui check",
    "  - script: handoff-tui check",
    'script: ["handoff-tui check"]',
    'script: ["pip install handoff-tui", "handoff-tui check --pre"]',
    "        entry: handoff-tui check --pre",
    "    sh 'handoff-tui check --pre'",
    "    sh(script: 'handoff-tui check --pre')",
    '"command": "handoff-tui check --pre >&2 || exit 2",',
    "uv run handoff-tui check",
    "uvx handoff-tui check",
    "timeout -k 5s 60 handoff-tui check",
    "poetry run handoff-tui check",
    "sudo -E env A=1 handoff-tui check",
    "cd sub && handoff-tui check || exit 1",
    '[ "$CI" ] && handoff-tui check',
    "if ! handoff-tui check; then exit 1; fi",
    "handoff-tui check  # before every commit",
]
PLAIN = [
    "./tools/validate.py",
    "set -e; tools/validate.py",
    "echo checking && ./tools/validate.py",
    '"$ROOT/tools/validate.py"',
    "- run: ./tools/validate.py",
    "out=$(tools/validate.py)",
]
READ = [
    "python3 -E -m handoff_tui check",
    "python3 tools/validate.py --pre",
    "python3.12 -u 'tools/validate.py'",
    'bash -e "$ROOT/tools/validate.py"',
    'subprocess.run(["python3", "tools/validate.py"], check=True)',
    "entry: ['python3', 'tools/validate.py']",
]
MENTIONS = [
    "# handoff-tui check --pre",
    "# subprocess.run(['tools/validate.py'])",
    "true # tools/validate.py",
    "// tools/validate.py",
    "- name: handoff-tui check",
    "echo handoff-tui check",
    "echo 'first; handoff-tui check'",
    "printf 'tools/validate.py'",
    "handoff-tui status",
    "handoff-tui checkout",
    "pip install handoff-tui  # check",
    "cat tools/validate.py",
    "python3 tools/other.py tools/validate.py",
    "python3 -m handoff_tui",
    "don't run handoff-tui check",
    "my-handoff-tui check",
    "not/tools/validate.pyc",
    "mytools/validate.py",
    "validate.py",
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
PROMPT = """\
Call tools/validate.py sometime.
Run `tools/validate.py` first.
Never run `tools/validate.py` twice.
<!-- `tools/validate.py`
-->
````sh
```
./tools/validate.py
````
tools/validate.py
- ~~~
bash tools/validate.py
tools/validate.py || true
~~~
"""


@pytest.mark.parametrize("line", [*OURS, *PLAIN])
def test_call_is_found(line: str) -> None:
    """In the words of a shell, of YAML, JSON, make and Jenkins."""
    assert find_calls(f"first\n{line}\n", (SCRIPT,)) == [Call(2)]


@pytest.mark.parametrize("line", READ)
def test_call_by_an_interpreter_is_told(line: str) -> None:
    """The script itself needs no permission then."""
    assert find_calls(f"first\n{line}\n", (SCRIPT,)) == [Call(2, by_interpreter=True)]


@pytest.mark.parametrize("line", MENTIONS)
def test_mention_is_no_call(line: str) -> None:
    """A comment, a title, an argument, another verb or another name runs nothing."""
    assert find_calls(line, (SCRIPT,)) == []


@pytest.mark.parametrize("line", SHRUGS)
def test_call_without_consequence_says_why(line: str) -> None:
    """Its answer is thrown away, lost, or not waited for."""
    [call] = find_calls(line, (SCRIPT,))
    assert call.shrug


def test_prose_calls_in_code_and_mentions_elsewhere() -> None:
    """Fenced code, code spans and lines that are commands are calls; hidden text is none; warnings are told."""
    assert find_calls(PROMPT, (SCRIPT,), prose=True) == [
        Call(1, mention=True),
        Call(2),
        Call(3, "says not to"),
        Call(8),
        Call(10),
        Call(12, by_interpreter=True),
        Call(13, "its answer is thrown away"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run `handoff-tui check --pre` before you stop.", [Call(1)]),
        ("Always run handoff-tui check before you stop.", [Call(1, mention=True)]),
        ("First\n\n    handoff-tui --repo . check\n", [Call(3)]),
        ("Do not run `handoff-tui check`.", [Call(1, "says not to")]),
        ("Never run handoff-tui check.", [Call(1, "says not to", mention=True)]),
        ("Never skip it: run `handoff-tui check`.", [Call(1, "says not to")]),
        ("Do not guess. Run `handoff-tui check`.", [Call(1)]),
        ("<!--\nhandoff-tui check\n-->\nhandoff-tui check", [Call(4)]),
        ("We like handoff-tui, and check things.", []),
        ("", []),
    ],
)
def test_prompt_that_names_the_call_is_told(text: str, expected: list[Call]) -> None:
    """Hidden text does not count; advice against it is shown as such, rather once too often."""
    assert find_calls(text, prose=True) == expected


@given(st.text(), st.sampled_from([*OURS, *PLAIN, *READ, *MENTIONS, *SHRUGS]), st.booleans())
def test_no_text_is_too_odd(text: str, line: str, prose: bool) -> None:  # noqa: FBT001 - both are tried
    """Nothing raises, and the same text gives the same answer."""
    for odd in (text, text + line, line + text):
        assert find_calls(odd, (SCRIPT,), prose=prose) == find_calls(odd, (SCRIPT,), prose=prose)
        find_toothless(odd)
