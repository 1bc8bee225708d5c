"""The built-in steps of procedures, and what undoes them. Running one twice changes nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from threading import Event

from handoff_tui.agents.engine.engine import StepResult
from handoff_tui.agents.procedures.gate import read_run_gate
from handoff_tui.agents.procedures.report import RunRequest
from handoff_tui.agents.runs.files import read_json, write_json
from handoff_tui.agents.runs.folders import build_name
from handoff_tui.changes.snapshots.packages import build_asset_path
from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import ProcedureError
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.decisions.examine import WITHOUT_COMMANDS, examine, find_handoff
from handoff_tui.decisions.packet import build_packet
from handoff_tui.git.history.commit_graph import find_work_commit
from handoff_tui.handoffs.claims.evidence import hash_file
from handoff_tui.handoffs.handoff import Handoff
from handoff_tui.handoffs.read_handoffs import read_repository
from handoff_tui.handoffs.session import Session, open_session
from handoff_tui.log.gates.position import build_handoff_digest
from handoff_tui.log.open_log import open_log
from handoff_tui.status.pipeline import find_pipeline
from handoff_tui.system.files.atomic_write import build_write_error
from handoff_tui.system.files.git_private_files import LOCAL_FOLDER
from handoff_tui.system.files.probe import find_program
from handoff_tui.system.files.reader import FileReader

TRANSFERS = "transfers"
RESOURCES, STATE, CONTEXT, KNOWLEDGE, PASSED = (
    *("resources.json", "state.json", "context.json", "knowledge.json"),
    "passed.json",
)
_MOST_NAMED = 5


class TransferFolder:
    """The files that a procedure hands over for one attempt at a phase."""

    def __init__(self, common_dir: Path, handoff: str, phase: str, attempt: int) -> None:
        parts = (build_name(handoff), build_name(phase), f"a{attempt}")
        self.place = common_dir / LOCAL_FOLDER / TRANSFERS / Path(*parts)

    def write(self, name: str, value: dict[str, object]) -> str:
        """Replaces a file in one step; returns the digest of its content."""
        try:
            self.place.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_json(self.place / name, value)
        except OSError as refused:
            raise build_write_error(refused, str(self.place / name)) from refused
        return build_transfer_digest(value)

    def load(self, name: str) -> dict[str, object] | None:
        """Loads a file; None if it is missing or damaged."""
        try:
            return read_json(self.place / name) or None
        except (OSError, ValueError, RecursionError):
            return None

    def remove(self, name: str) -> None:
        try:
            (self.place / name).unlink(missing_ok=True)
        except OSError as refused:
            raise build_write_error(refused, str(self.place / name)) from refused


def build_transfer_digest(value: dict[str, object]) -> str:
    """Hashes the value, whatever its layout."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


class StepInput(NamedTuple):
    """What a built-in step works on: one run, in the repository as it is now."""

    session: Session
    handoff: Handoff
    request: RunRequest
    transfer: TransferFolder
    cancel: Event

    def write(self, name: str, value: dict[str, object]) -> str:
        """Writes a file, unless the step is out of time: nothing may be written during a rollback."""
        if self.cancel.is_set():
            raise ProcedureError("the step was ended before it wrote anything")
        return self.transfer.write(name, value)


def open_work(root: Path, request: RunRequest, cancel: Event) -> StepInput:
    session = open_session(root)
    handoff = find_handoff(read_repository(session).result.handoffs, request.handoff)
    return StepInput(session, handoff, request, open_transfer(session, request), cancel)


def open_transfer(session: Session, request: RunRequest) -> TransferFolder:
    return TransferFolder(session.repository.common_dir, request.handoff, request.phase, request.attempt)


def validate_phase_completion(work: StepInput) -> StepResult:
    """Passes if the work is what the run was asked for, and all of it is committed."""
    facts = work.session.work_tree.facts
    loose = [*facts.changed, *facts.untracked]
    if loose:
        return StepResult(passed=False, detail=f"commit this before you hand it over: {_name_some(loose)}")
    commit = find_work_commit(work.session.repository.git)
    if work.request.commit is not None and commit != work.request.commit:
        asked, now = work.request.commit[:SHORT_DIGEST], (commit or "nothing")[:SHORT_DIGEST]
        detail = f"the run is about {asked}, but the work is at {now}"
        return StepResult(passed=False, detail=detail)
    return StepResult(passed=True, detail=f"at {(commit or '')[:SHORT_DIGEST]}", evidence=commit)


