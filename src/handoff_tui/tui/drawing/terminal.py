"""The terminal may go away while we write to it: a closed window, a lost connection. Then what is written is lost.

The framework's writer would end with the first error, and the program would wait for it for ever instead of leaving.
"""

from __future__ import annotations

from typing import Any, TextIO, cast

from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver


class LastingFile:
    """A file that takes everything, whether or not somebody is at its other end."""

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
    """The framework's own, writing to a file that lasts."""

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - as the framework calls it
        super().__init__(*given, **named)
        if self._file is not None:
            self._file = cast("Any", LastingFile(self._file))


def outlive_terminal(driver: type[Driver]) -> type[Driver]:
    """In the place of the driver of a terminal; others stay as they are."""
    return OutlivingDriver if driver is LinuxDriver else driver
