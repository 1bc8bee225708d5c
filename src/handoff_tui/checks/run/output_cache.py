"""The output of an earlier command, if nothing has changed since. Imports neither models nor rules, to be fast.

An output is kept with a digest over everything it rests on: what git knows, and each other file that was looked at.
An agent may be able to write the file, so it is sealed.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path

from handoff_tui import __version__
from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree.digest import RepositoryDigest, digest_contents
from handoff_tui.system.files.cache_files import find_cache_folder
from handoff_tui.system.files.sealed_files import load_json, write_json

_OUTSIDE_SECONDS = 60.0
"""How long an output is valid that depends on the clock, the search path, permissions or a remote."""
_MOST_ANSWERS = 20
_VARIABLES = ("HOME", "SSH_AUTH_SOCK", "HANDOFF_TUI_PIN", "XDG_CONFIG_HOME", "XDG_STATE_HOME")


class OutputCache:
    """Outputs by command line, for one repository in one state."""

    def __init__(self, start: Path, question: list[str]) -> None:
        repository = open_repository(start)
        self._folder = find_cache_folder(repository.root)
        self._place = self._folder / "answers.json"
        self.look = RepositoryDigest(repository)
        asked = [__version__, *question, *(os.environ.get(name) for name in _VARIABLES)]
        self._key = hashlib.sha256(json.dumps(asked).encode("utf-8", "surrogatepass")).hexdigest()

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
        if digest_contents(kept.get("unseen", ())) != kept.get("unseen_digest"):
            return None
        text, code, moment = kept.get("text"), kept.get("code"), kept.get("time")
        if not isinstance(text, str) or not isinstance(code, int) or not isinstance(moment, int | float):
            return None
        age = time.time() - moment
        if age < 0 or (kept.get("outside") is not False and age > _OUTSIDE_SECONDS):
            return None
        return text, code, age

    def keep(self, text: str, code: int, *, outside: bool) -> None:
        """Saves an output; `outside` if it depends on more than files and git."""
        state = self.look.read_digest()
        unseen = self.look.find_unseen(self._folder.parent)
        digest = None if unseen is None else digest_contents(unseen)
        if state is None or digest is None:
            return
        answers = self._load()
        answers.pop(self._key, None)
        answers[self._key] = {
            "state": state, "unseen": unseen, "unseen_digest": digest,
            "text": text, "code": code, "time": time.time(), "outside": outside,
        }  # fmt: skip
        while len(answers) > _MOST_ANSWERS:
            answers.pop(next(iter(answers)))
        write_json(self._place, answers)

    def _load(self) -> dict[str, object]:
        value = load_json(self._place)
        return value if isinstance(value, dict) else {}
