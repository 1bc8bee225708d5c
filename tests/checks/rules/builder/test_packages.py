"""Packages of a builder: archives, hashes, manifests and files."""

from __future__ import annotations

import gzip
import io
import tarfile
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.checks.rule import NotApplicableError, Rule, UndecidableError
from handoff_tui.checks.rules.builder.hashes import ArchiveBrokenError, archives_reproducible, find_varying, hashes_hold
from handoff_tui.checks.rules.builder.package_contents import (
    asset_hashes_match,
    manifest_shape_fits,
    packages_are_clean,
    packages_own_their_files,
)
from handoff_tui.handoffs.claim import Verdict, VerdictState
from tests.support.builder_story import (
    MANIFEST,
    SOURCE,
    build_changed_results,
    build_files,
    build_manifest,
    build_results,
    build_spec,
    build_world,
    digest,
    results_path,
    spec_path,
)
from tests.support.world import MemoryWorld, find_subjects, judge

_NAME = "PKG-LAMP-001.tar.gz"


def _build_archive(
    *, mtime: int = 0, uid: int = 0, uname: str = "", packed_at: int = 0, size: int = 4, packed: bool = True
) -> bytes:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        member = tarfile.TarInfo("PKG-LAMP-001/lamp.py")
        member.size, member.mtime, member.uid, member.uname = size, mtime, uid, uname
        archive.addfile(member, io.BytesIO(b"x" * size))
    return gzip.compress(plain.getvalue(), mtime=packed_at) if packed else plain.getvalue()


def _declare(content: bytes | None, declared: str | None = None) -> MemoryWorld:
    value = declared if declared is not None else f" (SHA256: {digest(content or b'')})"
    world = build_changed_results("## Archives Built\n- NONE\n", f"## Archives Built\n- `{_NAME}`{value}\n")
    if content is not None:
        world.files[_NAME] = content
    return world


def test_archive_without_varying_parts_passes() -> None:
    """Packed or plain: fixed times, no owners."""
    assert judge(archives_reproducible, _declare(_build_archive())) == []
    assert judge(archives_reproducible, _declare(_build_archive(packed=False))) == []


def test_archive_with_varying_parts_is_found() -> None:
    """Times and owners of members, and the time in the header of gzip."""
    for content, word in (
        (_build_archive(mtime=1_700_000_000), "carries the time"),
        (_build_archive(uid=1000), "belongs to user 1000"),
        (_build_archive(uname="wren"), "names its owner wren"),
        (_build_archive(packed_at=1_700_000_000), "the time of the build"),
    ):
        [found] = judge(archives_reproducible, _declare(content))
        assert found.actual is not None
        assert word in found.actual


def test_archive_with_another_hash_is_found() -> None:
    """The file is not the one that was declared."""
    [found] = judge(archives_reproducible, _declare(_build_archive(), f" (SHA256: {digest('x')})"))
    assert (found.subject, found.expected) == (f"archive {_NAME}", f"sha256:{digest('x')}")


def test_archive_that_is_missing_or_without_a_hash_is_found() -> None:
    """A name alone proves nothing."""
    assert find_subjects(archives_reproducible, _declare(None)) == [f"archive {_NAME}"]
    assert find_subjects(archives_reproducible, _declare(_build_archive(), "")) == [f"hash {_NAME}"]


@pytest.mark.parametrize("content", [gzip.compress(b"no archive", mtime=0), _build_archive()[:40], b"\x1f\x8b"])
def test_archive_that_is_broken_is_found(content: bytes) -> None:
    """No tar inside, cut off, only two bytes."""
    subjects = find_subjects(archives_reproducible, _declare(content))
    assert subjects == [f"members {_NAME}"]


def test_archive_that_unpacks_into_too_much_is_found() -> None:
    """The limit is that of files whose hash is measured; nothing is held in memory beyond it."""
    world = _declare(_build_archive(size=200_000))
    world.overrides["limits.hash_bytes"] = 50_000
    [found] = judge(archives_reproducible, world)
    assert "unpacks into more than may be read" in found.message


def test_archive_of_another_kind_is_compared_by_its_hash() -> None:
    """A file that isn't a tar archive is not looked into."""
    assert judge(archives_reproducible, _declare(b"PK\x03\x04 something")) == []


def test_archive_rule_needs_an_archive() -> None:
    """Results that built none."""
    with pytest.raises(NotApplicableError):
        judge(archives_reproducible, build_world())
    with pytest.raises(NotApplicableError):
        judge(archives_reproducible, build_world({results_path("H-5"): None}))


