"""Session state beside git: changes, commits, upstream and files."""

from __future__ import annotations

import json

import pytest

from handoff_tui.checks.context import Answers, Context
from handoff_tui.checks.rule import NotApplicableError, RuleFinding, UndecidableError
from handoff_tui.checks.rules.mosaic.named_evidence import claimed_commits_match_git, referenced_files_exist
from handoff_tui.checks.rules.mosaic.work_tree import changes_are_documented, nothing_unpushed
from handoff_tui.checks.world import CommitInfo
from handoff_tui.core.place import Problem
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.handoffs.claim import ClaimKind, Verdict, VerdictState
from handoff_tui.handoffs.reading.format import SourceFile
from tests.support.format_states import STATE_COMMIT, build_agent_state, build_state
from tests.support.memory_files import MemoryFiles
from tests.support.world import HEAD, MemoryWorld, find_subjects, judge


def judge_tree(*changed: str, untracked: tuple[str, ...] = (), **documents: str) -> list[RuleFinding]:
    facts = RepositoryFacts(root="/r", head=HEAD, branch="main", changed=changed, untracked=untracked)
    files = {**build_state(), **{f"{name}.md": f"# Handoff\n\n{text}\n" for name, text in documents.items()}}
    return judge(changes_are_documented, MemoryWorld(files=files, repository=facts))


def test_undocumented_changes_are_found() -> None:
    """Each path is a finding of its own, with a command that is safe to copy."""
    found = judge_tree("src/pier.py", untracked=("odd name.py",))
    assert [(finding.message, finding.command) for finding in found] == [
        ("src/pier.py has uncommitted changes, and no handoff document names it", "git add -- src/pier.py"),
        ("odd name.py is not tracked by git, and no handoff document names it", "git add -- 'odd name.py'"),
    ]
    assert [finding.subject for finding in found] == ["src/pier.py", "odd name.py"]


@pytest.mark.parametrize(
    "text",
    [
        "There are uncommitted changes.",
        "UNCOMMITTED CHANGES: see git status, all of src/ is meant.",
        "Changed `src/pier.py.bak` and `src/pier.pyc`.",
        "Changed `my-pier.py`, `old.pier.py` and `pier.py-old`.",
        "Changed `lib/pier.py`, which is another file.",
        "Changed `xsrc/pier.py`.",
    ],
)
def test_mere_mention_of_changes_is_not_enough(text: str) -> None:
    """The path must be named: not the word, not the folder, not a file of a similar name."""
    assert [found.subject for found in judge_tree("src/pier.py", HANDOFF=text)] == ["src/pier.py"]


@pytest.mark.parametrize(
    "text",
    [
        "Uncommitted: `src/pier.py`, half done.",
        "Not committed yet: src/pier.py.",
        "Left: ./src/pier.py",
        "Left: pier.py (half done)",
        "Left: **pier.py**, half done.",
        "See [the pier](src/pier.py).",
        "In harbour/src/pier.py, seen from above.",
    ],
)
def test_path_that_is_named_passes(text: str) -> None:
    """The whole path or the file's name will do, however it is set."""
    assert judge_tree("src/pier.py", HANDOFF=text) == []


def test_path_in_escaped_json_is_read() -> None:
    """A path that the file spells in escapes is named as much as any other."""
    planning = {"version": "1", "status": "paused", "phase": "2", "uncommitted_files": ["src/möwe.py"], "blockers": []}
    facts = RepositoryFacts(root="/r", head=HEAD, branch="main", changed=("src/möwe.py",))
    files: dict[str, str | bytes] = {".planning/HANDOFF.json": json.dumps(planning, ensure_ascii=True)}
    assert judge(changes_are_documented, MemoryWorld(files=files, repository=facts)) == []


@pytest.mark.parametrize("path", [".env", "docs/.hidden", "a/Makefile", "möwe/größe.txt", "a b/c d.txt", "x (1).txt"])
def test_odd_names_are_recognised(path: str) -> None:
    """Names that begin with a dot, have no ending, spaces or other alphabets can be named."""
    assert judge_tree(path, HANDOFF=f"Left as it is: `{path}`.") == []
    assert len(judge_tree(path, HANDOFF="Left as it is: nothing.")) == 1


