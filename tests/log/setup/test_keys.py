from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.core.errors import PublicKeyMalformedError, SigningError, SigningKeyMissingError, UsageError
from handoff_tui.log.policy.texts import parse_signer_line
from handoff_tui.log.setup.keys import EnrolRequest, enrol_key, parse_moment
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person, make_person
from tests.support.ssh_keys import make_key, read_public


@pytest.fixture
def ada(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    person = make_person(tmp_path / "homes")
    person.become(monkeypatch)
    return person


def test_own_key_gives_a_line_that_is_read_back(ada: Person, builder: RepositoryBuilder) -> None:
    """Under the e-mail address of the git identity; nothing is written anywhere."""
    report = enrol_key(builder.folder, EnrolRequest())
    signer = parse_signer_line(report.line)
    assert (signer.principal, signer.keyid, signer.key) == (ada.email, report.keyid, ada.public_text)
    assert (signer.valid_after, signer.valid_before, report.known, report.agent) == (None, None, False, False)
    assert not (builder.folder / ".handoff-tui").exists()


def test_window_name_and_key_are_chosen(ada: Person, builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Days count from their first second to their last."""
    key = make_key(tmp_path / "claude", kind="ecdsa")
    report = enrol_key(
        builder.folder,
        EnrolRequest("claude@agents.example", key.with_name("claude.pub"), "2026-01-01", "2026-12-31", agent=True),
    )
    signer = parse_signer_line(report.line)
    assert (signer.principal, signer.key) == ("claude@agents.example", read_public(key))
    assert (signer.valid_after, signer.valid_before) == ("2026-01-01T00:00:00Z", "2026-12-31T23:59:59Z")
    assert report.agent


def test_agents_key_is_named_whole(ada: Person, builder: RepositoryBuilder) -> None:
    """A person's own key is never enrolled as an agent's by default."""
    for request in (
        EnrolRequest(agent=True),
        EnrolRequest("claude", agent=True),
        EnrolRequest(None, ada.key, agent=True),
    ):
        with pytest.raises(UsageError, match="isn't yours"):
            enrol_key(builder.folder, request)


def test_what_cannot_be_enrolled_is_told(ada: Person, builder: RepositoryBuilder, tmp_path: Path) -> None:
    """No key, a weak one, no name, a name that is none, a window that never opens."""
    weak = tmp_path / "weak.pub"
    weak.write_text("ssh-dss AAAAB3NzaC1kc3M=\n")
    with pytest.raises(PublicKeyMalformedError, match="not accepted"):
        enrol_key(builder.folder, EnrolRequest(key_file=weak))
    with pytest.raises(SigningKeyMissingError):
        enrol_key(builder.folder, EnrolRequest(key_file=tmp_path / "gone"))
    with pytest.raises(UsageError, match="cannot be a name"):
        enrol_key(builder.folder, EnrolRequest("two words"))
    with pytest.raises(UsageError, match="never valid"):
        enrol_key(builder.folder, EnrolRequest(valid_after="2026-02-01", valid_before="2026-01-01"))
    (ada.home / ".gitconfig").write_text("")
    with pytest.raises(SigningError, match="doesn't say who you are"):
        enrol_key(builder.folder, EnrolRequest())


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-02-30", "2026-1-1", "2026-01-01T12:00:00", "20260101"])
def test_moment_that_is_none_is_refused(text: str) -> None:
    """Only days, and moments in UTC."""
    with pytest.raises(UsageError, match="neither a day nor a time"):
        parse_moment(text)


def test_moment_is_a_day_or_a_second() -> None:
    """A day has a first and a last second."""
    assert parse_moment(None) is None
    assert parse_moment("2026-01-31") == "2026-01-31T00:00:00Z"
    assert parse_moment("2026-01-31", end=True) == "2026-01-31T23:59:59Z"
    assert parse_moment("2026-01-31T12:00:00Z", end=True) == "2026-01-31T12:00:00Z"
