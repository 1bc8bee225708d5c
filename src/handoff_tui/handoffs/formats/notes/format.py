"""One handoff per note: what its current session says; earlier sessions are attempts.

Beside Markdown, notes may be YAML or JSON; decisions of QA and review go with the note they are about.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import Final

from handoff_tui.core.classes import replace
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Attempt, Blocker, Fact, Task
from handoff_tui.git.work_tree.listing import list_below
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim, join_claims
from handoff_tui.handoffs.formats.notes.recognition import (
    WEAK,
    Notes,
    Topic,
    find_topics,
    is_decision,
    is_structured,
    is_template,
    may_own,
    recognise,
    split_sessions,
    topics_of,
)
from handoff_tui.handoffs.formats.notes.structured import read_structured
from handoff_tui.handoffs.grammar.author_words import find_words, is_settled, says_nothing
from handoff_tui.handoffs.grammar.claim_list import BECOMING
from handoff_tui.handoffs.grammar.claims import find_claims
from handoff_tui.handoffs.grammar.counts import find_first_run
from handoff_tui.handoffs.grammar.roles import find_label, role_of
from handoff_tui.handoffs.grammar.stance import is_silent_heading
from handoff_tui.handoffs.grammar.tokens import clean_path, has_file_name
from handoff_tui.handoffs.handoff import DocumentRole, Handoff, build_id
from handoff_tui.handoffs.reading import claim_words
from handoff_tui.handoffs.reading.candidates import SPEAKS_OF_HANDOFF
from handoff_tui.handoffs.reading.format import FormatFiles, FormatReading, HandoffFormat, Source
from handoff_tui.handoffs.reading.markdown import (
    Item,
    Paragraph,
    Section,
    Table,
    TextLine,
    find_fields,
    parse_field,
    plain,
)

_TEMPLATE: Final = compile_later(
    r"hand[-_ ]?(?:off|over)[^/]*template|template[^/]*hand[-_ ]?(?:off|over)|handoffs?/[^/]*template", re.IGNORECASE
)
_BUILDER: Final = compile_later(r"(?:_RESULTS|BUILDER_HANDOFF|AGENT_PROMPT|/RESULTS|/REVIEW_REPORT)[^/]*\.md$")
_BESIDE: Final = compile_later(
    r"(?:^|[-_ .])(?:(?:qa|review|code[-_ ]review)[-_ .](?:decision|verdict|report|summary|sign[-_ ]?off|gate)"
    r"|decision|verdict)s?(?:[-_ .][^/]*)?\.(?:md|ya?ml|json)$",
    re.IGNORECASE,
)
"""Names of decisions; they count where there is a note beside them."""
_ROLE_WORDS: Final = frozenset(
    {"qa", "review", "reviewer", "code", "decision", "verdict", "report", "summary", "signoff", "sign", "off", "gate"}
    | {"handoff", "handover", "notes", "story", "task", "issue"}
)


def learn_headings(files: FormatFiles) -> frozenset[str]:
    """The headings of the repository's own templates for handoffs, in lower case."""
    named = [path for path in files.list_containing("template") if _TEMPLATE.search(path) and path.endswith(".md")]
    sections = (section for path in named for section in files.source(path).outline.sections)
    return frozenset(section.name.casefold() for section in sections if section.level > 1)


def is_beside_another(source: Source, files: FormatFiles) -> bool:
    """A loose text beside a builder's documents isn't a handoff of its own, unless its name or headings say so."""
    if SPEAKS_OF_HANDOFF.search(source.name) or is_structured(source.path) or find_topics(source):
        return False
    return any(_BUILDER.search(path) for path in list_below(files.paths, source.folder))


def report_unknown(source: Source, learnt: frozenset[str]) -> None:
    """Says once that a document has headings, none of which is understood."""
    if is_structured(source.path) or not source.readable:
        return
    headings = [section for section in source.outline.sections if section.level > 1]
    if headings and not find_topics(source) and not any(one.name.casefold() in learnt for one in headings):
        source.report("no heading is understood, so little of what it says is measured", headings[0].line)


