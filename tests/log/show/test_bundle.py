"""Bundles: packed, and verified without the repository."""

from __future__ import annotations

import hashlib
import io
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoff_tui.core.errors import BundleMalformedError, FileUnreadableError, StoreWriteError
from handoff_tui.git.repository import open_repository
from handoff_tui.log.open_log import PIN_VARIABLE, open_log
from handoff_tui.log.show.bundle import (
    TOP,
    Member,
    build_bundle,
    parse_bundle,
    render_bundle,
    verify_bundle,
    write_bundle,
)
from handoff_tui.log.show.entries import build_bundle_texts
from handoff_tui.log.show.verify import VerifyOptions
from handoff_tui.log.show.view import LogReport
from tests.support.real_log import SUBJECT, RealLog, list_codes
from tests.support.repositories import RepositoryBuilder

TEXTS = build_bundle_texts()
SNAPSHOT = b"{}\n"


@pytest.fixture
def log(builder: RepositoryBuilder) -> RealLog:
    """A policy and an approval whose snapshot is stored; a rejection on a branch only, with a snapshot of its own."""
    real = RealLog(builder)
    real.begin()
    real.decide("alice", subject=store_snapshot(builder, SNAPSHOT))
    builder.commit().step("checkout", "--quiet", "-b", "aside")
    real.decide("bob", "reject", subject=store_snapshot(builder, b"[]\n"))
    builder.commit().step("checkout", "--quiet", "main")
    return real


def store_snapshot(builder: RepositoryBuilder, content: bytes) -> object:
    digest = hashlib.sha256(content).hexdigest()
    builder.write(f".handoff-tui/baselines/{digest}.json", content)
    return SUBJECT.model_copy(update={"snapshot": digest})


def pack(log: RealLog) -> Iterator[bytes]:
    return build_bundle(open_log(open_repository(log.folder)))


def pack_into(log: RealLog, place: Path) -> Path:
    write_bundle(pack(log), place)
    return place


def verify(place: Path, **demands: str) -> LogReport:
    return verify_bundle(place, VerifyOptions(**demands))  # type: ignore[arg-type]


def change(place: Path, *members: Member, without: str = "nothing") -> Path:
    """The bundle with members replaced or added, and some left out."""
    kept = {member.path: member.content for member in parse_bundle(place.read_bytes()) if without not in member.path}
    kept |= dict(members)
    place.write_bytes(b"".join(render_bundle(Member(path, kept[path]) for path in sorted(kept))))
    return place


def test_bundle_has_everything(log: RealLog, tmp_path: Path) -> None:
    """All entries of all branches, their snapshots, the trust files of the policy, and the texts."""
    members = dict(parse_bundle(pack_into(log, tmp_path / "log.tar").read_bytes()))
    entries = {path.rpartition("/")[2].partition(".")[0] for path in members if path.endswith(".jsonl")}
    assert entries == {one.removeprefix("sha256:") for one in log.entries}
    assert sum(path.startswith(".handoff-tui/baselines/") for path in members) == 2
    assert {".handoff-tui/trust/allowed_signers", ".handoff-tui/trust/policy.toml", *TEXTS} <= members.keys()


def test_bundle_has_the_same_bytes_each_time(log: RealLog) -> None:
    """Nothing in it depends on when or where it was made."""
    assert b"".join(pack(log)) == b"".join(pack(log))


