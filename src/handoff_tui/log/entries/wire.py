"""The encoding inside SSH keys and signatures: numbers and strings with their lengths before them (RFC 4251)."""

from __future__ import annotations

from handoff_tui.core.errors import LogEntryError

_MAX_NUMBER_BYTES = 16384 // 8
"""OpenSSH's limit; it also bounds what a hostile number can cost."""


class WireReader:
    """Takes one value after the other off some bytes; whatever does not fit is the error that was given."""

    __slots__ = ("_data", "_error", "_position")

    def __init__(self, data: bytes, error: type[LogEntryError], position: int = 0) -> None:
        self._data = data
        self._error = error
        self._position = position

    def take_string(self) -> bytes:
        data = self._data
        start = self._position + 4
        # A length that is cut short itself gives an end that lies beyond the data as well.
        end = start + int.from_bytes(data[start - 4 : start], "big")
        if end > len(data):
            raise self._error("cut short: a length points behind the end")
        self._position = end
        return data[start:end]

    def take_integer(self, size: int) -> int:
        end = self._position + size
        if end > len(self._data):
            raise self._error("cut short: a number is missing")
        value = int.from_bytes(self._data[self._position : end], "big")
        self._position = end
        return value

    def take_number(self, *, minimal: bool) -> int:
        """A positive number of any size; leading zeros, which OpenSSH overlooks, are refused where `minimal`."""
        data = self.take_string()
        if not data.strip(b"\0"):
            raise self._error("a number is zero")
        if data[0] & 0x80:
            raise self._error("a number is negative")
        if len(data) > _MAX_NUMBER_BYTES + 1 or (len(data) > _MAX_NUMBER_BYTES and data[0]):
            raise self._error("a number is too large")
        if minimal and not data[0] and not data[1] & 0x80:
            raise self._error("a number has leading zeros")
        return int.from_bytes(data, "big")

    def finish(self) -> None:
        if self._position != len(self._data):
            raise self._error(f"{len(self._data) - self._position} bytes too many at the end")


def build_string(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data
