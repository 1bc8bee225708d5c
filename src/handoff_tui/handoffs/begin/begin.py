"""Begins a handoff: writes its first documents, and overwrites none."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.errors import RepositoryError, UsageError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.handoffs.begin import templates
from handoff_tui.handoffs.begin.templates import NewHandoff, render_json
from handoff_tui.handoffs.handoff import ID_PATTERN, Handoff
from handoff_tui.handoffs.session import Session
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.atomic_write import write_file
from handoff_tui.system.files.probe import is_present
from handoff_tui.system.files.reader import FileReader

SYSTEMS = ("mosaic", "builder", "procedure", "tdd", "hub", "notes")
_PLAIN = "100644"
_VERSION = compile_later(r"^\W*(?:contract\s+)?version\W+v?([0-9]+(?:\.[0-9]+){0,3})\b", re.IGNORECASE | re.MULTILINE)
_LONGEST_NUMBER = 10
_CYCLE = compile_later(r"TDD-([1-9][0-9]{0,8})$")


class Begun(NamedTuple):
    """A handoff that was begun: its id as it is read, and what was written."""

    handoff: str
    system: str
    files: tuple[str, ...]
    note: str | None = None
    """The commit that a note was put on; None if there is none."""


def choose_system(session: Session, handoffs: tuple[Handoff, ...], wanted: str | None) -> str:
    """The system that was named, or the one that most handoffs here are of."""
    known = (*SYSTEMS, *(name for name in session.loaded.settings.pipelines if name not in SYSTEMS))
    if wanted is not None:
        if wanted not in known:
            raise UsageError(f"there is no system or pipeline {wanted!r}", f"There are: {', '.join(known)}.")
        return wanted
    used = Counter(handoff.dialect for handoff in handoffs if handoff.dialect in SYSTEMS)
    if not used:
        raise UsageError("there is no handoff here yet; say of which system it is", f"One of: {', '.join(known)}.")
    return used.most_common(1)[0][0]


def begin_handoff(session: Session, system: str, name: str, title: str, existing: tuple[Handoff, ...]) -> Begun:
    """Writes the first documents of a handoff; raises an error if it or one of them exists."""
    new = NewHandoff(name, " ".join((title or name).split()), read_now().strftime("%Y-%m-%dT%H:%M:%SZ"))
    if not re.match(ID_PATTERN, new.id) or ".." in new.id:
        raise UsageError(f"{new.id!r} can't be the id of a handoff", "Letters, digits and . _ / - are possible.")
    if any(handoff.id.casefold() == new.id.casefold() for handoff in existing):
        raise UsageError(f"{new.id} exists already", "`handoff-tui show` shows it.")
    if system == "tdd":
        return _begin_cycle(session, new)
    texts = _build_texts(session, system, new, existing)
    _write(session, texts)
    id_ = {"mosaic": "mosaic"}.get(system, new.id)
    if system not in SYSTEMS or system == "notes":
        id_ = f"notes/{next(iter(texts))}"
    return Begun(id_, system, tuple(texts))


def _build_texts(session: Session, system: str, new: NewHandoff, existing: tuple[Handoff, ...]) -> dict[str, str]:
    """The documents by path."""
    settings = session.loaded.settings
    if system == "mosaic":
        folder = settings.mosaic.folder
        files = {f"{folder}/{name}": render_json(value) for name, value in templates.build_state_files(new).items()}
        task = f"{folder}/current_task.json"
        return {path: text for path, text in files.items() if path == task or not is_present(_root(session), path)}
    if system == "builder":
        return _build_builder(session, new)
    if system == "procedure":
        return {f"handoffs/{new.id}.json": render_json(templates.build_procedure(new))}
    if system == "hub":
        run = _find_free_run(existing)
        return {
            f"tasks/{new.id}/HANDOFF_{run}_{new.id}.md": templates.build_hub_context(new, run),
            f"tasks/{new.id}/work_cycle.json": render_json(templates.build_work_cycle(new, run)),
        }
    phase = "work" if system == "notes" else settings.pipelines[system].phases[0].name
    return {f"docs/handoffs/{new.id}.md": templates.build_note(new, phase)}


def _find_free_run(existing: tuple[Handoff, ...]) -> int:
    """A run of the hub belongs to one task: the number after the last one that is named."""
    named = (fact.value for one in existing for fact in one.facts if fact.name in {"run id", "cycle run"})
    return 1 + max((int(value) for value in named if value.isdecimal() and len(value) < _LONGEST_NUMBER), default=0)


def _build_builder(session: Session, new: NewHandoff) -> dict[str, str]:
    """The specification, and the prompt that its contract asks for."""
    settings = session.loaded.settings.builder
    folders = [folder for folder in settings.handoff_folders if is_present(_root(session), folder)]
    folder = f"{(folders or [settings.handoff_folders[-1]])[0]}/{new.id}"
    names = settings.file_names
    spec, prompt = f"{folder}/{new.id}_{names['spec']}.md", f"{folder}/{new.id}_{names['prompt']}.md"
    contract = next(
        (path for path in session.work_tree.paths if path.rpartition("/")[2] == settings.questions.contract), None
    )
    version = ""
    if contract is not None:
        reader = FileReader(_root(session), session.loaded.settings.limits.file_bytes)
        match = _VERSION.search(reader.read_bytes(contract).decode("utf-8", "replace"))
        version = match.group(1) if match else ""
    return {
        spec: templates.build_spec(new, settings),
        prompt: templates.build_builder_prompt(new, spec, version, settings.questions),
    }


def _begin_cycle(session: Session, new: NewHandoff) -> Begun:
    """A test list, and a note on HEAD that says a cycle begins: notes are the protocol."""
    match = _CYCLE.match(new.id)
    if match is None:
        raise UsageError(f"{new.id!r} can't be a TDD cycle", "They are called TDD-1, TDD-2 and so on.")
    head, ref = session.work_tree.facts.head, session.loaded.settings.tdd.notes_ref
    if head is None:
        raise RepositoryError(
            "there is no commit yet, and a cycle begins with a note on one", "Commit something first."
        )
    git = session.repository.git
    if git.run("notes", f"--ref={ref}", "show", head).ok:
        raise UsageError(f"{head[:10]} has a note already: another cycle ended there", "Commit first, then begin.")
    path = session.loaded.settings.tdd.test_list
    files = {} if is_present(_root(session), path) else {path: templates.build_test_list(new)}
    _write(session, files)
    text = render_json(templates.build_cycle_note(new, int(match.group(1))))
    added = git.run("notes", f"--ref={ref}", "add", "--file=-", head, stdin=text.encode())
    if not added.ok:
        raise RepositoryError(f"can't write the note: {added.complaint}", "Git needs to know who you are.")
    return Begun(new.id, "tdd", tuple(files), head)


def _write(session: Session, texts: dict[str, str]) -> None:
    for path in texts:
        if is_present(_root(session), path):
            raise UsageError(f"{path} exists already", "Nothing was written. Finish it, or move it aside.")
    for path, text in texts.items():
        write_file(_root(session), path, _PLAIN, text.encode())


def _root(session: Session) -> Path:
    return session.repository.root
