"""Packages that files declare: Python, Node, Rust and Go projects, and builder manifests.

Everything here ends up in a stored snapshot, so texts are made fit to be stored and reasons keep their wording.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from posixpath import normpath
from typing import Final

from handoff_tui.changes.snapshots.snapshot import PackageRecord, Unread, build_stored_text
from handoff_tui.config.layer import parse_layer
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import ConfigError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.tasks import Package
from handoff_tui.core.text.globs import matches_glob

MOST_PACKAGE_BYTES = 4 * 1024 * 1024
_REQUIREMENTS = "requirements*.txt"
_VENDORED: Final = frozenset({"node_modules", "site-packages", "vendor"})
"""Folders with copies of other people's packages."""


class EcosystemReading(NamedTuple):
    """The packages of one file, and what could not be read."""

    packages: tuple[PackageRecord, ...] = ()
    unread: tuple[Unread, ...] = ()


def is_ecosystem_file(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    if name not in _NAMES and not (name.startswith("requirements") and matches_glob(name, _REQUIREMENTS)):
        return False
    return not folder or _VENDORED.isdisjoint(folder.split("/"))


def parse_ecosystem_file(path: str, content: bytes) -> EcosystemReading:
    """Reads the packages a file declares. A file that can't be read is returned with the reason; nothing is raised."""
    if len(content) > MOST_PACKAGE_BYTES:
        return build_unread(path, f"is too large: {len(content):,} bytes; the limit is {MOST_PACKAGE_BYTES:,}")
    try:
        return _parse_by_name(path, content)
    except ConfigError as broken:
        return build_unread(path, broken.message.removeprefix(path).lstrip(": "))
    except UnicodeDecodeError:
        return build_unread(path, "is not UTF-8")
    except RecursionError:
        return build_unread(path, "is nested too deeply to be read")


def build_unread(where: str, reason: str) -> EcosystemReading:
    return EcosystemReading(unread=(Unread(path=build_stored_text(where), reason=build_stored_text(reason)),))


def _parse_by_name(path: str, content: bytes) -> EcosystemReading:
    name = path.rpartition("/")[2]
    if name in _TOML:
        return _TOML[name](parse_layer(content, path).table, path)
    text = content.decode("utf-8-sig")
    if name in _JSON:
        return _parse_json(text, path, _JSON[name])
    return _TEXT.get(name, parse_requirements)(text, path)


def _parse_json(text: str, path: str, build: TableBuilder) -> EcosystemReading:
    try:
        value = json.loads(text)
    except ValueError as broken:  # JSONDecodeError is one; a number with thousands of digits is another
        return build_unread(path, f"is not JSON: {broken}")
    return build(value, path) if isinstance(value, dict) else build_unread(path, "is not a JSON object")


def _build_package(kind: str, name: str, where: str, version: str, dependencies: Mapping[str, str]) -> PackageRecord:
    """A package without a name is called after its folder."""
    return PackageRecord(
        kind=kind,
        name=build_stored_text(name or where.rpartition("/")[0] or "."),
        where=build_stored_text(where),
        version=build_stored_text(version),
        dependencies=dict(sorted(dependencies.items())),
    )


def _build_dependencies(table: object, group: str = "") -> dict[str, str]:
    """A table of names and constraints; the names of a group are prefixed, as in `dev/pytest`."""
    if not isinstance(table, Mapping):
        return {}
    prefix = f"{group}/" if group else ""
    return {build_stored_text(f"{prefix}{name}"): _build_constraint(constraint) for name, constraint in table.items()}


def _build_constraint(value: object) -> str:
    """The constraint as written: a text as it is, a table as its version, or as JSON if it says more."""
    if isinstance(value, str):
        return build_stored_text(value)
    if isinstance(value, Mapping) and value.keys() == {"version"} and isinstance(value["version"], str):
        return build_stored_text(value["version"])
    return build_stored_text(json.dumps(value, sort_keys=True, default=str))


def _find_table(table: object, *names: str) -> Mapping[str, object]:
    """The table at the end of some keys; an empty one if there is none."""
    for name in names:
        table = table.get(name) if isinstance(table, Mapping) else None
    return table if isinstance(table, Mapping) else {}


def _find_text(table: Mapping[str, object], name: str) -> str:
    value = table.get(name)
    return value if isinstance(value, str) else ""


# Python: `pyproject.toml` (PEP 621, PEP 735, Poetry), `setup.cfg`, `requirements*.txt`
_REQUIREMENT: Final = compile_later(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(.*)", re.DOTALL)
_EGG: Final = compile_later(r"[#&]egg=([A-Za-z0-9._-]+)")
_HASHES: Final = compile_later(r"\s--hash[= ]\S+")
_COMMENT: Final = compile_later(r"(?:^|\s)#.*$")
_ADDRESS: Final = compile_later(r"(?:[a-z+]+://|git\+|\.{0,2}/)", re.IGNORECASE)


def _build_pyproject(table: Mapping[str, object], where: str) -> EcosystemReading:
    """One package if the file declares a project; none if it only holds settings of tools."""
    project, poetry = _find_table(table, "project"), _find_table(table, "tool", "poetry")
    dependencies = _list_poetry(poetry)
    for group, requirements in _find_table(table, "dependency-groups").items():
        dependencies |= build_requirements(_list_texts(requirements), group)
    dependencies |= build_requirements(_list_texts(project.get("dependencies")))
    for extra, requirements in _find_table(project, "optional-dependencies").items():
        dependencies |= build_requirements(_list_texts(requirements), extra)
    if not project and not poetry and not dependencies:
        return EcosystemReading()
    name = _find_text(project, "name") or _find_text(poetry, "name")
    version = _find_text(project, "version") or _find_text(poetry, "version")
    return EcosystemReading((_build_package("python", name, where, version, dependencies),))


def _parse_setup_cfg(text: str, where: str) -> EcosystemReading:
    import configparser  # noqa: PLC0415 - few repositories have this file

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error as wrong:
        return build_unread(where, f"is not a configuration file: {wrong.message}")
    name = parser.get("metadata", "name", fallback="").strip()
    dependencies = build_requirements(parser.get("options", "install_requires", fallback="").splitlines())
    if parser.has_section("options.extras_require"):
        for extra, lines in parser.items("options.extras_require"):
            dependencies |= build_requirements(lines.splitlines(), extra)
    if not name and not dependencies:
        return EcosystemReading()
    version = parser.get("metadata", "version", fallback="").strip()
    return EcosystemReading((_build_package("python", name, where, version, dependencies),))


def parse_requirements(text: str, where: str) -> EcosystemReading:
    """A list of requirements is a package named after its path."""
    lines = re.sub(r"\\\r?\n", " ", text).splitlines()
    return EcosystemReading((_build_package("requirements", where, where, "", build_requirements(lines)),))


def build_requirements(lines: Iterable[str], group: str = "") -> dict[str, str]:
    """Requirements by normalised package name, however it is spelled."""
    found: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        bare = _HASHES.sub("", _COMMENT.sub("", line)).strip()
        if bare:
            name, constraint = _split_requirement(bare)
            found[build_stored_text(f"{group}/{name}" if group else name)].add(build_stored_text(constraint))
    # one package on several lines: each for another Python or system
    return {name: " | ".join(sorted(constraints)) for name, constraints in found.items()}


def _split_requirement(line: str) -> tuple[str, str]:
    egg = _EGG.search(line)
    if egg:
        return _normalise(egg[1]), line
    matched = _REQUIREMENT.fullmatch(line)
    if line.startswith("-") or _ADDRESS.match(line) or matched is None:
        return line, ""
    return _normalise(matched[1]), " ".join(matched[2].split())


def _normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _list_texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _list_poetry(poetry: Mapping[str, object]) -> dict[str, str]:
    tables = [("", poetry.get("dependencies")), ("dev", poetry.get("dev-dependencies"))]
    groups = _find_table(poetry, "group").items()
    tables += [(group, _find_table(content).get("dependencies")) for group, content in groups]
    found: dict[str, str] = {}
    for group, table in tables:
        found |= _build_dependencies({_normalise(name): value for name, value in _find_table(table).items()}, group)
    return found


# Node: `package.json`
_NODE_GROUPS = {
    "dependencies": "",
    "devDependencies": "dev",
    "peerDependencies": "peer",
    "optionalDependencies": "optional",
}


def _build_package_json(table: Mapping[str, object], where: str) -> EcosystemReading:
    """A file that only says how its folder is read (`{"type": "module"}`) declares no package."""
    dependencies: dict[str, str] = {}
    for key, group in _NODE_GROUPS.items():
        dependencies |= _build_dependencies(table.get(key), group)
    name, version = _find_text(table, "name"), _find_text(table, "version")
    if not name and not version and not dependencies:
        return EcosystemReading()
    return EcosystemReading((_build_package("node", name, where, version, dependencies),))


# Rust: `Cargo.toml` of a package, a workspace, or both
_RUST_GROUPS = {"dependencies": "", "dev-dependencies": "dev", "build-dependencies": "build"}


def _build_cargo(table: Mapping[str, object], where: str) -> EcosystemReading:
    records: list[PackageRecord] = []
    package = _find_table(table, "package")
    if package:
        dependencies = _list_cargo_groups(table, "")
        for target, content in _find_table(table, "target").items():
            dependencies |= _list_cargo_groups(_find_table(content), target)
        # the workspace's own record says which version that is
        shares_version = _find_table(package, "version").get("workspace") is True
        version = "workspace" if shares_version else _find_text(package, "version")
        records.append(_build_package("rust", _find_text(package, "name"), where, version, dependencies))
    if "workspace" in table:
        workspace = _find_table(table, "workspace")
        name = f"workspace {where.rpartition('/')[0] or '.'}"
        version = _find_text(_find_table(workspace, "package"), "version")
        records.append(_build_package("rust", name, where, version, _build_dependencies(workspace.get("dependencies"))))
    return EcosystemReading(tuple(records))


def _list_cargo_groups(table: Mapping[str, object], target: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, group in _RUST_GROUPS.items():
        found |= _build_dependencies(table.get(key), "/".join(part for part in (target, group) if part))
    return found


# Go: `go.mod`
_INDIRECT = "// indirect"
_WORD: Final = compile_later(r'"(?:[^"\\]|\\.)*"|`[^`]*`|\S+')


def _parse_go_mod(text: str, where: str) -> EcosystemReading:
    """The module, what it requires, and what it replaces."""
    module = ""
    dependencies: dict[str, str] = {}
    for verb, words, comment in _list_directives(text):
        if verb == "module" and words:
            module = words[0]
        elif verb == "require" and words:
            constraint = " ".join(words[1:])
            indirect = comment.startswith(_INDIRECT)
            dependencies[build_stored_text(words[0])] = build_stored_text(
                f"{constraint} {_INDIRECT}" if indirect else constraint
            )
        elif verb == "replace" and "=>" in words:
            middle = words.index("=>")
            old, new = " ".join(words[:middle]), " ".join(words[middle + 1 :])
            dependencies[build_stored_text(f"replace/{old}")] = build_stored_text(new)
    if not module:
        return build_unread(where, "names no module")
    return EcosystemReading((_build_package("go", module, where, "", dependencies),))


def _list_directives(text: str) -> Iterator[tuple[str, list[str], str]]:
    """Each directive with its words and its comment; inside brackets, with the verb before the bracket."""
    block = ""
    for line in text.splitlines():
        content, mark, comment = line.partition("//")
        words = [word.strip('"`') for word in _WORD.findall(content)]
        if words == [")"]:
            block = ""
        elif words[1:] == ["("]:
            block = words[0]
        elif words and block:
            yield block, words, mark + comment
        elif words:
            yield words[0], words[1:], mark + comment


# builder manifests, as the format read them
_BARE_HASH: Final = compile_later(r"(?:sha256:)?([0-9a-f]{64})", re.IGNORECASE)


def build_manifest_record(package: Package) -> PackageRecord:
    """Assets under their paths in the repository, with the hashes the manifest declares."""
    assets = {build_asset_path(package.where.path, asset.path): _build_hash(asset.sha256) for asset in package.assets}
    return PackageRecord(
        kind="manifest",
        name=build_stored_text(package.id),
        where=build_stored_text(package.where.path),
        version=build_stored_text(package.version or ""),
        dependencies={build_stored_text(name): "" for name in sorted(package.dependencies)},
        assets={build_stored_text(path): digest for path, digest in sorted(assets.items())},
        supersedes=tuple(build_stored_text(name) for name in sorted(set(package.supersedes))),
    )


def build_asset_path(manifest: str, asset: str) -> str:
    """Where an asset is in the repository; a path that leads out of it stays as written."""
    folder = manifest.rpartition("/")[0]
    path = normpath(f"{folder}/{asset}" if folder and not asset.startswith("/") else asset)
    return asset if path.startswith(("/", "../")) or path in {"..", "."} else path


def _build_hash(written: str | None) -> str:
    """Normalised if it is a SHA-256, else as written."""
    if written is None:
        return ""
    matched = _BARE_HASH.fullmatch(written.strip())
    return f"sha256:{matched[1].lower()}" if matched else build_stored_text(written)


TableBuilder = Callable[[Mapping[str, object], str], EcosystemReading]
TextParser = Callable[[str, str], EcosystemReading]
_TOML: Final[dict[str, TableBuilder]] = {"pyproject.toml": _build_pyproject, "Cargo.toml": _build_cargo}
_JSON: Final[dict[str, TableBuilder]] = {"package.json": _build_package_json}
_TEXT: Final[dict[str, TextParser]] = {"go.mod": _parse_go_mod, "setup.cfg": _parse_setup_cfg}
_NAMES: Final = frozenset({*_TOML, *_JSON, *_TEXT})
