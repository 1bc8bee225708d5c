"""Pairs the state file with its companion and makes one handoff of each paused phase."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from handoff_tui.core.classes import NamedTuple
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import ProblemLevel, Severity
from handoff_tui.core.tasks import Blocker, Fact, Task, TestCounts
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim
from handoff_tui.handoffs.grammar.author_words import find_words, is_settled, says_nothing, word_of
from handoff_tui.handoffs.grammar.claims import find_claims, find_member_claims
from handoff_tui.handoffs.grammar.counts import claim_counts, find_counts, find_first_run, find_member_counts
from handoff_tui.handoffs.grammar.tokens import clean_path
from handoff_tui.handoffs.handoff import Document, DocumentRole, Handoff, HandoffType
from handoff_tui.handoffs.reading import claim_words
from handoff_tui.handoffs.reading.format import Confidence, FormatFiles, FormatReading, HandoffFormat, Source
from handoff_tui.handoffs.reading.json_document import JsonDocument, JsonNode, ParsedJson
from handoff_tui.handoffs.reading.markdown import Item, Section, TextLine, parse_markdown

_QUOTES_AROUND: Final = compile_later(r"^[`'\"(]+|[`'\"),;:]+$")

_NOT_A_SLUG: Final = compile_later(r"[^a-z0-9.]+")
_LEADING_ZEROS: Final = compile_later(r"^0+(?=\d)")


class PausedWork(NamedTuple):
    """What one file says; None for what it doesn't."""

    phase: str | None = None
    phase_name: str | None = None
    task: str | None = None
    total_tasks: str | None = None
    said: Handoff = Handoff.model_construct(id="gsd", dialect="gsd", type=HandoffType.PHASE_TRANSITION)
    """The rest of it; the id is not its own yet."""

    def slug(self) -> str:
        """The name for the id: the phase, or its name if it has no number."""
        return _slug(self.phase or "") or _slug(self.phase_name or "")

    def names(self) -> set[str]:
        """Every way in which the other file may call the same phase."""
        phase, name = _slug(self.phase or ""), _slug(self.phase_name or "")
        joined = f"{phase}-{name}" if phase and name else ""
        return {_LEADING_ZEROS.sub("", text) for text in (phase, name, joined) if text}

    def has_same_phase(self, other: PausedWork) -> bool:
        return bool(self.names() & other.names())


def _slug(text: str) -> str:
    return _NOT_A_SLUG.sub("-", text.lower()).strip("-.")


_FACTS: Final = ("milestone", "milestone_name", "phase_dir", "plan", "task", "total_tasks")
_HUMAN_TYPES: Final = ("human", "user")
_AROUND_A_PATH: Final = "`'\"(),;:"


def read_state(root: JsonNode) -> PausedWork:
    """What the file says. Every member may be missing, null, or of another type than usual."""
    if isinstance(root.value, dict) and not any(root.value.values()):
        root.document.report((), "says nothing: every field is empty", ProblemLevel.ERROR)
    status = root.scalar("status")
    notes = _read_notes(root)
    tests, count_claims = _claim_counts(root, notes)
    tasks, commit_claims = _read_state_tasks(root)
    return _build_work(
        root,
        words=word_of(root, "status"),
        status=claim_words.normalise_status(status) if status else None,
        message=notes,
        next_action=root.scalar("next_action"),
        created=root.scalar("timestamp"),
        tests=tests,
        tasks=tasks,
        blockers=(*_read_state_blockers(root), *_read_human_actions(root)),
        claims=(
            *claim_words.claim_status(root, "status"),
            *count_claims,
            *commit_claims,
            *_claim_uncommitted(root),
            *_claim_members(root, commit_claims),
        ),
        facts=(*claim_words.build_facts(root, _FACTS), *_read_decisions(root), *_read_blocker_facts(root)),
    )


def _build_work(node: JsonNode, **said: object) -> PausedWork:
    phase, name, task, total = (node.scalar(key) for key in ("phase", "phase_name", "task", "total_tasks"))
    return PausedWork(phase, name, task, total, PausedWork().said.model_copy(update=said))


def _read_notes(root: JsonNode) -> str | None:
    """Notes as one text; some files have a list of them."""
    member = root.get("context_notes")
    if member is None:
        return None
    if isinstance(member.value, list):
        return "\n".join(root.texts("context_notes")) or None
    return member.as_text()


