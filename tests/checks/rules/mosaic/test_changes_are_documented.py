from __future__ import annotations

import json

import pytest

from handoff_tui.checks.rule import NotApplicableError, RuleFinding
from handoff_tui.checks.rules.mosaic.changes_are_documented import CHANGES_ARE_DOCUMENTED
from handoff_tui.core.repository_facts import RepositoryFacts
from tests.support.session_states import MESSAGE, build_agent_state, build_state
from tests.support.world import HEAD, MemoryWorld, judge


def judge_tree(*changed: str, untracked: tuple[str, ...] = (), **documents: str) -> list[RuleFinding]:
    facts = RepositoryFacts(root="/r", head=HEAD, branch="main", changed=changed, untracked=untracked)
    files = {**build_state(), **{f"{name}.md": f"# Handoff\n\n{text}\n" for name, text in documents.items()}}
    return judge(CHANGES_ARE_DOCUMENTED, MemoryWorld(files=files, repository=facts))


def test_clean_tree_passes() -> None:
    """Nothing uncommitted, nothing to document."""
    assert judge_tree() == []


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


def test_state_file_documents_too() -> None:
    """The message to the next agent is as good a place as a document."""
    state = build_agent_state(handoff_message=f"{MESSAGE} Not committed: src/pier.py.")
    facts = RepositoryFacts(root="/r", head=HEAD, branch="main", changed=("src/pier.py",))
    assert judge(CHANGES_ARE_DOCUMENTED, MemoryWorld(files=build_state(state), repository=facts)) == []


def test_path_in_escaped_json_is_read() -> None:
    """A path that the file spells in escapes is named as much as any other."""
    planning = {"version": "1", "status": "paused", "phase": "2", "uncommitted_files": ["src/möwe.py"], "blockers": []}
    facts = RepositoryFacts(root="/r", head=HEAD, branch="main", changed=("src/möwe.py",))
    files: dict[str, str | bytes] = {".planning/HANDOFF.json": json.dumps(planning, ensure_ascii=True)}
    assert judge(CHANGES_ARE_DOCUMENTED, MemoryWorld(files=files, repository=facts)) == []


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


def test_root_file_of_a_common_name_is_named_by_its_name() -> None:
    """For a file at the root its name is its path."""
    found = judge_tree("setup.py", "lib/setup.py", HANDOFF="Left: setup.py")
    assert [finding.subject for finding in found] == ["lib/setup.py"]


def test_own_folder_is_no_change() -> None:
    """What this tool writes itself is not the agent's work; a folder that only begins alike is."""
    assert judge_tree(".handoff-tui/log/1.json", untracked=(".handoff-tui/policy.json",)) == []
    assert len(judge_tree(".handoff-tui-notes/a.txt")) == 1


def test_changed_state_file_must_be_documented_too() -> None:
    """A state that is not committed does not reach the next agent."""
    assert [found.subject for found in judge_tree(".mosaic/agent_state.json")] == [".mosaic/agent_state.json"]


def test_document_of_any_handoff_counts() -> None:
    """The change may be documented in another handoff than the one under review."""
    facts = RepositoryFacts(root="/r", head=HEAD, branch="main", changed=("src/pier.py",))
    files = {**build_state(), "HANDOFF.md": "# Handoff\n\nLeft: `src/pier.py`\n", "docs/handoffs/x.md": "# Handoff\n"}
    assert judge(CHANGES_ARE_DOCUMENTED, MemoryWorld(files=files, repository=facts), scope="mosaic") == []


def test_many_changes_are_judged_quickly() -> None:
    """Ten thousand paths against a long message are a matter of look-ups, not of searches."""
    paths = tuple(f"src/part{number}.py" for number in range(10_000))
    facts = RepositoryFacts(root="/r", head=HEAD, branch="main", changed=paths)
    state = build_agent_state(handoff_message=" ".join(paths[1:]))
    found = judge(CHANGES_ARE_DOCUMENTED, MemoryWorld(files=build_state(state), repository=facts))
    assert [finding.subject for finding in found] == ["src/part0.py"]


def test_repository_without_a_handoff_does_not_apply() -> None:
    """Nothing is handed over there."""
    facts = RepositoryFacts(root="/r", head=HEAD, branch="main", changed=("a.txt",))
    with pytest.raises(NotApplicableError, match="no handoff here"):
        judge(CHANGES_ARE_DOCUMENTED, MemoryWorld(files={"a.txt": ""}, repository=facts))