def transfer_resources(work: StepInput) -> StepResult:
    """Lists the files that the next phase gets, each with its hash."""
    paths = dict.fromkeys(
        (
            *(document.path for document in work.handoff.documents if ":" not in document.path),
            *(
                build_asset_path(package.where.path, asset.path) or asset.path
                for package in work.handoff.packages
                for asset in package.assets
            ),
            *(proof.path for proof in work.handoff.proofs),
        )
    )
    reader = FileReader(work.session.repository.root, work.session.loaded.settings.limits.hash_bytes)
    hashes = {path: hash_file(reader, path) for path in paths}
    missing = [path for path, found in hashes.items() if found is None]
    if missing:
        return StepResult(passed=False, detail=f"can't be read: {_name_some(missing)}")
    digest = work.write(RESOURCES, {**_describe(work), "files": hashes})
    return StepResult(passed=True, detail=f"{len(hashes)} files", evidence=digest)


def synchronize_state(work: StepInput) -> StepResult:
    """Records where the handoff goes; keeps what was there before, for a rollback."""
    known = work.transfer.load(STATE)
    before = known.get("before") if known is not None and known.get("run") == work.request.run_id else known
    value = {
        **_describe(work),
        "from": work.request.phase,
        "to": work.handoff.target_phase,
        "handoff_digest": build_handoff_digest(work.handoff),
        "resources": _digest_file(work, RESOURCES),
        "before": before,
    }
    digest = work.write(STATE, value)
    return StepResult(
        passed=True, detail=f"{work.request.phase} → {work.handoff.target_phase or 'next'}", evidence=digest
    )


def check_agent_readiness(work: StepInput) -> StepResult:
    """Passes if the next agent is named, has a command, and its program is on this machine."""
    agent = find_next_agent(work)
    if agent is None:
        return StepResult(passed=False, detail="no next agent is named")
    known = {name.casefold(): settings for name, settings in work.session.loaded.settings.agents.items()}
    configured = known.get(agent.casefold())
    if configured is None:
        return StepResult(passed=False, detail=f"{agent} is next, but [agents] has no command for it")
    program = configured.command[0]
    if find_program(program) is None:
        return StepResult(passed=False, detail=f"this machine does not have the program of {agent}: {program}")
    return StepResult(passed=True, detail=f"{agent}: {program}")


def transfer_task_context(work: StepInput) -> StepResult:
    """Hands over the handoff as it was read, whatever its format."""
    value = {
        **_describe(work),
        "agent": find_next_agent(work),
        "handoff_digest": build_handoff_digest(work.handoff),
        "content": work.handoff.model_dump(mode="json", exclude_defaults=True),
    }
    return StepResult(passed=True, detail=f"{len(work.handoff.tasks)} tasks", evidence=work.write(CONTEXT, value))


def transfer_knowledge(work: StepInput) -> StepResult:
    """Hands over what earlier attempts taught: reasons, comments and failing checks."""
    log = open_log(work.session.repository)
    examined = examine(work.session, log, work.request.handoff, work.request.phase, options=WITHOUT_COMMANDS)
    packet = build_packet(examined)
    digest = work.write(KNOWLEDGE, {**_describe(work), "packet": packet.model_dump(mode="json")})
    return StepResult(passed=True, detail=f"{len(packet.demands)} earlier reasons", evidence=digest)


def pass_on(work: StepInput) -> StepResult:
    """Hands over for good: the gate is read again, and everything handed over must still be the same."""
    for name in (RESOURCES, STATE, CONTEXT, KNOWLEDGE):
        value = work.transfer.load(name)
        if value is not None and value.get("run") == work.request.run_id and not _is_current(work, name, value):
            return StepResult(passed=False, detail=f"{name} was handed over, but has changed since")
    gate = read_run_gate(work.session.repository.root, work.request)
    if not gate.open:
        return StepResult(passed=False, detail=gate.why, evidence=gate.entry)
    work.write(PASSED, {**_describe(work), "entry": gate.entry, "why": gate.why})
    return StepResult(passed=True, detail=gate.why, evidence=gate.entry)