def test_bundle_verifies_without_the_repository(log: RealLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the repository does; what could not be packed is noted, and the pin may come from the environment."""
    place = pack_into(log, tmp_path / "log.tar")
    report = verify(place)
    assert (report.fatal, report.entries, report.log, report.bundle) == (False, 3, log.genesis, str(place))
    assert list_codes(report) == ["evidence-missing", "evidence-missing", "not-pinned"]  # the review records
    assert "review" in report.problems[0].text
    monkeypatch.setenv(PIN_VARIABLE, log.genesis)
    assert verify(place).anchor == "environment"
    assert list_codes(verify(place, pin="sha256:" + "0" * 64), "FATAL") == ["genesis-missing"]
    assert verify_bundle(place, VerifyOptions(second_opinion=True)).second_opinions == 3


def test_changes_to_a_bundle_are_noticed(log: RealLog, tmp_path: Path) -> None:
    """A removed middle, a false entry, a stranger's file, other trust files, another script."""
    first = next(one for one, entry in log.entries.items() if entry.actor == "alice" and entry.decision is not None)
    digest = first.removeprefix("sha256:")
    path = f".handoff-tui/log/{digest[:2]}/{digest}.intoto.jsonl"
    place = pack_into(log, tmp_path / "log.tar")
    whole = place.read_bytes()
    assert list_codes(verify(change(place, without=digest)), "FATAL") == ["missing-parent"]
    place.write_bytes(whole)
    report = verify(change(place, Member(path, b"{}\n"), Member("extra.txt", b"")))
    assert (list_codes(report, "FATAL"), list_codes(report, "REFUSED")) == (["missing-parent"], ["unsuitable-file"] * 2)
    place.write_bytes(whole)
    report = verify(change(place, Member(".handoff-tui/trust/policy.toml", b""), Member("verify.sh", b"rm -rf /")))
    assert {"trust-drift", "text-differs"} <= set(list_codes(report, "NOTE"))
    place.write_bytes(whole)
    snapshot = f".handoff-tui/baselines/{hashlib.sha256(SNAPSHOT).hexdigest()}.json"
    assert list_codes(verify(change(place, Member(snapshot, b"other"))), "REFUSED") == ["unsuitable-file"]


def test_file_that_is_no_bundle_is_told(tmp_path: Path) -> None:
    """Missing, or something else."""
    with pytest.raises(FileUnreadableError, match="does not exist"):
        verify(tmp_path / "missing.tar")
    (tmp_path / "other.tar").write_bytes(b"x" * 10240)
    with pytest.raises(BundleMalformedError):
        verify(tmp_path / "other.tar")


def test_bundle_overwrites_nothing(log: RealLog, tmp_path: Path) -> None:
    """A file of that name stays."""
    (tmp_path / "log.tar").write_bytes(b"mine")
    with pytest.raises(StoreWriteError, match="is there already"):
        pack_into(log, tmp_path / "log.tar")
    assert (tmp_path / "log.tar").read_bytes() == b"mine"


def test_bundle_can_be_checked_by_hand(log: RealLog, tmp_path: Path) -> None:
    """Unpacked with tar, its own script finds every name, signature and parent right."""
    place = pack_into(log, tmp_path / "log.tar")
    subprocess.run(["tar", "-xf", place, "-C", tmp_path], check=True)
    done = subprocess.run(
        ["sh", "handoff-log/verify.sh", "handoff-log"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "entries: 3; every name, signature, parent and scope holds" in done.stdout


def test_bundle_of_no_log_is_empty_and_clean(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Only the texts; nothing to verify."""
    report = verify(pack_into(RealLog(builder), tmp_path / "log.tar"))
    assert (report.entries, report.problems) == (0, ())


MEMBERS = (Member(".handoff-tui/log/ab/" + "ab" * 32 + ".intoto.jsonl", b"{}\n"), Member("README.md", b"x" * 1500))


def render(*members: Member) -> bytes:
    return b"".join(render_bundle(members))


@pytest.mark.parametrize("members", [(), MEMBERS[:1], MEMBERS, (Member("empty", b""), Member("full", b"y" * 512))])
def test_bundle_is_read_back(members: tuple[Member, ...]) -> None:
    """What was packed comes out, whatever its size; and the bytes are the same each time."""
    content = render(*members)
    assert tuple(parse_bundle(content)) == members
    assert content == render(*members)
    assert len(content) % 10240 == 0


def test_bundle_is_a_tar_archive_for_others() -> None:
    """Any tar program unpacks it, into one folder, and learns nothing of when and where it was made."""
    with tarfile.open(fileobj=io.BytesIO(render(*MEMBERS)), mode="r:") as archive:
        infos = archive.getmembers()
        assert [info.name for info in infos] == [f"{TOP}/{member.path}" for member in MEMBERS]
        assert {(info.mtime, info.uid, info.gid, info.uname, info.mode) for info in infos} == {(0, 0, 0, "", 0o644)}
        unpacked = archive.extractfile(infos[1])
        assert unpacked is not None
        assert unpacked.read() == MEMBERS[1].content


def build_foreign(**fields: object) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        info = tarfile.TarInfo(f"{TOP}/README.md")
        for name, value in fields.items():
            setattr(info, name, value)
        archive.addfile(info, io.BytesIO(b"\0" * info.size))
    return stream.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a tar",
        b"\0" * 512,
        render(*MEMBERS)[:-1],
        render(*MEMBERS) + b"\0",
        render(*MEMBERS)[:700],
        render(*MEMBERS)[:512] + b"!" + render(*MEMBERS)[513:1023] + b"!" + render(*MEMBERS)[1024:],
        render(*MEMBERS)[:-1] + b"!",
        render(*reversed(MEMBERS)),
        render(MEMBERS[0], MEMBERS[0]),
        build_foreign(mtime=1),
        build_foreign(uname="ada"),
        build_foreign(mode=0o755),
        build_foreign(type=tarfile.SYMTYPE, linkname="/etc/passwd"),
        build_foreign(type=tarfile.DIRTYPE),
        build_foreign(name="elsewhere/README.md"),
        build_foreign(name=f"{TOP}/x", type=tarfile.GNUTYPE_LONGNAME),
    ],
)
def test_any_other_archive_is_refused(content: bytes) -> None:
    """Cut off, padded, reordered, with links, owners, times or other tops: not a bundle."""
    with pytest.raises(BundleMalformedError):
        tuple(parse_bundle(content))