def file_decisions(
    reading: FormatReading, named: dict[str, Source], files: FormatFiles, read: Callable[[Source], Handoff]
) -> None:
    """Adds decisions of QA and review to the note they are about: by the words of their names, or the only one there.

    `named` are those that were recognised by themselves; others only count beside a note.
    """
    by_folder: dict[str, list[int]] = defaultdict(list)
    for number, handoff in enumerate(reading.handoffs):
        by_folder[handoff.documents[0].path.rpartition("/")[0]].append(number)
    for folder, numbers in by_folder.items():
        for source in _list_decisions(folder, reading, named, files):
            words = _list_subject(source.name)
            subjects = {number: _list_subject(reading.handoffs[number].documents[0].path) for number in numbers}
            fitting = [number for number in numbers if words and subjects[number] == words]
            # a note may have a number or a date more in its name: HANDOFF_003_search.md
            fitting = fitting or [number for number in numbers if words and subjects[number] > words]
            if len(fitting) == 1 or len(numbers) == 1:
                number = (fitting or numbers)[0]
                reading.handoffs[number] = _add_decision(reading.handoffs[number], source, read(source))
                reading.used.add(source.path)


def _list_decisions(
    folder: str, reading: FormatReading, named: dict[str, Source], files: FormatFiles
) -> Iterator[Source]:
    shown = {document.path for handoff in reading.handoffs for document in handoff.documents}
    for path in list_below(files.paths, folder):
        place, _, name = path.rpartition("/")
        if place != folder or path in shown or not (path in named or _BESIDE.search(name)):
            continue
        source = files.source(path)
        if source.text.strip() and not is_template(source.text):
            yield source


def _add_decision(about: Handoff, source: Source, own: Handoff) -> Handoff:
    """The note with the document, and with what it decided."""
    verdict = claim_words.parse_status(own.status or "")
    said = next((claim for claim in own.claims if claim.kind in {ClaimKind.STATUS, ClaimKind.VERDICT}), None)
    claims: tuple[Claim, ...] = ()
    if said is not None and verdict is not None:
        claims = (build_claim(ClaimKind.VERDICT, said.where, said.text, subject=source.name, value=verdict),)
    document = source.document(DocumentRole.REVIEW, confidence=recognise(source))
    return about.model_copy(update={"documents": (*about.documents, document), "claims": (*about.claims, *claims)})


def _list_subject(path: str) -> frozenset[str]:
    """The words of a file name that say what it is about."""
    words = re.findall(r"[^\W_]+", path.rpartition("/")[2].rpartition(".")[0].casefold())
    return frozenset(words) - _ROLE_WORDS


_DEPLOYED: Final = compile_later(r"\b(?:deployed|deployment|live (?:at|on))\b", re.IGNORECASE)
_NOT_DEPLOYED: Final = compile_later(
    r"\b(?:not (?:yet )?(?:deployed|live)|un-?deployed|pending|fail(?:ed|ing)?|awaiting|to be deployed)\b",
    re.IGNORECASE,
)
_ADDRESS: Final = compile_later(r"https?://[^\s)>\]`\"']+")
_RESOLVED: Final = compile_later(r"\b(?:resolved|former|cleared)\b", re.IGNORECASE)
_BLOCKER_FIELDS: Final = ("blockers", "blocker", "blocked by", "blocked on", "open blockers", "in the way")
_NEXT_FIELDS: Final = ("next", "next step", "next steps", "next action")


def read_tasks(source: Source, notes: Notes) -> list[Task]:
    """Every box, and the entries of sections about what comes next; there a sub-heading is an entry too."""
    tasks: list[Task] = []
    next_level: int | None = None
    for section in notes.current:
        inside = next_level is not None and section.level > next_level
        if inside and not topics_of(section.name):
            tasks.append(_build_task(source, section.line, section.name, len(tasks), done=False))
        elif Topic.NEXT in topics_of(section.name):
            next_level, inside = section.level, False
        else:
            next_level, inside = None, False
        for item in section.items():
            listed = Topic.NEXT in topics_of(section.name) and item.depth == 1 and not says_nothing(item.text)
            if item.checked is not None or (listed and not inside):
                tasks.append(_build_task(source, item.line, item.text, len(tasks), done=item.checked or False))
    return tasks


def find_next_action(notes: Notes) -> str | None:
    """The first step that is not done; a section or field without a list says it in a sentence."""
    for section in notes.about(Topic.NEXT):
        items = [item for item in claim_words.top_items(section) if not item.checked]
        entries: list[str] = [item.text for item in items] or [block.text for block in section.paragraphs()]
        for text in entries:
            if not says_nothing(text):
                return claim_words.one_line(text)
    said = (value for _, name, value in find_fields(notes.lines()) if name in _NEXT_FIELDS and value)
    return next(map(claim_words.one_line, said), None)


