"""Packages as the files of their ecosystems declare them."""

from __future__ import annotations

import pytest

from handoff_tui.changes.snapshots.packages import (
    MOST_PACKAGE_BYTES,
    build_asset_path,
    build_manifest_record,
    is_ecosystem_file,
    parse_ecosystem_file,
)
from handoff_tui.changes.snapshots.snapshot import PackageRecord, build_stored_text
from handoff_tui.core.packages import Asset, Package
from handoff_tui.core.place import Place

HASH = "a" * 64


def read_one(path: str, text: str) -> PackageRecord:
    reading = parse_ecosystem_file(path, text.encode())
    assert reading.unread == ()
    [record] = reading.packages
    assert record.where == path
    return record


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("pyproject.toml", True),
        ("a/b/package.json", True),
        ("requirements.txt", True),
        ("requirements-dev.txt", True),
        ("requirements.in", False),
        ("my-requirements.txt", False),
        ("a/node_modules/b/package.json", False),
        ("vendor/x/go.mod", False),
        ("Pyproject.toml", False),
        ("package.json.bak", False),
    ],
)
def test_files_that_declare_packages_are_known(*, path: str, is_one: bool) -> None:
    """By name, in any folder but those with other people's packages."""
    assert is_ecosystem_file(path) is is_one


def test_pyproject_of_pep_621_is_read() -> None:
    """Dependencies under the one spelling of their names; extras and groups with theirs before."""
    record = read_one(
        "lib/pyproject.toml",
        """
        [project]
        name = "lamp"
        version = "1.2"
        dependencies = ["Foo_Bar>=1,<2", "baz[x] ; python_version < '3.12'", "plain"]
        [project.optional-dependencies]
        dev = ["pytest >= 8"]
        [dependency-groups]
        lint = ["ruff", {include-group = "dev"}]
        """,
    )
    assert (record.kind, record.name, record.version) == ("python", "lamp", "1.2")
    assert record.dependencies == {
        "baz": "[x] ; python_version < '3.12'",
        "dev/pytest": ">= 8",
        "foo-bar": ">=1,<2",
        "lint/ruff": "",
        "plain": "",
    }


def test_pyproject_of_poetry_is_read() -> None:
    """A table with a version alone is that version; one that says more is kept whole."""
    record = read_one(
        "pyproject.toml",
        """
        [tool.poetry]
        name = "lamp"
        version = "0.1"
        [tool.poetry.dependencies]
        python = "^3.11"
        one = {version = "^1"}
        two = {git = "https://example.org/two.git", rev = "abc"}
        [tool.poetry.dev-dependencies]
        three = "*"
        [tool.poetry.group.docs.dependencies]
        four = [{version = "1"}, {version = "2"}]
        """,
    )
    assert record.dependencies == {
        "dev/three": "*",
        "docs/four": '[{"version": "1"}, {"version": "2"}]',
        "one": "^1",
        "python": "^3.11",
        "two": '{"git": "https://example.org/two.git", "rev": "abc"}',
    }


def test_pyproject_with_settings_only_declares_nothing() -> None:
    """A file for tools is no package, and nothing is wrong with it."""
    assert parse_ecosystem_file("pyproject.toml", b"[tool.ruff]\nline-length = 120\n") == ((), ())


def test_setup_cfg_is_read() -> None:
    """Name, version as written, requirements and extras."""
    record = read_one(
        "setup.cfg",
        "[metadata]\nname = lamp\nversion = attr: lamp.version\n[options]\ninstall_requires =\n  a>=1\n  b\n"
        "[options.extras_require]\ndev = c\n",
    )
    assert (record.name, record.version) == ("lamp", "attr: lamp.version")
    assert record.dependencies == {"a": ">=1", "b": "", "dev/c": ""}
    assert parse_ecosystem_file("setup.cfg", b"[flake8]\nmax-line-length = 100\n") == ((), ())


def test_requirements_are_read() -> None:
    """Comments and hashes are no constraint; options and addresses stand for themselves; a backslash joins lines."""
    record = read_one(
        "dev/requirements.txt",
        "# comment\nFoo.Bar==1.0 \\\n    --hash=sha256:abc # why\n-r other.txt\n"
        "-e git+https://example.org/x.git#egg=My_X\nhttps://example.org/y.whl\n./local\n"
        "a>=1 ; python_version < '3'\na>=2 ; python_version >= '3'\na>=1 ; python_version < '3'\n",
    )
    assert (record.kind, record.name) == ("requirements", "dev/requirements.txt")
    assert record.dependencies == {
        "-r other.txt": "",
        "./local": "",
        "a": ">=1 ; python_version < '3' | >=2 ; python_version >= '3'",
        "foo-bar": "==1.0",
        "https://example.org/y.whl": "",
        "my-x": "-e git+https://example.org/x.git#egg=My_X",
    }


def test_package_json_is_read() -> None:
    """Four kinds of dependencies; one without a name is called by its folder."""
    record = read_one(
        "web/package.json",
        '{"version": "2.0.0", "dependencies": {"@a/b": "^1"}, "devDependencies": {"c": "*"},'
        ' "peerDependencies": {"d": ">=1"}, "optionalDependencies": {"e": "1"}}',
    )
    assert (record.kind, record.name, record.version) == ("node", "web", "2.0.0")
    assert record.dependencies == {"@a/b": "^1", "dev/c": "*", "peer/d": ">=1", "optional/e": "1"}
    assert parse_ecosystem_file("package.json", b'{"type": "module"}') == ((), ())


