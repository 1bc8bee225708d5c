"""What a repository can begin with: its tests as a check, and a note that tells its agents how to hand over."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from handoff_tui.config.layer import join_path
from handoff_tui.config.load import AGENT_FILES, read_first_file
from handoff_tui.config.presets import PRESETS
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import HandoffError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.system.files.atomic_write import write_file
from handoff_tui.system.files.named_files import read_optional
from handoff_tui.system.files.probe import find_program, list_matching
from handoff_tui.system.files.reader import FileReader

_MOST_BYTES = 1024 * 1024
_PYTEST = compile_later(r"^\[(?:tool\.pytest\.ini_options|tool:pytest|pytest)\]|\bpytest\b", re.MULTILINE)
_PYTEST_FILES = ("pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini", "requirements-dev.txt", "requirements.txt")
_INSTALLED = frozenset({".venv/", "venv/", "node_modules/"})
_TEST_FUNCTION = compile_later(r"^(?:async )?def test_", re.MULTILINE)
_MOST_TEST_FILES = 50
_MAKE_TEST = compile_later(r"^(test|check)\s*:(?!=)", re.MULTILINE)
_NO_TEST = "no test specified"
_JAVASCRIPT_TOOLS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun", "bun.lock": "bun"}
_EXAMPLE = compile_later(r"^#\[checks\.regression\]\n(?:#.*\n)+", re.MULTILINE)
_AGENT_EXAMPLE = compile_later(r"^#\[agents\.writer\]\n(?:#.*\n)+", re.MULTILINE)
_TESTS: Final = {"severity": "critical", "timeout_seconds": 600}
"""How the tests are a check, besides their command."""
_MARK, _END = "<!-- handoff-tui: how to hand over -->", "<!-- handoff-tui: end -->"
_NOTE = f"""\
{_MARK}
## Handing over

A person reviews your work before anything builds on it.

1. Commit your work. Then say in `HANDOFF.md` what you did, which
   files changed, and which tests you ran with what result. Claims
   are measured, so write down only what is so.
2. Run `handoff-tui check --pre`, and fix what it reports.
3. Run `handoff-tui submit ID` (`handoff-tui status` lists the
   ids), and stop.
4. If the work comes back, `handoff-tui packet ID` says what to do.

Deciding is for people: leave `handoff-tui decide`, `.handoff-tui/`
and `handoff-tui.toml` alone.
{_END}
"""


class FoundTests(NamedTuple):
    """A command that runs the tests of a repository, and the file that says so."""

    argv: tuple[str, ...]
    source: str
    access: tuple[str, ...] = ()
    """The folders of installed packages that it needs, which git ignores: they are not in the reviewed work."""


def find_tests(root: Path) -> tuple[FoundTests, ...]:
    """Finds commands that run the tests, the most direct one first. Only reads files, and runs nothing."""
    return tuple(_look_for_tests(FileReader(root, _MOST_BYTES)))


def _look_for_tests(reader: FileReader) -> Iterator[FoundTests]:
    named = (name for name in _PYTEST_FILES if _PYTEST.search(_read(reader, name) or ""))
    has_package = reader.exists("tests/__init__.py") or reader.exists("test/__init__.py")
    if (source := next(named, None) or _find_pytest_file(reader)) is not None:
        yield from _offer_python(reader, ("-m", "pytest", "-q"), source)
    elif has_package:
        yield from _offer_python(reader, ("-m", "unittest"), "tests/")
    package = _read(reader, "package.json")
    if package is not None and _has_test_script(package):
        tool = next((tool for lock, tool in _JAVASCRIPT_TOOLS.items() if reader.exists(lock)), "npm")
        yield FoundTests((tool, "test"), "package.json", tuple(filter(reader.exists, ("node_modules/",))))
    if reader.exists("Cargo.toml"):
        yield FoundTests(("cargo", "test"), "Cargo.toml")
    if reader.exists("go.mod"):
        yield FoundTests(("go", "test", "./..."), "go.mod")
    for name in ("GNUmakefile", "makefile", "Makefile"):
        target = _MAKE_TEST.search(_read(reader, name) or "")
        if target:
            yield FoundTests(("make", target[1]), name)
            break


def _offer_python(reader: FileReader, words: tuple[str, ...], source: str) -> Iterator[FoundTests]:
    """The repository's own environment, if it has one, has the packages; then the usual Python."""
    for folder in (".venv", "venv"):
        if reader.exists(f"{folder}/pyvenv.cfg"):
            yield FoundTests((f"{folder}/bin/python", *words), source, (f"{folder}/",))
    yield FoundTests(("python3", *words), source)