def test_name_that_fits_several_changes_says_too_little() -> None:
    """Where two changed files have one name, each must be named by its path."""
    paths = ("a/__init__.py", "b/__init__.py", "a/my notes.txt", "b/my notes.txt")
    assert len(judge_tree(*paths, HANDOFF="Left: `__init__.py` and my notes.txt")) == 4
    named = judge_tree(*paths, HANDOFF="Left: `a/__init__.py` and a/my notes.txt")
    assert [found.subject for found in named] == ["b/__init__.py", "b/my notes.txt"]


def test_file_of_others_in_our_folder_is_a_change() -> None:
    """What this tool writes itself never gets here; all else below its folder is the agent's work."""
    assert len(judge_tree(".handoff-tui/helper.py")) == 1
    assert len(judge_tree(".handoff-tui-notes/a.txt")) == 1


def test_many_changes_are_judged_quickly() -> None:
    """Ten thousand paths against a long message are a matter of look-ups, not of searches."""
    paths = tuple(f"src/part{number}.py" for number in range(10_000))
    facts = RepositoryFacts(root="/r", head=HEAD, branch="main", changed=paths)
    state = build_agent_state(handoff_message=" ".join(paths[1:]))
    assert find_subjects(changes_are_documented, MemoryWorld(files=build_state(state), repository=facts)) == [
        "src/part0.py"
    ]


def test_repository_without_a_handoff_does_not_apply() -> None:
    """Nothing is handed over there."""
    facts = RepositoryFacts(root="/r", head=HEAD, branch="main", changed=("a.txt",))
    with pytest.raises(NotApplicableError, match="no handoff here"):
        judge(changes_are_documented, MemoryWorld(files={"a.txt": ""}, repository=facts))


STATE_ONLY = (".mosaic/agent_state.json", ".mosaic/SESSION_HANDOFF_2026-03-04.md", ".ai-agents/handoff_0304.json")


def build_commit(commit: str, *parents: str) -> CommitInfo:
    return CommitInfo(commit, parents, "A", "a@x", "2026-03-04", "subject", "")


def build_line(*between: str) -> tuple[CommitInfo, ...]:
    """HEAD, the given commits, the commit of the state, and the one before it, in one line."""
    names = [HEAD, *(letter * 40 for letter in between), STATE_COMMIT, "0" * 40]
    return tuple(build_commit(name, parent) for name, parent in zip(names, [*names[1:], "9" * 40], strict=True))


def build_world(lag: int | None = 1, **changes: object) -> MemoryWorld:
    world = MemoryWorld(files=build_state(), known_commits={STATE_COMMIT: lag})
    for name, value in changes.items():
        setattr(world, name, value)
    return world


def test_commit_one_behind_passes_and_shows_the_lag() -> None:
    """The commit that stores the state is always ahead of the one in it; the lag is told all the same."""
    context = Context(Answers(build_world(1)))
    assert list(claimed_commits_match_git.judge(context)) == []
    assert context.notes == [f"HEAD is 1 commit ahead of {STATE_COMMIT[:7]} in .mosaic/agent_state.json"]


def test_lag_beyond_the_tolerated_is_found() -> None:
    """Work that the state does not know of makes it stale; the finding says how far."""
    world = build_world(3, log=build_line("1", "2"), touched={HEAD: ("src/a.py",), "1" * 40: ("b.py",)})
    [found] = judge(claimed_commits_match_git, world)
    assert found.message.endswith(f"was written for commit {STATE_COMMIT[:7]}, and HEAD is 3 commits ahead of it")
    assert (found.subject, found.expected, found.actual) == (STATE_COMMIT[:7], "at most 1 commit of work", "3 commits")
    assert found.command == f"git log --oneline {STATE_COMMIT[:7]}..HEAD"
    assert (found.place and found.place.line) == 7


def test_commits_of_state_files_are_left_out() -> None:
    """Commits that only write the state down do not make it stale; that they were left out is told."""
    touched = {HEAD: STATE_ONLY, "1" * 40: ("src/a.py",), "2" * 40: (".mosaic/LATEST_HANDOFF.md",)}
    context = Context(Answers(build_world(3, log=build_line("1", "2"), touched=touched)))
    assert list(claimed_commits_match_git.judge(context)) == []
    assert context.notes[0].startswith("HEAD is 3 commits ahead")
    assert context.notes[0].endswith(", 2 of them of state files only")


