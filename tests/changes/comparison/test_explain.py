from __future__ import annotations

from handoff_tui.changes.comparison.explain import Drop, build_explanations
from handoff_tui.core.packages import Package
from handoff_tui.core.place import Place
from handoff_tui.handoffs.claim import Claim, ClaimKind
from handoff_tui.handoffs.document import Document, DocumentRole
from handoff_tui.handoffs.handoff import Handoff

_PLACE = Place(path="results.md", line=7)


def build_claim(kind: ClaimKind, subject: str, text: str) -> Handoff:
    return Handoff(id="H-1", dialect="builder", claims=(Claim(text=text, kind=kind, where=_PLACE, subject=subject),))


def test_claim_of_a_deleted_file_explains_it() -> None:
    """At the place of the claim."""
    explanations = build_explanations([build_claim(ClaimKind.FILE_DELETED, "src/a.py", "- src/a.py")], [])
    assert explanations.find(Drop.REMOVED, ["src/a.py"]) == _PLACE
    assert explanations.find(Drop.SKIPPED, ["src/a.py"]) is None


def test_claim_of_a_modified_file_explains_only_what_its_text_says() -> None:
    """That a file was modified says nothing of what is gone from it."""
    said = "tests/x.py: removed test_old"
    explanations = build_explanations([build_claim(ClaimKind.FILE_MODIFIED, "tests/x.py", said)], [])
    assert explanations.find(Drop.REMOVED, ["test_old"]) == _PLACE
    silent = build_explanations([build_claim(ClaimKind.FILE_MODIFIED, "tests/x.py", "tests/x.py: test_old")], [])
    assert silent.find(Drop.REMOVED, ["tests/x.py", "test_old"]) is None


def test_superseded_package_is_explained_by_its_successor() -> None:
    """At the manifest that says so."""
    package = Package(id="PKG-2", where=Place(path="m.json"), supersedes=("PKG-1",))
    explanations = build_explanations([Handoff(id="H-1", dialect="builder", packages=(package,))], [])
    assert str(explanations.find(Drop.REMOVED, ["PKG-1"])) == "m.json"


def test_message_of_a_handoff_is_read() -> None:
    """Its place is the first document."""
    document = Document(path="state.json", role=DocumentRole.STATE)
    handoff = Handoff(id="a", dialect="mosaic", message="Skipped test_slow for now.", documents=(document,))
    assert str(build_explanations([handoff], []).find(Drop.SKIPPED, ["test_slow"])) == "state.json"


def test_first_place_counts() -> None:
    """Where two documents say the same."""
    explanations = build_explanations([], [("a.md", "\nRemoved test_a."), ("b.md", "Removed test_a.")])
    assert str(explanations.find(Drop.REMOVED, ["nothing", "test_a"])) == "a.md:2"


def test_plain_word_is_a_name_only_where_it_is_marked() -> None:
    """«Removed the rich output» says nothing of the package rich."""
    plain = build_explanations([], [("a.md", "Removed the rich output.")])
    assert plain.find(Drop.REMOVED, ["rich"]) is None
    assert plain.find_word(Drop.REMOVED, ["rich"]) is not None
    marked = build_explanations([], [("a.md", "Removed `rich`.")])
    assert marked.find(Drop.REMOVED, ["rich"]) is not None


def test_name_in_two_humps_is_no_plain_word() -> None:
    """A class is known by its capitals."""
    assert build_explanations([], [("a.md", "Removed TestKeys.")]).find(Drop.REMOVED, ["TestKeys"]) is not None
