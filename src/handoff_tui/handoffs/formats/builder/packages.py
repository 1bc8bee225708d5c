"""Package manifests, and which handoff each package belongs to."""

from __future__ import annotations

from typing import Final

from handoff_tui.core.classes import dataclass, field, replace
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Asset, Package
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim
from handoff_tui.handoffs.formats.builder.draft import BuilderDraft
from handoff_tui.handoffs.formats.builder.names import find_packages
from handoff_tui.handoffs.formats.builder.sections import normalise
from handoff_tui.handoffs.grammar.tokens import canonical_hash
from handoff_tui.handoffs.handoff import DocumentRole, Handoff
from handoff_tui.handoffs.reading.format import Source
from handoff_tui.handoffs.reading.json_document import JsonNode

_HASH: Final = compile_later(r"sha256:[0-9a-f]{64}$")


_REQUIRED: Final = ("package_id", "version", "schema_version", "spec_id", "framework_id")


@dataclass(slots=True)
class ManifestReading:
    """A package and the claims its hashes make. `package` is None if the file could not be read."""

    source: Source
    package: Package | None = None
    claims: list[Claim] = field(default_factory=list)


def read_manifest(source: Source) -> ManifestReading:
    """Reads it once per file; callers don't change the result."""
    return replace(source.read_once("builder.manifest", _read_manifest), source=source)


def _read_manifest(source: Source) -> ManifestReading:
    reading = ManifestReading(source)
    root = source.json
    if root is None:
        return reading
    if not isinstance(root.value, dict):
        root.report_type("an object")
        return reading
    for key in _REQUIRED:
        if root.get(key) is None:
            root.report(f"{key} is missing")
    assets = _read_assets(root)
    reading.package = Package(
        id=root.scalar("package_id") or source.folder.rpartition("/")[2] or "unnamed",
        where=root.place_of("package_id"),
        version=root.scalar("version"),
        schema_version=root.scalar("schema_version"),
        spec_id=root.scalar("spec_id"),
        framework_id=root.scalar("framework_id"),
        plane_id=root.scalar("plane_id"),
        title=root.scalar("title"),
        supersedes=_read_names(root, "supersedes"),
        dependencies=_read_dependencies(root),
        assets=tuple(asset for asset, _ in assets),
    )
    reading.claims = [_build_hash_claim(source, asset, node) for asset, node in assets if asset.sha256 is not None]
    return reading


def _build_hash_claim(source: Source, asset: Asset, node: JsonNode) -> Claim:
    subject = f"{source.folder}/{asset.path}" if source.folder else asset.path
    value = canonical_hash(asset.sha256 or "")
    return build_claim(ClaimKind.HASH, node.where, f"{asset.path}: {asset.sha256}", subject=subject, value=value)


def _read_assets(root: JsonNode) -> list[tuple[Asset, JsonNode]]:
    """Each asset with the node of its hash."""
    found: list[tuple[Asset, JsonNode]] = []
    for node in root.objects("assets"):
        path = node.text("path")
        if path is None:
            node.report(f"{node.name} has no path")
            continue
        asset = Asset(path=path, sha256=node.text("sha256"), classification=node.scalar("classification"))
        found.append((asset, node.get("sha256") or node))
    files = root.get("files")
    if files is not None:
        files.report("files is not in the standard; the list must be named assets")
        found.extend(_read_files(files))
    for asset, node in found:
        if asset.sha256 is None:
            node.report(f"{asset.path} has no hash")
        elif not _HASH.match(asset.sha256):
            node.report(f"the hash of {asset.path} is not sha256:<64 hex digits>")
    return found


def _read_files(files: JsonNode) -> list[tuple[Asset, JsonNode]]:
    """`files` as an object of hashes by path, or as a list in the shape of assets or of plain paths."""
    found: list[tuple[Asset, JsonNode]] = []
    for member in files.members():
        path = member.key
        if isinstance(member.value, str):
            found.append((Asset(path=path, sha256=member.value), member))
        else:
            node = member.get("sha256") or member.get("hash") or member
            digest = node.value if isinstance(node.value, str) else None
            found.append((Asset(path=path, sha256=digest, classification=_scalar(member, "classification")), node))
    for element in files.elements():
        path_of = element.value if isinstance(element.value, str) else _scalar(element, "path")
        if path_of is not None:
            node = element.get("sha256") or element
            digest = node.value if isinstance(node.value, str) and node is not element else None
            found.append((Asset(path=path_of, sha256=digest), node))
    return found