def _claim_counts(root: JsonNode, notes: str | None) -> tuple[TestCounts | None, list[Claim]]:
    found = find_counts(notes) if notes else None
    if found is None and (member := find_member_counts(root)) is not None:
        return member[0], claim_counts(member[0], "suite", *member[1:])
    if found is None:
        return None, []
    counts, sentence = found
    return counts, claim_counts(counts, "suite", root.place_of("context_notes"), sentence)


def _read_state_tasks(root: JsonNode) -> tuple[tuple[Task, ...], list[Claim]]:
    tasks: list[Task] = []
    claims: list[Claim] = []
    for key, done in (("completed_tasks", True), ("remaining_tasks", False)):
        for number, node in enumerate(root.items(key), start=1):
            fallback = f"{key.removesuffix('_tasks')}-{number}"
            if not isinstance(node.value, dict):
                title = node.as_text()
                if title is not None:
                    tasks.append(Task(id=fallback, title=title, where=node.where, done=done))
                continue
            identifier = node.scalar("id") or fallback
            commits = claim_words.claim_commit(node, "commit")
            claims.extend(commits)
            tasks.append(
                Task(
                    id=identifier,
                    title=node.first("name", "title", "description") or identifier,
                    where=node.where,
                    status=node.scalar("status"),
                    done=done,
                    commit=str(commits[0].value) if commits else None,
                )
            )
    return tuple(tasks), claims


def _read_state_blockers(root: JsonNode) -> Iterator[Blocker]:
    for number, node, title in _read_titles(root, "blockers", "description", "title", "blocker"):
        yield Blocker(
            id=node.scalar("id") or f"blocker-{number}",
            title=title,
            where=node.where,
            needs_human=(node.scalar("type") or "").lower().startswith(_HUMAN_TYPES),
        )


def _read_human_actions(root: JsonNode) -> Iterator[Blocker]:
    for number, node, title in _read_titles(root, "human_actions_pending", "action", "description", "title"):
        blocking = node.boolean("blocking")
        yield Blocker(
            id=f"human-action-{number}",
            title=title,
            where=node.where,
            severity=Severity.HIGH if blocking else Severity.LOW,
            needs_human=True,
            blocking=blocking is not False,
        )


def _read_titles(root: JsonNode, key: str, *titles: str) -> Iterator[tuple[int, JsonNode, str]]:
    """The numbered elements of a list that say something: as plain text, or in one of the named members."""
    for number, node in enumerate(root.items(key), start=1):
        is_object = isinstance(node.value, dict)
        title = node.first(*titles) if is_object else node.as_text()
        if title is not None and (is_object or not says_nothing(title)):
            yield number, node, title


def _read_decisions(root: JsonNode) -> list[Fact]:
    facts: list[Fact] = []
    for node in root.items("decisions"):
        is_object = isinstance(node.value, dict)
        parts = (node.scalar("decision"), node.scalar("rationale")) if is_object else (node.as_text(),)
        if text := " — ".join(part for part in parts if part):
            facts.append(Fact(name="decision", value=text, where=node.where))
    return facts


def _read_blocker_facts(root: JsonNode) -> list[Fact]:
    return [
        Fact(name=name, value=text, where=node.place_of(key))
        for node in root.items("blockers")
        if isinstance(node.value, dict)
        for key, name in (("type", "blocker type"), ("workaround", "workaround"))
        if (text := node.scalar(key))
    ]


def _claim_uncommitted(root: JsonNode) -> list[Claim]:
    """One claim per entry; its path is the first word that is one, the rest of the entry stays in the text."""
    return [
        build_claim(ClaimKind.UNCOMMITTED, node.where, text, subject=_find_path(text))
        for node in root.items("uncommitted_files")
        if (text := node.as_text()) is not None and not says_nothing(text)
    ]


def _claim_members(root: JsonNode, known: list[Claim]) -> list[Claim]:
    """What else its members claim."""
    told = {(claim.kind, claim.value) for claim in known}
    found = find_member_claims(root, root.document.path, {"files": ClaimKind.FILE_MODIFIED})
    return [one for one in found if one.kind is not ClaimKind.UNCOMMITTED and (one.kind, one.value) not in told]


def _find_path(text: str) -> str | None:
    words = text.split()
    if len(words) == 1:
        return claim_words.parse_path(words[0].strip(_AROUND_A_PATH))
    for word in words:
        path = clean_path(_QUOTES_AROUND.sub("", word))
        if path is not None:
            return path
    return None


