"""The views of the desk, by name: each module is imported when its view is first opened."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import cast

from handoff_tui.tui.views.view import View

_CLASSES = {
    "inbox": "InboxView",
    "pipeline": "PipelineView",
    "checks": "ChecksView",
    "diff": "DiffView",
    "document": "DocumentView",
    "log": "LogView",
    "agent": "AgentView",
    "claims": "ClaimsView",
    "attempts": "AttemptsView",
    "figures": "FiguresView",
}


def _make(name: str) -> View:
    module = import_module(f"handoff_tui.tui.views.{name}.view")
    return cast("Callable[[], View]", getattr(module, _CLASSES[name]))()


VIEWS: dict[str, Callable[[], View]] = {name: partial(_make, name) for name in _CLASSES}