@pytest.mark.parametrize(
    "path",
    [".mosaic/enforcement/session-gate.sh", ".ai-agents/AI_AGENT_PROMPT.md", "src/agent_state.json", ".mosaic/x.py"],
)
def test_other_files_of_the_folders_are_work(path: str) -> None:
    """Enforcement, prompts and code aren't state, wherever they lie and whatever they are called."""
    touched = {HEAD: (*STATE_ONLY, path), "1" * 40: ("src/a.py",)}
    assert len(judge(claimed_commits_match_git, build_world(2, log=build_line("1"), touched=touched))) == 1


def test_commits_further_back_than_was_read_count_as_work() -> None:
    """What was not looked at is not taken for state only."""
    world = build_world(50, log=(build_commit(HEAD, "1" * 40),), touched={HEAD: STATE_ONLY})
    assert len(judge(claimed_commits_match_git, world)) == 1


def test_merged_commits_are_told_from_those_the_state_knows() -> None:
    """Only what the commit of the state does not contain is counted, whatever order the history is listed in."""
    log = (
        build_commit(HEAD, "1" * 40, STATE_COMMIT),
        build_commit("1" * 40, "0" * 40),
        build_commit(STATE_COMMIT, "2" * 40, "3" * 40),
        build_commit("2" * 40, "0" * 40),
        build_commit("3" * 40, "0" * 40),
        build_commit("0" * 40),
    )
    touched = {HEAD: (), "1" * 40: ("a.py",), **{digit * 40: ("z.py",) for digit in "023"}}
    world = build_world(2, log=log, touched=touched)
    assert judge(claimed_commits_match_git, world) == []


def test_commit_that_does_not_exist_is_found() -> None:
    """An invented commit fails."""
    [found] = judge(claimed_commits_match_git, MemoryWorld(files=build_state()))
    assert found.message == f".mosaic/agent_state.json names commit {STATE_COMMIT[:7]}, which does not exist here"
    assert found.command is None


def test_commit_of_another_history_is_found() -> None:
    """The commit of a branch that never was merged isn't a commit of this work."""
    [found] = judge(claimed_commits_match_git, build_world(None))
    assert "is not in the history of HEAD" in found.message


def test_other_commits_must_be_in_the_history() -> None:
    """Commits named elsewhere in the state need not be near HEAD, but must be in its history."""
    old, foreign = "c1" * 20, "d2" * 20
    document = (
        f"# SESSION HANDOFF\n\n- Commit: `{old[:8]}`\n- Commit: `{foreign[:8]}`\n- Commit: `eeee333`\n"
        f"- Commit: `{HEAD[:6]}1a`\n"
    )
    world = build_world(0, known_commits={STATE_COMMIT: 0, old: 90, foreign: None, f"{HEAD[:6]}1a": 7})
    world.files[".mosaic/SESSION_HANDOFF_1.md"] = document
    world.log = (build_commit(f"{HEAD[:6]}1a"),)
    found = judge(claimed_commits_match_git, world)
    assert [finding.subject for finding in found] == [foreign[:8], "eeee333"]
    assert [finding.place.line if finding.place else None for finding in found] == [4, 5]


def test_commit_that_is_named_twice_is_told_once() -> None:
    """One finding for each document and commit, the one about the state's own commit."""
    state = build_agent_state(implementation_progress={"deployment_commit": STATE_COMMIT[:7]})
    [found] = judge(claimed_commits_match_git, MemoryWorld(files=build_state(state)))
    assert (found.place and found.place.line) == 7


@pytest.mark.parametrize("value", ["latest", "", 42])
def test_field_that_holds_no_commit_is_found(value: object) -> None:
    """A word in place of a commit does not make the rule inapplicable."""
    world = MemoryWorld(files=build_state(build_agent_state(last_commit=value)))
    [found] = judge(claimed_commits_match_git, world)
    assert (found.subject, found.actual) == ("last_commit", str(value) or "empty")


@pytest.mark.parametrize("text", ["{", "[]", '{"last_agent": 1, "last_agent": 2}'])
def test_state_that_cannot_be_read_is_found(text: str) -> None:
    """What cannot be read names no commit that could be compared, and that isn't a pass."""
    world = MemoryWorld(files={**build_state(), ".mosaic/agent_state.json": text})
    assert judge(claimed_commits_match_git, world)


