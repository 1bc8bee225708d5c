"""The handoff: one agent's work, ready (or said to be ready) for the next; and its draft."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.model import Fits, Model
from handoff_tui.core.place import Place
from handoff_tui.core.tasks import Attempt, Blocker, Fact, Package, Proof, Question, ReportedFinding, Task, TestCounts
from handoff_tui.handoffs.claim import Claim, ClaimKind, ClaimValue, build_claim

CONTRADICTION = "its evidence contradicts itself"
"""The fact that its own records contradict each other."""


class DocumentRole(StrEnum):
    """What a document is for."""

    SPEC = "spec"
    RESULTS = "results"
    PROMPT = "prompt"
    ANSWERS = "answers"
    REVIEW = "review"
    EVALUATION = "evaluation"
    STATE = "state"
    CONTEXT = "context"
    REPORT = "report"
    MANIFEST = "manifest"
    LOG = "log"
    NOTE = "note"
    LIST = "list"
    OTHER = "other"


class Heading(Model):
    """A heading and its line."""

    title: str
    line: int
    level: int = 2


class Document(Model):
    """A file of a handoff. `missing` and `out_of_order` are section names of its standard, if it has one."""

    path: str
    role: DocumentRole
    title: str | None = None
    sha256: str | None = None
    """Of the bytes as read; None if the file could not be read."""
    sections: tuple[Heading, ...] = ()
    missing: tuple[str, ...] = ()
    out_of_order: tuple[str, ...] = ()
    confidence: float = 1.0
    """How sure the format is that it owns this document."""


ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$"
"""The grammar of handoff and phase names in the signed log; every id fits it from the start."""

HandoffId = Annotated[str, Fits(pattern=ID_PATTERN)]

_LIGATURES = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"}
)
_OTHER_LETTERS = compile_later(r"(?:(?![\x00-\x7f])[^\W_])+")
_OUTSIDE_GRAMMAR = compile_later(r"[^A-Za-z0-9._/-]+")


def build_id(*parts: str) -> str:
    """Joins parts into an id that fits the log's grammar: letters are spelled in ASCII, the rest becomes hyphens."""
    joined = "/".join(part for part in parts if part)
    spelled = joined if joined.isascii() else _spell_in_ascii(joined)
    return (_OUTSIDE_GRAMMAR.sub("-", spelled).lstrip("._/-") or "unnamed")[:128]


def _spell_in_ascii(text: str) -> str:
    """`Übergabe` → `Ubergabe`; letters of other scripts are spelled as host names spell them, each word apart."""
    import unicodedata  # noqa: PLC0415 - few names need it

    letters = unicodedata.normalize("NFKD", text.translate(_LIGATURES))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _OTHER_LETTERS.sub(lambda word: word[0].encode("punycode").decode("ascii").strip("-"), plain)


class HandoffType(StrEnum):
    """What is handed over."""

    PHASE_TRANSITION = "phase_transition"
    AGENT_HANDOFF = "agent_handoff"
    CONTRACT_HANDOFF = "contract_handoff"
    WORKFLOW_HANDOFF = "workflow_handoff"
    SYSTEM_HANDOFF = "system_handoff"


class RegistryState(StrEnum):
    """The state of a handoff in the builder's registry, derived from the files that exist."""

    NOT_DISPATCHED = "NOT DISPATCHED"
    DISPATCHED = "DISPATCHED"
    APPROVED = "APPROVED"
    COMPLETE = "COMPLETE"
    VALIDATED = "VALIDATED"
    FAILED = "FAILED"
    BLOCKED = "BLOCKED"
    SUPERSEDED = "SUPERSEDED"


class WordSort(StrEnum):
    """What an author's conclusion amounts to."""

    GOOD = "good"
    BAD = "bad"
    UNDER_WAY = "under way"
    UNKNOWN = "unknown"


class AuthorWord(Model):
    """A conclusion as its author wrote it: the name of the field, the words, and how they sort."""

    name: str
    text: str
    sort: WordSort
    where: Place


class ClaimedBaseline(Model):
    """The baseline snapshot as a results document declares it."""

    packages: int | None = None
    tests: int | None = None


