"""Packs the log into one file that can be verified without the repository, and verifies such a file."""

from __future__ import annotations

import hashlib
import os
import re
import tarfile
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path

from handoff_tui.core.classes import NamedTuple, dataclass, field
from handoff_tui.core.errors import BundleMalformedError, FileUnreadableError
from handoff_tui.core.lazy_pattern import compile_later
from handoff_tui.core.short_id import SHORT_DIGEST
from handoff_tui.log.chain import Known, judge_chain
from handoff_tui.log.entries.times import build_time
from handoff_tui.log.entry import LogProblem, LogProblemLevel, LogVerdict
from handoff_tui.log.open_log import PIN_VARIABLE, OpenLog, check_entries, find_drift
from handoff_tui.log.show.entries import build_bundle_texts, list_evidence
from handoff_tui.log.show.verify import VerifyOptions, ask_second_opinion, build_report, list_notes, parse_pin
from handoff_tui.log.show.view import LogReport
from handoff_tui.log.storage.blobs import ID_PREFIX, LOG_SUFFIX, WORK_TREE
from handoff_tui.log.storage.evidence import EvidenceFiles
from handoff_tui.system.clock import read_now
from handoff_tui.system.files.named_files import read_user_file, write_new_file

TOP = "handoff-log"
_BLOCK = 512
_RECORD = 20 * _BLOCK
"""Tar pads its end to this size."""
_HINT = "Ask for it again: it was cut off or changed on its way, or repacked by another program."
MOST_BYTES = 2 * 1024 * 1024 * 1024
_OWN = ".handoff-tui"
_ENTRY = compile_later(rf"{re.escape(_OWN)}/log/([0-9a-f]{{2}})/(?P<digest>\1[0-9a-f]{{62}}){re.escape(LOG_SUFFIX)}")
_EVIDENCE = compile_later(rf"{re.escape(_OWN)}/(?:baselines|reviews)/(?P<digest>[0-9a-f]{{64}})\.json")
_TRUST = compile_later(rf"{re.escape(_OWN)}/trust/(allowed_signers|policy\.toml)")


class Member(NamedTuple):
    """A file of a bundle, by its path below the top folder."""

    path: str
    content: bytes


def render_bundle(members: Iterable[Member]) -> Iterator[bytes]:
    """Writes the archive piece by piece; members come in the order of their paths."""
    written = 0
    for path, content in members:
        padding = b"\0" * (-len(content) % _BLOCK)
        for piece in (_build_header(path, len(content)), content, padding):
            written += len(piece)
            yield piece
    end = 2 * _BLOCK
    yield b"\0" * (end + -(written + end) % _RECORD)


def parse_bundle(content: bytes) -> Iterator[Member]:
    """Reads an archive that `render_bundle` made; refuses any other."""
    position = 0
    before = ""
    while True:
        header = content[position : position + _BLOCK]
        if header == b"\0" * _BLOCK:
            break
        path, size = _parse_header(header)
        if path <= before:
            raise BundleMalformedError("the files of the bundle are out of order, or one appears twice", _HINT)
        start, before = position + _BLOCK, path
        position = start + size + -size % _BLOCK
        if position > len(content) or any(content[start + size : position]):
            raise BundleMalformedError(f"the bundle is cut off or changed at {path}", _HINT)
        yield Member(path, content[start : start + size])
    expected = 2 * _BLOCK + -(position + 2 * _BLOCK) % _RECORD
    if len(content) - position != expected or any(content[position:]):
        raise BundleMalformedError("the bundle does not end where it should", _HINT)


def _build_header(path: str, size: int) -> bytes:
    """Builds a tar header without time, place or owner."""
    info = tarfile.TarInfo(f"{TOP}/{path}")
    info.size = size
    info.mode = 0o644
    return info.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict")


def _parse_header(header: bytes) -> tuple[str, int]:
    """Reads path and size; builds the header again and compares, so that only one form is accepted."""
    try:
        info = tarfile.TarInfo.frombuf(header, "ascii", "strict")
        path = info.name.removeprefix(f"{TOP}/")
        written = _build_header(path, info.size)
    except (tarfile.TarError, ValueError) as wrong:
        raise BundleMalformedError("not a bundle of a log, or one that is cut off or changed", _HINT) from wrong
    if written != header:
        raise BundleMalformedError("a file in the bundle is not packed in canonical form", _HINT)
    return path, info.size


@dataclass(slots=True)
class Unpacked:
    """The files of a bundle by what they are, and what is wrong with the others."""

    entries: dict[str, bytes] = field(default_factory=dict)
    evidence: set[str] = field(default_factory=set)
    trust: dict[str, str | None] = field(default_factory=dict)
    problems: list[LogProblem] = field(default_factory=list)


