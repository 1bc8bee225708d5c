"""Scopes of repositories as nobody would wish for them: a clear answer to each, and nothing is lost."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from handoff_tui.git.history.commit_changes import ChangedCommit, PathChange
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.scope.assign import assign_changes
from handoff_tui.handoffs.scope.find import find_scopes, read_stated
from handoff_tui.handoffs.scope.scope import Scopes
from handoff_tui.handoffs.scope.traces import Traces
from handoff_tui.handoffs.session import open_session
from handoff_tui.log.gates.coverage import find_last_owners
from tests.support.command_line import say
from tests.support.gates import GateDesk
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Speaking

RESULTS = "# Results: {0}\n\n## Status: PASS\n\n## Files Created\n{1}\n"


def hand_over(builder: RepositoryBuilder, handoff: str, files: str = "- `none`") -> RepositoryBuilder:
    return builder.write(f"handoffs/{handoff}/{handoff}_RESULTS.md", RESULTS.format(handoff, files))


def read_scopes(folder: Path) -> Scopes:
    desk = open_session(folder)
    return find_scopes(desk, read_repository(desk).result.handoffs, read_stated(desk)).scopes


def check_partition(scopes: Scopes) -> None:
    """Nothing is lost: each changed path is own or unclaimed, never both."""
    owned = {path for scope in scopes.by_handoff.values() for path in scope.results}
    assert scopes.changed <= owned | set(scopes.unclaimed_paths)
    assert not owned & set(scopes.unclaimed_paths)


@pytest.fixture
def begun(builder: RepositoryBuilder) -> RepositoryBuilder:
    return builder.write("README.md").write("case.py", "1\n").write("folder/inner.py", "1\n").commit("before")


@pytest.mark.parametrize("count", [20_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_ten_times_the_paths_take_ten_times_the_time(count: int) -> None:
    """In one commit that names a handoff that lists them all, each of them changed twice."""

    def measure(count: int) -> float:
        paths = [f"src/{number // 100}/{number}.py" for number in range(count)]
        first = tuple(PathChange(path, "100644", "a" * 40, "000000", "0" * 40) for path in paths)
        second = tuple(PathChange(path, "100644", "b" * 40, "100644", "a" * 40) for path in paths)
        history = [
            ChangedCommit("1" * 40, ("0" * 40,), "A", "a@x", "a@x", 0, "H-1: all", first),
            ChangedCommit("2" * 40, ("1" * 40,), "A", "a@x", "a@x", 0, "no handoff", second),
        ]
        all_of_them = frozenset(paths)
        traces = Traces("H-1", names=frozenset({"h-1"}), declared=all_of_them, declared_changes=all_of_them)
        start = time.process_time()
        scopes = assign_changes(history, (), [traces])
        taken = time.process_time() - start
        assert len(scopes.of("H-1").results) == count
        check_partition(scopes)
        return taken

    large, small = (min(measure(number) for _ in range(3)) for number in (count, count // 10))
    assert large < 50 * small  # a hundred times would be quadratic


def test_rename_of_case_alone_is_two_paths(begun: RepositoryBuilder) -> None:
    """As git has them: one is gone, one is new."""
    begun.step("mv", "-f", "case.py", "Case.py")
    hand_over(begun, "H-1").commit("H-1: case")
    results = read_scopes(begun.folder).of("H-1").results
    assert (results["case.py"].deleted, results["Case.py"].deleted) == (True, False)


@pytest.mark.parametrize("name", ["two\nlines.py", "\x01start.py", ":100644 raw.py", "tab\tand space ", '"quoted"'])
def test_any_name_is_one_path(begun: RepositoryBuilder, name: str) -> None:
    """Committed and not, in the scope and in what it prints."""
    hand_over(begun.write(name, "1\n"), "H-1").commit("H-1: odd names")
    begun.write(f"more {name}", "2\n")
    scopes = read_scopes(begun.folder)
    assert name in scopes.of("H-1").results
    assert f"more {name}" in scopes.unclaimed_paths
    shown = say("show", "H-1", "--repo", begun.folder)
    assert shown.code == 0
    assert name not in shown.stdout or name.isprintable()


def test_file_where_a_folder_was_and_the_other_way_round(begun: RepositoryBuilder) -> None:
    """Both paths changed, and both have an owner."""
    begun.step("rm", "-rq", "folder", "case.py")
    hand_over(begun.write("folder", "a file\n").write("case.py/inner.py", "1\n"), "H-1").commit("H-1: turn around")
    scopes = read_scopes(begun.folder)
    assert {"folder", "folder/inner.py", "case.py", "case.py/inner.py"} <= scopes.of("H-1").results.keys()
    assert say("diff", "--handoff", "H-1", "--stat", "--repo", begun.folder).code == 0
    check_partition(scopes)


def test_link_that_leads_out_is_its_target_and_is_not_followed(begun: RepositoryBuilder, tmp_path: Path) -> None:
    """What lies outside may change; the scope stays."""
    outside = tmp_path / "outside.txt"
    outside.write_text("secret\n")
    hand_over(begun.link("out", outside), "H-1").commit("H-1: a link")
    begun.link("more", tmp_path)
    before = read_scopes(begun.folder)
    assert before.of("H-1").results["out"].mode == "120000"
    outside.write_text("changed\n")
    assert read_scopes(begun.folder).of("H-1").results == before.of("H-1").results
    assert "more" in before.unclaimed_paths


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_edit_that_git_was_told_to_overlook_is_seen(begun: RepositoryBuilder, flag: str) -> None:
    """`git status` shows no change; the handoff has one."""
    hand_over(begun.write("lamp.py", "1\n"), "H-1").commit("H-1: lamp")
    before = read_scopes(begun.folder).of("H-1").results
    begun.step("update-index", flag, "lamp.py").write("lamp.py", "2\n")
    assert read_scopes(begun.folder).of("H-1").results != before
    begun.write("lamp.py", "1\n")
    assert read_scopes(begun.folder).of("H-1").results == before


def test_submodule_at_another_commit_is_changed_before_anybody_commits_it(
    begun: RepositoryBuilder, tmp_path: Path
) -> None:
    """Read from its files, on a branch and detached; back at its commit, nothing is changed."""
    source = RepositoryBuilder.init(tmp_path / "source").write("inner.txt").commit("inner")
    inner = begun.submodule(source, "module")
    hand_over(begun, "H-1").commit("H-1: module")
    before, old = read_scopes(begun.folder).of("H-1"), inner.head()
    inner.write("inner.txt", "more\n").commit("more")
    assert read_scopes(begun.folder).of("H-1").results["module"].blob == inner.head()
    inner.step("pack-refs", "--all").step("reset", "--quiet", "--hard", old)
    assert read_scopes(begun.folder).of("H-1") == before
    inner.detach().write("inner.txt", "other\n").commit("other")
    assert read_scopes(begun.folder).of("H-1").results["module"].blob == inner.head()


def test_repository_in_a_folder_is_one_path(begun: RepositoryBuilder) -> None:
    """Before its first commit, with one, and once it is added: nobody claims it until a handoff does."""
    inner = RepositoryBuilder.init(begun.folder / "nested").write("inner.py")
    assert read_scopes(begun.folder).unclaimed_paths == ("nested",)
    inner.commit("inner")
    assert read_scopes(begun.folder).unclaimed_paths == ("nested",)
    begun.step("add", "nested")
    assert read_scopes(begun.folder).unclaimed_paths == ("nested",)
    check_partition(read_scopes(begun.folder))


@pytest.mark.parametrize("files", ["- `*`", "- `**/*.py`", "- `.`", "- `/`", "- `../elsewhere.py`", "- `~/x.py`"])
def test_document_that_lists_everything_lists_nothing(begun: RepositoryBuilder, files: str) -> None:
    """Work that names nobody is not swallowed by whoever wrote a star."""
    hand_over(begun, "H-1", files).commit("H-1: report")
    begun.write("new.py", "1\n").commit("somebody")
    scopes = read_scopes(begun.folder)
    assert "new.py" in scopes.unclaimed_paths
    assert "new.py" not in scopes.of("H-1").results


def test_document_that_lists_the_files_of_another_does_not_take_them(begun: RepositoryBuilder) -> None:
    """They stay with whoever committed them; the disagreement is told."""
    hand_over(begun.write("lamp.py", "1\n"), "H-1", "- `lamp.py`").commit("H-1: lamp")
    hand_over(begun, "H-2", "- `lamp.py`").commit("H-2: report")
    scopes = read_scopes(begun.folder)
    assert "lamp.py" not in scopes.of("H-2").results
    assert scopes.of("H-2").changed_by_others == {"lamp.py": "H-1"}
    shown = say("show", "H-2", "--repo", begun.folder).stdout
    assert "declared, last changed by H-1: lamp.py" in shown
    assert "never changed" not in shown


def test_commit_that_names_five_handoffs_is_shared_by_all(begun: RepositoryBuilder) -> None:
    """Each of them has to be approved."""
    names = [f"H-{number}" for number in range(1, 6)]
    for name in names:
        hand_over(begun, name).commit(f"{name}: report")
    begun.write("common.py", "1\n").commit(f"{', '.join(names)}: together")
    scopes = read_scopes(begun.folder)
    assert all("common.py" in scopes.of(name).shared for name in names)


def test_two_handoffs_with_one_id_are_two(
    begun: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In two folders: the older keeps the id and its approval, wherever the other lies; a problem names both files."""
    report = "handoffs/H-1/H-1_RESULTS.md"
    begun.write("lamp/lamp.py", "1\n").write(f"lamp/{report}", RESULTS.format("H-1", "- `lamp/lamp.py`"))
    desk = GateDesk(Speaking(monkeypatch, capsys), begun.commit("H-1: lamp"), tmp_path)
    bo = desk.person("bo")
    desk.begin(bo)
    repo = ("--repo", desk.root)
    digest = desk.speaking(bo, "gate", "H-1", *repo, "--json").json["subject"]["digest"]
    words = ("decide", "override", "H-1", *repo, "--subject", digest, "--reason", "good enough")
    approved = desk.speaking(bo, *words)
    assert approved.code == 0, approved.stderr
    begun.write("dimmer/dimmer.py", "1\n").write(f"dimmer/{report}", RESULTS.format("H-1", "- `dimmer/dimmer.py`"))
    for committed in (False, True):
        if committed:
            begun.commit("H-1: dimmer")
        said = desk.speaking(bo, "status", "--json", *repo).json
        states = {one["id"]: (one["gate"]["state"], one["scope"]["files"]) for one in said["handoffs"]}
        younger = "H-1-dimmer-handoffs-H-1"
        assert (states["H-1"], states[younger]) == (("overridden", 2), ("pending", 2))
        told = f"has the id H-1, as has lamp/{report}; it is listed as {younger}"
        assert [one["path"] for one in said["problems"] if one["message"] == told] == [f"dimmer/{report}"]


