"""Whether the configuration of the checks was weaker when a decision was made than it is now."""

from __future__ import annotations

import tomllib
from collections.abc import Callable

from handoff_tui.checks.facts.configuration_changes import compare_configuration, list_weaker
from handoff_tui.checks.run.rule_overrides import find_usual_severity
from handoff_tui.config.load import MAX_BYTES, REPOSITORY_FILE
from handoff_tui.core.errors import FileUnreadableError, HandoffError, UnsafePathError
from handoff_tui.git.objects.tree_reader import TreeReader
from handoff_tui.git.objects.tree_store import TreeStore
from handoff_tui.handoffs.session import Desk
from handoff_tui.history.replay.report import Answer, Question, Standing
from handoff_tui.history.travel.past_session import find_commit
from handoff_tui.log.index import Vote
from handoff_tui.system.files.reader import FileReader

_SAME = "the same as now"


class ConfigurationJudge:
    """Compares the file of the repository at a commit with the one of now; the user's own file is in no commit."""

    def __init__(self, desk: Desk, store: TreeStore) -> None:
        self._desk = desk
        self._store = store
        self._now = _read_now(desk)
        self._known: dict[str, Answer] = {}

    def judge(self, vote: Vote) -> Answer:
        commit = vote.work.subject.commit
        if commit not in self._known:
            self._known[commit] = self._judge(commit)
        return self._known[commit]

    def _judge(self, commit: str) -> Answer:
        try:
            tree = find_commit(self._desk, commit).tree
            reader = TreeReader.open(self._desk.repository.root, MAX_BYTES, self._store, tree)
            then = reader.read_bytes(REPOSITORY_FILE) if reader.exists(REPOSITORY_FILE) else b""
        except HandoffError as missing:
            return _build(Standing.UNKNOWN, f"the configuration of then cannot be read: {missing.message}")
        usual = self._desk.loaded.usual
        return compare_then(then, self._now, lambda name: find_usual_severity(usual, name))


def compare_then(then: bytes, now: bytes, usual_severity: Callable[[str], str | None]) -> Answer:
    """From now back to then: what that way would loosen was looser then."""
    if then == now:
        return _build(Standing.HOLDS, _SAME)
    before, after = _parse(now), _parse(then)
    if before is None or after is None:
        return _build(Standing.UNKNOWN, f"{REPOSITORY_FILE} of {'now' if before is None else 'then'} is not valid TOML")
    weaker = tuple(
        f"{difference.name}: {_show(difference.now)} then, {_show(difference.before)} now"
        for difference, _ in list_weaker(compare_configuration(before, after, usual_severity))
    )
    if weaker:
        number = "1 setting was" if len(weaker) == 1 else f"{len(weaker)} settings were"
        return _build(Standing.WEAKER, f"{number} weaker then, or cannot be compared", weaker)
    return _build(Standing.HOLDS, "other than now, and no weaker")


def _parse(content: bytes) -> dict[str, object] | None:
    try:
        return tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None


def _show(value: object) -> str:
    return "not set" if value is None else str(value)[:200]


def _read_now(desk: Desk) -> bytes:
    reader = FileReader(desk.repository.root, MAX_BYTES)
    try:
        return reader.read_bytes(REPOSITORY_FILE) if reader.exists(REPOSITORY_FILE) else b""
    except (FileUnreadableError, UnsafePathError):
        return b"\xff"  # no valid text: the comparison says that it cannot be read


def _build(standing: Standing, summary: str, details: tuple[str, ...] = ()) -> Answer:
    return Answer(question=Question.CONFIGURATION, standing=standing, summary=summary, details=details)
