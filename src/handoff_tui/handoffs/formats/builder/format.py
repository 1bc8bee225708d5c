"""The builder standard: specs, prompts with questions, results, reviews, packages, and the evidence of runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.place import Problem, ProblemLevel
from handoff_tui.core.tasks import Fact
from handoff_tui.handoffs.claim import Claim, ClaimKind, build_claim, quote
from handoff_tui.handoffs.formats.builder.draft import BuilderDraft, build_draft
from handoff_tui.handoffs.formats.builder.names import (
    find_earlier,
    group_files,
    is_framework,
    is_same_framework,
    parse_path,
)
from handoff_tui.handoffs.formats.builder.packages import attach_packages, read_manifest
from handoff_tui.handoffs.formats.builder.prompts_and_reviews import find_contract_version
from handoff_tui.handoffs.formats.builder.recognition import recognise
from handoff_tui.handoffs.formats.builder.registry_state import (
    RegistryRow,
    apply_blocks,
    derive_state,
    find_rows,
    find_superseded,
)
from handoff_tui.handoffs.grammar.counts import find_member_counts
from handoff_tui.handoffs.grammar.tokens import HASH, canonical_hash
from handoff_tui.handoffs.handoff import CONTRADICTION, DocumentRole, Handoff, RegistryState
from handoff_tui.handoffs.reading.format import FormatFiles, FormatReading, HandoffFormat, Source
from handoff_tui.handoffs.reading.json_document import JsonNode

_QUESTION_NUMBER: Final = compile_later(r"q(\d+)")
_NO_LETTER: Final = compile_later(r"[^a-z0-9]")

_EVENTS: Final = compile_later(r"(?:.*[_-])?events\.jsonl$", re.IGNORECASE)
_STATUS: Final = compile_later(r"(?:run[_-]?)?(?:status|state)\.json$", re.IGNORECASE)
_EVIDENCE: Final = compile_later(r"(?:.*/)?(?:evidence/[^/]+|[^/]*evidence[^/]*)\.json$", re.IGNORECASE)
_PATH_KEYS: Final = ("path", "file", "artifact", "document", "name")
_HASH_KEYS: Final = ("sha256", "hash", "digest", "sha")
_NAMED_HASH: Final = compile_later(r"(?P<name>.+?)[_-](?:sha256|hash|digest|sha)$", re.IGNORECASE)
_STATE_KEYS: Final = ("status", "state", "verdict", "result")
_EXIT_KEYS: Final = ("exit_code", "exitcode", "exit_status", "returncode", "return_code")
_TIME_KEYS: Final = ("timestamp", "time", "at", "ts", "created_at")
_NUMBER_KEYS: Final = ("seq", "sequence", "number", "index")
_GOOD: Final = frozenset({"pass", "passed", "success", "succeeded", "complete", "completed", "accepted", "done", "ok"})
_BAD: Final = frozenset({"fail", "failed", "error", "aborted", "rejected", "escalate", "escalated", "retry", "blocked"})


def attach_evidence(drafts: list[BuilderDraft], files: FormatFiles, reading: FormatReading) -> None:
    """Adds what lies anywhere below a handoff's own folder, and evidence beside its documents that names it."""
    by_folder = {folder: draft for draft in drafts for folder in draft.group.folders}
    logs: dict[str, Source] = {}
    states: list[tuple[BuilderDraft, Source]] = []
    for path, draft in _find_evidence(drafts, by_folder, files):
        name = path.rpartition("/")[2]
        source = files.source(path)
        reading.used.add(path)
        if _EVENTS.match(name):
            logs[source.folder] = source
            draft.told.documents += (source.document(DocumentRole.LOG),)
            draft.told.facts += tuple(_read_events(source))
        elif _STATUS.match(name):
            states.append((draft, source))
        else:
            draft.told.documents += (source.document(DocumentRole.OTHER),)
            draft.told.claims += tuple(read_evidence(source, [one.path for one in draft.told.documents]))
            _compare_verdict(draft, source)
    for draft, source in states:
        draft.told.documents += (source.document(DocumentRole.STATE),)
        _compare_state(draft, source, logs.get(source.folder))