def read_blockers(source: Source, notes: Notes) -> list[Blocker]:
    blockers: list[Blocker] = []
    for line, text, checked, heading in _find_blockers(notes):
        resolved = is_settled(text, checked=checked) or bool(_RESOLVED.search(heading))
        blockers.append(
            Blocker(
                id=f"blocker-{len(blockers) + 1}",
                title=claim_words.one_line(text),
                where=source.place(line),
                status="resolved" if resolved else "open",
                open=not resolved,
            )
        )
    return blockers


def claim_lines(source: Source, lines: Iterable[TextLine]) -> Iterator[Claim]:
    """Closing verdicts, and lines that say something is deployed and where."""
    for line in lines:
        verdict = claim_words.parse_verdict(line.text)
        if verdict is not None:
            yield source.claim(ClaimKind.VERDICT, line.number, line.text, value=verdict)
        address = _ADDRESS.search(line.text)
        field = parse_field(line.text)
        named = field is not None and field[0].lower().startswith("deploy") and bool(field[1])
        if _DEPLOYED.search(line.text) and (address or named):
            state = "not deployed" if _NOT_DEPLOYED.search(line.text) else "deployed"
            subject = address.group().rstrip(".,;") if address else None
            yield source.claim(ClaimKind.DEPLOYMENT, line.number, line.text, subject=subject, value=state)


def _build_task(source: Source, line: int, text: str, count: int, *, done: bool) -> Task:
    return Task(id=f"task-{count + 1}", title=claim_words.one_line(text), where=source.place(line), done=done)


def _find_blockers(notes: Notes) -> Iterator[tuple[int, str, bool | None, str]]:
    """Line, words, box, heading; empty if a section or a field says there are none."""
    for section in notes.current:
        listed = [(section.name, section)] if Topic.BLOCKERS in topics_of(section.name) else _find_labelled(section)
        for name, part in listed:
            for line, text, checked in _entries(part):
                if not says_nothing(text):
                    yield line, text, checked, name
    for text_line, name, value in find_fields(notes.lines()):
        if name in _BLOCKER_FIELDS and not says_nothing(value):
            yield text_line.number, value, None, name


def _find_labelled(section: Section) -> list[tuple[str, Section]]:
    """The lists and tables about blockers below a label, or below a column's heading, of that name."""
    found: list[tuple[str, Section]] = []
    label = ""
    for block in section.blocks:
        if isinstance(block, Paragraph):
            label = find_label(block.text, listed=True)
        name = block.header[0] if isinstance(block, Table) and block.header else label
        if isinstance(block, Item | Table) and Topic.BLOCKERS in topics_of(name):
            found.append((name, replace(section, blocks=[block])))
    return found


def _entries(section: Section) -> Iterator[tuple[int, str, bool | None]]:
    items = claim_words.top_items(section)
    tables = section.tables()
    for item in items:
        yield item.line, item.text, item.checked
    for table in () if items else tables:
        for row in table.rows:
            yield row.line, " | ".join(row.cells), None
    for block in () if items or tables else section.paragraphs():
        if not block.html:
            yield block.line, block.text, None


_HEAD_LINES = 60
_END_LINES = 20
_END: Final = compile_later(
    r"[^\w`\[]*(?:(?:note|status|state):?\W+)?"
    r"(?:this (?:handoff|handover|document|note|file|page) (?:is|was|has been) (?:now )?)?"
    r"(?:superseded|archived|obsolete|outdated|consumed|replaced by|no longer current)\b"
    r"(?! (?:code|data|files?|the|a)\b)",
    re.IGNORECASE,
)
_ENDED_TITLE: Final = compile_later(
    r"[\[(:—–-]\s*(superseded|archived|obsolete|deprecated|consumed)\b[^\w]*(?:by\b.*)?$"
    r"|^\W*(superseded|archived|obsolete|deprecated|consumed)\b\s*[\]):—–-]",
    re.IGNORECASE,
)
_LINKED: Final = compile_later(r"\[[^\]\n]*\]\(([^)\s]+)\)")
_END_FIELDS: Final = frozenset({"superseded_by", "replaced_by", "archived", "consumed", "superseded", "obsolete"})
_NO: Final = frozenset({"false", "no", "none", "null", ""})
_DATE: Final = compile_later(r"\b\d{4}-\d{2}-\d{2}\b")
_BRANCH: Final = compile_later(r"^[\w][\w./-]*")
_STATUS_HEADING: Final = compile_later(r"^\W*(?:current\s+)?status\s*[:—-]\s*(.+)$", re.IGNORECASE)
_NAMES: Final = {
    "status": (
        *("status", "current status", "overall status", "decision", "qa decision", "qa verdict", "review decision"),
        *("verdict", "review verdict", "final verdict"),
    ),
    "agent": ("agent", "author", "from", "from agent", "written by", "prepared by"),
    "target": ("to", "to agent", "next agent", "for"),
    "date": ("date", "last updated", "updated", "created", "session time", "session date", "timestamp", "generated"),
    "branch": ("branch", "current branch", "git branch"),
    "phase": ("phase", "current phase"),
    "next_phase": ("next phase",),
    "next": ("next", "next step", "next action"),
    "priority": ("priority",),
}
_TASK_FIELDS: Final = frozenset({"task", "task id", "ticket", "issue", "story"})
"""Fields that say which piece of work a note is about: those about one are a series."""
Fields = dict[str, tuple[str, Place]]


