"""Earlier results of checks, kept outside the repository. Losing them costs time, never truth."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from handoff_tui import __version__
from handoff_tui.checks.context import Question
from handoff_tui.checks.engine import CachedResult
from handoff_tui.checks.result import CheckResult, Outcome
from handoff_tui.system.files.cache_files import find_cache_folder, load_json, write_json

_SCHEMA = 2
_MOST_DIGESTS = 50


@dataclass(slots=True)
class ResultCache:
    """What is remembered for one repository and one scope."""

    place: Path
    rules: dict[str, CachedResult] = field(default_factory=dict)
    commands: dict[str, CheckResult] = field(default_factory=dict)
    """The last pass of each command."""
    outcomes: dict[str, dict[str, str]] = field(default_factory=dict)
    """By command, its outcome for each digest of its inputs: two outcomes for one digest are flaky."""

    def note_outcome(self, result: CheckResult) -> CheckResult:
        """Remembers an outcome; marks the result when the same inputs gave another one before."""
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
            self.place,
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
    """What an earlier run of this version kept; a damaged or foreign file is as good as none."""
    name = "checks.json" if scope is None else f"checks-{_file_name(scope)}.json"
    memory = ResultCache(find_cache_folder(root) / name)
    value = load_json(memory.place)
    if not isinstance(value, dict) or value.get("schema") != _SCHEMA or value.get("version") != __version__:
        return memory
    try:
        memory.rules = {
            name: CachedResult(
                CheckResult.model_validate(kept["result"]),
                {Question(name, tuple(arguments)): digest for name, arguments, digest in kept["manifest"]},
                int(kept["version"]),
            )
            for name, kept in value["rules"].items()
        }
        memory.commands = {name: CheckResult.model_validate(kept) for name, kept in value["commands"].items()}
        memory.outcomes = {name: dict(kept) for name, kept in value["outcomes"].items()}
    except (KeyError, TypeError, ValueError, AttributeError, ValidationError):
        return ResultCache(memory.place)
    return memory


def _file_name(scope: str) -> str:
    """Its own for every id: two ids that look alike as file names are not the same handoff."""
    return hashlib.sha256(scope.encode("utf-8", "surrogatepass")).hexdigest()[:16]
