"""Regular expressions that are compiled when they are first used: start-up is paid for by what runs."""

from __future__ import annotations

import re
from typing import AnyStr, cast


def compile_later(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, for the constants of a module: a run needs few of them, and compiling all takes long."""
    return cast("re.Pattern[AnyStr]", LaterPattern(source, flags))


class LaterPattern:
    """Stands for a compiled pattern. Each of its methods is fetched once, and then costs what the real one costs."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # asked by protocols (copying, say) that a stand-in does not speak
            raise AttributeError(name)
        value: object = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, value)
        return value
