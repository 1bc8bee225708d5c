"""What the claims of the handoffs in view are worth by every measurement, kept while files change."""

from __future__ import annotations

from handoff_tui.live.feed.snapshot import Scene
from handoff_tui.live.feed.verdict_cache import ClaimBook


class DeepBook:
    """The book of the handoff in view, moved on from scene to scene. Used by one thread."""

    def __init__(self) -> None:
        self._scene: Scene | None = None
        self._book: ClaimBook | None = None

    def find(self, scene: Scene) -> ClaimBook:
        """The book as of a scene, which is never older than the one before."""
        if self._book is None or self._scene is None or scene is not self._scene:
            self._book = self._build(scene)
            self._scene = scene
        return self._book

    def _build(self, scene: Scene) -> ClaimBook:
        before = self._scene
        same_place = before is not None and before.state.repository.root == scene.state.repository.root
        patch = scene.find_patch(before.version) if before is not None and same_place else None
        if before is None or self._book is None or patch is None:
            return ClaimBook(scene.desk, scene.reading.harvest.handoffs, deep=True)
        if patch.presence:
            return ClaimBook(scene.desk, scene.reading.harvest.handoffs, deep=True)
        self._book.move_on(scene.desk, patch.paths, scene.reading.harvest.handoffs)
        return self._book
