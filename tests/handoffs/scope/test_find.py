"""The scopes of a real repository: what names a handoff in its commits."""

from __future__ import annotations

import pytest

from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.scope.find import find_scopes
from handoff_tui.handoffs.session import open_session
from tests.support.repositories import RepositoryBuilder

NOTE = "# Handoff: {0}\n\nStatus: COMPLETE\n\n## What was done\n- It works.\n"
LAMP, DIAL = "notes/work/lamp/HANDOFF.md", "notes/work/dial/HANDOFF.md"


@pytest.mark.parametrize(
    ("message", "owners"),
    [
        (f"fix\n\nHandoff: {LAMP}", {LAMP}),
        ("fix\n\nHandoff: work/lamp/HANDOFF.md", {LAMP}),
        (f"fix\n\nhandoff-id: {LAMP}, {DIAL}", {LAMP, DIAL}),
        ("fix\n\nTask: lamp", {DIAL}),
        (f"fix, see {LAMP} and Handoff: {LAMP}", {DIAL}),
    ],
    ids=["id", "document", "several", "other-trailer", "subject"],
)
def test_trailer_names_a_handoff_whatever_its_id_looks_like(
    builder: RepositoryBuilder, message: str, owners: set[str]
) -> None:
    """An id without a number may be a word of any sentence, but not of a trailer. The next report gets the rest."""
    builder.write("README.md").commit("before")
    builder.write("work/lamp/HANDOFF.md", NOTE.format("lamp")).commit("report")
    builder.write("mended.py", "1\n").commit(message)
    builder.write("work/dial/HANDOFF.md", NOTE.format("dial")).commit("another report")
    desk = open_session(builder.folder)
    scopes = find_scopes(desk, read_repository(desk).result.handoffs).scopes
    assert {name for name, scope in scopes.by_handoff.items() if "mended.py" in scope.results} == owners