def rollback_resources(transfer: TransferFolder, request: RunRequest) -> StepResult:
    return _remove_own(transfer, request, RESOURCES)


def rollback_state(transfer: TransferFolder, request: RunRequest) -> StepResult:
    """Restores what was there before."""
    _remove_own(transfer, request, PASSED)
    value = transfer.load(STATE)
    if value is None or value.get("run") != request.run_id:
        return StepResult(passed=True, detail="there was nothing to restore")
    before = value.get("before")
    if isinstance(before, dict):
        return StepResult(passed=True, detail="restored", evidence=transfer.write(STATE, before))
    transfer.remove(STATE)
    return StepResult(passed=True, detail=f"{STATE} removed")


def rollback_context(transfer: TransferFolder, request: RunRequest) -> StepResult:
    _remove_own(transfer, request, PASSED)
    _remove_own(transfer, request, KNOWLEDGE)
    return _remove_own(transfer, request, CONTEXT)


BUILT_IN_STEPS: dict[str, Callable[[StepInput], StepResult]] = {
    "validate_phase_completion": validate_phase_completion,
    "transfer_resources": transfer_resources,
    "synchronize_state": synchronize_state,
    "validate_handoff": pass_on,
    "check_agent_readiness": check_agent_readiness,
    "transfer_task_context": transfer_task_context,
    "transfer_knowledge": transfer_knowledge,
    "confirm_handoff": pass_on,
}
"""The built-in steps, by name."""

BUILT_IN_UNDOS: dict[str, Callable[[TransferFolder, RunRequest], StepResult]] = {
    "rollback_resources": rollback_resources,
    "rollback_state": rollback_state,
    "rollback_context": rollback_context,
}
"""What undoes them, by name; needs only the files, so that a damaged handoff does not stand in the way."""


def find_next_agent(work: StepInput) -> str | None:
    """Finds the next agent: as the handoff says, or the one of the next phase."""
    if work.handoff.target_agent:
        return work.handoff.target_agent
    pipeline = find_pipeline(work.handoff, work.session.loaded.settings.pipelines)
    phase = pipeline.find(work.handoff.target_phase) if pipeline is not None else None
    return phase.agent if phase is not None else None


def _describe(work: StepInput) -> dict[str, object]:
    request = work.request
    return {
        "run": request.run_id,
        "handoff": request.handoff,
        "phase": request.phase,
        "attempt": request.attempt,
        "commit": find_work_commit(work.session.repository.git),
    }


def _is_current(work: StepInput, name: str, value: dict[str, object]) -> bool:
    """Tells whether the same would be handed over now."""
    if value.get("commit") != find_work_commit(work.session.repository.git):
        return False
    if name == RESOURCES:
        reader = FileReader(work.session.repository.root, work.session.loaded.settings.limits.hash_bytes)
        files = value.get("files")
        return isinstance(files, dict) and all(hash_file(reader, path) == found for path, found in files.items())
    if name == STATE and value.get("resources") != _digest_file(work, RESOURCES):
        return False
    return value.get("handoff_digest") in {None, build_handoff_digest(work.handoff)}


def _digest_file(work: StepInput, name: str) -> str | None:
    value = work.transfer.load(name)
    return None if value is None else build_transfer_digest(value)


def _remove_own(transfer: TransferFolder, request: RunRequest, name: str) -> StepResult:
    """Removes only what this run wrote."""
    value = transfer.load(name)
    if value is None or value.get("run") != request.run_id:
        return StepResult(passed=True, detail="there was nothing to remove")
    transfer.remove(name)
    return StepResult(passed=True, detail=f"{name} removed")


def _name_some(paths: list[str]) -> str:
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    return ", ".join(paths[:_MOST_NAMED]) + more
