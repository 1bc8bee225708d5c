from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.report import ConsentState
from handoff_tui.checks.run.commands import digest_commands, give_consent, read_consent
from handoff_tui.core.errors import UsageError
from handoff_tui.handoffs.session import open_desk
from tests.support.repositories import RepositoryBuilder


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What this user has trusted: nothing yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "handoff-tui"


@pytest.fixture
def asking(builder: RepositoryBuilder) -> RepositoryBuilder:
    """A repository that asks to run a script of its own."""
    return builder.write("handoff-tui.toml", '[checks.lint]\nrun = ["sh", "lint.sh"]\n').write("lint.sh", "exit 0\n")


def find_state(builder: RepositoryBuilder) -> ConsentState | None:
    return read_consent(open_desk(builder.folder))


def give_trust(builder: RepositoryBuilder) -> None:
    state = find_state(builder)
    assert state is not None
    give_consent(open_desk(builder.folder), state.digest)


def is_trusted(builder: RepositoryBuilder) -> bool:
    state = find_state(builder)
    assert state is not None
    return state.trusted


def test_nothing_is_trusted_until_someone_does(asking: RepositoryBuilder) -> None:
    """The digest spelled out is the consent."""
    assert not is_trusted(asking)
    give_trust(asking)
    assert is_trusted(asking)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("lint.sh", "rm -rf /\n"),
        ("handoff-tui.toml", '[checks.lint]\nrun = ["sh", "lint.sh", "-x"]\n'),
        ("handoff-tui.toml", '[checks.lint]\nrun = ["sh", "lint.sh"]\n[checks.more]\npython = "a:b"\n'),
    ],
)
def test_trust_ends_when_what_would_run_changes(asking: RepositoryBuilder, path: str, content: str) -> None:
    """The words, the script they name, or one more of them; and comes back with the old bytes."""
    give_trust(asking)
    before = asking.place(path).read_text(encoding="utf-8")
    asking.write(path, content)
    assert not is_trusted(asking)
    asking.write(path, before)
    assert is_trusted(asking)


def test_trust_is_for_this_repository_alone(asking: RepositoryBuilder, tmp_path: Path) -> None:
    """The same commands elsewhere are asked about again."""
    give_trust(asking)
    other = RepositoryBuilder.init(tmp_path / "other")
    for path in ("handoff-tui.toml", "lint.sh"):
        other.write(path, asking.place(path).read_text(encoding="utf-8"))
    assert digest_commands(open_desk(other.folder)) == digest_commands(open_desk(asking.folder))
    assert not is_trusted(other)


def test_repository_that_asks_for_nothing_needs_no_trust(builder: RepositoryBuilder) -> None:
    """And none can be given."""
    assert find_state(builder) is None
    with pytest.raises(UsageError, match="nothing to trust"):
        give_consent(open_desk(builder.folder), "sha256:0")


def test_another_digest_is_refused(asking: RepositoryBuilder) -> None:
    """The right one is named, with how to look first."""
    with pytest.raises(UsageError) as refused:
        give_consent(open_desk(asking.folder), "sha256:0")
    assert digest_commands(open_desk(asking.folder)) in refused.value.message.split()
    assert "--list" in refused.value.hint
    assert not is_trusted(asking)


@pytest.mark.parametrize("content", ["[]", "{", '{"x": 3}', '{"x": [1]}', ""])
def test_damaged_memory_of_trust_trusts_nothing(asking: RepositoryBuilder, state_folder: Path, content: str) -> None:
    """And is replaced when trust is given again."""
    state_folder.mkdir(parents=True)
    (state_folder / "trusted.json").write_text(content, encoding="utf-8")
    assert not is_trusted(asking)
    give_trust(asking)
    assert is_trusted(asking)


def test_trust_that_cannot_be_kept_is_told(asking: RepositoryBuilder, state_folder: Path) -> None:
    """Nobody believes it was given."""
    state_folder.parent.mkdir(parents=True)
    state_folder.write_text("a file in the way", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be written"):
        give_trust(asking)
