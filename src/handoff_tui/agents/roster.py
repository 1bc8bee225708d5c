"""Which agents there are: programs with a preset, whether this machine has them, and the agents that are configured.

Nothing is started to find out.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from handoff_tui.config.layer import join_path
from handoff_tui.config.load import REPOSITORY_FILE, LoadedSettings
from handoff_tui.config.presets import PRESETS, Preset
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.text.page import Cell, Column, Page
from handoff_tui.core.text.safe_text import render_safe
from handoff_tui.system.files.probe import find_program

SCHEMA = "handoff-tui/agents/v1"
_LONGEST = 60
_OTHER_LOGIN = compile_later(r"provider|base_url|keyring|--oss\b")
"""In a program's words or settings: it may need no login, or keep it elsewhere."""


class KnownProgram(NamedTuple):
    """A program with a preset."""

    preset: str
    title: str
    place: str | None
    """Where it is installed; None if this machine doesn't have it."""
    install: str


class ConfiguredAgent(NamedTuple):
    """An agent of the configuration."""

    name: str
    preset: str | None
    command: tuple[str, ...]
    place: str | None
    """Where its program is installed; None if this machine doesn't have it."""
    phases: tuple[str, ...]
    """The phases it works in, as `pipeline · phase`."""
    from_repository: bool


class Roster(NamedTuple):
    """All programs and agents."""

    programs: tuple[KnownProgram, ...]
    agents: tuple[ConfiguredAgent, ...]


def build_roster(loaded: LoadedSettings) -> Roster:
    """Lists programs and agents; looks for each program on the search path."""
    programs = tuple(
        KnownProgram(name, preset.title, find_program(preset.command[0]), preset.install)
        for name, preset in PRESETS.items()
    )
    phases = [
        (f"{name} · {phase.name}", (phase.agent or phase.name).casefold())
        for name, pipeline in loaded.settings.pipelines.items()
        for phase in pipeline.phases
    ]
    agents = tuple(
        ConfiguredAgent(
            name,
            agent.preset,
            agent.command,
            find_program(agent.command[0]),
            tuple(phase for phase, worker in phases if worker == name.casefold()),
            is_from_repository(loaded, name),
        )
        for name, agent in loaded.settings.agents.items()
    )
    return Roster(programs, agents)


def is_from_repository(loaded: LoadedSettings, name: str) -> bool:
    """Tells whether the repository configures any part of an agent."""
    below = f"{join_path(['agents', name])}."
    origins = loaded.origins.items()
    return any(key.startswith(below) and origin.startswith(REPOSITORY_FILE) for key, origin in origins)


def lacks_login(preset: Preset | None, argv: Iterable[str], environment: Mapping[str, str]) -> bool:
    """Tells whether a program that doesn't say so itself has no login: no variable, no file, no other provider."""
    if preset is None or preset.login_folder is None or any(name in environment for name in preset.login_variables):
        return False
    variable, folder = preset.login_folder
    place = Path(environment.get(variable) or Path(environment.get("HOME", "/"), folder))
    words = " ".join(argv)
    with suppress(OSError):
        words += (place / "config.toml").read_text(encoding="utf-8", errors="replace")
    return not (place / "auth.json").exists() and _OTHER_LOGIN.search(words) is None


def build_roster_json(roster: Roster) -> dict[str, object]:
    """The shape promised to scripts."""
    return {
        "schema": SCHEMA,
        "presets": [
            {"preset": one.preset, "title": one.title, "installed": one.place is not None, "path": one.place,
             "install": one.install}
            for one in roster.programs
        ],
        "agents": [
            {"name": one.name, "preset": one.preset, "command": list(one.command), "installed": one.place is not None,
             "path": one.place, "phases": list(one.phases), "from_repository": one.from_repository}
            for one in roster.agents
        ],
    }  # fmt: skip


def build_roster_page(roster: Roster) -> Page:
    """Shows which programs are installed, and what is configured."""
    page = Page()
    page.heading("Presets")
    columns = (Column(""), Column("preset"), Column("program"), Column("where", fold=True))
    page.grid(columns, [_build_program_row(program) for program in roster.programs])
    page.blank()
    page.heading("Agents", "" if roster.agents else "none configured")
    columns = (Column(""), Column("agent"), Column("runs"), Column("works in", fold=True))
    page.grid(columns, [_build_agent_row(agent) for agent in roster.agents])
    if not roster.agents:
        page.line(Cell('  One line configures one: agents.implement.preset = "claude"', "muted"))
    return page


def _mark(place: str | None) -> Cell:
    return Cell("✓ installed", "pass") if place is not None else Cell("· missing", "muted")


def _build_program_row(program: KnownProgram) -> tuple[Cell, ...]:
    where = Cell(render_safe(program.place)) if program.place is not None else Cell(program.install, "muted")
    return _mark(program.place), Cell(program.preset), Cell(program.title), where


def _build_agent_row(agent: ConfiguredAgent) -> tuple[Cell, ...]:
    origin = " (repository)" if agent.from_repository else ""
    return (
        _mark(agent.place),
        Cell(render_safe(agent.name + origin)),
        Cell(agent.preset or render_safe(shlex.join(agent.command), _LONGEST)),
        Cell(render_safe(", ".join(agent.phases))) if agent.phases else Cell("no phase", "warning"),
    )