@given(st.binary(max_size=600))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    """Only one kind of error comes out, packed or plain."""
    for wrapped in (content, b"\x1f\x8b" + content):
        with suppress(ArchiveBrokenError):
            assert isinstance(find_varying(wrapped, time=0, owners=("",), limit=10_000), list)


_PATH = "PKG-LAMP-001/lamp.py"

_THEN = "b" * 40


def _committed(world: MemoryWorld, then: str | None) -> MemoryWorld:
    """The results were committed, and the source looked like this then."""
    world.documents = {results_path("H-5"): _THEN, _PATH: _THEN}
    if then is not None:
        world.old_files = {(_THEN, _PATH): then.encode()}
    return world


def test_hash_that_is_true_passes() -> None:
    """Uncommitted, and committed with the document."""
    assert judge(hashes_hold, build_world()) == []
    assert judge(hashes_hold, _committed(build_world(), SOURCE)) == []


@pytest.mark.parametrize("now", ["changed", None])
def test_hash_that_was_true_then_passes(now: str | None) -> None:
    """What became of the file since is the scope's business."""
    assert judge(hashes_hold, _committed(build_world({_PATH: now}), SOURCE)) == []


@pytest.mark.parametrize("then", ["before the work\n", None])
def test_hash_that_became_true_later_passes(then: str | None) -> None:
    """The document may be committed before the file."""
    assert judge(hashes_hold, _committed(build_world(), then)) == []


def test_hash_of_a_file_that_is_not_here_is_found() -> None:
    """A hash that nothing can be compared with proves nothing."""
    [found] = judge(hashes_hold, build_world({_PATH: None}))
    assert "is not here" in found.message


def test_hash_that_is_cut_short_is_found() -> None:
    """Only 64 digits are a hash."""
    [found] = judge(hashes_hold, build_changed_results(digest(SOURCE), "abc123def..."))
    assert (found.subject, found.actual) == (f"form hash {_PATH}", "abc123def...")


def test_hash_that_a_later_handoff_replaces_passes() -> None:
    """The later one names exactly this content as the one before its change; its own hash is judged as well."""
    new = "def light() -> int:\n    return 2\n"
    line = f"- `{_PATH}` (SHA256 before: {digest(SOURCE)}, after: {digest(new)})"
    later = build_results("H-6").replace(f"- `{_PATH}` (SHA256: {digest(SOURCE)})", "- NONE")
    later = later.replace("## Files Modified\n- NONE", f"## Files Modified\n{line}")
    world = _committed(build_world({_PATH: new, results_path("H-6"): later}), SOURCE)
    assert judge(hashes_hold, world) == []
    wrong = {**world.files, results_path("H-6"): later.replace(digest(new), digest("x"))}
    found = judge(hashes_hold, _committed(MemoryWorld(files=wrong), SOURCE))
    assert [one.place and one.place.path for one in found] == [results_path("H-6")]


def test_hash_of_a_time_that_a_shallow_clone_lacks_is_not_judged() -> None:
    """True now it passes; replaced by a declared change nobody can tell; else it is not true, whatever was then."""
    new = "def light() -> int:\n    return 2\n"
    line = f"- `{_PATH}` (SHA256 before: {digest(SOURCE)}, after: {digest(new)})"
    later = build_results("H-6").replace(f"- `{_PATH}` (SHA256: {digest(SOURCE)})", "- NONE")
    later = later.replace("## Files Modified\n- NONE", f"## Files Modified\n{line}")
    cut = frozenset({_THEN})
    world = _committed(build_world({_PATH: new, results_path("H-6"): later}), new)
    world.cut_off = cut
    with pytest.raises(UndecidableError, match=f"shallow.*{results_path('H-5')} was written"):
        judge(hashes_hold, world)
    true = _committed(build_world(), "later\n")
    true.cut_off = cut
    assert judge(hashes_hold, true) == []
    false = _committed(build_world({_PATH: "other\n"}), "other\n")
    false.cut_off = cut
    assert [found.message for found in judge(hashes_hold, false)] == [f"the hash quoted for {_PATH} is false"]


def test_hash_is_not_excused_by_its_own_document() -> None:
    """A document cannot declare its own hash to be the one before."""
    line = f"## Notes for Reviewer\n- `{_PATH}` before: {digest(SOURCE)}\n"
    world = build_changed_results("## Notes for Reviewer\n", line)
    world.files[_PATH] = "changed"
    assert len(judge(hashes_hold, world)) == 1


def _subjects(manifest: str) -> list[str]:
    return find_subjects(manifest_shape_fits, build_world({MANIFEST: manifest}))


