"""Earlier results of checks, kept outside the repository and sealed. Losing them costs time, nothing else."""

from __future__ import annotations

import hashlib
from pathlib import Path

from handoff_tui import __version__
from handoff_tui.checks.context import Question
from handoff_tui.checks.engine import CachedResult
from handoff_tui.checks.report import CheckResult, Outcome
from handoff_tui.core.model import dataclass, field
from handoff_tui.core.restored import restore
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.sealed_files import load_json, write_json

_SCHEMA = 2
_MOST_DIGESTS = 50


@dataclass(slots=True)
class ResultCache:
    """Earlier results for one repository and one scope."""

    path: Path
    rules: dict[str, CachedResult] = field(default_factory=dict)
    commands: dict[str, CheckResult] = field(default_factory=dict)
    """The last pass of each command."""
    outcomes: dict[str, dict[str, str]] = field(default_factory=dict)
    """By command, the outcome for each digest of its inputs; two outcomes for one digest are flaky."""

    def note_outcome(self, result: CheckResult) -> CheckResult:
        """Remembers an outcome, and marks the result as flaky if the same inputs gave another outcome before."""
        digest = result.inputs_digest
        if digest is None or result.from_cache or result.outcome not in {Outcome.PASS, Outcome.FAIL}:
            return result
        known = self.outcomes.setdefault(result.id, {})
        before = known.get(digest)
        flaky = before is not None and before != result.outcome
        known[digest] = "flaky" if flaky else str(result.outcome)
        while len(known) > _MOST_DIGESTS:
            known.pop(next(iter(known)))
        if result.outcome is Outcome.PASS:
            self.commands[result.id] = result
        return result.model_copy(update={"flaky": flaky})

    def save(self) -> None:
        write_json(
            self.path,
            {
                "schema": _SCHEMA,
                "version": __version__,
                "rules": {
                    name: {
                        "result": kept.result.model_dump(mode="json"),
                        "manifest": [[*question, digest] for question, digest in kept.manifest.items()],
                        "version": kept.version,
                    }
                    for name, kept in self.rules.items()
                },
                "commands": {name: result.model_dump(mode="json") for name, result in self.commands.items()},
                "outcomes": self.outcomes,
            },
        )


def load_result_cache(root: Path, scope: str | None) -> ResultCache:
    """The results an earlier run of this version saved; none if the file is damaged or foreign."""
    name = "checks.json" if scope is None else f"checks-{_file_name(scope)}.json"
    cache = ResultCache(find_cache_folder(root) / name)
    value = load_json(cache.path)
    if not isinstance(value, dict) or value.get("schema") != _SCHEMA or value.get("version") != __version__:
        return cache
    try:
        cache.rules = {
            name: CachedResult(
                restore(CheckResult, kept["result"]),
                {Question(name, tuple(arguments)): digest for name, arguments, digest in kept["manifest"]},
                int(kept["version"]),
            )
            for name, kept in value["rules"].items()
        }
        cache.commands = {name: restore(CheckResult, kept) for name, kept in value["commands"].items()}
        cache.outcomes = {name: dict(kept) for name, kept in value["outcomes"].items()}
    except (KeyError, TypeError, ValueError, AttributeError):
        return ResultCache(cache.path)
    return cache


def _file_name(scope: str) -> str:
    """Differs for every id, even for ids that look alike as file names."""
    return hashlib.sha256(scope.encode("utf-8", "surrogatepass")).hexdigest()[:16]
