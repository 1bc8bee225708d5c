from __future__ import annotations

import pytest

from handoff_tui.checks.facts.script_calls import Command, is_interpreter, list_commands, read_name


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("a b && c || d", [Command(("a", "b"), "&&"), Command(("c",), "||"), Command(("d",), "")]),
        ("- run: 'a b'", [Command(("a", "b"), "")]),
        ("a # b", [Command(("a",), "")]),
        ("# a", []),
        ("it's open", []),
        ('["a", "b"]', [Command(("a, b",), ""), Command(("a", "b"), "")]),
    ],
)
def test_line_is_taken_apart(line: str, commands: list[Command]) -> None:
    """At its operators, without keys and comments; lists are read as lists besides."""
    assert list_commands(line) == commands


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (("if", "!", "a", "b"), ("a", "b")),
        (("A=1", "a"), ("a",)),
        (("timeout", "-k", "5s", "60", "a", "-b"), ("a", "-b")),
        (("uv", "run", "a"), ("a",)),
        (("sudo", "env", "A=1", "a"), ("a",)),
        (("if",), ()),
    ],
)
def test_program_comes_after_what_leads_up_to_it(words: tuple[str, ...], program: tuple[str, ...]) -> None:
    """Words of the shell, settings, and programs that run another one."""
    assert Command(words, "").program == program


def test_signs_of_make_are_understood() -> None:
    """A dash says that the answer does not matter."""
    assert Command(("-a",), "").is_ignored
    assert Command(("@-a",), "").is_ignored
    assert not Command(("@a",), "").is_ignored
    assert read_name("@/bin/a") == "a"


def test_interpreters_are_known_by_their_names() -> None:
    """Wherever they lie."""
    assert is_interpreter("/usr/bin/python3.12")
    assert is_interpreter(".")
    assert not is_interpreter("pythonic")
