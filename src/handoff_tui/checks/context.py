"""What a rule is given: typed questions, each of which is recorded."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from datetime import datetime
from typing import NoReturn, TypeVar, cast

from handoff_tui.checks.contract import NotApplicableError, UndecidableError
from handoff_tui.checks.inputs import Inputs, Manifest
from handoff_tui.checks.world import Change, CommitInfo
from handoff_tui.core.place import Problem
from handoff_tui.core.repository_facts import RepositoryFacts
from handoff_tui.handoffs.claim import Verdict
from handoff_tui.handoffs.handoff import Handoff

_Kind = TypeVar("_Kind")


class Context:
    """The only door of a rule. `manifest` holds all it asked, with digests of the answers."""

    def __init__(self, inputs: Inputs, scope: str | None = None, check: str = "") -> None:
        self._inputs = inputs
        self._scope = scope
        self._check = check
        self.manifest: Manifest = {}
        self.remarks: list[str] = []

    @property
    def scope(self) -> str | None:
        """The id of the handoff under review, where only one is."""
        return self._scope

    def handoffs(self, dialect: str | None = None) -> tuple[Handoff, ...]:
        """The handoffs under review, of one dialect or of all; only these are recorded as read."""
        known = cast("tuple[tuple[str, str], ...]", self._ask("handoff-ids"))
        wanted = [name for name, kind in known if (dialect is None or kind == dialect) and self._scope in {None, name}]
        return tuple(cast("Handoff", self._ask("handoff", name)) for name in wanted)

    def every_handoff(self) -> tuple[Handoff, ...]:
        """All handoffs, also when only one is under review: for rules about how they fit together."""
        known = cast("tuple[tuple[str, str], ...]", self._ask("handoff-ids"))
        return tuple(cast("Handoff", self._ask("handoff", name)) for name, _ in known)

    def require_handoffs(self, dialect: str) -> tuple[Handoff, ...]:
        """The handoffs of a dialect under review; without any, the rule does not apply."""
        return self.handoffs(dialect) or self.skip(f"no {dialect} handoff here")

    def problems(self) -> tuple[Problem, ...]:
        return cast("tuple[Problem, ...]", self._ask("problems"))

    def verdicts(self, handoff: Handoff) -> tuple[Verdict, ...]:
        return cast("tuple[Verdict, ...]", self._ask("verdicts", handoff.id))

    def facts(self) -> RepositoryFacts:
        return cast("RepositoryFacts", self._ask("facts"))

    def paths(self) -> tuple[str, ...]:
        return cast("tuple[str, ...]", self._ask("paths"))

    def paths_holding(self, text: str) -> tuple[str, ...]:
        """Those of the paths in which a text occurs."""
        self._ask("paths")
        return self._inputs.find_holding(text)

    def paths_ending(self, endings: tuple[str, ...]) -> tuple[str, ...]:
        """Those of the paths that end with one of these."""
        self._ask("paths")
        return self._inputs.find_ending(endings)

    def paths_below(self, folder: str) -> tuple[str, ...]:
        """Those of the paths that lie below a folder."""
        paths = self.paths()
        behind_slash = chr(ord("/") + 1)
        return paths[bisect_left(paths, f"{folder}/") : bisect_left(paths, f"{folder}{behind_slash}")]

    def has_path(self, path: str) -> bool:
        """Whether it is one of the paths."""
        paths = self.paths()
        place = bisect_left(paths, path)
        return place < len(paths) and paths[place] == path

    def read(self, path: str) -> bytes | None:
        return cast("bytes | None", self._ask("file", path))

    def read_text(self, path: str) -> str | None:
        """A file as text; bytes that are not UTF-8 become U+FFFD."""
        content = self.read(path)
        return None if content is None else content.decode("utf-8", "replace")

    def exists(self, path: str) -> bool:
        return cast("bool", self._ask("exists", path))

    def find(self, wanted: str, document: str) -> str | None:
        return cast("str | None", self._ask("find", f"{document}\0{wanted}"))

    def is_executable(self, path: str) -> bool:
        return cast("bool", self._ask("executable", path))

    def is_writable(self, path: str) -> bool:
        return cast("bool", self._ask("writable", path))

    def find_program(self, name: str) -> str | None:
        return cast("str | None", self._ask("program", name))

    def program_answers(self, name: str) -> bool | None:
        return cast("bool | None", self._ask("program-answers", name))

    def commits(self) -> tuple[CommitInfo, ...]:
        return cast("tuple[CommitInfo, ...]", self._ask("commits"))

    def commit(self, name: str) -> str | None:
        return cast("str | None", self._ask("commit", name))

    def lag(self, commit: str) -> int | None:
        return cast("int | None", self._ask("lag", commit))

    def commit_paths(self, commit: str) -> tuple[str, ...]:
        return cast("tuple[str, ...]", self._ask("commit-paths", commit))

    def document_commit(self, path: str) -> str | None:
        return cast("str | None", self._ask("document-commit", path))

    def is_cut_off(self, commit: str) -> bool:
        """Whether what seems to be written at this commit may be older: a shallow clone lacks what is before it."""
        return cast("bool", self._ask("cut-off", commit))

    def read_at(self, commit: str, path: str) -> bytes | None:
        return cast("bytes | None", self._ask("file-at", f"{commit}:{path}"))

    def baseline(self) -> str | None:
        return cast("str | None", self._ask("baseline"))

    def require_baseline(self) -> str:
        """The commit compared with; without one the rule does not apply, and says so."""
        return self.baseline() or self.skip("no baseline: nothing was pushed or approved yet, and none was named")

    def changes(self) -> tuple[Change, ...]:
        return cast("tuple[Change, ...]", self._ask("changes"))

    def remotes(self) -> tuple[tuple[str, str], ...]:
        return cast("tuple[tuple[str, str], ...]", self._ask("remotes"))

    def reaches(self, remote: str) -> bool | None:
        return cast("bool | None", self._ask("reaches", remote))

    def answers(self, address: str) -> int | str | None:
        return cast("int | str | None", self._ask("answer", address))

    def now(self) -> datetime:
        return cast("datetime", self._ask("now"))

    def setting(self, key: str, kind: type[_Kind]) -> _Kind:
        """A setting of a known type: `context.setting("mosaic.handoff_message_minimum", int)`."""
        value = self._ask("setting", key)
        if kind is float and isinstance(value, int):
            value = float(value)
        if not isinstance(value, kind):
            raise TypeError(f"setting {key} is {type(value).__name__}, not {kind.__name__}")
        return value

    def parameters(self) -> Mapping[str, object]:
        """What the configuration gives to this check (`[checks.<id>.parameters]`)."""
        return cast("Mapping[str, object]", self._ask("parameters", self._check))

    def usual_severity(self, name: str) -> str | None:
        return cast("str | None", self._ask("usual-severity", name))

    def remark(self, text: str) -> None:
        """Something to know even if the rule passes: a lag that is tolerated, a thing that was left out."""
        self.remarks.append(text)

    def skip(self, reason: str) -> NoReturn:
        """The rule has nothing to judge here."""
        raise NotApplicableError(reason)

    def undecidable(self, reason: str) -> NoReturn:
        """The rule cannot tell, which never counts as a pass."""
        raise UndecidableError(reason)

    def _ask(self, kind: str, name: str = "") -> object:
        answer = self._inputs.ask(kind, name)
        self.manifest[f"{kind}:{name}"] = self._inputs.digest(kind, name)
        return answer