TAGS: Final = (
    *("current_state", "completed_work", "remaining_work", "decisions_made", "blockers", "context", "next_action"),
)
_TAG: Final = compile_later(r"^\s*<(/?)([a-z][a-z_]*)>\s*$")
_NUMBERED_TASK: Final = compile_later(r"^Task\s+(\d+[\w.-]*)\s*[:.—\u2013-]\s*(.+)$", re.IGNORECASE | re.DOTALL)
_HEADINGS: Final = {
    "current state": "current_state",
    "completed work": "completed_work",
    "completed": "completed_work",
    "remaining work": "remaining_work",
    "remaining": "remaining_work",
    "decisions made": "decisions_made",
    "decisions": "decisions_made",
    "blockers": "blockers",
    "context": "context",
    "next action": "next_action",
}


def find_tags(source: Source) -> set[str]:
    """The known tags that open on a line of their own, outside code."""
    return {name for _, closing, name in _tag_lines(source) if not closing}


def read_companion(source: Source) -> PausedWork:
    parts = _split_parts(source)
    front = source.frontmatter or JsonNode(JsonDocument(ParsedJson(source.path, "")), {})
    status = front.scalar("status")
    told = [section for name in ("current_state", "context", "completed_work") for section in parts.get(name, [])]
    run = find_first_run([*told, *source.outline.sections])
    counts = run.claims("suite", source.path) if run else []
    return _build_work(
        front,
        status=claim_words.normalise_status(status) if status else None,
        message=_text(parts, "current_state") or _text(parts, "context"),
        next_action=_text(parts, "next_action"),
        words=find_words(source, source.outline.sections),
        created=front.scalar("last_updated") or front.scalar("timestamp"),
        tests=run.counts() if run else None,
        tasks=(*_read_tasks(source, parts, "completed_work"), *_read_tasks(source, parts, "remaining_work")),
        blockers=_read_blockers(source, parts),
        claims=(
            *claim_words.claim_status(front, "status"),
            *counts,
            *_claim_prose(source),
        ),
        facts=tuple(
            source.fact("decision", claim_words.one_line(item.text), item.line)
            for section in parts.get("decisions_made", [])
            for item in claim_words.top_items(section)
        ),
    )


def _split_parts(source: Source) -> dict[str, list[Section]]:
    """Sections by part.

    What stands between tags is parsed by itself, all else blanked: an open tag would make it raw HTML.
    """
    parts: dict[str, list[Section]] = {}
    for section in source.outline.sections:
        name = _HEADINGS.get(section.name.lower())
        if name is not None:
            parts.setdefault(name, []).append(section)
    text_lines = source.text.split("\n")
    tagged: dict[str, list[str]] = {}
    for name, first, last in _tag_ranges(source):
        blanked = tagged.setdefault(name, [""] * len(text_lines))
        blanked[first : last - 1] = text_lines[first : last - 1]
    for name, lines in tagged.items():
        parts.setdefault(name, []).extend(parse_markdown("\n".join(lines)).sections)
    return parts


def _tag_ranges(source: Source) -> Iterator[tuple[str, int, int]]:
    """Each part: its name, the lines of its open and its closing tag; one that never closes is reported."""
    opened: tuple[str, int] | None = None
    for number, closing, name in _tag_lines(source):
        if opened is not None and (not closing or name == opened[0]):
            if not closing:
                source.report(f"<{opened[0]}> is not closed", opened[1])
            yield opened[0], opened[1], number
            opened = None
        if not closing:
            opened = (name, number)
    if opened is not None:
        source.report(f"<{opened[0]}> is not closed", opened[1])
        yield opened[0], opened[1], source.text.count("\n") + 2


def _tag_lines(source: Source) -> Iterator[tuple[int, bool, str]]:
    for line in source.outline.lines():
        match = None if line.code else _TAG.match(line.text)
        if match is not None and match.group(2) in TAGS:
            yield line.number, bool(match.group(1)), match.group(2)


def _lines(sections: list[Section]) -> Iterator[TextLine]:
    for section in sections:
        yield from section.lines()


def _text(parts: dict[str, list[Section]], name: str) -> str | None:
    return "\n".join(text for section in parts.get(name, []) if (text := claim_words.section_text(section))) or None


def _read_tasks(source: Source, parts: dict[str, list[Section]], name: str) -> Iterator[Task]:
    done = name == "completed_work"
    items = [
        item
        for section in parts.get(name, [])
        for item in claim_words.top_items(section)
        if not says_nothing(item.text)
    ]
    for number, item in enumerate(items, start=1):
        yield _build_task(source, item, f"{name.removesuffix('_work')}-{number}", done=done)