def test_shallow_clone_says_what_it_lacks(begun: RepositoryBuilder, tmp_path: Path) -> None:
    """Its oldest commit seems to add every file; nobody gets them for that."""
    hand_over(begun.write("lamp.py", "1\n"), "H-1").commit("H-1: lamp")
    begun.write("last.py", "1\n").commit("H-1: last")
    shallow = begun.clone_shallow(tmp_path / "shallow")
    said = say("status", "--json", "--repo", shallow.folder)
    assert said.code == 0
    assert any("shallow" in problem["message"] for problem in said.json["problems"])
    assert read_scopes(shallow.folder).of("H-1").results == {}


def test_coverage_of_a_history_without_its_beginning_is_never_complete(
    begun: RepositoryBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A shallow clone, as CI makes one, and a rewritten history without the start line."""
    desk = GateDesk(Speaking(monkeypatch, capsys), begun, tmp_path)
    bo = desk.person("bo")
    desk.begin(bo, start_line=begun.head())
    begun.commit("the log")
    shallow = begun.clone_shallow(tmp_path / "shallow")
    begun.step("checkout", "--quiet", "--orphan", "rewritten").commit("everything in one")
    for folder, word in ((shallow.folder, "shallow"), (begun.folder, "start line")):
        said = desk.speaking(bo, "coverage", "--repo", folder, "--json")
        assert (said.code, said.json["complete"]) == (1, False)
        assert word in said.json["problems"][0]
        assert word in desk.speaking(bo, "coverage", "--repo", folder).stdout
    assert desk.speaking(bo, "coverage", "--repo", shallow.folder, "--since", "HEAD").code == 0


@pytest.mark.parametrize("words", [("status",), ("coverage",), ("show", "H-1"), ("diff", "--handoff", "H-1")])
def test_repository_without_a_commit_is_read(builder: RepositoryBuilder, words: tuple[str, ...]) -> None:
    """All is uncommitted, and has an owner."""
    hand_over(builder.write("lamp.py", "1\n"), "H-1", "- `lamp.py`")
    said = say(*words, "--repo", builder.folder)
    assert said.code in {0, 1}, said.stderr
    assert "lamp.py" in read_scopes(builder.folder).of("H-1").results


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("test-list.md", "# Test list\n\n## Sorter\n- [x] sorts nothing\n- [ ] sorts one\n"),
        (".ai-agents/handoff_20260101_100000.json", '{"timestamp": "2026-01-01T10:00:00Z", "session_continuity": {}}'),
    ],
)
def test_work_is_a_guess_where_a_list_or_a_manifest_is_all_that_reports(
    begun: RepositoryBuilder, path: str, text: str
) -> None:
    """Formats whose only document is a working list, or a JSON file: the work with it is not lost to nobody."""
    begun.write("sort.py", "1\n").write(path, text).commit("work")
    owners = find_last_owners(read_scopes(begun.folder))
    assert owners["sort.py"] == owners[path] != ()


def test_decision_needs_a_commit(builder: RepositoryBuilder) -> None:
    """And says so."""
    hand_over(builder, "H-1")
    said = say("gate", "H-1", "--repo", builder.folder)
    assert (said.code, "no commit yet" in said.stderr) == (2, True)


def test_stated_scope_whose_commits_are_gone_is_told(begun: RepositoryBuilder) -> None:
    """After a rebase it says nothing, and everybody hears so; stated for nobody, too."""
    since = begun.head()
    hand_over(begun.write("lamp.py", "1\n"), "H-1").commit("H-1: lamp")
    table = f'[scopes."H-1"]\nsince = "{since}"\npaths = ["lamp.py"]\n[scopes."H-9"]\npaths = ["x"]\n'
    begun.write("handoff-tui.toml", table).commit("scopes")
    assert len(read_scopes(begun.folder).problems) == 1
    begun.git("commit", "--quiet", "--amend", "--no-verify", "-m", "scopes, again")
    begun.step("checkout", "--quiet", "--orphan", "rewritten").commit("everything in one")
    told = json.loads(say("status", "--json", "--repo", begun.folder).stdout)["problems"]
    messages = [problem["message"] for problem in told if problem["path"] == "handoff-tui.toml"]
    assert any(f'[scopes."H-1"] names a commit that is not in this history ({since[:12]})' in one for one in messages)
    assert any('[scopes."H-9"] is about a handoff that is not here' in one for one in messages)


def test_sha256_repository_is_decided_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Work that began before the first commit starts at as many zeros as an id has."""
    builder = RepositoryBuilder.init(tmp_path / "sha256", "--object-format=sha256")
    desk = GateDesk(Speaking(monkeypatch, capsys), builder, tmp_path)
    bo = desk.person("bo")
    desk.begin(bo)
    said = desk.decide(bo, "approve")
    assert said.code == 0, said.stderr
    gate = desk.gate(bo).json
    assert (gate["state"], gate["subject"]["start"]) == ("approved", "0" * 64)


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x"])
def test_stated_path_that_leads_out_is_named(begun: RepositoryBuilder, path: str) -> None:
    """It covers nothing, and a person is told."""
    hand_over(begun, "H-1").write("handoff-tui.toml", f'[scopes."H-1"]\npaths = ["{path}"]\n').commit("H-1: work")
    [problem] = read_scopes(begun.folder).problems
    assert problem == f'[scopes."H-1"] names {path}, which leads out of the repository: no change is there'