def _find_evidence(
    drafts: list[BuilderDraft], by_folder: dict[str, BuilderDraft], files: FormatFiles
) -> Iterator[tuple[str, BuilderDraft]]:
    below = files.list_below(by_folder) if by_folder else []
    named = {path.rpartition("/")[0] for path in below if _EVENTS.match(path.rpartition("/")[2])}
    for path in below:
        folder, _, name = path.rpartition("/")
        is_state = _STATUS.match(name) is not None and folder in named
        if _EVENTS.match(name) or is_state or _EVIDENCE.match(path):
            yield path, by_folder[_find_above(folder, by_folder)]
    beside = {(source.folder, _letters(draft.group.id)): draft for draft in drafts for source in draft.sources}
    for path in files.list_containing("evidence"):
        folder, _, name = path.rpartition("/")
        if not _EVIDENCE.match(path) or _find_above(folder, by_folder):
            continue
        word_left = _letters(name.removesuffix(".json")).replace("evidence", "")
        owners = [
            draft
            for (place, word), draft in beside.items()
            if place == folder and (word in _letters(name) or word.removeprefix("h") == word_left)
        ]
        if owners:
            yield path, max(owners, key=lambda draft: len(draft.group.id))


def _find_above(folder: str, by_folder: dict[str, BuilderDraft]) -> str:
    while folder and folder not in by_folder:
        folder = folder.rpartition("/")[0]
    return folder


def _read_events(source: Source) -> Iterator[Fact]:
    """How many events a log holds, where a number is left out, and where time runs backwards."""
    events = [event.root for event in source.json_lines if event.root is not None]
    yield Fact(name="events", value=str(len(events)), where=source.place())
    for before, after in pairwise(events):
        first, second = (_first_number(one) for one in (before, after))
        if first is not None and second is not None and second != first + 1:
            yield Fact(name=CONTRADICTION, value=f"event {second} follows event {first}", where=after.where)
        earlier, later = (one.first(*_TIME_KEYS) or "" for one in (before, after))
        if earlier and later and _is_time(earlier) and _is_time(later) and later < earlier:
            said = f"the event of {quote(later)} comes after one of {quote(earlier)}"
            yield Fact(name=CONTRADICTION, value=said, where=after.where)


def _compare_state(draft: BuilderDraft, source: Source, log: Source | None) -> None:
    """Adds how a run says it ended, and what refutes a good end: its last event, or the results."""
    root = source.json
    said = root.first(*_STATE_KEYS) if root is not None and isinstance(root.value, dict) else None
    if root is None or said is None:
        return
    where = root.place_of(next(key for key in _STATE_KEYS if root.has(key)))
    draft.told.add_fact("run status", said, where)
    events = [event.root for event in log.json_lines if event.root is not None] if log is not None else []
    states = [state for event in events if (state := event.first(*_STATE_KEYS))]
    if states and _judge(states[-1]) is not None and _judge(said) is not _judge(states[-1]):
        refuted = f"the run says {quote(said)}, but its last event says {quote(states[-1])}"
        draft.told.add_fact(CONTRADICTION, refuted, where)
    newest = draft.newest.reading.status if draft.newest else None
    if newest is not None and _judge(said) is True and _judge(newest) is False:
        draft.told.add_fact(CONTRADICTION, f"the run says {quote(said)}, but the results say {newest}", where)


def _compare_verdict(draft: BuilderDraft, source: Source) -> None:
    """Adds that evidence of the newest results reports a failure that they don't."""
    root = source.json
    newest = draft.newest.reading if draft.newest else None
    if root is None or not isinstance(root.value, dict) or newest is None or _judge(newest.status or "") is not True:
        return
    state = root.first(*_STATE_KEYS)
    is_admitted = any(run is not None and run.failed for run in (newest.tests, newest.regression))
    said = quote(state) if state is not None and _judge(state) is False else None
    if said is None and not is_admitted:
        said = _find_failure(root)
    if said is not None:
        draft.told.add_fact(
            CONTRADICTION, f"the evidence says {said}, but the results say {newest.status}", source.place()
        )


def _find_failure(root: JsonNode) -> str | None:
    """The exit code or the number of failures that an evidence file gives; None if all is well or nothing is said."""
    for key in _EXIT_KEYS:
        code = root.get(key)
        if code is not None and type(code.value) is int and code.value:
            return f"{key} {code.value}"
    counted = find_member_counts(root)
    failed = root.get("failed")
    number = counted[0].failed if counted is not None else failed.value if failed is not None else None
    return f"{number} failed" if type(number) is int and number else None