def _build_task(source: Source, item: Item, fallback: str, *, done: bool) -> Task:
    text = claim_words.one_line(item.text)
    match = _NUMBERED_TASK.match(text)
    return Task(
        id=match.group(1) if match else fallback,
        title=match.group(2) if match else text,
        where=source.place(item.line),
        done=done if item.checked is None else item.checked,
    )


def _read_blockers(source: Source, parts: dict[str, list[Section]]) -> tuple[Blocker, ...]:
    found: list[tuple[int, str, bool | None]] = []
    for section in parts.get("blockers", []):
        items = [(item.line, item.text, item.checked) for item in claim_words.top_items(section)]
        found.extend(items or [(paragraph.line, paragraph.text, None) for paragraph in section.paragraphs()])
    told = [entry for entry in found if not says_nothing(entry[1])]
    return tuple(
        Blocker(
            id=f"blocker-{number}",
            title=claim_words.one_line(text),
            where=source.place(line),
            open=not is_settled(text, checked=checked),
        )
        for number, (line, text, checked) in enumerate(told, start=1)
    )


def _claim_prose(source: Source) -> list[Claim]:
    branch = source.frontmatter.scalar("branch") if source.frontmatter else None
    claims = [build_claim(ClaimKind.BRANCH, source.place(1), branch, value=branch)] if branch else []
    return [*claims, *find_claims(source.outline.sections, source.path, front=source.frontmatter)]


_STATE_NAME: Final = compile_later(r"(?:^|/)handoff[^/]*\.json$", re.IGNORECASE)
_COMPANION_NAME: Final = compile_later(r"(?:^|/)\.?continue-here[^/]*\.md$", re.IGNORECASE)
_STATE_PLACE: Final = compile_later(r"(?:^|/)\.planning/(?:.*/)?HANDOFF\.json$")
_OWN_FIELDS: Final = (
    *("completed_tasks", "remaining_tasks", "human_actions_pending", "uncommitted_files"),
    *("context_notes", "phase_dir", "phase_name"),
)
_MANY_OWN_FIELDS = 3
_SOME_OWN_FIELDS = 2
_PHASE_FOLDER: Final = compile_later(r"(?:^|/)\.planning/(?:.*/)?phases/[^/]+$")
_PLAN: Final = "-PLAN.md"
_SUMMARY: Final = "-SUMMARY.md"
_FRONTMATTER: Final = ("phase", "task", "total_tasks", "status")


def may_own(path: str) -> bool:
    if _COMPANION_NAME.search(path):
        return True
    return bool(_STATE_NAME.search(path)) and not path.lower().endswith(".schema.json")


def recognise(source: Source) -> float:
    return _recognise_companion(source) if _COMPANION_NAME.search(source.path) else _recognise_state(source)


def _recognise_state(source: Source) -> float:
    at_its_place = bool(_STATE_PLACE.search(source.path))
    root = source.json
    if root is None:
        return Confidence.POSSIBLE if at_its_place else Confidence.NO
    own = sum(root.has(field) for field in _OWN_FIELDS)
    if own >= _MANY_OWN_FIELDS:
        return Confidence.CERTAIN
    if own >= _SOME_OWN_FIELDS:
        return Confidence.LIKELY
    return Confidence.LIKELY if own and at_its_place else Confidence.NO


def _recognise_companion(source: Source) -> float:
    if not source.text.strip():
        return Confidence.POSSIBLE
    tags = len(find_tags(source))
    if tags:
        return Confidence.CERTAIN if tags > 1 else Confidence.LIKELY
    front = source.frontmatter
    fields = sum(front.has(field) for field in _FRONTMATTER) if front else 0
    return Confidence.LIKELY if fields >= _SOME_OWN_FIELDS else Confidence.NO


def read(owned: list[Source], files: FormatFiles) -> FormatReading:
    ordered = sorted(owned, key=lambda source: source.path)
    states = [(source, _read_state(source)) for source in ordered if not _COMPANION_NAME.search(source.path)]
    companions = [(source, read_companion(source)) for source in ordered if _COMPANION_NAME.search(source.path)]
    only_two = len(states) == 1 and len(companions) == 1
    reading = FormatReading()
    taken: dict[str, str] = {}
    for state_source, state in states:
        pair = next((entry for entry in companions if only_two or entry[1].has_same_phase(state)), None)
        if pair is not None:
            companions.remove(pair)
            _report_differences(pair[0], state, pair[1])
        reading.handoffs.append(_build_handoff([(state_source, state), *([pair] if pair else [])], taken))
    reading.handoffs.extend(_build_handoff([entry], taken) for entry in companions)
    reading.handoffs = [_mark_consumed(handoff, files.paths) for handoff in reading.handoffs]
    return reading