def _find_pytest_file(reader: FileReader) -> str | None:
    """A file with test functions that no class holds, which only pytest runs; None if there is none."""
    folders = [folder for folder in ("tests", "test") if reader.exists(folder)]
    listed = ((folder, list_matching(reader.resolve(folder), "test_*.py")[:_MOST_TEST_FILES]) for folder in folders)
    names = (f"{folder}/{name}" for folder, found in listed for name in found)
    return next((name for name in names if _TEST_FUNCTION.search(_read(reader, name) or "")), None)


class FirstAgent(NamedTuple):
    """A program that is installed here, and the agents it is to be: `[agents.X]` with a preset."""

    preset: str
    names: tuple[str, ...]


def find_presets() -> tuple[str, ...]:
    """Finds the agents' programs on the search path, by preset. Starts none of them."""
    return tuple(name for name, preset in PRESETS.items() if find_program(preset.command[0]) is not None)


def build_first_file(tests: FoundTests | None = None, agent: FirstAgent | None = None) -> str:
    """The `handoff-tui.toml` that `init` writes: comments, and the tests as a check or an agent if they are wanted."""
    text = read_first_file()
    if tests is not None:
        rest = "".join(f"{key} = {json.dumps(value)}\n" for key, value in _TESTS.items())
        rest += f"access = {json.dumps(list(tests.access))}\n" if tests.access else ""
        section = f"[checks.tests]\nrun = {json.dumps(list(tests.argv))}\n{rest}"
        text = _EXAMPLE.sub(lambda _: section, text, count=1)
    if agent is not None:
        sections = "\n".join(
            f"[{join_path(['agents', name])}]\npreset = {json.dumps(agent.preset)}\n" for name in agent.names
        )
        text = _AGENT_EXAMPLE.sub(lambda _: sections, text, count=1)
    return text


def is_as_first_written(settings: Mapping[str, object]) -> bool:
    """Whether a file sets nothing but what `init` asks about: the tests as a check, and agents by presets."""
    checks, agents = settings.get("checks", {}), settings.get("agents", {})
    if settings.keys() - {"checks", "agents"} or not isinstance(checks, dict) or not isinstance(agents, dict):
        return False
    return (
        checks.keys() <= {"tests"}
        and all(isinstance(one, dict) and _is_found_check(one) for one in checks.values())
        and all(isinstance(one, dict) and one.keys() == {"preset"} for one in agents.values())
    )


def _is_found_check(settings: Mapping[str, object]) -> bool:
    """Whether a check sets no more than the command and the folders of installed packages."""
    access = settings.get("access", [])
    usual = {key: value for key, value in settings.items() if key not in {"run", "access"}} == _TESTS
    return usual and isinstance(access, list) and _INSTALLED.issuperset(map(str, access))


class AgentNote(NamedTuple):
    """A note for agents: the file that it belongs in, and what it adds there."""

    path: str
    added: str
    before: str


def plan_agent_note(root: Path) -> AgentNote | None:
    """Says where the note goes: the first file that agents read already, else AGENTS.md. None if it is there."""
    reader = FileReader(root, _MOST_BYTES)
    present = {name: text for name in AGENT_FILES if (text := _read(reader, name)) is not None}
    if any(_MARK in text for text in present.values()):
        return None
    path, before = next(iter(present.items()), (AGENT_FILES[0], ""))
    gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
    return AgentNote(path, gap + _NOTE, before)


def adds_note_alone(before: bytes, after: bytes) -> bool:
    """Whether a file differs from before by the note alone, word for word."""
    note = _NOTE.encode()
    return _MARK.encode() not in before and after in {before + gap + note for gap in (b"", b"\n", b"\n\n")}


def write_agent_note(root: Path, note: AgentNote) -> None:
    write_file(root, note.path, (note.before + note.added).encode("utf-8", "surrogateescape"))


def _has_test_script(package: str) -> bool:
    try:
        scripts = json.loads(package)["scripts"]["test"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return isinstance(scripts, str) and bool(scripts.strip()) and _NO_TEST not in scripts


def _read(reader: FileReader, path: str) -> str | None:
    """The text of a file; None if it is missing, or can't be read safely."""
    try:
        content = read_optional(reader, path)
    except HandoffError:
        return None
    return None if content is None else content.decode("utf-8", "surrogateescape")
