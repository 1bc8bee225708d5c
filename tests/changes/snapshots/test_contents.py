"""What a tree tells for a snapshot: packages, test reports, measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from handoff_tui.changes.snapshots import packages, tree_contents
from handoff_tui.changes.snapshots.snapshot import PackageRecord, Snapshot, TestOutcome
from handoff_tui.changes.snapshots.tree_contents import parse_coverage
from handoff_tui.config.settings.review import Baseline
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Asset, Package
from handoff_tui.git.objects.private_objects import offer_objects
from handoff_tui.git.repository import open_repository
from handoff_tui.system.files.sealed_files import load_json, write_json
from tests.support.repositories import RepositoryBuilder
from tests.support.snapshots import capture_repository


def load(builder: RepositoryBuilder, cache: Path, settings: Baseline | None = None) -> tree_contents.TreeContents:
    repository = open_repository(builder.folder)
    tree = builder.head("HEAD^{tree}")
    return tree_contents.load_tree_contents(
        repository.git, tree, offer_objects(repository, cache), settings or Baseline(), cache
    )


def build(builder: RepositoryBuilder) -> RepositoryBuilder:
    builder.write("package.json", '{"name": "web"}').write("py/pyproject.toml", '[project]\nname = "lamp"\n')
    builder.write("broken/go.mod", "nothing\n").write("junit.xml", "<testsuite/>").write("a/coverage.xml", "<x/>")
    return builder.commit()


def test_link_in_the_place_of_a_file_declares_nothing(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """What a link says is where it leads, and that isn't a package."""
    builder.link("package.json", "/etc/passwd").commit()
    assert [unread.path for unread in load(builder, tmp_path).unread] == ["package.json"]