def test_shallow_clone_cannot_tell() -> None:
    """A commit that is not among those of a shallow clone may exist."""
    facts = RepositoryFacts(root="/r", head=HEAD, branch="main", shallow=True)
    with pytest.raises(UndecidableError, match=f"shallow.*{STATE_COMMIT[:7]}"):
        judge(claimed_commits_match_git, MemoryWorld(files=build_state(), repository=facts))


def test_state_without_a_commit_does_not_apply() -> None:
    """The field is optional; without any commit there is nothing to compare."""
    world = MemoryWorld(files=build_state(build_agent_state(last_commit=...)))
    with pytest.raises(NotApplicableError, match="names no commit"):
        judge(claimed_commits_match_git, world)


def judge_facts(remotes: dict[str, str] | None = None, **facts: object) -> list[RuleFinding]:
    values: dict[str, object] = {"root": "/r", "head": HEAD, "branch": "main", **facts}
    repository = RepositoryFacts.model_validate(values)
    return judge(nothing_unpushed, MemoryWorld(files=build_state(), repository=repository, known_remotes=remotes or {}))


def test_branch_that_is_pushed_passes() -> None:
    """Nothing ahead of the upstream, whatever it is called; commits of others do not matter."""
    assert judge_facts(upstream="fork/topic", ahead=0, behind=0, branch="topic") == []
    assert judge_facts(upstream="origin/main", ahead=0, behind=4) == []


@pytest.mark.parametrize(("ahead", "words"), [(1, "1 commit of branch topic is"), (3, "3 commits of branch topic are")])
def test_unpushed_commits_are_found(ahead: int, words: str) -> None:
    """The upstream of the branch counts, not a fixed name; the subject holds no number."""
    [found] = judge_facts(branch="topic", upstream="fork/wip", ahead=ahead, behind=0)
    assert found.message == f"{words} not in its upstream fork/wip"
    assert (found.subject, found.command) == ("topic", "git push")


def test_diverged_branch_has_to_be_brought_together_first() -> None:
    """A plain push would be refused."""
    [found] = judge_facts(upstream="origin/main", ahead=2, behind=3)
    assert found.command == "git pull --rebase && git push"
    assert found.actual == "2 commits ahead, and lacks 3 of its own"


@pytest.mark.parametrize(
    ("remotes", "command"),
    [
        ({"origin": "/o", "backup": "/b"}, "git push --set-upstream origin 'feat;x'"),
        ({"fork": "/f"}, "git push --set-upstream fork 'feat;x'"),
        ({}, "git remote add origin ADDRESS && git push --set-upstream origin 'feat;x'"),
    ],
)
def test_branch_without_an_upstream_is_found(remotes: dict[str, str], command: str) -> None:
    """Nobody else can get its commits; the command fits the remotes and is safe to copy."""
    [found] = judge_facts(remotes, branch="feat;x")
    assert found.message == "branch feat;x has no upstream, so nobody else can get its commits"
    assert found.command == command


def test_repository_without_a_remote_owes_no_push() -> None:
    """Unless a session's standard asks for it: nobody but that one promises an upstream."""
    facts = RepositoryFacts.model_validate({"root": "/r", "head": HEAD, "branch": "main"})
    with pytest.raises(NotApplicableError, match="nowhere to push"):
        judge(nothing_unpushed, MemoryWorld(files={"HANDOFF.md": NOTE}, repository=facts))


@pytest.mark.parametrize(
    ("upstream", "command"), [("origin/old/name", "git push origin main:old/name"), ("local", "git push . main")]
)
def test_upstream_that_is_gone_is_found(upstream: str, command: str) -> None:
    """An upstream that does not exist has none of the commits."""
    [found] = judge_facts(upstream=upstream)
    assert f"the upstream {upstream} of branch main is not there" in found.message
    assert found.command == command


def test_detached_head_cannot_be_decided() -> None:
    """Without a branch there is no upstream to compare with, and that isn't a pass."""
    with pytest.raises(UndecidableError, match="HEAD is detached"):
        judge_facts(branch=None, detached=True)


def test_repository_without_a_commit_does_not_apply() -> None:
    """There is nothing to push yet."""
    with pytest.raises(NotApplicableError, match="no commit to push"):
        judge_facts(head=None)


PRESENT = frozenset({ClaimKind.FILE_CREATED, ClaimKind.FILE_MODIFIED, ClaimKind.FILE_REFERENCED})