def _judge(word: str) -> bool | None:
    """Whether a word is good or bad; None if it is neither."""
    token = word.strip().casefold()
    return True if token in _GOOD else False if token in _BAD else None


def read_evidence(source: Source, known: Iterable[str] = ()) -> list[Claim]:
    """Each file that an evidence file ties to a hash. A bare file name is one in the same folder.

    `results_hash` is about the one of the `known` documents that is called so.
    """
    claims: list[Claim] = []
    documents = tuple(known)
    for node in source.json.walk() if source.json is not None else ():
        if not isinstance(node.value, dict):
            continue
        for path, value, place in _find_pairs(node, source, documents):
            subject = path if "/" in path or not source.folder else f"{source.folder}/{path}"
            text = f"{path}: {value}"
            claims.append(build_claim(ClaimKind.HASH, place.where, text, subject=subject, value=canonical_hash(value)))
    return claims


def _find_pairs(node: JsonNode, source: Source, known: tuple[str, ...]) -> Iterator[tuple[str, str, JsonNode]]:
    """`{"path": p, "sha256": h}`, `{"REVIEW_REPORT.md": "sha256:…"}`, or `{"results_hash": "sha256:…"}`."""
    members = {member.key: member for member in node.members()}
    path = next((m.value for key in _PATH_KEYS if (m := members.get(key)) and isinstance(m.value, str)), None)
    digest = next((members[key] for key in _HASH_KEYS if key in members), None)
    if path and digest is not None and isinstance(digest.value, str) and HASH.search(digest.value):
        yield path, digest.value, digest
    for key, member in members.items():
        if not isinstance(member.value, str) or not HASH.fullmatch(member.value):
            continue
        named = _NAMED_HASH.match(key)
        if "." in key:
            yield key, member.value, member
        elif named is not None and (meant := _find_meant(named["name"], source, known)) is not None:
            yield meant, member.value, member