class Handoff(Model):
    """One handoff as read, whatever its format. Nothing in here was measured."""

    id: HandoffId
    dialect: str
    title: str | None = None
    asked: Fact | None = None
    """What the work is for, as its spec says it. No decision binds it: the spec is bound as it is."""
    original_name: str | None = None
    """The name used in the files, if the id is a canonical form of it."""
    type: HandoffType = HandoffType.AGENT_HANDOFF
    source_phase: str | None = None
    target_phase: str | None = None
    stated_phase: str | None = None
    """The phase that its documents name, if its runs say that it is in another."""
    ran: bool = False
    """Whether a run moved it on and left the documents alone: their status is about earlier work."""
    branch: str | None = None
    """The branch with its newest work, if an agent did that in a work tree and nobody has merged it here."""
    source_agent: str | None = None
    target_agent: str | None = None
    priority: str | None = None
    status: str | None = None
    """The status token that the handoff claims."""
    words: tuple[AuthorWord, ...] = ()
    """Its author's conclusions as written, whatever the fields are called."""
    registry: RegistryState | None = None
    blocked_by: tuple[str, ...] = ()
    attempt: int = 1
    attempts: tuple[Attempt, ...] = ()
    producers: tuple[str, ...] = ()
    message: str | None = None
    next_action: str | None = None
    claims: tuple[Claim, ...] = ()
    tests: TestCounts | None = None
    regression: TestCounts | None = None
    baseline: ClaimedBaseline | None = None
    documents: tuple[Document, ...] = ()
    packages: tuple[Package, ...] = ()
    tasks: tuple[Task, ...] = ()
    findings: tuple[ReportedFinding, ...] = ()
    proofs: tuple[Proof, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    questions: tuple[Question, ...] = ()
    greenlit: bool | None = None
    facts: tuple[Fact, ...] = ()
    created: str | None = None
    """When the handoff says it was made, as written there."""
    ended: str | None = None
    """Why it is over, by its own words or by files beside it: consumed, superseded by another."""

    @property
    def said_phase(self) -> str:
        """The phase that its documents name, wherever its runs brought it; "" if they name none."""
        return self.stated_phase or self.source_phase or ""

    @property
    def said(self) -> str | None:
        """Its author's conclusion as written: the bad ones, else its status, else the first; or the status token."""
        bad = [
            word.text if word.name.lower() == "status" else f"{word.name}: {word.text}"
            for word in self.words
            if word.sort is WordSort.BAD
        ]
        by_name = sorted(self.words, key=lambda word: word.name.lower() != "status")
        return "; ".join(bad) or next((word.text for word in by_name), None) or self.status


class HandoffDraft(Handoff):
    """A handoff while it is read, begun with `model_construct`: its parts in the order in which they are found."""

    __slots__ = ("_said",)

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def add_fact(self, name: str, value: str | None, where: Place | None = None) -> None:
        """Adds a fact; one without a value is none."""
        if value:
            self.facts += (Fact(name=name, value=value, where=where),)

    def add_producer(self, name: str | None) -> None:
        if name and name not in self.producers:
            self.producers += (name,)

    def add_claims(self, claims: Iterable[Claim]) -> None:
        """Adds claims; one that says the same at the same place as an earlier one is left out."""
        said: dict[tuple[object, ...], Claim]
        known, said = getattr(self, "_said", (None, {}))  # claims often come one by one
        if known is not self.claims:
            said = {_sameness(claim): claim for claim in self.claims}
        for claim in claims:
            said.setdefault(_sameness(claim), claim)
        self.claims = tuple(said.values())
        object.__setattr__(self, "_said", (self.claims, said))

    def claim(
        self, kind: ClaimKind, where: Place, text: str, *, subject: str | None = None, value: ClaimValue = None
    ) -> None:
        """Adds one claim."""
        self.add_claims([build_claim(kind, where, text, subject=subject, value=value)])

    def build(self) -> Handoff:
        """Freezes it."""
        return Handoff(**dict(self))


def _sameness(claim: Claim) -> tuple[object, ...]:
    return claim.kind, claim.subject, claim.value, claim.where.path, claim.where.line
