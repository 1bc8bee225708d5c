"""Survives a terminal that goes away while the app writes to it: a closed window, a lost connection.

The framework's writer would stop at the first error, and the program would wait for it for ever instead of exiting.
"""

from __future__ import annotations

from typing import Any, TextIO, cast

from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver


class LastingFile:
    """A file that accepts everything, even if nobody is at the other end."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        try:
            return self._file.write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        try:
            self._file.flush()
        except OSError:
            return

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the file has
        return getattr(self._file, name)


class OutlivingDriver(LinuxDriver):
    """The framework's driver, writing to a file that never fails."""

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - as the framework calls it
        super().__init__(*given, **named)
        if self._file is not None:
            self._file = cast("Any", LastingFile(self._file))


def outlive_terminal(driver: type[Driver]) -> type[Driver]:
    """Returns a terminal driver that survives a lost terminal; other drivers are returned unchanged."""
    return OutlivingDriver if driver is LinuxDriver else driver
