"""Checks: built-in ones by id, commands, and functions of Python."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from handoff_tui.config.quantities import Name, Quantity, Seconds
from handoff_tui.core.model import Fits, Model
from handoff_tui.core.place import CheckMoment, Severity

if TYPE_CHECKING:
    from pydantic import JsonValue  # noqa: TC004 - the validation knows it

PythonFunction = Annotated[str, Fits(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]
"""A function as `module:function`."""

Access = Annotated[str, Fits(pattern=r"^(network|home|docker|database|[^:]*/[^:]*(:write)?)$")]
"""A name from the list, or a path: of the repository, of the home folder (`~/`), or from the root."""


class OutputForm(StrEnum):
    """How the outcome of a command is read."""

    EXIT_CODE = "exit-code"
    JUNIT = "junit"
    TAP = "tap"


class Check(Model):
    """A check. Without `run` and `python` it is the built-in one of its id."""

    enabled: bool = True
    """Whether it runs at all."""
    run: tuple[Name, ...] = ()
    """A command: the program and its arguments."""
    shell: bool = False
    """Whether the command is one line for a shell; use it only if it can't be a list."""
    python: PythonFunction | None = None
    """A function, as `module:function`."""
    parameters: dict[Name, JsonValue] = {}
    """What a function is given; built-in checks take their numbers and words from the sections of their systems."""
    severity: Severity | None = None
    """How bad a failure is; with none, what the built-in check says, or high."""
    blocking: bool | None = None
    """Whether a failure closes the gate; with none, it does for critical and high."""
    timeout_seconds: Seconds = 600.0
    """How long it may take."""
    needs: tuple[Name, ...] = ()
    """Checks that must pass first; otherwise this one is skipped."""
    locks: tuple[Name, ...] = ()
    """Names of things that only one check at a time may use."""
    parse: OutputForm = OutputForm.EXIT_CODE
    """How the outcome of a command is read."""
    reproducible: bool = False
    """Whether the command writes {out} and must write the same bytes when it is run twice (archives)."""
    inputs: tuple[Name, ...] = ()
    """Patterns of the files that the outcome depends on; with none, on everything."""
    environment: tuple[Name, ...] = ("PATH", "HOME", "LANG", "TMPDIR")
    """Variables a command is given; all others are held back."""
    access: tuple[Access, ...] = ()
    """What a command needs beyond the reviewed files: network, home, docker, database, or a path with a slash, such as
    node_modules/ or ~/.m2/:write. In the repository's file this only asks; a person grants it by name."""
    moments: tuple[CheckMoment, ...] = (CheckMoment.PRE, CheckMoment.POST, CheckMoment.GATE)
    """When it runs."""
    phases: tuple[Name, ...] = ()
    """Phases whose gates it guards; with none, all."""
    remedy: str = ""
    """What to do when it fails."""

    def refuse_contradictions(self) -> None:
        if self.run and self.python:
            raise ValueError("has both `run` and `python`; a check is one or the other")
        if self.shell and len(self.run) != 1:
            raise ValueError("has `shell = true`, so `run` must be a list with the one line for the shell")
        if self.reproducible and not any("{out}" in word for word in self.run):
            raise ValueError("has `reproducible = true`, so `run` must write to {out}")
        if self.parse is not OutputForm.EXIT_CODE and not self.run:
            raise ValueError(f"reads {self.parse.value} output, but has no `run`")
        if any(".." in name.split("/") for name in self.access):
            raise ValueError("has `..` in `access`; name the folder itself")


class CheckRun(Model):
    """How checks are run."""

    parallel_maximum: Quantity | None = None
    """How many commands run at once; with none, one fewer than there are processors."""
    grace_seconds: Seconds = 3.0
    """How long a command may take to stop when told to, before it is killed."""
    quiet_milliseconds: Quantity = 500
    """How long files must stay unchanged before checks run again."""
    output_bytes: Quantity = 1024 * 1024
    """How much of a command's output is kept."""
    blocking_severities: tuple[Severity, ...] = (Severity.CRITICAL, Severity.HIGH)
    """Severities that block when a check does not say."""
