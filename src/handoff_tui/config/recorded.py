"""Settings that record which of them were read, so that a result can be kept as long as these stay the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast

from handoff_tui.config.settings.root import Settings
from handoff_tui.core.model import Model

OnRead = Callable[[tuple[str, ...]], object]
"""Takes the path of a setting, like `("mosaic", "folder")`, and returns its value."""


class HasSettings(Protocol):
    """Anything that knows the settings."""

    @property
    def settings(self) -> Settings: ...


def record_settings(settings: Settings, on_read: OnRead) -> Settings:
    """A view of the settings that passes each read to `on_read`."""
    return cast("Settings", _RecordedSection(settings, (), on_read))


class _RecordedSection:
    def __init__(self, section: Model, path: tuple[str, ...], on_read: OnRead) -> None:
        self._section = section
        self._path = path
        self._on_read = on_read

    def __getattr__(self, name: str) -> object:
        value = getattr(self._section, name)
        path = (*self._path, name)
        return _RecordedSection(value, path, self._on_read) if isinstance(value, Model) else self._on_read(path)
