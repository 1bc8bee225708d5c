"""Work of agents on branches of their own: where it is, what it shares with others, its merge after the approval."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from handoff_tui.agents.runs.folders import list_runs
from handoff_tui.agents.runs.observation import read_new_commits
from handoff_tui.agents.runs.reports import load_observation
from handoff_tui.agents.runs.run import AGENT_STEP, ALIVE, RunState
from handoff_tui.agents.runs.worktrees import put_back, set_aside
from handoff_tui.agents.step.report import MergePreview, Overlap
from handoff_tui.core.errors import AgentRunError, DecisionForbiddenError
from handoff_tui.decisions.examine import examine
from handoff_tui.git.history.commit_graph import is_ancestor
from handoff_tui.git.repository import open_repository
from handoff_tui.handoffs.handoff import build_id
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.log.gates.gate_state import OPENING
from handoff_tui.log.open_log import open_log
from handoff_tui.status.show import find_id


def find_work(session: Session, handoff: str, phase: str | None = None) -> RunState | None:
    """Finds the newest run whose work is in a work tree of its own and not merged yet; None if there is none."""
    root, git = str(session.repository.root), session.repository.git
    for state in reversed(list_runs(session.repository.common_dir, handoff)):
        if state.key.step != AGENT_STEP or state.plan is None or not state.is_over:
            continue
        if phase is not None and build_id(state.key.phase) != build_id(phase):
            continue
        if state.plan.folder == root or not (Path(state.plan.folder) / ".git").exists():
            return None
        head = open_repository(Path(state.plan.folder)).git.run("rev-parse", "HEAD").text.strip()
        return None if is_ancestor(git, head, "HEAD") else state
    return None


def open_work(session: Session, wanted: str, phase: str | None = None) -> Session:
    """Opens the repository where the work of a handoff is: in its agent's work tree, or here."""
    root, runs = str(session.repository.root), list_runs(session.repository.common_dir)
    if all(state.plan is None or state.plan.folder == root for state in runs):
        return session
    state = find_work(session, find_id(read_repository(session).result.handoffs, wanted), phase)
    return session if state is None or state.plan is None else open_session(Path(state.plan.folder))


def preview_merge(session: Session, handoff: str, phase: str | None = None) -> MergePreview:
    """Says what a merge would bring and which files are in conflict; changes nothing."""
    state = find_work(session, handoff, phase)
    if state is None or state.plan is None:
        raise AgentRunError(
            f"{handoff} has no work on a branch of its own that is not merged yet",
            "`handoff-tui step --list` shows the work trees.",
        )
    work = open_session(Path(state.plan.folder))
    facts = work.work_tree.facts
    if facts.branch is None or facts.head is None:
        raise AgentRunError(f"the work tree {state.plan.folder} is on no branch", "Make one there, then merge it.")
    judged = examine(work, open_log(session.repository), handoff, build_id(state.key.phase))
    git = session.repository.git
    merged = git.run("merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", "HEAD", facts.head)
    conflicts = [] if merged.ok else os.fsdecode(merged.stdout).split("\0")[1:]
    return MergePreview(
        handoff=handoff,
        phase=state.key.phase,
        branch=facts.branch,
        folder=state.plan.folder,
        gate=judged.gate.state.value,
        commits=read_new_commits(git, session.work_tree.facts.head, facts.head),
        conflicts=tuple(sorted({path for path in conflicts if path})),
    )


def merge_work(session: Session, preview: MergePreview) -> str:
    """Merges an approved branch; returns the merge commit. Refuses conflicts and work that nobody approved."""
    if preview.gate not in {state.value for state in OPENING}:
        raise DecisionForbiddenError(
            f"the gate of {preview.phase} of {preview.handoff} is {preview.gate}, so its branch is not merged",
            f"Decide first: handoff-tui decide approve {preview.handoff}",
        )
    if preview.conflicts:
        raise AgentRunError(
            f"{preview.branch} can't be merged automatically: {', '.join(preview.conflicts)}",
            f"Merge it by hand (git merge {preview.branch}), or send the work back. Nothing was changed.",
        )
    message = f"Merge branch '{preview.branch}'"
    aside = set_aside(session.repository, preview.branch)
    answer = session.repository.git.run("merge", "--no-ff", "--no-edit", "--quiet", "-m", message, preview.branch)
    if not answer.ok:
        session.repository.git.run("merge", "--abort")
        put_back(session.repository, aside)
        raise AgentRunError(f"git refuses to merge {preview.branch}: {answer.complaint}", "Nothing was changed.")
    return session.repository.git.run("rev-parse", "HEAD").text.strip()


def find_overlaps(session: Session, runs: Iterable[RunState] | None = None) -> tuple[Overlap, ...]:
    """Lists the files that several running agents are changing, each in its own work tree."""
    known = list_runs(session.repository.common_dir) if runs is None else runs
    running = [state for state in known if state.status in ALIVE]
    if len(running) < 2:  # noqa: PLR2004 - nobody to share with
        return ()
    users: dict[str, list[str]] = defaultdict(list)
    for state in running:
        for path in _list_changed(state):
            users[path].append(f"{state.key.handoff} · {state.key.phase}")
    shared = sorted((path, names) for path, names in users.items() if len(names) > 1)
    return tuple(Overlap(path=path, runs=tuple(names)) for path, names in shared)


def _list_changed(state: RunState) -> set[str]:
    """Lists what a running agent has changed so far, committed or not."""
    before = load_observation(state)
    if before is None or before.head is None or state.plan is None:
        return set()
    git = open_repository(Path(state.plan.folder)).git
    changed = git.run("diff", "--name-only", "-z", before.head, "--")
    added = git.run("ls-files", "--others", "--exclude-standard", "-z")
    texts = [os.fsdecode(answer.stdout) for answer in (changed, added) if answer.ok]
    return {path for text in texts for path in text.split("\0") if path and not path.startswith(".handoff-tui/")}
