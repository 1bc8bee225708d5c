"""The digests of scopes: every own file hashed from git or from disk, in canonical bytes that a decision binds.

docs/log-format.md has the format.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping

from handoff_tui.core.errors import ObjectMissingError
from handoff_tui.core.file_modes import SUBMODULE
from handoff_tui.git.objects.tree_files import read_tree_contents
from handoff_tui.git.stream import open_stream
from handoff_tui.handoffs.scope.find import FoundScopes
from handoff_tui.handoffs.scope.scope import Content, Scope
from handoff_tui.handoffs.session import Session

GONE = "deleted"
_NO_MODE = "000000"
_LARGE_BYTES = 16 << 20


def build_files(scope: Scope, sha256_by_blob: Mapping[str, str]) -> list[dict[str, str]]:
    """Each own path that is bound, with mode and content hash, sorted by the bytes of the path."""
    results = sorted(scope.bound.items(), key=lambda item: os.fsencode(item[0]))
    return [_build_file(path, content, sha256_by_blob) for path, content in results]


def build_manifest(scope: Scope, sha256_by_blob: Mapping[str, str]) -> dict[str, object]:
    """What the review record keeps: the files, and where they were seen."""
    return {
        "commits": list(scope.commits),
        "files": build_files(scope, sha256_by_blob),
        "start": scope.start or "",
    }


def build_scope_digest(files: list[dict[str, str]]) -> str:
    """SHA-256 of the files alone: a rebase that keeps the content keeps the digest."""
    text = json.dumps({"files": files}, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _build_file(path: str, content: Content, sha256_by_blob: Mapping[str, str]) -> dict[str, str]:
    found = {"content": GONE, "mode": _NO_MODE}
    if not content.deleted:
        found = {"content": f"sha256:{sha256_by_blob[content.blob]}", "mode": content.mode}
    return found | write_path(path)


def write_path(path: str) -> dict[str, str]:
    """A path as a field of a file."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:  # no UTF-8: JSON cannot hold it
        return {"path_hex": os.fsencode(path).hex()}
    return {"path": path}


def read_path(file: Mapping[str, str]) -> str:
    """The path of a file that was written so."""
    return file["path"] if "path" in file else os.fsdecode(bytes.fromhex(file["path_hex"]))


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
        # No hash is remembered on disk: anyone who can write there could pass off a changed file as an approved one.
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
