"""Passages of handoff documents with known truth, in one real repository, and what the product makes of them."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from handoff_tui.cli.main import main
from tests.support.repositories import RepositoryBuilder

DATA = Path(__file__).resolve().parents[1] / "data"
FILES = ("file-created", "file-modified", "file-deleted", "file-referenced")
KINDS = (*FILES, "hash", "commit", "branch", "uncommitted")
NUMBERS = ("total", "passed", "failed", "skipped")
_MARK = re.compile(r"\{(sha|sha8|old|c|full):([^}]+)\}")
_MAY_2026 = 1_777_800_000

_BEFORE = (
    "README.md",
    "package.json",
    "Makefile",
    "Dockerfile",
    ".github/workflows/ci.yml",
    "src/server.ts",
    "src/routes/loans.ts",
    "src/lib/db.ts",
    "src/legacy/fines.ts",
    "src/config.py",
    "src/auth/session.ts",
    "docs/setup.md",
    "docs/old-api.md",
    "tests/test_loans.py",
    "scripts/seed.sh",
    "prisma/schema.prisma",
    "web/components/Card.tsx",
    "web/components/Modal.tsx",
    "web/app/layout.tsx",
)
_RESERVE = (
    "src/reservations.py",
    "tests/test_reservations.py",
    "web/components/ReserveButton.tsx",
    "docs/reservations.md",
    "migrations/0007_reservations.sql",
    "src/lib/queue.ts",
)

PLACES = {
    "note": ("HANDOFF.md", "HANDOFF.md", "# Handoff\n\nSearch works.\n"),
    "dated": ("docs/handoffs/2026-05-03-reservations.md", "docs/handoffs/2026-05-02-search.md", "# Search\n\nWorks.\n"),
    "claude": (".claude/handoff/2026-05-03-holds.md", ".claude/handoff/2026-05-02-search.md", "# Search\n\nWorks.\n"),
    "gsd": (
        ".planning/HANDOFF.md",
        ".planning/HANDOFF.md",
        "# Phase 2 Plan 1: Search Summary\n",
    ),
    "json": (
        ".planning/HANDOFF.json",
        ".planning/HANDOFF.json",
        '{"version": "1.0", "phase": "02", "status": "done"}\n',
    ),
    "builder": (
        "handoffs/H-9/H-9_RESULTS.md",
        "handoffs/H-8/H-8_RESULTS.md",
        "# Results: H-8 — Search\n\n## Status: PASS\n",
    ),
    "mosaic": (
        ".mosaic/SESSION_HANDOFF_2026-05-03.md",
        ".mosaic/SESSION_HANDOFF_2026-05-02.md",
        "# Session Handoff 2026-05-02\n\nSearch works.\n",
    ),
}
"""For each format: the document, the one before it in its line of work, and that one's text."""
_TITLES = {"builder": "# Results: H-9 — Reservations\n\n", "gsd": "", "json": "", "mosaic": ""}


def load_samples(name: str) -> list[dict[str, Any]]:
    """The samples of a data file."""
    return list(tomllib.loads((DATA / name).read_text("utf-8"))["sample"])


