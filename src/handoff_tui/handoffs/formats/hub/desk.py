"""The handoffs of the hub while they are put together, and which of them a file belongs to."""

from __future__ import annotations

from dataclasses import dataclass, field

from handoff_tui.config.settings.root import Hub
from handoff_tui.handoffs.formats.hub.context import normalise_time
from handoff_tui.handoffs.formats.hub.stages import STANDARD
from handoff_tui.handoffs.handoff import Handoff, HandoffType, build_id
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft


@dataclass(slots=True)
class Desk:
    """Drafts by id. `works` are handoffs of a task or run, as opposed to lists and reports that stand alone."""

    dialect: str
    settings: Hub = STANDARD
    drafts: dict[str, HandoffDraft] = field(default_factory=dict)
    works: list[str] = field(default_factory=list)
    runs: dict[str, str] = field(default_factory=dict)
    """The handoff of each run."""

    def open_draft(self, handoff_id: str) -> HandoffDraft:
        if handoff_id not in self.drafts:
            self.drafts[handoff_id] = HandoffDraft(
                id=handoff_id, dialect=self.dialect, type=HandoffType.WORKFLOW_HANDOFF
            )
        return self.drafts[handoff_id]

    def open_work(self, handoff_id: str, run: str | None) -> HandoffDraft:
        draft = self.open_draft(handoff_id)
        if handoff_id not in self.works:
            self.works.append(handoff_id)
        if run:
            self.runs.setdefault(run, handoff_id)
        return draft

    def find_by_name(self, task: str | None, run: str | None) -> HandoffDraft | None:
        """The handoff of a task, else of a run."""
        task_id = build_id(task) if task else None
        if task_id is not None and task_id in self.works:
            return self.drafts[task_id]
        return self.drafts[self.runs[run]] if run is not None and run in self.runs else None

    def find_by_folder(self, folder: str) -> HandoffDraft | None:
        """The one handoff whose documents lie in a folder; nothing where there are several."""
        here = [
            self.drafts[handoff_id]
            for handoff_id in self.works
            if any(document.path.rpartition("/")[0] == folder for document in self.drafts[handoff_id].documents)
        ]
        return here[0] if len(here) == 1 else None

    def find_newest(self) -> HandoffDraft | None:
        works = [self.drafts[handoff_id] for handoff_id in self.works]
        return max(works, key=lambda draft: (normalise_time(draft.created), draft.id), default=None)

    def build(self) -> list[Handoff]:
        return [self.drafts[handoff_id].build() for handoff_id in sorted(self.drafts)]
