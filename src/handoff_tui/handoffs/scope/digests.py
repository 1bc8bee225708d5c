"""The digests of scopes: the content of every own file, hashed from the objects of git or from the disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from handoff_tui.core.errors import ObjectMissingError
from handoff_tui.git.objects.tree_files import read_tree_contents
from handoff_tui.git.stream import open_stream
from handoff_tui.git.work_tree.content import SUBMODULE
from handoff_tui.handoffs.scope.find import FoundScopes
from handoff_tui.handoffs.scope.manifest import build_files, build_manifest, build_scope_digest
from handoff_tui.handoffs.scope.scope import Scope
from handoff_tui.handoffs.session import Session

_LARGE_BYTES = 16 << 20


class ScopeDigests:
    """Digests of the scopes that were found, each file hashed at most once."""

    def __init__(self, session: Session, found: FoundScopes) -> None:
        self._session = session
        self._known = dict(found.sha256_by_blob)
        self._digests: dict[tuple[str, bool], str] = {}

    def digest(self, scope: Scope, *, committed: bool = False) -> str:
        """The scope digest; with `committed`, of what is committed alone."""
        key = (scope.handoff, committed)
        if key not in self._digests:
            part = scope.without_uncommitted() if committed else scope
            self._learn([part])
            self._digests[key] = build_scope_digest(build_files(part, self._known))
        return self._digests[key]

    def learn_all(self, scopes: Iterable[Scope]) -> None:
        """Looks up the hashes of many scopes at once."""
        self._learn(tuple(scopes))

    def build_files(self, scope: Scope) -> list[dict[str, str]]:
        """The own files with their hashes, as a manifest lists them."""
        self._learn([scope])
        return build_files(scope, self._known)

    def build_manifest(self, scope: Scope) -> dict[str, object]:
        """What a review record keeps of the scope."""
        self._learn([scope])
        return build_manifest(scope, self._known)

    def _learn(self, scopes: Iterable[Scope]) -> None:
        """Looks up the hashes that are not known yet."""
        known = self._known
        new = [one for scope in scopes for one in scope.bound.values() if one.blob not in known and not one.deleted]
        if not new:
            return
        known.update({content.blob: _hash_text(content.blob) for content in new if content.mode == SUBMODULE})
        unknown = {content.blob for content in new} - known.keys()
        # No hash is remembered on disk: whoever can write there could pass off a changed file as an approved one.
        sizes: list[tuple[str, int | None]] = [(blob, None) for blob in sorted(unknown)]
        for blob, content in read_tree_contents(self._session.repository.git, sizes, _LARGE_BYTES, {}):
            self._known[blob] = self._hash_large(blob) if content is None else hashlib.sha256(content).hexdigest()

    def _hash_large(self, blob: str) -> str:
        digest = hashlib.sha256()
        with open_stream(self._session.repository.git, "cat-file", "blob", blob) as stream:
            for chunk in stream.chunks():
                digest.update(chunk)
            if not stream.finish().ok:
                raise ObjectMissingError(
                    f"the content {blob} is not in this repository",
                    "A partial or shallow clone may lack it: git fetch --unshallow --refetch.",
                )
        return digest.hexdigest()


def _hash_text(text: str) -> str:
    """A submodule has no content here; the commit it stands at counts."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()
