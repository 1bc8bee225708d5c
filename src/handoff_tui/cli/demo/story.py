"""Builds the sample repository from its story: the same commits, to the byte, on every machine."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, ValidationError

from handoff_tui.cli.demo.story_git import Authorship, StoryGit, open_story_git
from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.errors import DemoError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.model import Model

_DATES = compile_later(
    r"(?<![0-9a-f])(?P<full>2026(?P<dash>-?)03(?P=dash)0[2-6])(?![0-9a-f])"
    r"|(?<=\()(?P<short>03-0[2-6])(?= )"
    r"|\b(?P<words>[2-6] March)\b"
    r"|\b(?P<seconds>1772\d{6})(?=\.\d)"
)
"""Every way in which a file of the story writes one of its five days."""
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


class DateShift(NamedTuple):
    """How many days later than it was written the story happens; with 0 every commit has the same id everywhere."""

    days: int = 0

    def move(self, moment: datetime) -> datetime:
        return moment + timedelta(days=self.days)

    def move_text(self, text: str) -> str:
        """Moves every date in a text or path."""
        return _DATES.sub(self._move_match, text) if self.days else text

    def _move_match(self, match: re.Match[str]) -> str:
        if match["seconds"]:
            return str(int(match["seconds"]) + 86400 * self.days)
        day = self.move(datetime(2026, 3, int(match[0].removesuffix(" March")[-1]), tzinfo=UTC))
        if match["words"]:
            return f"{day.day} {_MONTHS[day.month - 1]}"
        dash = match["dash"] or ""
        return f"{day:%m-%d}" if match["short"] else f"{day:%Y}{dash}{day:%m}{dash}{day:%d}"


AS_WRITTEN = DateShift()


def shift_to(last: datetime, now: datetime) -> DateShift:
    """The shift with which the last thing in the story happened within the last 24 hours."""
    return DateShift((now - last).days)


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
    shift: DateShift = AS_WRITTEN
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
        """Text with plain newlines and its placeholders filled; bytes that aren't text stay as they are."""
        if b"\0" in content:
            return content
        try:
            text = content.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError as invalid:
            raise DemoError(f"step {self.step}: {name} is neither UTF-8 text nor binary: {invalid}", _HINT) from invalid
        text = self.shift.move_text(text)
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
            raise DemoError(
                f"step {self.step}: {name} names the commit of {rest!r}, which is not an earlier step", _HINT
            )
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