def read(owned: list[Source], files: FormatFiles) -> FormatReading:
    reading = FormatReading()
    taken: dict[str, str] = {}
    learnt = learn_headings(files)
    ordered = sorted(owned, key=lambda source: source.path)
    sources = [source for source in ordered if not is_beside_another(source, files)]
    for source in sources:
        if is_decision(source.path):
            continue
        if source.readable and not source.text.strip():
            source.report("is empty")
        reading.handoffs.append(_build_handoff(source, taken))
        report_unknown(source, learnt)
    decisions = {source.path: source for source in sources if is_decision(source.path)}
    file_decisions(reading, decisions, files, _read_any)
    shown = {document.path for handoff in reading.handoffs for document in handoff.documents}
    reading.handoffs.extend(_build_handoff(source, taken) for path, source in decisions.items() if path not in shown)
    return reading


def _build_handoff(source: Source, taken: dict[str, str]) -> Handoff:
    handoff = source.read_once("notes.handoff", _read_any)
    name = claim_words.build_unique_id(taken, source, "notes", source.path)
    return handoff if handoff.id == name else handoff.model_copy(update={"id": name})


def _read_any(source: Source) -> Handoff:
    return read_structured(source, recognise(source)).build() if is_structured(source.path) else _read_handoff(source)


def _read_handoff(source: Source) -> Handoff:
    """All that it says; its id must still be unique."""
    notes = split_sessions(source.outline)
    fields, facts = _read_fields(source, notes)
    status = _find_status(source, notes, fields)
    run = find_first_run(notes.current)
    counts = run.claims("suite", source.path) if run else []
    agent, target = _value(fields, "agent"), _value(fields, "target")
    attempts = _build_attempts(source, notes)
    claims = join_claims(_claim_fields(status, fields), counts, _claim_work(source, notes))
    return Handoff(
        id=build_id("notes", source.path),
        dialect="notes",
        title=source.outline.title,
        source_phase=_value(fields, "phase"),
        target_phase=_value(fields, "next_phase"),
        source_agent=agent,
        target_agent=target,
        priority=_value(fields, "priority"),
        status=claim_words.normalise_status(status[0]) if status else None,
        attempt=len(attempts) + 1,
        attempts=attempts,
        words=find_words(source, notes.current),
        producers=(agent,) if agent else (),
        message=_find_message(notes),
        next_action=find_next_action(notes) or _value(fields, "next"),
        claims=claims,
        tests=run.counts() if run else None,
        documents=(source.document(DocumentRole.NOTE, confidence=recognise(source)),),
        tasks=tuple(read_tasks(source, notes)),
        blockers=tuple(read_blockers(source, notes)),
        facts=(*facts, *_find_unread(source, notes, claims)),
        created=_value(fields, "date"),
        ended=_find_end(source.outline.title, notes, facts),
    )


def _find_unread(source: Source, notes: Notes, claims: Iterable[Claim]) -> Iterator[Fact]:
    """The first list of files under a heading that says nothing known of them, where no file is claimed at all."""
    if any(claim.kind in BECOMING for claim in claims):
        return
    for section in notes.current:
        if section.level > 1 and role_of(section.name) is None and not is_silent_heading(section.name):
            for item in section.items():
                path = clean_path(plain(item.text).split(" ", 1)[0].strip(",:;()"))
                if path is not None and has_file_name(path):
                    yield source.fact("not understood", f'what became of the files under "{section.name}"', item.line)
                    return


