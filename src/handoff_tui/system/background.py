"""Work on a separate thread; the caller waits for the result when it needs it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class Background(threading.Thread, Generic[_Value]):
    """Starts at once. Errors are raised only where the result is awaited."""

    def __init__(self, work: Callable[[], _Value]) -> None:
        super().__init__()
        self._work = work
        self._values: list[_Value] = []
        self._fault: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._values.append(self._work())
        except BaseException as fault:  # noqa: BLE001 - raised again by `finish`
            self._fault = fault

    def finish(self) -> _Value:
        """Waits for the result."""
        self.join()
        if self._fault is not None:
            raise self._fault
        return self._values[0]