def find_overlay(folder: Path, step: str, shift: DateShift) -> dict[str, Path]:
    """The files below a step's folder, by their path in the repository."""
    if not folder.is_dir():
        raise DemoError(f"step {step}: its folder {folder} is missing", "Install handoff-tui again.")
    return {
        shift.move_text(place.relative_to(folder).as_posix()): place
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


_REMOTE = "remote.git"


class Person(Model):
    """Someone who commits: an agent or a human."""

    name: str
    email: str


class Tag(Model):
    """A tag on a step's commit; with a message it is annotated."""

    name: str
    message: str | None = None


class StoryCommit(Model):
    """One commit. Its files are in `steps/<name>/`."""

    name: str
    author: str
    committer: str | None = None
    date: AwareDatetime
    message: str
    delete: tuple[str, ...] = ()
    move: dict[str, str] = {}
    executable: tuple[str, ...] = ()
    links: dict[str, str] = {}
    note: str | None = None
    """A file of the story that becomes the commit's note."""
    tags: tuple[Tag, ...] = ()
    refs: tuple[str, ...] = ()
    push: bool = False


class Story(Model):
    """The whole script."""

    repository: str
    branch: str
    notes_ref: str
    work_tree: str
    """The folder of the files that are left uncommitted at the end."""
    people: dict[str, Person]
    steps: tuple[StoryCommit, ...]

    def refuse_contradictions(self) -> None:
        seen: set[str] = set()
        if not self.steps:
            raise ValueError("a story needs at least one step")
        for step in self.steps:
            unknown = {step.author, step.committer or step.author} - self.people.keys()
            if unknown:
                raise ValueError(f"step {step.name}: nobody is called {', '.join(sorted(unknown))}")
            if step.name in seen:
                raise ValueError(f"step {step.name}: there are two steps of this name")
            seen.add(step.name)


class BuiltStory(NamedTuple):
    """Where the sample repository is."""

    repository: Path
    remote: Path
    head: str
    commits: Mapping[str, str]
    """The commit of each step, by its name."""
    people: Mapping[str, Person]
    shift: DateShift = AS_WRITTEN


def build_story(story_folder: Path, target: Path, shift: DateShift = AS_WRITTEN) -> BuiltStory:
    """Builds repository and remote below `target`, which is absent or empty; a failed build leaves nothing."""
    target = target.absolute()
    story = load_story(story_folder)
    _refuse_used_target(target)
    try:
        with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as temporary:
            built = Path(temporary) / "built"
            commits = _build(story, story_folder, built, Path(temporary), shift)
            built.rename(target)
    except OSError as refused:
        raise DemoError(
            f"the sample repository cannot be written: {refused}", "Name another folder with --dir."
        ) from refused
    head = commits[story.steps[-1].name]
    return BuiltStory(target / story.repository, target / _REMOTE, head, commits, story.people, shift)


def load_story(story_folder: Path) -> Story:
    """Reads and checks `story.toml`."""
    place = story_folder / "story.toml"
    hint = "Install handoff-tui again, or correct the file."
    try:
        values = tomllib.loads(place.read_text(encoding="utf-8"))
    except OSError as missing:
        raise DemoError(f"{place} cannot be read: {missing.strerror}", hint) from missing
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as broken:
        raise DemoError(f"{place} is not TOML: {broken}", hint) from broken
    try:
        return Story.model_validate(values)
    except ValidationError as wrong:
        raise DemoError(f"{place}: {_explain(wrong, values)}", hint) from wrong


def _explain(wrong: ValidationError, values: dict[str, Any]) -> str:
    """The first thing that is wrong, with the step's name in place of its number."""
    first = wrong.errors()[0]
    where = list(first["loc"])
    words: list[str] = []
    if len(where) > 1 and where[0] == "steps" and isinstance(where[1], int):
        step = values["steps"][where[1]]
        name = step.get("name") if isinstance(step, dict) else None
        words.append(f"step {name or where[1] + 1}")
        where = where[2:]
    key = ".".join(str(part) for part in where)
    return ": ".join(part for part in [*words, key, first["msg"].removeprefix("Value error, ")] if part)


def _refuse_used_target(target: Path) -> None:
    if not target.parent.is_dir():
        raise DemoError(f"the folder {target.parent} does not exist", "Make it first, or name another with --dir.")
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise DemoError(f"{target} is not a folder", "Name a new or empty folder with --dir.")
    if target.is_dir() and any(target.iterdir()):
        raise DemoError(f"{target} is not empty", "Name a new or empty folder with --dir.")


def _build(story: Story, story_folder: Path, built: Path, scratch: Path, shift: DateShift) -> dict[str, str]:
    """Plays every step; the commits by their steps."""
    work_tree, remote = built / story.repository, built / _REMOTE
    work_tree.mkdir(parents=True)
    remote.mkdir()
    commits: dict[str, str] = {}
    with open_story_git(work_tree, remote, scratch, story.branch) as git:
        for step in story.steps:
            files = find_overlay(story_folder / "steps" / step.name, step.name, shift)
            overlay = Overlay(step.name, work_tree, commits, files, shift)
            _play(story, step, overlay, git, story_folder)
        files = find_overlay(story_folder / story.work_tree, "the last", shift)
        overlay = Overlay(story.work_tree, work_tree, commits, files, shift)
        git.refresh_index()
        write_overlay(work_tree, overlay.render_all(), ())
    return commits


def _play(story: Story, step: StoryCommit, overlay: Overlay, git: StoryGit, story_folder: Path) -> None:
    files = overlay.render_all()
    delete_paths(overlay.work_tree, step.delete, step.name)
    move_paths(overlay.work_tree, step.move, step.name)
    write_overlay(overlay.work_tree, files, step.executable)
    move_text = overlay.shift.move_text
    write_links(overlay.work_tree, {move_text(path): move_text(to) for path, to in step.links.items()})
    signature = _build_signature(story, step, overlay.shift)
    commit = git.commit(step.message, signature, step.executable)
    overlay.commits[step.name] = commit
    if step.note is not None:
        note = _read_note(story_folder / step.note, step.name)
        git.add_note(story.notes_ref, overlay.fill(note, step.note), commit, signature)
    for tag in step.tags:
        git.add_tag(tag.name, tag.message, commit, signature)
    for ref in step.refs:
        git.set_ref(ref, commit)
    if step.push:
        git.push(story.branch, signature)


def _read_note(place: Path, step: str) -> bytes:
    if not place.is_file():
        raise DemoError(f"step {step}: its note {os.fspath(place)} is missing", "Install handoff-tui again.")
    return place.read_bytes()


def _build_signature(story: Story, step: StoryCommit, shift: DateShift) -> Authorship:
    author = story.people[step.author]
    committer = story.people[step.committer or step.author]
    return Authorship(author.name, author.email, committer.name, committer.email, shift.move(step.date))
