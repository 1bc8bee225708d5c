"""When a document was written, where a shallow clone does not show it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from handoff_tui.checks.context import Context

_MOST_NAMED: Final = 3


def is_document_cut_off(context: Context, document: str) -> bool:
    """Whether the commit that holds a document only seems to have written it: what is before it is not here."""
    commit = context.document_commit(document)
    return commit is not None and context.is_cut_off(commit)


def describe_cut_off(documents: Iterable[str]) -> str:
    """Why a rule cannot tell: `this clone is shallow, so it does not show when a.md, b.md were written`."""
    names = list(dict.fromkeys(documents))
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    were = "was" if len(names) == 1 else "were"
    return f"this clone is shallow, so it does not show when {', '.join(names[:_MOST_NAMED])}{more} {were} written"