@pytest.mark.parametrize("field", ["framework_id", "spec_id", "schema_version", "plane_id", "dependencies", "assets"])
def test_manifest_without_a_field_is_found(field: str) -> None:
    """Each field of the standard is needed."""
    missing: dict[str, object] = {field: None}
    assert _subjects(build_manifest("PKG-LAMP-001", None, **missing)) == [f"field {field}"]


def test_manifest_with_replaced_fields_is_found() -> None:
    """`files` and `depends_on` stand for nothing here."""
    manifest = build_manifest("PKG-LAMP-001", None, assets=None, files={}, depends_on=[])
    assert _subjects(manifest) == ["field assets", "field files", "field depends_on"]


def test_manifest_with_wrong_kinds_is_found() -> None:
    """A list that is text, text that is empty, a dependency that is a number."""
    manifest = build_manifest("PKG-LAMP-001", None, assets="lamp.py", version="", dependencies=[4])
    assert _subjects(manifest) == ["kind version", "kind assets", "dependencies"]


def test_manifest_hash_must_have_its_form() -> None:
    """Bare hex is not enough, and the finding names the line."""
    manifest = build_manifest().replace("sha256:", "")
    found = judge(manifest_shape_fits, build_world({MANIFEST: manifest}))
    assert [one.subject for one in found] == ["hash lamp.py", "hash test_lamp.py"]
    assert found[0].actual == digest("def light() -> int:\n    return 1\n")
    assert all(one.place and one.place.line for one in found)


def test_manifest_assets_must_be_whole() -> None:
    """No path, no hash, no classification, a way out of the package, the same file twice."""
    good = {"path": "lamp.py", "sha256": "sha256:" + "0" * 64, "classification": "library"}
    assets = [{}, {"path": "a.py", "classification": "library"}, {**good, "path": "../b.py"}, good, good]
    manifest = build_manifest("PKG-LAMP-001", None, assets=[*assets, {**good, "path": "c.py", "classification": ""}])
    assert _subjects(manifest) == ["asset 0", "hash a.py", "path ../b.py", "twice lamp.py", "classification c.py"]


def test_manifest_is_that_of_its_folder() -> None:
    """A copied manifest keeps the name of another package."""
    assert _subjects(build_manifest("PKG-OIL-001")) == ["package_id"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"package_id": "PKG-LAMP-001", "package_id": "PKG-LAMP-001"}'])
def test_manifest_that_is_no_manifest_is_found(content: str) -> None:
    """Empty, cut off, a list, a key given twice."""
    assert _subjects(content) == ["json"]


def test_package_without_a_manifest_is_found() -> None:
    """A package that declares nothing is judged by nothing else."""
    world = build_world({"PKG-OIL-001/oil.py": "x"})
    assert find_subjects(manifest_shape_fits, world) == ["manifest PKG-OIL-001"]


def test_assets_that_match_pass() -> None:
    """Also where the hash lacks its prefix: that is a matter of form."""
    assert judge(asset_hashes_match, build_world()) == []
    assert judge(asset_hashes_match, build_world({MANIFEST: build_manifest().replace("sha256:", "")})) == []


def test_asset_that_changed_is_found() -> None:
    """Expected is what the manifest says, actual what the file is; the line is that of the hash."""
    [found] = judge(asset_hashes_match, build_world({_PATH: "changed"}))
    assert (found.subject, found.expected) == ("asset lamp.py", f"sha256:{digest(SOURCE)}")
    assert found.actual == f"sha256:{digest('changed')}"
    assert (found.place and found.place.path, found.place and found.place.line) == (MANIFEST, 12)


def test_asset_that_is_missing_is_found() -> None:
    """A file of the same name elsewhere is not taken for it."""
    [found] = judge(asset_hashes_match, build_world({_PATH: None, "attic/lamp.py": SOURCE}))
    assert found.message == "lamp.py of PKG-LAMP-001 is missing"


def test_asset_too_large_to_be_read_counts_as_measured() -> None:
    """Its hash was measured for the claim that the manifest makes."""
    world = build_world()
    [handoff] = world.handoffs()
    claim = next(claim for claim in handoff.claims if claim.subject == _PATH and claim.where.path == MANIFEST)
    measured = Verdict(claim=claim, state=VerdictState.CONTRADICTED, measured="sha256:" + "0" * 64)
    world.measured = {"H-5": (measured,)}
    del world.files[_PATH]
    world.files[f"{_PATH}/part"] = "the folder makes the path exist"
    [found] = judge(asset_hashes_match, world)
    assert found.actual == "sha256:" + "0" * 64


