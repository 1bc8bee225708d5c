"""The terminal itself, whatever stdin and stdout are: a person is there, and a pipe never counts as an answer."""

from __future__ import annotations

import os
import select
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_PLACE = "/dev/tty"
_INJECTION = "/proc/sys/dev/tty/legacy_tiocsti"
_LONGEST_ANSWER = 4096


def has_terminal() -> bool:
    """Tells whether this process has a terminal it can ask on."""
    with _open() as terminal:
        return terminal is not None


def read_width() -> int | None:
    """Returns the terminal's width in columns; None if there is no terminal, or it doesn't say."""
    with _open() as terminal, suppress(OSError):
        return terminal and (os.get_terminal_size(terminal).columns or None)
    return None


def ask(question: str, quiet_seconds: float = 0.3, patience_seconds: float | None = None) -> str | None:
    """Asks on the terminal and returns the typed line; None if input ended, patience did, or there is no terminal.

    Keys typed before the question was visible are discarded: they were meant for something else.
    """
    answer = b""
    with _open() as terminal, suppress(OSError, termios.error):  # it may disappear in the meantime
        if terminal is not None:
            _write(terminal, question)
            deadline = time.monotonic() + quiet_seconds
            while (left := deadline - time.monotonic()) > 0:
                select.select([], [], [], left)
            termios.tcflush(terminal, termios.TCIFLUSH)
            if select.select([terminal], [], [], patience_seconds)[0]:
                answer = os.read(terminal, _LONGEST_ANSWER)
    return answer.decode("utf-8", "replace").strip() if answer else None


def is_input_injectable() -> bool | None:
    """Tells whether the kernel lets a program put keys into its terminal's input (TIOCSTI); None if it doesn't say."""
    try:
        with open(_INJECTION, encoding="ascii") as file:  # noqa: PTH123 - this module starts with every command
            return file.read().strip() != "0"
    except (OSError, ValueError):
        return None


def write_line(text: str) -> None:
    """Writes a line to the terminal itself, if there is one."""
    write_sequence(f"{text}\r\n")


def write_sequence(sequence: str) -> None:
    """Sends the terminal a control sequence; does nothing without a terminal."""
    with _open() as terminal, suppress(OSError):  # it may disappear in the meantime
        if terminal is not None:
            _write(terminal, sequence)


@contextmanager
def _open() -> Iterator[int | None]:
    try:
        terminal = os.open(_PLACE, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    try:
        yield terminal
    finally:
        os.close(terminal)


def _write(terminal: int, text: str) -> None:
    """Writes all of it: a terminal may accept less at a time."""
    content = text.encode("utf-8", "replace")
    while content:
        content = content[os.write(terminal, content) :]
