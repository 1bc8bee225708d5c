"""Work on a thread of its own, whose answer is waited for where it is needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_Value = TypeVar("_Value")


class Background(threading.Thread, Generic[_Value]):
    """Starts at once. What the work raises is raised where it is waited for, and nowhere else."""

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
        """Waits for the answer."""
        self.join()
        if self._fault is not None:
            raise self._fault
        return self._values[0]