def test_cargo_is_read() -> None:
    """Package and workspace of one file are two records; targets stand before their dependencies."""
    reading = parse_ecosystem_file(
        "Cargo.toml",
        b"""
        [package]
        name = "lamp"
        version.workspace = true
        [dependencies]
        serde = "1"
        tokio = {version = "1", features = ["rt"]}
        [dev-dependencies]
        insta = {version = "1"}
        [target.'cfg(unix)'.dependencies]
        libc = "0.2"
        [workspace]
        members = ["a"]
        [workspace.package]
        version = "3.0.0"
        [workspace.dependencies]
        log = "0.4"
        """,
    )
    package, workspace = reading.packages
    assert (package.name, package.version) == ("lamp", "workspace")
    assert package.dependencies == {
        "cfg(unix)/libc": "0.2",
        "dev/insta": "1",
        "serde": "1",
        "tokio": '{"features": ["rt"], "version": "1"}',
    }
    assert (workspace.name, workspace.version, workspace.dependencies) == ("workspace .", "3.0.0", {"log": "0.4"})


def test_go_mod_is_read() -> None:
    """In brackets or not; what is only needed by others is marked; a replacement is told."""
    record = read_one(
        "go.mod",
        "module example.org/lamp // a lamp\n\ngo 1.22\nrequire (\n\texample.org/a v1.2.3\n"
        '\t"example.org/b" v0.1.0 // indirect\n)\nrequire example.org/c v2.0.0\n'
        "exclude example.org/d v1.0.0\nreplace example.org/a => ../a\n",
    )
    assert (record.kind, record.name, record.version) == ("go", "example.org/lamp", "")
    assert record.dependencies == {
        "example.org/a": "v1.2.3",
        "example.org/b": "v0.1.0 // indirect",
        "example.org/c": "v2.0.0",
        "replace/example.org/a": "../a",
    }


@pytest.mark.parametrize(
    ("path", "content", "words"),
    [
        ("pyproject.toml", b"[project\n", "not TOML"),
        ("Cargo.toml", b"\xff", "not UTF-8"),
        ("package.json", b"{", "not JSON"),
        ("package.json", b"[]", "no JSON object"),
        ("package.json", b"[" * 100_000, "nested too deeply"),
        ("package.json", b'{"version": ' + b"9" * 10_000 + b"}", "not JSON"),
        ("go.mod", b"require a v1\n", "names no module"),
        ("setup.cfg", b"name = lamp\n", "not a configuration file"),
        ("requirements.txt", b"\xff\n", "not UTF-8"),
        ("requirements.txt", b"a" * (MOST_PACKAGE_BYTES + 1), "too large"),
    ],
)
def test_file_that_cannot_be_read_is_named(path: str, content: bytes, words: str) -> None:
    """With the reason, and without a guess at what it declares."""
    reading = parse_ecosystem_file(path, content)
    assert reading.packages == ()
    [unread] = reading.unread
    assert unread.path == path
    assert words in unread.reason


def test_manifest_becomes_a_record() -> None:
    """Assets under their paths in the repository, hashes in the one form, dependencies sorted."""
    package = Package(
        id="PKG-A",
        where=Place(path="staging/PKG-A/manifest.json", line=1),
        version="1",
        supersedes=("PKG-Z", "PKG-Y"),
        dependencies=("PKG-C", "PKG-B"),
        assets=(
            Asset(path="b.py", sha256=HASH.upper()),
            Asset(path="./sub/a.py", sha256=f"sha256:{HASH}"),
            Asset(path="none.py"),
            Asset(path="odd.py", sha256="md5:1"),
        ),
    )
    record = build_manifest_record(package)
    assert (record.kind, record.name, record.version) == ("manifest", "PKG-A", "1")
    assert record.dependencies == {"PKG-B": "", "PKG-C": ""}
    assert record.supersedes == ("PKG-Y", "PKG-Z")
    assert record.assets == {
        "staging/PKG-A/b.py": f"sha256:{HASH}",
        "staging/PKG-A/none.py": "",
        "staging/PKG-A/odd.py": "md5:1",
        "staging/PKG-A/sub/a.py": f"sha256:{HASH}",
    }


@pytest.mark.parametrize(
    ("manifest", "asset", "path"),
    [
        ("manifest.json", "a", "a"),
        ("p/manifest.json", "../q/a", "q/a"),
        ("p/manifest.json", "../../a", "../../a"),
        ("p/manifest.json", "/etc/passwd", "/etc/passwd"),
        ("p/manifest.json", "..", ".."),
    ],
)
def test_asset_is_placed_in_the_repository(manifest: str, asset: str, path: str) -> None:
    """One that leads out of it stays as it is written."""
    assert build_asset_path(manifest, asset) == path


def test_texts_can_always_be_stored() -> None:
    """What has no UTF-8 form is written out; what is endless is cut."""
    assert build_stored_text("a\udcff\ud800") == "a\\udcff\\ud800"
    assert len(build_stored_text("x" * 5_000)) == 1_000
