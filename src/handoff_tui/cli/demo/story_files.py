"""The files of one step of the sample story: found, their placeholders filled, written."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from handoff_tui.core.errors import DemoError
from handoff_tui.core.lazy_pattern import compile_later

_PLACEHOLDER = compile_later(r"\{\{([^{}\n]*)\}\}")
_HINT = "Placeholders are explained in sample_repo/README.md."
_PLAIN_MODE = 0o644
_EXECUTABLE_MODE = 0o755


@dataclass(slots=True)
class Overlay:
    """The files that one step adds or replaces, by their path in the repository."""

    step: str
    work_tree: Path
    commits: dict[str, str]
    """The ids of earlier steps' commits, by step."""
    sources: dict[str, Path] = field(default_factory=dict)
    _rendered: dict[str, bytes] = field(default_factory=dict)
    _being_rendered: list[str] = field(default_factory=list)

    def render_all(self) -> dict[str, bytes]:
        """Every file with its placeholders filled; nothing is written yet."""
        return {path: self.render(path) for path in sorted(self.sources)}

    def render(self, path: str) -> bytes:
        if path not in self._rendered:
            if path in self._being_rendered:
                circle = " → ".join([*self._being_rendered, path])
                raise DemoError(f"step {self.step}: files quote each other's hashes in a circle: {circle}", _HINT)
            self._being_rendered.append(path)
            self._rendered[path] = self.fill(self.sources[path].read_bytes(), path)
            self._being_rendered.pop()
        return self._rendered[path]

    def fill(self, content: bytes, name: str) -> bytes:
        """Text with plain newlines and its placeholders filled; bytes that are no text stay as they are."""
        if b"\0" in content:
            return content
        try:
            text = content.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError as invalid:
            raise DemoError(f"step {self.step}: {name} is neither UTF-8 text nor binary: {invalid}", _HINT) from invalid
        return _PLACEHOLDER.sub(lambda match: self._replace(match.group(1), name), text).encode()

    def _replace(self, words: str, name: str) -> str:
        kind, _, rest = words.partition(":")
        if kind == "sha256":
            return self._hash(rest, name)
        if kind == "sha256-before":
            return self._hash_on_disk(rest, name)
        if kind == "commit":
            step, _, length = rest.partition(":")
            if step in self.commits and (not length or length.isdigit()):
                return self.commits[step][: int(length) if length else None]
            raise DemoError(f"step {self.step}: {name} names the commit of {rest!r}, which is no earlier step", _HINT)
        raise DemoError(f"step {self.step}: {name} has an unknown placeholder {{{{{words}}}}}", _HINT)

    def _hash(self, path: str, name: str) -> str:
        if path in self.sources:
            return hashlib.sha256(self.render(path)).hexdigest()
        return self._hash_on_disk(path, name)

    def _hash_on_disk(self, path: str, name: str) -> str:
        place = self.work_tree / path
        if not place.is_file():
            raise DemoError(f"step {self.step}: {name} quotes the hash of {path}, which does not exist", _HINT)
        return hashlib.sha256(place.read_bytes()).hexdigest()


def find_overlay(folder: Path, step: str) -> dict[str, Path]:
    """The files below a step's folder, by their path in the repository."""
    if not folder.is_dir():
        raise DemoError(f"step {step}: its folder {folder} is missing", "Install handoff-tui again.")
    return {
        place.relative_to(folder).as_posix(): place
        for place in sorted(folder.rglob("*"))
        if place.is_file() and "__pycache__" not in place.parts
    }


def write_overlay(work_tree: Path, files: dict[str, bytes], executable: tuple[str, ...]) -> None:
    for path, content in files.items():
        place = work_tree / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)  # a link would be written through
        place.write_bytes(content)
        place.chmod(_EXECUTABLE_MODE if path in executable else _PLAIN_MODE)


def write_links(work_tree: Path, links: dict[str, str]) -> None:
    for path, target in links.items():
        place = work_tree / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(target)


def delete_paths(work_tree: Path, paths: tuple[str, ...], step: str) -> None:
    for path in paths:
        place = work_tree / path
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        elif place.is_symlink() or place.exists():
            place.unlink()
        else:
            raise DemoError(f"step {step}: it deletes {path}, which does not exist", "Correct story.toml.")


def move_paths(work_tree: Path, moves: dict[str, str], step: str) -> None:
    for path, destination in moves.items():
        if not (work_tree / path).exists():
            raise DemoError(f"step {step}: it moves {path}, which does not exist", "Correct story.toml.")
        (work_tree / destination).parent.mkdir(parents=True, exist_ok=True)
        (work_tree / path).rename(work_tree / destination)