TASK = {"task_id": "t", "objective": "o", "status": "open", "details": {"artifacts_created": ["docs/piers.md"]}}

SESSION = "# SESSION HANDOFF\n\n## FILES CREATED\n\n- `lib/piers.py`\n\n## NEXT\n\nRun `scripts/watch.sh` first.\n"

NOTE = "# Handoff\n\nRead `docs/tolls.md` before anything else.\n"


class MeasuredWorld(MemoryWorld):
    """A world in which claims on files are measured against its own files."""

    def verdicts(self, handoff: str) -> tuple[Verdict, ...]:
        return tuple(self._measure(verdict) for verdict in super().verdicts(handoff))

    def _measure(self, verdict: Verdict) -> Verdict:
        claim = verdict.claim
        if claim.kind not in PRESENT:
            return verdict
        there = self.find(claim.subject or "", claim.where.path) is not None
        return Verdict(claim=claim, state=VerdictState.HOLDS if there else VerdictState.CONTRADICTED)


def build_measured_world(*present: str) -> MeasuredWorld:
    documents = {".mosaic/SESSION_HANDOFF_1.md": SESSION, "HANDOFF.md": NOTE}
    return MeasuredWorld(files={**build_state(current_task=TASK), **documents, **dict.fromkeys(present, "x")})


def describe(found: list[RuleFinding]) -> list[tuple[str, int | None, str]]:
    return [(finding.place.path, finding.place.line, finding.subject) for finding in found if finding.place]


def test_files_that_exist_pass() -> None:
    """State files, session documents and notes may name what is there."""
    world = build_measured_world("docs/piers.md", "lib/piers.py", "scripts/watch.sh", "docs/tolls.md")
    assert judge(referenced_files_exist, world) == []


def test_missing_files_of_every_document_are_found() -> None:
    """State file and session document: each missing file with its place. In a note of another format it is a hint."""
    assert describe(judge(referenced_files_exist, build_measured_world())) == [
        (".mosaic/current_task.json", 7, "docs/piers.md"),
        (".mosaic/SESSION_HANDOFF_1.md", 5, "lib/piers.py"),
        (".mosaic/SESSION_HANDOFF_1.md", 9, "scripts/watch.sh"),
    ]


def test_only_the_handoff_under_review_is_judged() -> None:
    """The references of other handoffs are not its fault."""
    found = judge(referenced_files_exist, build_measured_world(), scope="mosaic")
    assert "docs/tolls.md" not in {finding.subject for finding in found}
    assert len(found) == 3


def test_file_that_a_document_says_is_deleted_is_not_missed() -> None:
    """To say that a file was deleted names it; that it is gone is what was said, and it is told on a pass."""
    text = "# SESSION HANDOFF\n\n## FILES DELETED\n\n- `docs/piers.md`\n"
    world = MeasuredWorld(files={**build_state(current_task=TASK), ".mosaic/SESSION_HANDOFF_1.md": text})
    context = Context(Answers(world))
    assert list(referenced_files_exist.judge(context)) == []
    assert context.notes == ["1 named files are said to have been deleted"]


def test_link_to_nothing_is_found() -> None:
    """A dangling link to the newest session document is a reference to a file that is not there."""
    files = {path: str(text) for path, text in build_state().items()}
    latest = ".mosaic/LATEST_HANDOFF.md"
    shelf = MemoryFiles({**files, latest: ""})
    problem = Problem(path=latest, message="is a link to nothing")
    shelf.read[latest] = SourceFile(latest, "", readable=False, problems=[problem])
    [found] = judge(referenced_files_exist, MemoryWorld(files={**files, latest: b""}, shelf=shelf))
    assert "is a link to nothing" in found.message
    assert (found.place and found.place.path) == latest


def test_document_that_cannot_be_read_is_found() -> None:
    """What a broken document names is not known, and that isn't a pass."""
    world = MeasuredWorld(files={**build_state(), ".ai-agents/handoff_0304.json": '{"commit": "ab'})
    [found] = judge(referenced_files_exist, world)
    assert "is not valid JSON" in found.message


def test_state_that_names_no_file_is_not_judged() -> None:
    """It neither passes nor fails."""
    with pytest.raises(NotApplicableError, match="names a file"):
        judge(referenced_files_exist, MemoryWorld(build_state()))