class _IgnoringWorld(MemoryWorld):
    """A world in which git ignores caches: they exist, but are not listed."""

    def paths(self) -> tuple[str, ...]:
        return tuple(path for path in super().paths() if "__pycache__" not in path)


def test_package_without_leftovers_passes() -> None:
    """What lies outside of packages does not matter."""
    assert judge(packages_are_clean, build_world({"tools/__pycache__/a.pyc": "x"})) == []


def test_leftovers_are_found_at_the_outermost_name() -> None:
    """One finding for a folder, however much it holds, and one for each stray file."""
    world = build_world(
        {
            "PKG-LAMP-001/hot/__pycache__/a.pyc": "x",
            "PKG-LAMP-001/hot/__pycache__/b.pyc": "x",
            "PKG-LAMP-001/hot/c.pyc": "x",
            "PKG-LAMP-001/.DS_Store": "x",
        }
    )
    places = [found.place.path for found in judge(packages_are_clean, world) if found.place]
    assert places == ["PKG-LAMP-001/.DS_Store", "PKG-LAMP-001/hot/__pycache__", "PKG-LAMP-001/hot/c.pyc"]


def test_leftovers_that_git_ignores_are_found() -> None:
    """They would go into the archive all the same."""
    files = {**build_files(), "PKG-LAMP-001/__pycache__/lamp.pyc": "x"}
    places = [found.place and found.place.path for found in judge(packages_are_clean, _IgnoringWorld(files=files))]
    assert places == ["PKG-LAMP-001/__pycache__"]


def test_leftovers_in_packages_of_others_are_left_to_them() -> None:
    """With one handoff under review, its packages count."""
    world = build_world({"PKG-OIL-001/.DS_Store": "x"})
    assert len(judge(packages_are_clean, world)) == 1
    assert judge(packages_are_clean, world, scope="H-5") == []


_OIL = "PKG-OIL-001/manifest.json"


def test_packages_that_share_a_file_are_found() -> None:
    """Both install to one path, so the later one would overwrite it; however the path is written."""
    world = build_world({_OIL: build_manifest("PKG-OIL-001", {"./lamp.py": SOURCE})})
    [found] = judge(packages_own_their_files, world)
    assert (found.subject, found.actual) == ("file lamp.py", "PKG-LAMP-001, PKG-OIL-001")
    assert (found.place and found.place.path) == _OIL


def test_package_that_reaches_into_another_is_found() -> None:
    """A path that leads into the folder of another package."""
    world = build_world({_OIL: build_manifest("PKG-OIL-001", {"../PKG-LAMP-001/lamp.py": SOURCE})})
    assert find_subjects(packages_own_their_files, world) == ["file PKG-LAMP-001/lamp.py"]


def test_package_that_is_superseded_does_not_count() -> None:
    """The new one owns the files of the old one; a package cannot supersede itself away."""
    new = build_manifest("PKG-OIL-001", {"lamp.py": SOURCE}, supersedes="PKG-LAMP-001")
    assert judge(packages_own_their_files, build_world({_OIL: new})) == []
    own = build_manifest("PKG-OIL-001", {"lamp.py": SOURCE}, supersedes="PKG-OIL-001")
    assert len(judge(packages_own_their_files, build_world({_OIL: own}))) == 1


def test_packages_of_one_name_are_found_once() -> None:
    """Two manifests with one id hide nothing behind it."""
    world = build_world({"old/PKG-LAMP-001/manifest.json": build_manifest()})
    [found] = judge(packages_own_their_files, world)
    assert found.subject == "package PKG-LAMP-001"


@pytest.mark.parametrize(
    ("rule", "world"),
    [
        (hashes_hold, build_changed_results(f" (SHA256: {digest(SOURCE)})", "")),
        (manifest_shape_fits, MemoryWorld(files={spec_path("H-5"): build_spec("H-5")})),
        (asset_hashes_match, build_world({MANIFEST: None})),
        (packages_are_clean, MemoryWorld(files={spec_path("H-5"): build_spec("H-5")})),
        (packages_own_their_files, build_world({MANIFEST: None})),
    ],
)
def test_rule_is_skipped_where_it_has_nothing_to_judge(rule: Rule, world: MemoryWorld) -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError):
        judge(rule, world)


@pytest.mark.parametrize("rule", [asset_hashes_match, packages_own_their_files])
def test_broken_manifest_is_found(rule: Rule) -> None:
    """Nothing in it can be compared, and nobody knows what it owns."""
    assert judge(rule, build_world()) == []
    assert find_subjects(rule, build_world({MANIFEST: "{"})) == [f"unreadable {MANIFEST}"]