@dataclass
class World:
    """A lending library's repository: search was handed over, then came the work that all samples speak about."""

    builder: RepositoryBuilder
    commits: dict[str, dict[str, str]] = field(default_factory=dict)

    @classmethod
    def build(cls, folder: Path) -> World:
        builder = RepositoryBuilder.init(folder)
        builder.moment = _MAY_2026
        world = cls(builder)
        builder.write(".gitignore", "dist/\ncoverage/\nnode_modules/\n.env*\n*.log\n*.db\n")
        for path in _BEFORE:
            builder.write(path, f"first text of {path}\n")
        builder.commit("Start the project")
        start = builder.head()
        for kind in PLACES:
            builder.step("reset", "--quiet", "--hard", start)
            world.commits[kind] = world._work(kind)
        return world

    def _work(self, kind: str) -> dict[str, str]:
        """Commits the handoff before and the work since; the commits by name."""
        builder, found = self.builder, {}
        _, earlier, text = PLACES[kind]
        builder.write("src/search.py", "rank\n").write("tests/test_search.py", "ranks\n").write(earlier, text)
        found["search"] = builder.commit("Add search").head()
        for path in _RESERVE:
            builder.write(path, f"reservations in {path}\n")
        self.edit("src/server.ts", "src/config.py", "package.json", "prisma/schema.prisma")
        found["reserve"] = builder.commit("Add reservations").head()
        builder.place("src/legacy/fines.ts").unlink()
        builder.step("mv", "docs/old-api.md", "docs/api-v1.md")
        self.edit("Makefile", "src/search.py", "web/components/Card.tsx")
        builder.write("src/jobs/expire_holds.py", "expire\n").write("scripts/backfill_holds.sh", "fill\n")
        found["fines"] = builder.commit("Drop fines, expire holds").head()
        builder.ref("refs/heads/feature/reservations", found["reserve"]).ref("refs/tags/v1.4.0", found["search"])
        builder.ref("refs/remotes/origin/main", found["reserve"]).ref("refs/remotes/origin/fix/overdue-emails", "HEAD")
        return found

    def edit(self, *paths: str) -> None:
        for path in paths:
            place = self.builder.place(path)
            self.builder.write(path, (place.read_text() if place.exists() else "") + "one more line\n")

    def fill(self, text: str, kind: str) -> str:
        """The text with hashes and commits in place of their marks."""

        def value(found: re.Match[str]) -> str:
            word, name = found.groups()
            if word in ("c", "full"):
                commit = self.commits[kind][name]
                return commit if word == "full" else commit[:7]
            path = self.builder.place(name)
            content = path.read_bytes()
            if word == "old":
                content = (self.builder.git("show", f"{self.commits[kind]['search']}:{name}") + "\n").encode()
            digest = hashlib.sha256(content).hexdigest()
            return digest[:8] if word == "sha8" else digest

        return _MARK.sub(value, text)

    def show(self, sample: Mapping[str, Any]) -> dict[str, Any]:
        """Hands over one sample's document, and what `show --json` says about it."""
        builder, kind = self.builder, str(sample["format"])
        builder.step("reset", "--quiet", "--hard", self.commits[kind]["fines"]).step("clean", "-fdxq")
        builder.moment = _MAY_2026 + 86_400
        text = _TITLES.get(kind, "# Handoff: reservations\n\n") + self.fill(str(sample["text"]).lstrip("\n"), kind)
        if "---\nstatus" in text:
            text = text[text.index("---\n") :]
        path = PLACES[kind][0]
        builder.write(path, text.replace("\n", "\r\n") if sample.get("crlf") else text)
        self.edit(*sample.get("with", ()))
        if "dirty" in sample:
            self.edit(*sample["dirty"])
        else:
            builder.commit("Hand over reservations")
        for act in sample.get("later", ()):
            verb, _, name = act.partition(" ")
            builder.place(name).unlink() if verb == "delete" else self.edit(name)
            builder.commit("Tidy up")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            code = main(["show", _IDS.get(kind, f"notes/{path}"), "--json", "--repo", str(builder.folder)])
        return dict(json.loads(printed.getvalue())) if code == 0 else _UNREAD


_IDS = {"builder": "H-9", "mosaic": "mosaic", "json": ".planning/HANDOFF.json"}
_UNREAD: dict[str, Any] = {"claims": [], "tests": {}, "blockers": [], "words": [], "gate": {"blocking": []}}
"""What is known about a document that isn't taken for a handoff."""


@dataclass
class Tally:
    """Right, missed and wrong answers by kind, with a line for each that is not right."""

    right: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)

    def miss(self, kind: str, line: str) -> None:
        self.missed[kind] += 1
        self.lines.append(f"missed  {kind}: {line}")

    def err(self, kind: str, line: str) -> None:
        self.wrong[kind] += 1
        self.lines.append(f"wrong   {kind}: {line}")

    def precision(self, kind: str) -> float:
        return _share(self.right[kind], self.wrong[kind])

    def recall(self, kind: str) -> float:
        return _share(self.right[kind], self.missed[kind])

    def rows(self) -> Iterator[str]:
        for kind in sorted({*self.right, *self.missed, *self.wrong}):
            yield (
                f"| {kind} | {self.right[kind]} | {self.wrong[kind]} | {self.missed[kind]} |"
                f" {self.precision(kind):.0%} | {self.recall(kind):.0%} |"
            )


def _share(right: int, others: int) -> float:
    return right / (right + others) if right + others else 1.0


def measure(samples: Sequence[Mapping[str, Any]], world: World) -> tuple[Tally, Tally]:
    """What was recognised, and which verdicts `contradicted` were right."""
    recognised, contradicted = Tally(), Tally()
    for sample in samples:
        shown = world.show(sample)
        if shown is _UNREAD:
            recognised.miss("document", sample["name"])
        _judge_claims(sample, shown, partial(world.fill, kind=sample["format"]), recognised, contradicted)
        _judge_counts(sample, shown, recognised)
        _judge_blockers(sample, shown, recognised)
        _judge_words(sample, shown, recognised)
    return recognised, contradicted


