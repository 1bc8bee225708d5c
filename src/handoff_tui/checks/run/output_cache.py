"""The output of an earlier command, if nothing has changed since. Imports neither models nor rules, to be fast.

An agent may be able to write the file, so it is sealed.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable
from pathlib import Path

from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree.digest import RepositoryDigest
from handoff_tui.system.files.cache_files import find_cache_folder, find_state_folder
from handoff_tui.system.files.probe import OFTEN_IGNORED
from handoff_tui.system.files.sealed_files import load_json, write_json
from handoff_tui.system.files.user_files import find_config_folder

_OUTSIDE_SECONDS = 60.0
"""How long an output is valid that depends on the clock, the search path, permissions or a remote."""
_MOST_ANSWERS = 20


class OutputCache:
    """Outputs by command line, for one repository in one state."""

    def __init__(self, start: Path, question: list[str], names: Iterable[str] = ()) -> None:
        """`names` are files in git's own folder that the output depends on, too."""
        repository = open_repository(start)
        self._place = find_cache_folder(repository.root) / "answers.json"
        config = find_config_folder()
        own = [find_state_folder() / "trusted.json", *([config / "config.toml"] if config else [])]
        own += [repository.common_dir / name for name in names]
        self.look = RepositoryDigest(repository, OFTEN_IGNORED, own)
        self._key = hashlib.sha256(json.dumps(question).encode("utf-8", "surrogatepass")).hexdigest()

    def find(self) -> tuple[str, int, float] | None:
        """The output of the same command line on the same state; None if there is none."""
        found = self._find()
        if found is None:  # the checks will run, and need to know every path
            self.look.begin_listing()
        return found

    def _find(self) -> tuple[str, int, float] | None:
        kept = self._load().get(self._key)
        state = self.look.read_digest()
        if state is None or not isinstance(kept, dict) or kept.get("state") != state:
            return None
        # the same state has the same index, so it overlooks the same files
        if self.look.digest_overlooked(kept.get("overlooked", ())) != kept.get("overlooked_digest"):
            return None
        text, code, moment = kept.get("text"), kept.get("code"), kept.get("time")
        if not isinstance(text, str) or not isinstance(code, int) or not isinstance(moment, int | float):
            return None
        age = time.time() - moment
        if age < 0 or (kept.get("outside") is not False and age > _OUTSIDE_SECONDS):
            return None
        return text, code, age

    def keep(self, text: str, code: int, *, outside: bool) -> None:
        """Saves an output; `outside` if it depends on more than the repository."""
        state = self.look.read_digest()
        overlooked = self.look.read_overlooked()
        if state is None or overlooked is None:
            return
        answers = self._load()
        answers.pop(self._key, None)
        answers[self._key] = {
            "state": state, "overlooked": overlooked.paths, "overlooked_digest": overlooked.digest,
            "text": text, "code": code, "time": time.time(), "outside": outside,
        }  # fmt: skip
        while len(answers) > _MOST_ANSWERS:
            answers.pop(next(iter(answers)))
        write_json(self._place, answers)

    def _load(self) -> dict[str, object]:
        value = load_json(self._place)
        return value if isinstance(value, dict) else {}