def _mark_consumed(handoff: Handoff, paths: tuple[str, ...]) -> Handoff:
    """A pause ends when its plan has a summary, or, if it names no plan, when every plan of its phase has one."""
    told = {fact.name: fact.value for fact in handoff.facts}
    beside = handoff.documents[-1].path.rpartition("/")[0]
    folder = (told.get("phase_dir") or beside).strip("/")
    if _PHASE_FOLDER.search(folder) is None:
        return handoff
    names = [path[len(folder) + 1 :] for path in paths if path.startswith(f"{folder}/")]
    plans = {name.removesuffix(_PLAN) for name in names if name.endswith(_PLAN)}
    summaries = {name.removesuffix(_SUMMARY) for name in names if name.endswith(_SUMMARY)}
    number = (told.get("plan") or "").rpartition("-")[2].removesuffix(_PLAN)
    if number.isdecimal():
        plans = {
            name for name in plans | summaries if _LEADING_ZEROS.sub("", name.rpartition("-")[2]) == number.lstrip("0")
        }
    if not plans or not plans <= summaries:
        return handoff
    return handoff.model_copy(update={"ended": f"consumed: {max(plans)}{_SUMMARY} is there"})


def _read_state(source: Source) -> PausedWork:
    return read_state(source.json) if source.json is not None else PausedWork()


def _report_differences(companion: Source, state: PausedWork, other: PausedWork) -> None:
    told = (("task", other.task, state.task), ("total_tasks", other.total_tasks, state.total_tasks))
    for name, here, there in (*told, ("status", other.said.status, state.said.status)):
        if here is not None and there is not None and here != there:
            front = companion.frontmatter
            line = front.place_of(name).line if front else None
            companion.report(f"{name} is {here} here, but {there} in the state file", line)
    if other.names() and state.names() and not other.has_same_phase(state):
        companion.report(f"is about phase {other.slug()}, but the state file is about {state.slug()}")


_SAID_ONCE: Final = ("status", "words", "message", "next_action", "tests", "tasks", "created")


def _build_handoff(entries: list[tuple[Source, PausedWork]], taken: dict[str, str]) -> Handoff:
    """The first entry leads; what it does not say is taken from the second."""
    sources = [source for source, _ in entries]
    works = [work for _, work in entries]
    lead = works[0]
    other = works[1] if len(works) > 1 else PausedWork()
    slug = lead.slug() or other.slug() or sources[0].path
    said, added = lead.said, other.said
    update = {name: getattr(said, name) or getattr(added, name) for name in _SAID_ONCE}
    return said.model_copy(
        update={
            **update,
            "id": claim_words.build_unique_id(taken, sources[0], "gsd", slug),
            "title": lead.phase_name or other.phase_name or lead.phase or other.phase,
            "source_phase": lead.phase or lead.phase_name or other.phase,
            "claims": _join_claims(said.claims, added.claims),
            "documents": tuple(map(_build_document, sources)),
            "blockers": _join_blockers(said.blockers, added.blockers),
            "facts": (*said.facts, *added.facts),
        }
    )


def _build_document(source: Source) -> Document:
    role = DocumentRole.CONTEXT if _COMPANION_NAME.search(source.path) else DocumentRole.STATE
    return source.document(role, confidence=recognise(source))


def _join_claims(lead: tuple[Claim, ...], other: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """A claim that both files make is kept once, from the file that leads."""
    said = {(claim.kind, claim.subject, claim.value) for claim in lead}
    return (*lead, *(claim for claim in other if (claim.kind, claim.subject, claim.value) not in said))


def _join_blockers(lead: tuple[Blocker, ...], other: tuple[Blocker, ...]) -> tuple[Blocker, ...]:
    titles = {blocker.title.lower() for blocker in lead}
    added = [blocker for blocker in other if blocker.title.lower() not in titles]
    renamed = [blocker.model_copy(update={"id": f"companion-{blocker.id}"}) if lead else blocker for blocker in added]
    return (*lead, *renamed)


GSD: Final = HandoffFormat(id="gsd", may_own=may_own, recognise=recognise, read=read)