def _find_meant(name: str, source: Source, known: tuple[str, ...]) -> str | None:
    """The only other document whose name holds all words of a key, such as `q13_answers` or `builder_evidence`."""
    words = {_letters(word) for word in name.split("_")}
    fitting = [
        path
        for path in known
        if path != source.path and all(word in _letters(path.rpartition("/")[2]) for word in words)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _letters(text: str) -> str:
    """Letters and digits in lower case; `q13` and `13Q` are the same."""
    return _QUESTION_NUMBER.sub(r"\1q", _NO_LETTER.sub("", text.casefold()))


def _first_number(event: JsonNode) -> int | None:
    found = (event.integer(key) for key in _NUMBER_KEYS if event.has(key)) if isinstance(event.value, dict) else ()
    return next(iter(found), None)


def _is_time(text: str) -> bool:
    """Times in one form, which compare as text."""
    return re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?$", text) is not None


def _may_own(path: str) -> bool:
    return parse_path(path) is not None


def _read(owned: list[Source], files: FormatFiles) -> FormatReading:
    reading = FormatReading()
    roles = {source.path: named.role for source in owned if (named := parse_path(source.path)) is not None}
    sources = sorted((source for source in owned if source.path in roles), key=lambda source: source.path)
    manifests = [read_manifest(source) for source in sources if roles[source.path] is DocumentRole.MANIFEST]
    lists = [source for source in sources if roles[source.path] is DocumentRole.LIST]
    others = [s for s in sources if roles[s.path] not in {DocumentRole.MANIFEST, DocumentRole.LIST}]
    groups, problems = group_files(others, files.sort_by_age)
    reading.problems.extend(problems)
    earlier = find_earlier(groups)
    drafts = [build_draft(group, files.settings.builder, earlier=group.id in earlier) for group in groups]
    rest = attach_packages(drafts, manifests)
    attach_evidence(drafts, files, reading)
    _compare_contract(drafts, files, reading)
    states = _settle_registry(drafts, [*lists, *others], reading, files.settings.builder.released_states)
    reading.handoffs = [draft.handoff(states[draft.group.id]) for draft in drafts]
    if rest is not None:
        reading.handoffs.append(rest)
    _keep_lists(lists, reading)
    return reading


def _keep_lists(lists: list[Source], reading: FormatReading) -> None:
    """A registry none of whose handoffs has files becomes a handoff."""
    shown = {document.path for handoff in reading.handoffs for document in handoff.documents}
    alone = [source for source in lists if source.path not in shown]
    if not alone:
        return
    documents = tuple(source.document(DocumentRole.LIST) for source in alone)
    facts = tuple(
        Fact(name="registry says", value=f"{row.id}: {row.text}", where=row.where)
        for source in alone
        for row in find_rows(source)
    )
    taken = {handoff.id for handoff in reading.handoffs}
    name = "registry" if "registry" not in taken else "registry-rest"
    title = "A registry without handoffs"
    reading.handoffs.append(Handoff(id=name, dialect="builder", title=title, documents=documents, facts=facts))


def _compare_contract(drafts: list[BuilderDraft], files: FormatFiles, reading: FormatReading) -> None:
    """A prompt made from an older contract than the one that is in force."""
    stated = [prompt for draft in drafts for prompt in draft.prompts if prompt.contract]
    name = files.settings.builder.questions.contract
    named = (path for path in files.paths if path.endswith(name) and path.rpartition("/")[2] == name)
    path = next(named, None) if stated else None
    if path is None:
        return
    current = find_contract_version(files.source(path))
    reading.used.add(path)
    for prompt in stated:
        if current is not None and prompt.contract != current:
            line = next(f.where.line for f in prompt.facts if f.name == "prompt contract" and f.where)
            prompt.source.report(f"follows contract {prompt.contract}, but {path} is {current}", line)


def _settle_registry(
    drafts: list[BuilderDraft], sources: list[Source], reading: FormatReading, released: tuple[str, ...]
) -> dict[str, RegistryState]:
    """The registry state of each handoff, once all are known; what people wrote becomes a fact."""
    by_id = {draft.group.id: draft for draft in drafts}
    superseded = {handoff for draft in drafts for source in draft.sources for handoff in find_superseded(source)}
    rows = [(source, row) for source in sources for row in find_rows(source)]
    for _, row in rows:
        handoff = _resolve(row.id, by_id)
        if handoff in by_id:
            by_id[handoff].told.blocked_by += row.blocked_by
    for handoff, draft in by_id.items():
        unknown = is_framework(handoff)
        resolved = (_resolve(other, by_id) or (other if unknown else None) for other in draft.told.blocked_by)
        others = dict.fromkeys(resolved)
        draft.told.blocked_by = tuple(other for other in others if other is not None and other != handoff)
    states = {
        handoff: derive_state(draft.standing(superseded=handoff in superseded)) for handoff, draft in by_id.items()
    }
    blocked_by = {handoff: draft.told.blocked_by for handoff, draft in by_id.items()}
    states = apply_blocks(states, blocked_by, released)
    for source, row in rows:
        _compare_row(source, row, by_id, states, reading)
    return states


def _resolve(handoff: str, by_id: dict[str, BuilderDraft]) -> str | None:
    """The id of a handoff; a framework may be given by its number alone. None if there is no such handoff."""
    if handoff in by_id or not is_framework(handoff):
        return handoff
    same = [known for known in by_id if is_same_framework(known, handoff)]
    return same[0] if len(same) == 1 else None


def _compare_row(
    source: Source,
    row: RegistryRow,
    by_id: dict[str, BuilderDraft],
    states: dict[str, RegistryState],
    reading: FormatReading,
) -> None:
    handoff = _resolve(row.id, by_id)
    draft = by_id.get(handoff) if handoff else None
    if draft is None or handoff is None:
        message = f"the registry has {row.id} as {row.state}, but there are no files of it"
        reading.problems.append(_warn(row, message))
        return
    draft.told.add_fact("registry says", row.text, row.where)
    if all(document.path != source.path for document in draft.told.documents):
        draft.told.documents += (source.document(DocumentRole.LIST),)
    if row.state is not states[handoff]:
        message = f"the registry has {handoff} as {row.state}, but its files say {states[handoff]}"
        reading.problems.append(_warn(row, message))


def _warn(row: RegistryRow, message: str) -> Problem:
    return Problem(path=row.where.path, line=row.where.line, message=message, level=ProblemLevel.WARNING)


BUILDER: Final = HandoffFormat(id="builder", may_own=_may_own, recognise=recognise, read=_read)
