"""Packages go to the handoffs that name them."""

from __future__ import annotations

import json

from handoff_tui.config.settings.root import Builder
from handoff_tui.handoffs.formats.builder.draft import BuilderDraft, build_draft
from handoff_tui.handoffs.formats.builder.grouping import group_files
from handoff_tui.handoffs.formats.builder.packages import ManifestReading, attach_packages, read_manifest
from handoff_tui.handoffs.handoff import DocumentRole
from handoff_tui.handoffs.reading.format import Source

_HASH = "sha256:" + "0a" * 32


def _manifest(package: str, text: str | None = None) -> ManifestReading:
    keys = dict.fromkeys(("version", "schema_version", "spec_id", "framework_id"), "1")
    whole = json.dumps({"package_id": package, **keys, "assets": [{"path": "a.py", "sha256": _HASH}]})
    return read_manifest(Source.of_text(f"{package}/manifest.json", whole if text is None else text))


def _drafts(files: dict[str, str]) -> list[BuilderDraft]:
    groups, _ = group_files(Source.of_text(path, text) for path, text in files.items())
    return [build_draft(group, Builder()) for group in groups]


def _results(number: int, body: str) -> dict[str, str]:
    return {f"RESULTS_HANDOFF_{number}.md": f"# Results: HANDOFF-{number}\n\n## Status: PASS\n\n{body}\n"}


def _packages(draft: BuilderDraft) -> list[str]:
    return [package.id for package in draft.packages]


def test_no_manifest_no_packages() -> None:
    """Nothing is attached, nothing is left."""
    drafts = _drafts(_results(7, "## Files Created\n- PKG-LAMP-001\n"))
    assert attach_packages(drafts, []) is None
    assert _packages(drafts[0]) == []


def test_package_goes_to_the_handoff_that_names_it() -> None:
    """With its manifest as a document and its hashes as claims."""
    drafts = _drafts(_results(7, "## What Was Built\n\nPKG-LAMP-001\n"))
    assert attach_packages(drafts, [_manifest("PKG-LAMP-001")]) is None
    [draft] = drafts
    assert _packages(draft) == ["PKG-LAMP-001"]
    assert [claim.value for claim in draft.claims] == [_HASH]
    assert [(document.path, document.role) for document in draft.documents][-1] == (
        "PKG-LAMP-001/manifest.json",
        DocumentRole.MANIFEST,
    )


def test_package_named_in_passing_goes_to_those_who_mean_it() -> None:
    """A list of all packages counts only where nobody else names it; subsections belong to their section."""
    drafts = _drafts(
        _results(7, "## What Was Built\n\nPKG-LAMP-001\n")
        | _results(8, "## Baseline Snapshot\n\n### Installed\n\n- PKG-LAMP-001\n- PKG-WICK-001\n")
    )
    assert attach_packages(drafts, [_manifest("PKG-LAMP-001"), _manifest("PKG-WICK-001")]) is None
    assert [_packages(draft) for draft in drafts] == [["PKG-LAMP-001"], ["PKG-WICK-001"]]


def test_package_of_two_handoffs_goes_to_both() -> None:
    """Built by one, changed by the next."""
    drafts = _drafts(
        _results(7, "## What Was Built\n\nPKG-LAMP-001\n") | _results(8, "## Files Modified\n\n- PKG-LAMP-001/a.py\n")
    )
    attach_packages(drafts, [_manifest("PKG-LAMP-001")])
    assert [_packages(draft) for draft in drafts] == [["PKG-LAMP-001"], ["PKG-LAMP-001"]]


def test_packages_nobody_names_are_kept_together() -> None:
    """As a handoff of their own, whose id is free."""
    rest = attach_packages([], [_manifest("PKG-OIL-001"), _manifest("PKG-WICK-001")])
    assert rest is not None
    assert (rest.id, rest.title) == ("packages", "Packages without a handoff")
    assert [package.id for package in rest.packages] == ["PKG-OIL-001", "PKG-WICK-001"]
    assert len(rest.documents) == len(rest.claims) == 2


def test_rest_does_not_take_the_id_of_a_handoff() -> None:
    """Where `packages` is the name of work, the rest is called otherwise."""
    drafts = _drafts({"packages/RESULTS.md": "# Results\n\n## Status: PASS\n"})
    drafts[0].group.id = "packages"
    rest = attach_packages(drafts, [_manifest("PKG-OIL-001")])
    assert rest is not None
    assert rest.id == "packages-rest"


def test_broken_manifest_goes_by_its_folder() -> None:
    """Its document is listed where the folder's name is mentioned; there is no package to show."""
    drafts = _drafts(_results(7, "## What Was Built\n\nPKG-LAMP-001\n"))
    assert attach_packages(drafts, [_manifest("PKG-LAMP-001", "{")]) is None
    assert (_packages(drafts[0]), len(drafts[0].documents)) == ([], 2)
    rest = attach_packages([], [_manifest("PKG-OIL-001", "{")])
    assert rest is not None
    assert (rest.packages, [document.path for document in rest.documents]) == ((), ["PKG-OIL-001/manifest.json"])
