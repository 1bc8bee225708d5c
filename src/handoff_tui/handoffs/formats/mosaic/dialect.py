"""The dialect of session enforcement."""

from __future__ import annotations

from typing import Final

from handoff_tui.handoffs.formats.mosaic import layout
from handoff_tui.handoffs.formats.mosaic.emergency import add_emergency
from handoff_tui.handoffs.formats.mosaic.manifests import read_manifest
from handoff_tui.handoffs.formats.mosaic.recognition import recognise
from handoff_tui.handoffs.formats.mosaic.state import build_live_handoff, find_missing, is_live
from handoff_tui.handoffs.handoff import Handoff, RegistryState
from handoff_tui.handoffs.reading.format import Dialect, Reading, Shelf, Source
from handoff_tui.handoffs.reading.handoff_draft import HandoffDraft

_ID: Final = "mosaic"


def read(owned: list[Source], shelf: Shelf) -> Reading:
    reading = Reading()
    paths = shelf.paths
    drafts: dict[str, HandoffDraft] = {}
    for folder, sources in sorted(_group_by_folder(owned, paths).items()):
        reading.problems.extend(find_missing(folder, sources, paths, shelf.settings.mosaic))
        if is_live(sources):
            drafts[layout.parent_of(folder)] = build_live_handoff(folder, sources, _ID, shelf.settings.mosaic)
    emergencies = _add_emergencies(owned, drafts)
    reading.handoffs.extend(drafts[parent].build() for parent in sorted(drafts))
    reading.handoffs.extend(draft.build() for draft in emergencies)
    reading.handoffs.extend(_read_manifests(owned, reading.handoffs))
    return reading


def _read_manifests(owned: list[Source], live: list[Handoff]) -> list[Handoff]:
    """Hooks write one at every commit: only the newest of a folder can be waiting, and only if no state is newer."""
    sources = sorted((source for source in owned if layout.is_manifest_path(source.path)), key=lambda s: s.path)
    newest = {source.folder: source.path for source in sources}
    latest = max((handoff.created for handoff in live if handoff.created), default="")
    found: list[Handoff] = []
    for source in sources:
        manifest = read_manifest(source, _ID)
        is_old = source.path != newest[source.folder] or (manifest.created or "\uffff") < latest
        found.append(manifest.model_copy(update={"registry": RegistryState.SUPERSEDED}) if is_old else manifest)
    return found


def _group_by_folder(owned: list[Source], paths: tuple[str, ...]) -> dict[str, dict[str, Source]]:
    """The sources of each state folder by their path below it; folders without any are there too, empty."""
    folders: dict[str, dict[str, Source]] = {}
    for path in [path for path in paths if layout.STATE_FOLDER in path]:
        split = layout.split_state_path(path)
        if split is not None:
            folders.setdefault(split[0], {})
    for source in owned:
        split = layout.split_state_path(source.path)
        if split is not None and layout.is_state_path(source.path):
            folders.setdefault(split[0], {})[split[1]] = source
    return folders


def _add_emergencies(owned: list[Source], drafts: dict[str, HandoffDraft]) -> list[HandoffDraft]:
    """Adds each emergency to the live handoff beside it; returns those that stand alone."""
    alone: list[HandoffDraft] = []
    for source in sorted(owned, key=lambda source: source.path):
        if not layout.is_emergency_path(source.path):
            continue
        draft = drafts.get(layout.parent_of(source.folder))
        if draft is None:
            draft = HandoffDraft(id=layout.build_emergency_id(source.path), dialect=_ID, title="Emergency handoff")
            alone.append(draft)
        add_emergency(source, draft)
    return alone


MOSAIC: Final = Dialect(id=_ID, may_own=layout.may_own, recognise=recognise, read=read)