def test_known_tree_is_not_read_again(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other patterns, or another tree, are another question."""
    first = load(build(builder), tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(tree_contents, "_read_contents", None)
        assert load(builder, tmp_path) == first
    assert load(builder, tmp_path, Baseline(reports=("*.json",))).reports == ("package.json",)
    assert load(builder.write("sub/junit.xml").commit(), tmp_path).reports == ("junit.xml", "sub/junit.xml")


def test_damaged_cache_is_made_anew(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Whatever is in it."""
    first = load(build(builder), tmp_path)
    place = tmp_path / "tree-contents.json"
    record = cast("dict[str, object]", load_json(place))
    for damage in ({}, {**record, "contents": {"packages": [1]}}, {**record, "contents": None}, {"key": record["key"]}):
        write_json(place, damage)
        assert load(builder, tmp_path) == first


def measure(builder: RepositoryBuilder, cache: Path, revision: str = "HEAD") -> tree_contents.Measures:
    repository = open_repository(builder.folder)
    tree = builder.head(f"{revision}^{{tree}}")
    return tree_contents.load_measures(repository.git, tree, offer_objects(repository, cache), cache)


@pytest.mark.parametrize(
    ("content", "counted"),
    [
        (b"", (0, 0)),
        (b"one", (1, 0)),
        (b"one\n", (1, 0)),
        (b"one\r\ntwo", (2, 0)),
        (b"# TODO: a FIXME\n// XXX\n/* HACK */\n", (3, 4)),
        (b"TODOS todo aTODO HACKS\n", (1, 0)),
        (b"\0TODO\n", (0, 0)),
        (b"x" * 9_000 + b"\0\n", (1, 0)),
    ],
)
def test_content_is_counted(content: bytes, counted: tuple[int, int]) -> None:
    """Lines and to-dos as whole words; a zero byte near the beginning makes it binary."""
    assert tree_contents.count_content(content) == counted


def test_difference_gives_what_counting_everything_gives(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Step by step from the last tree, or from nothing: the same numbers."""
    builder.write("a.py", "x\ny # TODO\n").write("copy.py", "x\ny # TODO\n").link("link", "a.py").write("b", b"\0\n")
    builder.commit()
    assert measure(builder, tmp_path / "cache") == tree_contents.Measures(files=4, lines=4, todos=2)
    (builder.folder / "copy.py").unlink()
    builder.write("a.py", "x\n").write("c", "1\n2\n3").write("b", "text now\n").commit()
    (builder.folder / "link").unlink()
    builder.write("link", "TODO\n").commit()
    for revision in ("HEAD~1", "HEAD", "HEAD~2", "HEAD"):
        step_by_step = measure(builder, tmp_path / "cache", revision)
        assert step_by_step == measure(builder, tmp_path / f"fresh-{revision}", revision)
    assert measure(builder, tmp_path / "cache") == tree_contents.Measures(files=4, lines=6, todos=1)


def test_known_tree_costs_no_call_of_git(
    builder: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was measured once is only looked up."""
    builder.write("a").commit()
    first = measure(builder, tmp_path)
    monkeypatch.setattr(tree_contents, "read_tree_files", None)
    monkeypatch.setattr(tree_contents, "read_tree_file_changes", None)
    assert measure(builder, tmp_path) == first


def test_attributes_change_nothing(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A file that is declared binary is counted by what is in it."""
    builder.write("a.py", "1\n2\n").commit()
    measure(builder, tmp_path)
    builder.write(".gitattributes", "*.py -diff binary\n").write("a.py", "1\n2\n3\n").commit()
    assert measure(builder, tmp_path) == tree_contents.Measures(files=2, lines=4, todos=0)


@pytest.mark.parametrize("known", [None, [], {"version": 0}, {"version": 1, "trees": {"0" * 40: [9, 9, 9]}}])
def test_damaged_cache_or_lost_tree_is_counted_anew(builder: RepositoryBuilder, tmp_path: Path, known: object) -> None:
    """The last known tree may be gone after a gc."""
    builder.write("a", "1\n").commit()
    (tmp_path / "measures.json").write_text(json.dumps(known))
    assert measure(builder, tmp_path) == tree_contents.Measures(files=1, lines=1, todos=0)


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("junit.xml", "junit.xml", True),
        ("junit.xml", "a/junit.xml", False),
        ("**/junit*.xml", "junit.xml", True),
        ("**/junit*.xml", "a/b/junit-1.xml", True),
        ("**/junit*.xml", "a/junit/x.xml", False),
        ("test-results/**/*.xml", "test-results/x.xml", True),
        ("test-results/**/*.xml", "test-results/a/b/x.xml", True),
        ("test-results/**/*.xml", "other/test-results/x.xml", False),
        ("**/.report.json", "sub/.report.json", True),
        ("a/**", "a/b/c", True),
        ("a/**", "a", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("a.b", "axb", False),
        ("a**b", "a/b", False),
        ("./x", "x", True),
        ("*.xml", "odd\nname.xml", True),
        ("/", "", False),
    ],
)
def test_pattern_matches_whole_paths(*, pattern: str, path: str, matches: bool) -> None:
    """A star stays in its part of the path, two stars are any number of parts."""
    assert bool(tree_contents.build_matcher((pattern,)).fullmatch(path)) is matches


ONE = '<testsuite><testcase name="one"/></testsuite>'

ONE_FAILS = '<testsuite><testcase name="one"><failure/></testcase></testsuite>'


def capture(builder: RepositoryBuilder, settings: str = "") -> Snapshot:
    return capture_repository(builder.write("handoff-tui.toml", settings)).snapshot


def test_reports_of_all_kinds_are_read(builder: RepositoryBuilder) -> None:
    """JUnit, TAP and pytest's JSON, committed, untracked or ignored."""
    report = {"tests": [{"nodeid": "t.py::three", "outcome": "skipped"}]}
    builder.write("junit.xml", ONE).commit().write(".gitignore", "*.tap\n").write(
        "deep/run.tap", "1..1\nnot ok 1 two\n"
    )
    snapshot = capture(builder.write(".report.json", json.dumps(report)))
    assert snapshot.tests == {
        "one": TestOutcome.PASS,
        "t::three": TestOutcome.SKIPPED,
        "two": TestOutcome.FAIL,
    }
    assert list(snapshot.reports) == [".report.json", "deep/run.tap", "junit.xml"]


def test_report_that_is_not_whole_is_noted_and_read(builder: RepositoryBuilder) -> None:
    """What it has counts; that it has not all is said."""
    snapshot = capture(builder.write("run.tap", "1..3\nok 1 a\n").commit())
    assert snapshot.tests == {"a": TestOutcome.PASS}
    assert "3 tests" in snapshot.unread[0].reason


def test_other_patterns_find_other_reports(builder: RepositoryBuilder) -> None:
    """The configuration says which files are reports."""
    snapshot = capture(
        builder.write("junit.xml", ONE).write("out/tests.xml", ONE_FAILS).commit(),
        '[baseline]\nreports = ["out/*.xml"]\n',
    )
    assert list(snapshot.reports) == ["out/tests.xml"]


def test_reports_beyond_the_limit_are_said(builder: RepositoryBuilder) -> None:
    """The first in order of path are read."""
    for name in "abc":
        builder.write(f"{name}/junit.xml", ONE)
    snapshot = capture(builder.commit(), "[baseline]\nreports_maximum = 1\n")
    assert list(snapshot.reports) == ["a/junit.xml"]
    assert [(unread.path, unread.reason) for unread in snapshot.unread] == [
        ("b/junit.xml", "is one of 2 test reports beyond the limit of 1")
    ]


def test_report_that_is_too_large_is_named(builder: RepositoryBuilder) -> None:
    """Whether it is in the tree or ignored."""
    builder.write("junit.xml", ONE).write(".gitignore", "*.tap\n").commit().write("x.tap", "1..0" + " " * 50)
    snapshot = capture(builder, "[baseline]\nreport_bytes = 20\n")
    assert snapshot.tests == {}
    assert [unread.path for unread in snapshot.unread] == ["junit.xml", "x.tap"]


def test_crowded_ignored_folders_are_said(builder: RepositoryBuilder) -> None:
    """Reports that were not looked for are not taken for absent."""
    builder.write(".gitignore", "out/\n").commit()
    for number in range(5):
        builder.write(f"out/{number}")
    snapshot = capture(builder, "[baseline]\nentries_maximum = 3\n")
    assert "more than 3 entries" in snapshot.unread[0].reason


def test_first_coverage_report_that_says_something_counts(builder: RepositoryBuilder) -> None:
    """In the order of the patterns; one that says nothing is noted."""
    builder.write("coverage.xml", "<html/>").write("lcov.info", "LF:4\nLH:1\n").write("a/lcov.info", "LF:1\nLH:1\n")
    snapshot = capture(builder.commit())
    assert snapshot.measures["coverage_basis_points"] == 2500
    assert [unread.path for unread in snapshot.unread] == ["coverage.xml"]


def test_link_is_no_report(builder: RepositoryBuilder) -> None:
    """A link that leads out of the repository is not followed."""
    snapshot = capture(builder.link("junit.xml", "/etc/hostname").commit())
    assert snapshot.tests == {}
    assert [unread.path for unread in snapshot.unread] == ["junit.xml"]


DOCTYPE = b"<!DOCTYPE coverage SYSTEM 'http://example.org/coverage-04.dtd'>"


@pytest.mark.parametrize(
    ("path", "content", "measured"),
    [
        ("coverage.xml", b'<coverage line-rate="0.8543"/>', 8543),
        ("coverage.xml", DOCTYPE + b'<coverage line-rate="1"/>', 10_000),
        ("a/coverage.xml", b'<coverage line-rate="0.5" lines-covered="2" lines-valid="3"/>', 6666),
        ("coverage.xml", b'<coverage line-rate="0.25" lines-covered="0" lines-valid="0"/>', 2500),
        ("coverage.json", json.dumps({"totals": {"covered_lines": 7, "num_statements": 8}}).encode(), 8750),
        ("lcov.info", b"SF:a\nLF:10\nLH:5\nend_of_record\nSF:b\nLF:10\nLH:10\nend_of_record\n", 7500),
    ],
)
def test_coverage_is_read(path: str, content: bytes, measured: int) -> None:
    """In hundredths of a percent, from whole numbers where there are any."""
    assert parse_coverage(path, content) == measured


@pytest.mark.parametrize(
    ("path", "content", "words"),
    [
        ("coverage.xml", b"", "not XML"),
        ("coverage.xml", b"<report/>", "not a Cobertura"),
        ("coverage.xml", b"<coverage/>", "no line rate"),
        ("coverage.xml", b'<coverage line-rate="NaN"/>', ""),
        ("coverage.xml", b'<coverage line-rate="7"/>', "not between"),
        ("coverage.xml", b'<!DOCTYPE x [<!ENTITY a "b">]><coverage/>', "entities"),
        ("coverage.xml", b'<?xml version="1.0" encoding="none"?><coverage/>', "not XML"),
        ("coverage.json", b"[", "not JSON"),
        ("coverage.json", b"[]", "no totals"),
        ("coverage.json", b'{"totals": {"covered_lines": 9, "num_statements": 8}}', "no totals"),
        ("coverage.json", b'{"totals": {"covered_lines": true, "num_statements": 8}}', "no totals"),
        ("lcov.info", b"", "counts no lines"),
        ("lcov.info", b"LF:1\nLH:2\n", "counts no lines"),
    ],
)
def test_report_without_coverage_says_why(path: str, content: bytes, words: str) -> None:
    """A text, never a number that nobody measured."""
    answer = parse_coverage(path, content)
    assert isinstance(answer, str)
    assert words in answer


HASH = "a" * 64


def read_one(path: str, text: str) -> PackageRecord:
    reading = packages.parse_ecosystem_file(path, text.encode())
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
    assert packages.is_ecosystem_file(path) is is_one


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
    """A table with a version alone is that version; one that says more is kept in full."""
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
    """A file for tools isn't a package, and nothing is wrong with it."""
    assert packages.parse_ecosystem_file("pyproject.toml", b"[tool.ruff]\nline-length = 120\n") == ((), ())


def test_setup_cfg_is_read() -> None:
    """Name, version as written, requirements and extras."""
    record = read_one(
        "setup.cfg",
        "[metadata]\nname = lamp\nversion = attr: lamp.version\n[options]\ninstall_requires =\n  a>=1\n  b\n"
        "[options.extras_require]\ndev = c\n",
    )
    assert (record.name, record.version) == ("lamp", "attr: lamp.version")
    assert record.dependencies == {"a": ">=1", "b": "", "dev/c": ""}
    assert packages.parse_ecosystem_file("setup.cfg", b"[flake8]\nmax-line-length = 100\n") == ((), ())


def test_requirements_are_read() -> None:
    """Comments and hashes aren't constraints; options and addresses stand for themselves; a backslash joins lines."""
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
    assert packages.parse_ecosystem_file("package.json", b'{"type": "module"}') == ((), ())


def test_cargo_is_read() -> None:
    """Package and workspace of one file are two records; targets stand before their dependencies."""
    reading = packages.parse_ecosystem_file(
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
        ("package.json", b"[]", "not a JSON object"),
        ("package.json", b"[" * 100_000, "nested too deeply"),
        ("package.json", b'{"version": ' + b"9" * 10_000 + b"}", "not JSON"),
        ("go.mod", b"require a v1\n", "names no module"),
        ("setup.cfg", b"name = lamp\n", "not a configuration file"),
        ("requirements.txt", b"\xff\n", "not UTF-8"),
        ("requirements.txt", b"a" * (packages.MOST_PACKAGE_BYTES + 1), "too large"),
    ],
)
def test_file_that_cannot_be_read_is_named(path: str, content: bytes, words: str) -> None:
    """With the reason, and without a guess at what it declares."""
    reading = packages.parse_ecosystem_file(path, content)
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
    record = packages.build_manifest_record(package)
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
    assert packages.build_asset_path(manifest, asset) == path
