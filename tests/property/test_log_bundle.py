"""Laws of bundles: what goes in comes out, and no change of a byte goes unnoticed or breaks the reader."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handoff_tui.core.errors import BundleMalformedError
from handoff_tui.log.show.bundle import Member, parse_bundle, render_bundle

NAMES = st.text("abcdef0123456789./-_", min_size=1, max_size=80).filter(lambda name: name.strip("/.") == name)
MEMBERS = st.dictionaries(NAMES, st.binary(max_size=1200), max_size=5).map(
    lambda files: tuple(Member(path, files[path]) for path in sorted(files))
)


@given(MEMBERS)
def test_members_come_out_as_they_went_in(members: tuple[Member, ...]) -> None:
    """Packing and unpacking is the identity."""
    assert tuple(parse_bundle(b"".join(render_bundle(members)))) == members


@given(MEMBERS, st.integers(min_value=0), st.integers(min_value=1, max_value=255))
def test_changed_byte_is_refused_or_is_content(members: tuple[Member, ...], place: int, change: int) -> None:
    """A changed byte outside of the contents is refused; inside of one it is that content, and the names tell."""
    content = bytearray(b"".join(render_bundle(members)))
    content[place % len(content)] ^= change
    try:
        found = tuple(parse_bundle(bytes(content)))
    except BundleMalformedError:
        return
    assert [member.path for member in found] == [member.path for member in members]
    assert sum(one != other for one, other in zip(found, members, strict=True)) == 1


@given(st.binary(max_size=2048))
def test_garbage_is_refused(content: bytes) -> None:
    """Nothing but a bundle is one."""
    try:
        found = tuple(parse_bundle(content))
    except BundleMalformedError:
        return
    assert b"".join(render_bundle(found)) == content
