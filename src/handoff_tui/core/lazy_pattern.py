"""Regular expressions that are compiled on first use, to keep start-up fast."""

from __future__ import annotations

import re
from typing import AnyStr, cast


def compile_later(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Works like `re.compile`, for module constants: a run needs few of them, and compiling all takes long."""
    return cast("re.Pattern[AnyStr]", LaterPattern(source, flags))


class LaterPattern:
    """Stands for a compiled pattern. Each method is looked up once, and then costs what the real one costs."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # asked by protocols (copying, for example) that a stand-in doesn't support
            raise AttributeError(name)
        value: object = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, value)
        return value
