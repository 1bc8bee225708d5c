"""Regular expressions that are compiled on first use, and kept beside Python's own bytecode for the next start."""

from __future__ import annotations

import atexit
import marshal
import os
import re
import sys
from array import array
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, AnyStr, cast

_Kept = tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]
"""What `re` made of a pattern: flags, code, and the groups by number, by name, and their names by number."""


def compile_later(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Works like `re.compile`, for module constants: a run needs few of them, and compiling all takes long."""
    return cast("re.Pattern[AnyStr]", LaterPattern(source, flags))


@lru_cache(maxsize=512)
def compile_known(source: str, flags: int = 0) -> re.Pattern[str]:
    """Compiles a pattern that is made of settings, and so is the same the next time; it is kept, too."""
    return _kept_patterns.compile(source, int(flags))


class LaterPattern:
    """Stands for a compiled pattern. Each method is looked up once, and then costs what the real one costs."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # asked by protocols (copying, for example) that a stand-in doesn't support
            raise AttributeError(name)
        value: object = getattr(_kept_patterns.compile(self._source, int(self._flags)), name)
        setattr(self, name, value)
        return value


class KeptPatterns:
    """Compiled patterns in a file of `__pycache__`, by their text.

    Who can write there can write this program's bytecode, which Python loads unread: nothing is believed here that was
    not believed already. A file of another Python, or one that makes no sense, is not used.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._kept: dict[tuple[str | bytes, int], _Kept] | None = None
        self._news = False

    def compile(self, source: str | bytes, flags: int) -> re.Pattern[Any]:
        if self._kept is None:
            self._kept = self._read()
        kept = self._kept.get((source, flags))
        if kept is not None:
            try:
                return _restore(source, kept)
            except (RuntimeError, TypeError, ValueError, OverflowError):  # no code that `re` would make
                del self._kept[source, flags]
        compiled = re.compile(source, flags)
        if self._path is not None and not sys.dont_write_bytecode:
            self._keep(compiled, flags)
        return compiled

    def _read(self) -> dict[tuple[str | bytes, int], _Kept]:
        if self._path is None:
            return {}
        try:
            version, kept = marshal.loads(self._path.read_bytes())  # noqa: S302 - as Python reads its bytecode
        except (OSError, EOFError, ValueError, TypeError):
            return {}
        return kept if version == sys.version and isinstance(kept, dict) else {}

    def _keep(self, compiled: re.Pattern[Any], flags: int) -> None:
        """Takes the pattern apart, for the file that is written at the end."""
        inner = import_module("re._compiler")
        parsed = inner._parser.parse(compiled.pattern, flags)  # noqa: SLF001
        code = array("I", inner._code(parsed, flags)).tobytes()  # noqa: SLF001
        names = dict.fromkeys(range(compiled.groups + 1)) | {at: name for name, at in compiled.groupindex.items()}
        kept = (compiled.flags, code, compiled.groups, dict(compiled.groupindex), tuple(names.values()))
        if _restore(compiled.pattern, kept) != compiled or self._kept is None:
            return
        self._kept[compiled.pattern, flags] = kept
        if not self._news:
            self._news = True
            atexit.register(self._write)

    def _write(self) -> None:
        if self._path is None:
            return
        new = self._path.with_suffix(f".{os.getpid()}")
        try:
            new.write_bytes(marshal.dumps((sys.version, self._kept)))
            new.replace(self._path)
        except OSError:  # installed for everybody, or the disk is full: the next start compiles again
            new.unlink(missing_ok=True)


def _restore(source: str | bytes, kept: _Kept) -> re.Pattern[Any]:
    flags, code, groups, by_name, names = kept
    restored: re.Pattern[Any] = _compile(source, flags, array("I", code).tolist(), groups, by_name, names)
    return restored


_compile = import_module("_sre").compile
_kept_patterns = KeptPatterns(Path(__spec__.cached).with_suffix(".patterns") if __spec__.cached else None)
