"""Every setting with its default. The numbers of rules are here and nowhere else."""

from __future__ import annotations

from typing import Annotated

from handoff_tui.config.keymap import DEFAULT_KEYMAP, Keymap
from handoff_tui.config.quantities import Name, Quantity
from handoff_tui.config.settings.checks import Check, CheckRun
from handoff_tui.config.settings.formats import Builder, Hub, Mosaic, Public, Tdd
from handoff_tui.config.settings.pipeline import DEFAULT_PIPELINES, Agent, PipelineSettings
from handoff_tui.config.settings.procedures import Procedures
from handoff_tui.config.settings.review import Approvals, Baseline, Risk, ScopeSettings, Tamper
from handoff_tui.config.settings.user import EngineSettings, Notifications, Reasons
from handoff_tui.core.model import Fits, Model


class Limits(Model):
    """How much is read."""

    file_bytes: Quantity = 4 * 1024 * 1024
    """The largest file that is read; a larger one is listed with a problem."""
    markdown_bytes: Quantity = 512 * 1024
    """The largest document that is parsed as Markdown."""
    hash_bytes: Quantity = 256 * 1024 * 1024
    """The largest file whose hash is measured."""
    commits: Quantity = 200
    """How many commits back from HEAD are searched for handoff trailers and notes."""


__all__ = ["Builder", "Hub", "Limits", "Mosaic", "Procedures", "Public", "Settings", "Tdd"]

ThemeName = Annotated[str, Fits(pattern=r"^[a-z0-9][a-z0-9-]*$")]
"""A theme's name is the name of its file, so it cannot lead into another folder."""


HandoffName = Annotated[str, Fits(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$")]


class Settings(Model):
    """All settings."""

    limits: Limits = Limits.model_construct()
    mosaic: Mosaic = Mosaic.model_construct()
    builder: Builder = Builder.model_construct()
    procedures: Procedures = Procedures.model_construct()
    tdd: Tdd = Tdd.model_construct()
    hub: Hub = Hub.model_construct()
    public: Public = Public.model_construct()
    pipelines: dict[Name, PipelineSettings] = DEFAULT_PIPELINES
    """Pipelines by name: those of the formats, and your own."""
    agents: dict[Name, Agent] = {}
    """Agents by name."""
    checks: dict[Name, Check] = {}
    """Checks by id: settings of built-in ones, and your own."""
    check_run: CheckRun = CheckRun.model_construct()
    approvals: Approvals = Approvals.model_construct()
    scopes: dict[HandoffName, ScopeSettings] = {}
    """Scopes that a person corrected, by the handoff's id: what counts as its work."""
    tamper: Tamper = Tamper.model_construct()
    risk: Risk = Risk.model_construct()
    baseline: Baseline = Baseline.model_construct()
    theme: ThemeName = "dark"
    """The theme's name. Only the user's file may set it."""
    ascii: bool = False
    """Whether only ASCII characters are drawn. Only the user's file may set it."""
    editor: tuple[Name, ...] = ()
    """The editor's command; {path} and {line} are filled in; with none, $VISUAL or $EDITOR. Only the user's file."""
    keymap: Keymap = DEFAULT_KEYMAP
    """Keys by action id. Only the user's file may set them."""
    reasons: Reasons = Reasons.model_construct()
    """Reasons to begin with, in the decision dialog. Only the user's file may set them."""
    notifications: Notifications = Notifications.model_construct()
    """How the user is notified that something waits. Only the user's file may set it."""
    engine: EngineSettings = EngineSettings.model_construct()
    """The engine under procedures. Only the user's file may set it."""