def build_bundle(log: OpenLog) -> Iterator[bytes]:
    """Packs every entry of the work tree and all branches, the stored files they are bound to, and texts."""
    return render_bundle(_list_members(log))


def write_bundle(pieces: Iterator[bytes], file: Path) -> int:
    """Writes a new file and returns its size."""
    return write_new_file(file, pieces)


def verify_bundle(file: Path, options: VerifyOptions, now: Callable[[], datetime] = read_now) -> LogReport:
    """Verifies a bundle alone: without a repository, and without a memory of earlier times."""
    content = read_user_file(file, MOST_BYTES)
    if content is None:
        raise FileUnreadableError(f"{file} does not exist")
    named = os.environ.get(PIN_VARIABLE)
    pin = named if options.pin is None else parse_pin(options.pin)
    anchor = "option" if options.pin else "environment" if named else "none"
    unpacked = unpack_bundle(content)
    valid, refused = check_entries(unpacked.entries)
    verdict = judge_chain(valid, Known(now=build_time(now()), pin=pin))
    opinion = ask_second_opinion(unpacked.entries, verdict) if options.second_opinion else None
    more = [*refused, *unpacked.problems, *find_drift(verdict, unpacked.trust), *list_notes(verdict, anchor)]
    more += _list_missing(verdict, unpacked)
    if opinion is not None:
        more += opinion.problems
    return build_report(verdict, more, anchor, opinion).model_copy(update={"bundle": str(file)})


def unpack_bundle(content: bytes) -> Unpacked:
    """Sorts the files of a bundle."""
    unpacked = Unpacked()
    texts = build_bundle_texts()
    for path, inner in parse_bundle(content):
        digest = hashlib.sha256(inner).hexdigest()
        named = _ENTRY.fullmatch(path) or _EVIDENCE.fullmatch(path)
        trust = _TRUST.fullmatch(path)
        if named is not None and named["digest"] != digest:
            unpacked.problems.append(_build_unsuitable(path, "its content does not match its name"))
        elif named is not None and path.endswith(LOG_SUFFIX):
            unpacked.entries[ID_PREFIX + digest] = inner
        elif named is not None:
            unpacked.evidence.add(digest)
        elif trust is not None:
            unpacked.trust[trust[1]] = inner.decode("utf-8", "replace")
        elif path not in texts:
            unpacked.problems.append(_build_unsuitable(path, "no file of a log has this name"))
        elif inner != texts[path].encode():
            text = "it differs from this version's text; read it before you trust or run it"
            unpacked.problems.append(LogProblem(level=LogProblemLevel.NOTE, code="text-differs", entry=path, text=text))
    return unpacked


def _build_unsuitable(path: str, why: str) -> LogProblem:
    return LogProblem(level=LogProblemLevel.REFUSED, code="unsuitable-file", entry=path, text=why)


def _list_members(log: OpenLog) -> Iterator[Member]:
    """Lists members one at a time, in the order of their paths: stored snapshots can be large."""
    verdict = log.verify()
    listing = log.blobs.read_listing()
    contents = log.blobs.read_contents(listing, listing.ids).contents
    files = EvidenceFiles(log.repository)
    wanted: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for entry in (candidate.entry for candidate in log.find_candidates().values()):
        refs = tuple(place for place in listing.find_places(entry.id) if place != WORK_TREE)
        for one in list_evidence(entry):
            wanted[files.build_path(one.folder, one.digest)] = (one.folder, one.digest, refs)
    small = {log.blobs.folder.build_path(one.removeprefix(ID_PREFIX)): content for one, content in contents.items()}
    small |= {f"{_OWN}/trust/{name}": text.encode() for name, text in _find_trust(verdict).items()}
    small |= {name: text.encode() for name, text in build_bundle_texts().items()}
    for path in sorted([*small, *wanted]):
        content = small[path] if path in small else files.read(*wanted[path])
        if content is not None:
            yield Member(path, content)


def _find_trust(verdict: LogVerdict) -> dict[str, str]:
    """Returns the trust files of the policy in force; the copies on disk are not signed."""
    return {} if verdict.policy_text is None else verdict.policy_text.files


def _list_missing(verdict: LogVerdict, unpacked: Unpacked) -> list[LogProblem]:
    return [
        LogProblem(
            level=LogProblemLevel.NOTE,
            code="evidence-missing",
            entry=entry.id,
            text=f"the {one.name} {one.digest[:SHORT_DIGEST]} that it is bound to is not in the bundle",
        )
        for entry in verdict.entries
        for one in list_evidence(entry)
        if one.digest not in unpacked.evidence
    ]
