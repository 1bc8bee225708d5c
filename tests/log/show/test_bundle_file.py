"""Bundles: one form, written and read back, and nothing else."""

from __future__ import annotations

import io
import tarfile

import pytest

from handoff_tui.core.errors import BundleMalformedError
from handoff_tui.log.show.bundle import TOP, Member, parse_bundle, render_bundle

MEMBERS = (Member(".handoff-tui/log/ab/" + "ab" * 32 + ".intoto.jsonl", b"{}\n"), Member("README.md", b"x" * 1500))


def pack(*members: Member) -> bytes:
    return b"".join(render_bundle(members))


@pytest.mark.parametrize("members", [(), MEMBERS[:1], MEMBERS, (Member("empty", b""), Member("full", b"y" * 512))])
def test_bundle_is_read_back(members: tuple[Member, ...]) -> None:
    """What was packed comes out, whatever its size; and the bytes are the same each time."""
    content = pack(*members)
    assert tuple(parse_bundle(content)) == members
    assert content == pack(*members)
    assert len(content) % 10240 == 0


def test_bundle_is_a_tar_archive_for_others() -> None:
    """Any tar program unpacks it, into one folder, and learns nothing of when and where it was made."""
    with tarfile.open(fileobj=io.BytesIO(pack(*MEMBERS)), mode="r:") as archive:
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
        pack(*MEMBERS)[:-1],
        pack(*MEMBERS) + b"\0",
        pack(*MEMBERS)[:700],
        pack(*MEMBERS)[:512] + b"!" + pack(*MEMBERS)[513:1023] + b"!" + pack(*MEMBERS)[1024:],
        pack(*MEMBERS)[:-1] + b"!",
        pack(*reversed(MEMBERS)),
        pack(MEMBERS[0], MEMBERS[0]),
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
