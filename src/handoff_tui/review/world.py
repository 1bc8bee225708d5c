"""The repository as rules see it: every answer read once, nothing written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from functools import cache, cached_property

from handoff_tui.checks.world import Change, CommitInfo
from handoff_tui.config.load import REPOSITORY_FILE
from handoff_tui.errors import FileUnreadableError, UnsafePathError
from handoff_tui.models.claim import Verdict
from handoff_tui.models.handoff import Handoff
from handoff_tui.models.place import Problem
from handoff_tui.models.review_state import RepositoryFacts
from handoff_tui.repo.changes import reaches_locally, read_changes, read_commit_paths, read_remotes
from handoff_tui.repo.clock import read_now
from handoff_tui.repo.files import FileReader
from handoff_tui.repo.history import find_last_commit, read_blobs, read_commits
from handoff_tui.repo.probe import can_execute, can_write, find_program
from handoff_tui.repo.processes import Bounds, run_command
from handoff_tui.repo.web import ask_address, reaches_host
from handoff_tui.review.baseline import Baseline
from handoff_tui.review.desk import Desk
from handoff_tui.review.evidence import Evidence
from handoff_tui.review.measure import measure_claims, prepare

_VERSION_BOUNDS = Bounds(seconds=5, grace_seconds=0.5, keep_bytes=4096)
_NETWORK_SECONDS = 5.0
_OWN_FOLDER = ".handoff-tui/"
_HOOKS = ".git/hooks/"


class RepositoryWorld:
    """Answers from the work tree and git. `network` is the user's consent for this run."""

    def __init__(
        self,
        desk: Desk,
        handoffs: tuple[Handoff, ...],
        problems: tuple[Problem, ...],
        baseline: Baseline,
        *,
        network: bool = False,
    ) -> None:
        self._desk = desk
        self._git = desk.repository.git
        self._handoffs = handoffs
        self._problems = problems
        self._baseline = baseline
        self._network = network
        self._reader = FileReader(desk.repository.root, desk.loaded.settings.limits.file_bytes)
        self._commit_of = cache(lambda path: find_last_commit(self._git, path))

    @cached_property
    def _evidence(self) -> Evidence:
        evidence = Evidence(self._desk, deep=True)
        prepare(evidence, self._handoffs, self._handoffs)
        return evidence

    def handoffs(self) -> tuple[Handoff, ...]:
        return self._handoffs

    def problems(self) -> tuple[Problem, ...]:
        return self._problems

    def facts(self) -> RepositoryFacts:
        return self._desk.work_tree.facts

    def verdicts(self, handoff: str) -> tuple[Verdict, ...]:
        found = next((known for known in self._handoffs if known.id == handoff), None)
        return measure_claims(found, self._evidence) if found else ()

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        tree = self._desk.work_tree
        everything = {*tree.tracked, *tree.facts.untracked}
        return tuple(sorted(path for path in everything if not path.startswith(_OWN_FOLDER)))

    def paths(self) -> tuple[str, ...]:
        return self._paths

    def read(self, path: str) -> bytes | None:
        reader, inner = self._find_reader(path)
        try:
            return reader.read_bytes(inner)
        except (FileUnreadableError, UnsafePathError):
            return None

    def exists(self, path: str) -> bool:
        reader, inner = self._find_reader(path)
        return reader.exists(inner)

    def _find_reader(self, path: str) -> tuple[FileReader, str]:
        """Of the git folder only hooks may be asked about: whether they are there is what some rules are for."""
        if path.startswith(_HOOKS):
            return FileReader(self._desk.repository.common_dir, self._reader.max_bytes), path.removeprefix(".git/")
        return self._reader, path

    def find(self, wanted: str, document: str) -> str | None:
        return self._evidence.find(wanted, document).path

    def is_executable(self, path: str) -> bool:
        reader, inner = self._find_reader(path)
        return reader.exists(inner) and can_execute(reader.resolve(inner))

    def is_writable(self, path: str) -> bool:
        return self._reader.exists(path) and can_write(self._reader.resolve(path))

    def find_program(self, name: str) -> str | None:
        return find_program(name)

    def program_answers(self, name: str) -> bool | None:
        """Only a program that the user's own file names for an agent is started, with `--version` and nothing else."""
        place = find_program(name)
        if place is None or not self._is_named_by_the_user(name):
            return None
        end = run_command([place, "--version"], self._desk.repository.root, dict(os.environ), _VERSION_BOUNDS)
        return end.code is not None and not end.timed_out

    def _is_named_by_the_user(self, program: str) -> bool:
        loaded = self._desk.loaded
        return any(
            agent.command[0] == program
            and not loaded.origins.get(f"agents.{name}.command", REPOSITORY_FILE).startswith(REPOSITORY_FILE)
            for name, agent in loaded.settings.agents.items()
        )

    def commits(self) -> tuple[CommitInfo, ...]:
        found = read_commits(self._git, self._desk.loaded.settings.limits.commits)
        return tuple(
            CommitInfo(
                commit.id,
                commit.parents,
                commit.author,
                commit.author_email,
                commit.date,
                commit.subject,
                commit.body,
            )
            for commit in found
        )

    def commit(self, name: str) -> str | None:
        return self._evidence.find_commit(name)

    def lag(self, commit: str) -> int | None:
        return self._evidence.lag_of(commit)

    def commit_paths(self, commit: str) -> tuple[str, ...]:
        return tuple(read_commit_paths(self._git, commit))

    def document_commit(self, path: str) -> str | None:
        return self._commit_of(path)

    def read_at(self, commit: str, path: str) -> bytes | None:
        name = f"{commit}:{path}"
        return read_blobs(self._git, [name], self._desk.loaded.settings.limits.file_bytes).get(name)

    def baseline(self) -> str | None:
        return self._baseline.commit

    def changes(self) -> tuple[Change, ...]:
        if self._baseline.commit is None:
            return ()
        tracked = (Change(*change) for change in read_changes(self._git, self._baseline.commit))
        untracked = (Change("A", path) for path in self._desk.work_tree.facts.untracked)
        return tuple(change for change in (*tracked, *untracked) if not change.path.startswith(_OWN_FOLDER))

    def remotes(self) -> tuple[tuple[str, str], ...]:
        return tuple(read_remotes(self._git))

    def reaches(self, remote: str) -> bool | None:
        url = dict(self.remotes()).get(remote)
        if url is None:
            return None
        near = reaches_locally(self._desk.repository.root, url)
        return near if near is not None or not self._network else reaches_host(url, _NETWORK_SECONDS)

    def answers(self, address: str) -> int | str | None:
        if not self._network:
            return None
        return ask_address(address, self._desk.loaded.settings.mosaic.health.timeout_seconds)

    def now(self) -> datetime:
        return read_now()

    def setting(self, key: str) -> object:
        value: object = self._desk.loaded.settings
        for part in key.split("."):
            value = value[part] if isinstance(value, Mapping) else getattr(value, part)
        return value