def _judge_claims(
    sample: Mapping[str, Any],
    shown: Mapping[str, Any],
    fill: Callable[[str], str],
    recognised: Tally,
    contradicted: Tally,
) -> None:
    name, optional = sample["name"], sample.get("optional", ())
    left = [claim for claim in shown["claims"] if claim["kind"] in (*KINDS, "count", "baseline")]
    known = {}
    for kinds, subjects, truth in sample.get("claims", ()):
        allowed, names = kinds.split("|"), fill(subjects).split("|")
        known.update(dict.fromkeys(names, truth))
        fits = [c for c in left if c["kind"] in allowed and (_subject(c) in names or names == ["*"])]
        left = [claim for claim in left if claim not in fits]
        verdicts = [claim["verdict"] for claim in fits]
        kind, place = allowed[0], f"{name}: {names[0]} ({truth})"
        if fits:
            recognised.right[kind] += 1
        elif truth != "any":
            recognised.miss(kind, place)
        _judge_verdicts(kind, place, truth, verdicts, recognised, contradicted)
    for claim in left:
        kind, subject, verdict = claim["kind"], _subject(claim), claim["verdict"]
        if kind in optional or f"{kind} {subject}" in optional:
            continue
        if verdict == "contradicted" and known.get(subject) not in ("false", "any"):
            contradicted.err(kind, f"{name}: {subject}: {claim['evidence']}")
        harmless = kind not in KINDS or (kind == "file-referenced" and verdict != "contradicted")
        if subject not in known and not harmless:
            recognised.err(kind, f"{name}: {subject} ({verdict})")


def _judge_verdicts(
    kind: str, place: str, truth: str, verdicts: Sequence[str], recognised: Tally, contradicted: Tally
) -> None:
    if truth == "false" and "contradicted" in verdicts:
        contradicted.right[kind] += 1
    elif truth == "false":
        contradicted.miss(kind, f"{place}: {verdicts}")
    elif "contradicted" in verdicts and truth != "any":
        contradicted.err(kind, f"{place}: {verdicts}")
    elif verdicts and truth == "was-true" and "was-true" not in verdicts:
        recognised.miss("was-true", f"{place}: {verdicts}")
    elif verdicts and truth == "was-true":
        recognised.right["was-true"] += 1


def _subject(claim: Mapping[str, Any]) -> str:
    for value in (claim["subject"], claim["claimed"]):
        if isinstance(value, str):
            return value
    return ""


def _judge_counts(sample: Mapping[str, Any], shown: Mapping[str, Any], tally: Tally) -> None:
    if "counts" not in sample:
        return
    wanted, name = sample["counts"], sample["name"]
    read = {
        (number, suite[number]) for suite in shown["tests"].values() for number in NUMBERS if suite[number] is not None
    }
    claimed = {(str(c["subject"]).rpartition(".")[2], c["claimed"]) for c in shown["claims"] if c["kind"] == "count"}
    for pair in wanted.items():
        if pair in read | claimed:
            tally.right["count"] += 1
        else:
            tally.miss("count", f"{name}: {pair}; read {sorted(read)}")
    for number, value in sorted(read | (claimed if not wanted else set())):
        if wanted.get(number, None if number in ("passed", "failed") or not wanted else value) != value:
            tally.err("count", f"{name}: {number} {value}")


def _judge_blockers(sample: Mapping[str, Any], shown: Mapping[str, Any], tally: Tally) -> None:
    wanted, name = sample.get("blockers"), sample["name"]
    found = [blocker["title"] for blocker in shown["blockers"] if blocker["open"]]
    for text in wanted or ():
        if any(text in title for title in found):
            tally.right["blocker"] += 1
        else:
            tally.miss("blocker", f"{name}: {text}; found {found}")
    for title in found:
        if not any(text in title for text in wanted or ()):
            tally.err("blocker", f"{name}: {title}")


def _judge_words(sample: Mapping[str, Any], shown: Mapping[str, Any], tally: Tally) -> None:
    if "word" not in sample:
        return
    wanted, name = sample["word"], sample["name"]
    sorts = {word["sort"].replace("-", " ").replace("_", " ") for word in shown["words"]}
    if wanted in sorts and (wanted != "bad" or shown["gate"]["blocking"]):
        tally.right["word"] += 1
    else:
        tally.miss("word", f"{name}: {wanted}; {[(w['text'], w['sort']) for w in shown['words']]}")
    for sort in sorted(sorts - {wanted} - {"unknown"}):
        tally.err("word", f"{name}: {sort}")
