"""Where the engine of a repository is, and its runs and workers, read without loading it."""

from __future__ import annotations

from handoff_tui.agents.engine.dbos import EngineLocation, build_address
from handoff_tui.agents.engine.files import has_database, prepare_database
from handoff_tui.agents.engine.listing import read_overview
from handoff_tui.agents.procedures.report import RunOverview
from handoff_tui.agents.runs.branches import find_overlaps
from handoff_tui.agents.runs.folders import list_runs
from handoff_tui.agents.runs.run import ALIVE, RunState
from handoff_tui.agents.step.report import Overlap
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import RepositoryError
from handoff_tui.git.history.commit_graph import read_first_commit
from handoff_tui.handoffs.session import Session

APPLICATION = "handoff-tui"
_FIRST_COMMIT_DIGITS = 16


def find_engine_location(session: Session) -> EngineLocation:
    """Returns a file beside git's own, or the user's PostgreSQL database; the first commit tells repositories apart."""
    address = session.loaded.settings.engine.address
    if not address:
        return EngineLocation(f"sqlite:///{prepare_database(session.repository.common_dir)}", APPLICATION)
    first = read_first_commit(session.repository.git)
    if first is None:
        raise RepositoryError("there is no commit yet, and a run needs one", "Commit the work first.")
    return EngineLocation(build_address(address), f"{APPLICATION}-{first[:_FIRST_COMMIT_DIGITS]}")


def has_runs(session: Session) -> bool:
    """Tells whether procedures may have run here, without loading the engine."""
    return bool(session.loaded.settings.engine.address) or has_database(session.repository.common_dir)


def read_runs(session: Session) -> RunOverview:
    """Returns the runs with all their attempts, and the workers, without loading the engine."""
    if not has_runs(session):
        return RunOverview()
    return read_overview(find_engine_location(session), session.repository.common_dir)


class AtWork(NamedTuple):
    """Everything that runs in a repository: agents, what several of them change, runs on the engine, and workers."""

    agents: tuple[RunState, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    engine: RunOverview = RunOverview()


def read_at_work(session: Session) -> AtWork:
    """Reads what runs now."""
    agents = tuple(state for state in list_runs(session.repository.common_dir) if state.status in ALIVE)
    return AtWork(agents, find_overlaps(session, agents), read_runs(session))
