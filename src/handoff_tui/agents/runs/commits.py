"""Records which commits a run made, in the repository, so that every clone knows whose work they are."""

from __future__ import annotations

from pathlib import Path

from handoff_tui.agents.runs.run import RunKey, RunPlan
from handoff_tui.git.history.commit_changes import read_commit_changes
from handoff_tui.git.repository import Repository, open_repository
from handoff_tui.handoffs.scope.run_commits import RunCommits, build_run_commits, write_run_commits
from handoff_tui.system.files.own_folder import OWN_FOLDER
from handoff_tui.system.files.probe import is_present


def record_commits(repository: Repository, key: RunKey, plan: RunPlan, base: str | None, head: str | None) -> None:
    """Writes the record where the agent worked and where its operator decides. Nothing without commits, or a log."""
    if head is None or head == base:
        return
    worked = open_repository(Path(plan.folder))
    own = _list_own(worked, repository, base, head)
    made = build_run_commits(one for one in read_commit_changes(worked.git, base, head) if one.id in own)
    if not made:
        return
    record = RunCommits(
        handoff=key.handoff,
        phase=key.phase,
        attempt=key.attempt,
        run=key.number,
        agent=plan.agent,
        base=base or "",
        head=head,
        commits=made,
    )
    for root in {worked.root, repository.root}:
        if is_present(root, f"{OWN_FOLDER}/log"):
            write_run_commits(root, record)


def _list_own(worked: Repository, operator: Repository, base: str | None, head: str) -> frozenset[str]:
    """The commits since `base` without those that the agent merged in, or took from the operator's branch."""
    known = [base] if base is not None else []
    if worked.root != operator.root:
        known += operator.git.read("rev-parse", "--verify", "--quiet", "HEAD").decode("ascii").split()
    listed = worked.git.read("rev-list", "--first-parent", head, *(f"^{one}" for one in known), "--")
    return frozenset(listed.decode("ascii").split())
