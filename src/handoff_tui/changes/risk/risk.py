"""What makes the work of a handoff worth a closer look: facts measured against its baseline, none of them a score."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING

from handoff_tui.changes.comparison.choose import Candidates, Declared, choose_baseline
from handoff_tui.changes.comparison.compared import list_declared, load_side
from handoff_tui.changes.risk.tree_risk import measure_trees
from handoff_tui.changes.snapshots.pins import find_pin, read_pins
from handoff_tui.changes.snapshots.stored_snapshots import list_summaries
from handoff_tui.checks.run.baseline import choose_usual_baseline
from handoff_tui.git.work_tree.capture import build_commit_tree, write_work_tree
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.session import Desk
from handoff_tui.log.gates.approved import list_approved
from handoff_tui.log.gates.marks import Approved
from handoff_tui.status.inbox import Measured
from handoff_tui.status.inbox_item import RiskFact, RiskKind, sort_risks
from handoff_tui.status.review_state import ReviewedHandoff, ReviewState
from handoff_tui.system.files.cache_files import find_cache_folder

if TYPE_CHECKING:
    from handoff_tui.log.gates.all_gates import LogGates

_MOST_REMEMBERED = 8


class RiskMemory:
    """What was measured, by what was compared: two trees differ today as they did yesterday."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, ...], Measured] = OrderedDict()

    def measure(self, desk: Desk, old: str, new: str) -> Measured:
        settings = desk.loaded.settings
        key = (old, new, settings.tamper.model_dump_json(), settings.risk.model_dump_json())
        if key not in self._known:
            self._known[key] = measure_trees(desk, old, new)
            while len(self._known) > _MOST_REMEMBERED:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]


def read_risks(desk: Desk, state: ReviewState, gates: LogGates | None, memory: RiskMemory) -> dict[str, Measured]:
    """By handoff id. Handoffs with one baseline cost one comparison; without a baseline only claims speak."""
    new = write_work_tree(desk.repository, find_cache_folder(desk.repository.root)).tree
    baselines = _Baselines(desk, state, gates)
    policy = _find_policy_change(gates)
    compared: dict[str | None, Measured] = {None: Measured()}
    found: dict[str, Measured] = {}
    for reviewed in state.handoffs:
        old = baselines.find_tree(reviewed.handoff)
        if old is None or old in compared:
            measured = compared[old]
        else:
            measured = compared[old] = memory.measure(desk, old, new)
        risks = sort_risks((*policy, *measured.risks, *_find_contradicted(reviewed)))
        found[reviewed.handoff.id] = measured._replace(risks=risks)
    return found


class _Baselines:
    """The baseline of each handoff, with everything they share read once."""

    def __init__(self, desk: Desk, state: ReviewState, gates: LogGates | None) -> None:
        self._desk = desk
        self._by_id = {one.handoff.id: one.handoff for one in state.handoffs}
        self._gates = gates if gates is not None and not gates.index.verdict.fatal else None
        self._pins = read_pins(desk.repository.common_dir)
        self._stored = list_summaries(desk)
        self._trees: dict[tuple[str | None, tuple[Declared, ...]], str | None] = {}

    def find_tree(self, handoff: Handoff) -> str | None:
        """The tree that the work is compared with; nothing where there is none, or it is not here."""
        before = tuple(self._by_id[name] for name in handoff.blocked_by if name in self._by_id)
        place = (find_pin(self._pins, handoff.id), list_declared(handoff, before))
        if place not in self._trees:
            self._trees[place] = self._find_tree(*place)
        return self._trees[place]

    def _find_tree(self, pinned: str | None, declared: tuple[Declared, ...]) -> str | None:
        choice = choose_baseline(
            Candidates(pinned=pinned, approved=self._approved, declared=declared, stored=self._stored)
        )
        if choice.snapshot is None and choice.commit is None:
            return self._usual_tree
        return load_side(self._desk, choice).tree

    @cached_property
    def _approved(self) -> tuple[Approved, ...]:
        gates = self._gates
        return () if gates is None else list_approved(self._desk, gates.index, gates.tree)

    @cached_property
    def _usual_tree(self) -> str | None:
        """As for the checks: where unpushed work began, or where this branch left the main one."""
        commit = choose_usual_baseline(self._desk).commit
        if commit is None:
            return None
        return build_commit_tree(self._desk.repository, commit, find_cache_folder(self._desk.repository.root))


def _find_policy_change(gates: LogGates | None) -> tuple[RiskFact, ...]:
    """Whether the trust policy is another one than at the last decision."""
    if gates is None or gates.index.verdict.fatal or gates.policy is None:
        return ()
    votes = [vote for vote in gates.index.votes.values() if not gates.index.is_void(vote.entry.id)]
    last = max(votes, key=lambda vote: vote.entry.seq, default=None)
    if last is None or last.work.policy == gates.index.verdict.policy:
        return ()
    text = f"the trust policy changed after the last decision; version {gates.policy.version} is in force"
    return (RiskFact(kind=RiskKind.POLICY_EDITED, text=text),)


def _find_contradicted(reviewed: ReviewedHandoff) -> tuple[RiskFact, ...]:
    number = reviewed.claims.contradicted
    if not number:
        return ()
    words = "1 claim is contradicted" if number == 1 else f"{number} claims are contradicted"
    return (RiskFact(kind=RiskKind.CONTRADICTED, text=words),)
