"""The text of our hooks."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_tui.checks.hooks.hook import HookName
from handoff_tui.checks.hooks.hook_script import parse_hook, render_hook

ODD_PATHS = ["/usr/bin/python3", '/a b/it\'s "quoted"/$HOME/`id`/python3', "/caf\udce9/python3", "/-E/python3"]


@pytest.mark.parametrize("name", list(HookName))
@pytest.mark.parametrize("python", ODD_PATHS)
def test_hook_is_recognised_with_all_that_it_says(name: HookName, python: str) -> None:
    """What was rendered is parsed back: name, Python, version, unchanged."""
    script = parse_hook(render_hook(name, python, "1.2.3"))
    assert script is not None
    assert (script.name, script.python, script.version, script.unchanged) == (name.value, python, "1.2.3", True)


@pytest.mark.parametrize("change", [b" ", b"\nexit 0\n", b"#"])
def test_hook_with_one_more_byte_is_changed(change: bytes) -> None:
    """Ours still, but not as we wrote it."""
    script = parse_hook(render_hook(HookName.PRE_PUSH, "/p", "1") + change)
    assert script is not None
    assert not script.unchanged


def test_hook_with_a_changed_header_is_changed() -> None:
    """A line put before ours, or another shell, does not make it somebody else's."""
    ours = render_hook(HookName.PRE_COMMIT, "/p", "1")
    for content in (b"#!/bin/bash\n" + ours.partition(b"\n")[2], b"exit 0\n" + ours):
        script = parse_hook(content)
        assert script is not None
        assert not script.unchanged


@pytest.mark.parametrize(
    "content", [b"", b"#!/bin/sh\nexit 0\n", b"#!/bin/sh\n# calls handoff-tui check\n", b"\x7fELF\0"]
)
def test_other_hooks_are_not_ours(content: bytes) -> None:
    """A mention of the program is not its mark."""
    assert parse_hook(content) is None


@settings(max_examples=100)
@given(st.binary(), st.binary(max_size=20))
def test_parsing_never_raises(content: bytes, python: bytes) -> None:
    """Whatever stands in a hook, also after our mark and in our assignment."""
    parse_hook(content)
    header = b"#!/bin/sh\n# handoff-tui hook 1 pre-commit sha256:" + b"0" * 64 + b"\n"
    script = parse_hook(header + b"python=" + python + b"\n" + content)
    assert script is not None
    assert not script.unchanged


@pytest.mark.parametrize("shell", ["sh", "bash", "dash", "busybox"])
@pytest.mark.parametrize("name", list(HookName))
def test_hook_is_for_every_shell(shell: str, name: HookName) -> None:
    """The shells that are here accept its grammar."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    argv = [program, "sh", "-n"] if shell == "busybox" else [program, "-n"]
    done = subprocess.run(argv, input=render_hook(name, ODD_PATHS[1], "1"), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