def _scalar(node: JsonNode, key: str) -> str | None:
    return node.scalar(key) if isinstance(node.value, dict) else None


def _read_dependencies(root: JsonNode) -> tuple[str, ...]:
    wrong = root.get("depends_on")
    if wrong is not None:
        wrong.report("depends_on is not in the standard; the list must be named dependencies")
    return tuple(dict.fromkeys((*_read_names(root, "dependencies"), *_read_names(root, "depends_on"))))


def _read_names(root: JsonNode, key: str) -> tuple[str, ...]:
    """Package ids in a list (as text, or as objects that name one), or a single one as text."""
    member = root.get(key)
    if member is None:
        return ()
    if isinstance(member.value, str):
        return (member.value,)
    if isinstance(member.value, dict):
        member.report_type("a list")
        return member.keys()
    names: list[str] = []
    for element in root.items(key):
        name = element.value if isinstance(element.value, str) else None
        if isinstance(element.value, dict):
            name = element.scalar("package_id") or element.scalar("id") or element.scalar("name")
        if name is None:
            element.report_type("the id of a package")
        else:
            names.append(name)
    return tuple(names)


_IN_PASSING: Final = compile_later(
    r"(?:baseline|clean room|full regression|regression|issues|notes|existing code|dependenc|end to end|install order"
    r"|gates?\b|known pitfalls|expected)"
)
"""Sections that list the packages of the system rather than those of the work."""


def attach_packages(drafts: list[BuilderDraft], manifests: list[ManifestReading]) -> Handoff | None:
    """Adds each package to its handoffs; returns a handoff of the packages that no handoff names."""
    if not manifests:
        return None
    subjects = [_find_named(draft, in_passing=False) for draft in drafts]
    mentions = [_find_named(draft, in_passing=True) for draft in drafts]
    unnamed: list[ManifestReading] = []
    for reading in manifests:
        name = reading.package.id if reading.package else reading.source.folder.rpartition("/")[2]
        owners = [draft for draft, names in zip(drafts, subjects, strict=True) if name in names]
        owners = owners or [draft for draft, names in zip(drafts, mentions, strict=True) if name in names]
        for draft in owners:
            draft.told.documents += (reading.source.document(DocumentRole.MANIFEST),)
            draft.told.claims += tuple(reading.claims)
            draft.told.packages += (reading.package,) if reading.package is not None else ()
        if not owners:
            unnamed.append(reading)
    return _build_rest(unnamed, {draft.group.id for draft in drafts}) if unnamed else None


def _find_named(draft: BuilderDraft, *, in_passing: bool) -> set[str]:
    return {name for source in draft.sources for name in _named_in(source, in_passing=in_passing)}


def _named_in(source: Source, *, in_passing: bool) -> list[str]:
    if not source.readable or "PKG-" not in source.text:
        return []
    if in_passing:
        return find_packages(source.text)
    names: list[str] = []
    skipped: int | None = None
    for section in source.outline.sections:
        if skipped is not None and section.level > skipped:
            continue
        skipped = section.level if section.level > 1 and _IN_PASSING.match(normalise(section.name)) else None
        if skipped is None:
            names.extend(find_packages(section.title))
            names.extend(name for line in section.lines() for name in find_packages(line.text))
    return names


def _build_rest(readings: list[ManifestReading], taken: set[str]) -> Handoff:
    name = "packages"
    while name in taken:
        name += "-rest"
    return Handoff(
        id=name,
        dialect="builder",
        title="Packages without a handoff",
        source_phase="build",
        target_phase="review",
        claims=tuple(claim for reading in readings for claim in reading.claims),
        documents=tuple(reading.source.document(DocumentRole.MANIFEST) for reading in readings),
        packages=tuple(reading.package for reading in readings if reading.package is not None),
    )
