from __future__ import annotations

import pytest

from handoff_tui.checks.script_calls import Call, find_calls

SCRIPT = "ops/gate.sh"
PROMPT = """\
Call ops/gate.sh sometime.
Run `ops/gate.sh` first.
Never run `ops/gate.sh` twice.
<!-- `ops/gate.sh`
-->
````sh
```
./ops/gate.sh
````
ops/gate.sh
- ~~~
bash ops/gate.sh
~~~
"""


@pytest.mark.parametrize(
    ("line", "by_interpreter"),
    [
        ("ops/gate.sh", False),
        ("./ops/gate.sh --all || exit 1", False),
        ('"$ROOT/ops/gate.sh"', False),
        ("set -e; ops/gate.sh", False),
        ("echo checking && ./ops/gate.sh", False),
        ("- run: ./ops/gate.sh", False),
        ("bash ops/gate.sh", True),
        ("sh -e ./ops/gate.sh", True),
        ("python3.12 -u 'ops/gate.sh'", True),
    ],
)
def test_call_is_found(line: str, *, by_interpreter: bool) -> None:
    """A line that runs the script, with its number and whether an interpreter reads it."""
    assert find_calls("hook", f"#!/bin/sh\n{line}\n", SCRIPT) == [Call(2, by_interpreter)]


@pytest.mark.parametrize(
    "line",
    [
        "# ops/gate.sh",
        "true # ops/gate.sh",
        "// ops/gate.sh",
        "echo run ops/gate.sh",
        "printf 'ops/gate.sh'",
        "ops/gate.sh || true",
        "ops/gate.sh || exit 0",
        "ops/gate.sh.old",
        "myops/gate.sh",
        "gate.sh",
    ],
)
def test_mention_is_no_call(line: str) -> None:
    """Comments, talk, other names and calls whose answer is thrown away do not count."""
    assert find_calls("hook", line, SCRIPT) == []


def test_command_of_several_words_is_found() -> None:
    """However many spaces are between them."""
    assert find_calls("ci.yml", "- run: tool   check --pre\n- run: tool checkout", "tool check") == [
        Call(1, by_interpreter=False)
    ]


def test_markdown_calls_only_in_code() -> None:
    """Fenced code and code spans are read as commands; prose, hidden text and warnings are not."""
    assert _tell(find_calls("PROMPT.MD", PROMPT, SCRIPT)) == [(2, False), (8, False), (12, True)]


def _tell(calls: list[Call]) -> list[tuple[int, bool]]:
    return [(call.line, call.by_interpreter) for call in calls]