def _find_end(title: str | None, notes: Notes, facts: tuple[Fact, ...]) -> str | None:
    """What says near the top that the note is over, such as "Superseded by HANDOFF_5.md"; None if nothing does."""
    if title is not None and _ENDED_TITLE.search(title):
        return claim_words.one_line(title)
    for fact in facts:
        if fact.name.casefold().replace("-", "_") in _END_FIELDS and fact.value.casefold() not in _NO:
            return f"{fact.name.replace('_', ' ')}: {fact.value}"
    for line in notes.lines()[:_END_LINES]:
        if _END.match(line.text):
            told = _LINKED.sub(r"\1", line.text)  # where a link leads says more than its words
            return claim_words.one_line(plain(told).strip(" >*_#⚠️").removeprefix("Status: "))
    return None


def _read_fields(source: Source, notes: Notes) -> tuple[Fields, tuple[Fact, ...]]:
    """Frontmatter first, then fields near the top; every plain value of the frontmatter is a fact as well."""
    fields: Fields = {}
    facts: list[Fact] = []
    front = source.frontmatter
    for member in front.members() if front else ():
        text = None if isinstance(member.value, dict | list) else member.as_text()
        if text:
            name = member.key
            facts.append(Fact(name=name, value=text, where=member.where))
            _keep_field(fields, name.replace("_", " "), text, member.where)
    for line, name, text in find_fields(takewhile(lambda line: line.number <= _HEAD_LINES, notes.lines())):
        _keep_field(fields, name, text, source.place(line.number))
        if name in _TASK_FIELDS and text and all(fact.name != name for fact in facts):
            facts.append(Fact(name=name, value=claim_words.one_line(text), where=source.place(line.number)))
    return fields, tuple(facts)


def _keep_field(fields: Fields, name: str, text: str, where: Place) -> None:
    known = next((key for key, names in _NAMES.items() if name.lower() in names), None)
    if known is not None and text.strip():
        fields.setdefault(known, (claim_words.one_line(text), where))


def _value(fields: Fields, name: str) -> str | None:
    return fields[name][0] if name in fields else None


def _find_status(source: Source, notes: Notes, fields: Fields) -> tuple[str, Place] | None:
    """The field; else a heading such as `Status: DONE`; else how a status section begins, if that is a token."""
    if "status" in fields:
        return fields["status"]
    for section in notes.about(Topic.STATUS):
        heading = _STATUS_HEADING.match(section.name)
        if heading is not None and claim_words.parse_status(heading.group(1)):
            return heading.group(1), source.place(section.line)
        for line in section.lines():
            if not line.code and line.text.strip():
                if claim_words.parse_status(line.text):
                    return claim_words.one_line(line.text), source.place(line.number)
                break
    return None


def _claim_fields(status: tuple[str, Place] | None, fields: Fields) -> list[Claim]:
    claims: list[Claim] = []
    if status is not None:
        claims.append(
            build_claim(ClaimKind.STATUS, status[1], status[0], value=claim_words.normalise_status(status[0]))
        )
    branch = _BRANCH.match(_value(fields, "branch") or "")
    if branch is not None:
        text, where = fields["branch"]
        claims.append(build_claim(ClaimKind.BRANCH, where, text, value=branch.group()))
    return claims


def _claim_work(source: Source, notes: Notes) -> list[Claim]:
    return [*find_claims(notes.current, source.path, front=source.frontmatter), *claim_lines(source, notes.lines())]


def _build_attempts(source: Source, notes: Notes) -> tuple[Attempt, ...]:
    """Notes put the newest session on top, so the last heading is the first attempt."""
    count = len(notes.previous)
    newest_first = [
        Attempt(
            number=count - position,
            summary=section.name,
            when=date.group() if (date := _DATE.search(section.name)) else None,
            where=source.place(section.line),
        )
        for position, section in enumerate(notes.previous)
    ]
    return tuple(newest_first[::-1])


def _find_message(notes: Notes) -> str | None:
    """The context or summary; else the first prose that isn't a field."""
    for section in notes.current:
        if section.name.lower() in {"summary", "context", "overview", "current task", "current state"}:
            text = claim_words.section_text(section)
            if text:
                return text
    for section in notes.current:
        for paragraph in section.paragraphs():
            if not paragraph.html and parse_field(paragraph.text) is None:
                return paragraph.text
    return None


NOTES: Final = HandoffFormat(id="notes", may_own=may_own, recognise=recognise, read=read, surest=WEAK)
