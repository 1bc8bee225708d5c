"""Which problems belong to which handoff. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from handoff_tui.core.place import Problem
from handoff_tui.handoffs.handoff import DocumentRole, Handoff


class ProblemIndex:
    """Problems by the files they are about: those of a handoff's documents, and of files missing beside its state."""

    def __init__(self, problems: Iterable[Problem], handoffs: Iterable[Handoff]) -> None:
        owned = {document.path for handoff in handoffs for document in handoff.documents}
        self._by_path: dict[str, list[Problem]] = defaultdict(list)
        self._beside: dict[str, list[Problem]] = defaultdict(list)
        for problem in problems:
            self._by_path[problem.path].append(problem)
            folder = problem.path.rpartition("/")[0]
            if folder and problem.path not in owned:
                self._beside[folder].append(problem)

    def of(self, handoff: Handoff) -> tuple[Problem, ...]:
        """In the order of the handoff's documents; what is wrong beside them comes last."""
        paths = dict.fromkeys(document.path for document in handoff.documents)
        folders = dict.fromkeys(
            document.path.rpartition("/")[0] for document in handoff.documents if document.role is DocumentRole.STATE
        )
        found = [problem for path in paths for problem in self._by_path.get(path, ())]
        found.extend(problem for folder in folders for problem in self._beside.get(folder, ()))
        return tuple(found)
