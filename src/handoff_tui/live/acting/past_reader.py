"""Reads everything the views show at one stop, part by part. Used by one thread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from handoff_tui.checks.problems import measure_gate
from handoff_tui.checks.run.choose import CheckRequest
from handoff_tui.core.classes import replace
from handoff_tui.core.errors import FileUnreadableError
from handoff_tui.core.place import CheckMoment
from handoff_tui.git.watch.noticed import Watching
from handoff_tui.handoffs.session import Session
from handoff_tui.history.past.repository import PastRepository
from handoff_tui.history.travel.travel import Traveller
from handoff_tui.history.travel.values import PastState, Stop, TravelLine
from handoff_tui.live.parts.loader import build_document
from handoff_tui.live.state.app import PACKET, Loaded, OpenDocument, PastView, RepositoryPart, load
from handoff_tui.log.entry import LogProblemLevel
from handoff_tui.log.policy.signer import LocalReviewer
from handoff_tui.log.show.view import ShownLog
from handoff_tui.status.inbox import InboxFacts, build_inbox
from handoff_tui.status.inbox_item import HandoffKey, InboxItem, close_items
from handoff_tui.status.pipeline import PipelineView, build_pipeline

if TYPE_CHECKING:
    from handoff_tui.live.acting.travelling import WantedAtStop

_NOTE = "this is the past: nothing can be decided here"
_EMPTY_LOG = ShownLog(fatal=False, log=None, policy=None, heads=(), total=0, rows=(), problems=())
_WAITING: Loaded[Any] = Loaded(loading=True)
_NONE: Loaded[Any] = Loaded()


class PastReader:
    """One journey; its line of stops stays as it was when it began."""

    def __init__(self, session: Session, reviewer: LocalReviewer) -> None:
        """`reviewer` is the user: the past queue is grouped for them as today's is."""
        self._traveller = Traveller(session)
        self._reviewer = reviewer

    def close(self) -> None:
        self._traveller.close()

    def read_line(self, at: str | None) -> tuple[TravelLine, int]:
        """Returns every stop, and the number of the one asked for, or of the newest."""
        line = self._traveller.line
        found = next((number for number, stop in enumerate(line.stops) if stop.key == at), len(line.stops) - 1)
        return line, found

    def read(self, stop: Stop, wanted: WantedAtStop) -> Iterator[PastView]:
        """Yields the list and the log first, then the handoff in view as well."""
        then, past = self._traveller.visit(stop), self._traveller.open(stop)
        repository = _build_repository(then, past)
        inbox = _build_inbox(then, repository, self._reviewer)
        item = _find_item(inbox, wanted.chosen)
        found = item.key if item is not None else None
        path = _find_document(item, wanted)
        first = PastView(
            stop=stop,
            repository=repository,
            inbox=inbox,
            chosen=found,
            phase=wanted.phase,
            shown=_WAITING if item is not None else _NONE,
            pipeline=Loaded(self._build_pipeline(stop, past, item)) if item is not None else _NONE,
            checks=_WAITING if item is not None else _NONE,
            problems=_WAITING if item is not None else _NONE,
            log=Loaded(then.log or _EMPTY_LOG),
            open_document=path,
            document=_WAITING if path is not None else _NONE,
            missing=wanted.chosen.handoff if wanted.chosen is not None and wanted.chosen != found else "",
            notes=then.notes,
        )
        yield first
        if item is None:
            return
        handoff = item.key.handoff
        shown = load(lambda: self._traveller.show(stop, handoff))
        checks = load(lambda: self._traveller.check(stop, CheckRequest(CheckMoment.GATE, item.phase, handoff)))
        verdicts = shown.value.verdicts if shown.value is not None else ()
        yield replace(
            first,
            shown=shown,
            checks=checks,
            problems=Loaded(measure_gate(checks.value, verdicts) if checks.value is not None else None, checks.trouble),
            document=_NONE if path is None else load(lambda: _read_document(past, item, path)),
        )

    def _build_pipeline(self, stop: Stop, past: PastRepository, item: InboxItem) -> PipelineView:
        log = self._traveller.log
        index = log.build_at(stop.entry).index if log is not None and stop.entry is not None else None
        return build_pipeline(item.reviewed, past.session.loaded.settings.pipelines, index)


def _build_repository(then: PastState, past: PastRepository) -> RepositoryPart:
    root = past.session.repository.root
    problems = then.log.problems if then.log is not None else ()
    return RepositoryPart(
        str(root),
        root.name or str(root),
        Loaded(then.state),
        watching=Watching.PAST,
        reviewer_note=_NOTE,
        fatal=tuple(one.text for one in problems if one.level is LogProblemLevel.FATAL),
        refused=past.session.loaded.refused_shortly,
    )


def _build_inbox(then: PastState, repository: RepositoryPart, reviewer: LocalReviewer) -> tuple[InboxItem, ...]:
    """Returns the queue without ages, which would be today's."""
    items = build_inbox(then.state, InboxFacts(reviewer))
    return close_items(items, repository.closed) if repository.closed else items


def _read_document(past: PastRepository, item: InboxItem, path: str) -> OpenDocument:
    if path == PACKET:
        raise FileUnreadableError("the packet for the next attempt exists only for the current work")
    document = next((one for one in item.reviewed.handoff.documents if one.path == path), None)
    if ":" in path and document is not None:
        return OpenDocument(path, past.reading.files.file(path).text, document)
    limit = past.session.loaded.settings.limits.file_bytes
    return build_document(path, past.read_document(path), document, limit)


def _find_item(inbox: tuple[InboxItem, ...], key: HandoffKey | None) -> InboxItem | None:
    """Returns the handoff in view, or the first one if it did not exist yet."""
    return next((item for item in inbox if item.key == key), next(iter(inbox), None))


def _find_document(item: InboxItem | None, wanted: WantedAtStop) -> str | None:
    """Returns the document in view; the first of its own if another handoff is shown instead."""
    if item is None or wanted.document is None:
        return None
    if item.key == wanted.chosen:
        return wanted.document
    return next((document.path for document in item.reviewed.handoff.documents), None)
