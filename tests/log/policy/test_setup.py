"""A log begun, and keys enrolled."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from handoff_tui.core.errors import (
    KeyLockedError,
    LogBrokenError,
    LogPresentError,
    PublicKeyMalformedError,
    SigningError,
    SigningKeyMissingError,
    StoredFileDamagedError,
    TrustPolicyError,
    UsageError,
)
from handoff_tui.git.repository import open_repository
from handoff_tui.log.open_log import check_entry, find_policy, open_log
from handoff_tui.log.policy.init import EnrolRequest, InitRequest, begin_log, enrol_key, parse_moment
from handoff_tui.log.policy.policy import Policy
from handoff_tui.log.policy.texts import parse_signer_line
from tests.support.hostile import HostileRepository
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person, list_entries, make_person, write_identity
from tests.support.ssh_keys import PASSPHRASE, add_to_agent, make_key, read_public, run_agent, write_askpass


@pytest.fixture(autouse=True)
def without_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handoff_tui.system.processes.terminal._PLACE", "/nonexistent/tty")


@pytest.fixture
def ada(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    person = make_person(tmp_path / "homes")
    person.become(monkeypatch)
    return person


def test_log_is_begun_in_one_step(ada: Person, builder: RepositoryBuilder) -> None:
    """An intact log with one person's policy, copies of it, settings to fill in, and git kept from changing bytes."""
    report = begin_log(builder.folder, InitRequest())
    verdict = open_log(open_repository(builder.folder)).verify()
    policy = find_policy(verdict)
    assert policy is not None
    assert (verdict.log, verdict.problems) == (report.log, ())
    assert policy.root == policy.reviewers == {ada.email} == {report.principal}
    assert (policy.root_threshold, policy.agents) == (1, frozenset())
    own = builder.folder / ".handoff-tui"
    assert "log/** -text -ident -filter" in (own / ".gitattributes").read_text()
    assert ada.public_text in (own / "trust/allowed_signers").read_text()
    assert report.written == (".handoff-tui/", "handoff-tui.toml")
    assert (builder.folder / "handoff-tui.toml").read_text().startswith("# Settings")
    assert (report.pinned, report.kept, len(report.warnings)) == (False, (), 1)
    assert report.warnings[0].startswith("your key: it signs without asking")


def read_policy(folder: Path) -> Policy:
    policy = find_policy(open_log(open_repository(folder)).verify())
    assert policy is not None
    return policy


@pytest.mark.usefixtures("ada")
def test_past_ends_with_the_newest_commit(builder: RepositoryBuilder) -> None:
    """What is there before `init` is history, and one person may approve what agents made under their name."""
    builder.write("a.py", "1").commit("one")
    head = builder.write("a.py", "2").commit("two").head()
    report = begin_log(builder.folder, InitRequest())
    policy = read_policy(builder.folder)
    assert (policy.start_line, policy.solo) == (head, True) == (report.start_line, report.solo)


@pytest.mark.usefixtures("ada")
def test_past_ends_where_somebody_says(builder: RepositoryBuilder) -> None:
    """At a commit named in any way; a team's policy lets nobody approve their own work."""
    builder.write("a.py", "1").commit("one").step("tag", "v1")
    first = builder.head()
    builder.write("a.py", "2").commit("two")
    begin_log(builder.folder, InitRequest(start="v1", team=True))
    policy = read_policy(builder.folder)
    assert (policy.start_line, policy.solo) == (first, False)


@pytest.mark.usefixtures("ada")
def test_all_of_history_counts_if_somebody_says_so(builder: RepositoryBuilder) -> None:
    """`--all` draws no line."""
    builder.write("a.py", "1").commit("one")
    assert begin_log(builder.folder, InitRequest(everything=True)).start_line is None
    assert read_policy(builder.folder).start_line == ""


@pytest.mark.usefixtures("ada")
def test_repository_without_commits_has_no_past(builder: RepositoryBuilder) -> None:
    """There is nothing to draw a line after."""
    assert begin_log(builder.folder, InitRequest()).start_line is None


@pytest.mark.usefixtures("ada")
def test_commit_that_cannot_end_the_past_is_refused(builder: RepositoryBuilder) -> None:
    """One that is not there, and one of another branch; nothing is begun."""
    builder.write("a.py", "1").commit("one").step("checkout", "--quiet", "-b", "other")
    builder.write("b.py", "1").commit("elsewhere").step("checkout", "--quiet", "main")
    with pytest.raises(UsageError, match="v9 is not a commit"):
        begin_log(builder.folder, InitRequest(start="v9"))
    with pytest.raises(UsageError, match="not in the history of HEAD"):
        begin_log(builder.folder, InitRequest(start="other"))
    assert list_entries(builder.folder) == []


def test_ssh_keygen_agrees_about_the_first_entry(ada: Person, builder: RepositoryBuilder) -> None:
    """The copy of the signers in the work tree is one that ssh-keygen verifies with."""
    genesis = begin_log(builder.folder, InitRequest()).log.removeprefix("sha256:")
    content = (builder.folder / f".handoff-tui/log/{genesis[:2]}/{genesis}.intoto.jsonl").read_bytes()
    assert check_entry(content).entry.actor == ada.email
    signers = builder.folder / ".handoff-tui/trust/allowed_signers"
    found = subprocess.run(
        ["ssh-keygen", "-Y", "match-principals", "-f", signers, "-I", ada.email], capture_output=True, check=True
    )
    assert found.stdout.decode().strip() == ada.email


def test_second_time_says_what_is_there_and_changes_nothing(ada: Person, builder: RepositoryBuilder) -> None:
    """Also where the log is only on another branch."""
    genesis = begin_log(builder.folder, InitRequest()).log
    builder.commit("the log")
    with pytest.raises(LogPresentError, match=f"1 entry .refs/heads/main, work tree., begun by {genesis}"):
        begin_log(builder.folder, InitRequest())
    builder.step("checkout", "--quiet", "--orphan", "other").step("rm", "-rfq", ".")
    with pytest.raises(LogPresentError, match="refs/heads/main"):
        begin_log(builder.folder, InitRequest())
    assert not (builder.folder / ".handoff-tui").exists()


@pytest.mark.parametrize("name", ["policy.toml", "allowed_signers"])
def test_policy_without_a_log_is_left_alone(ada: Person, builder: RepositoryBuilder, name: str) -> None:
    """Somebody may have deleted the log."""
    builder.write(f".handoff-tui/trust/{name}", "mine")
    with pytest.raises(LogPresentError, match=f"{name} exists, but there is no log"):
        begin_log(builder.folder, InitRequest())
    assert (builder.folder / f".handoff-tui/trust/{name}").read_text() == "mine"
    assert list_entries(builder.folder) == []


def test_settings_that_are_there_are_kept(ada: Person, builder: RepositoryBuilder) -> None:
    """A file, or a link whatever it leads to."""
    builder.link("handoff-tui.toml", "nowhere")
    report = begin_log(builder.folder, InitRequest())
    assert report.kept == ("handoff-tui.toml",)
    assert report.written == (".handoff-tui/",)
    assert not (builder.folder / "nowhere").exists()


def test_log_that_was_here_once_is_not_begun_anew(ada: Person, builder: RepositoryBuilder) -> None:
    """This clone has seen its first entry: wiping the folder does not make room for another log."""
    begin_log(builder.folder, InitRequest())
    subprocess.run(["rm", "-rf", str(builder.folder / ".handoff-tui")], check=True)
    with pytest.raises(LogBrokenError, match="first entry, which is pinned, is missing"):
        begin_log(builder.folder, InitRequest())
    assert list_entries(builder.folder) == []


def test_pin_is_set_only_when_asked(ada: Person, builder: RepositoryBuilder) -> None:
    """In the user's own configuration; from then on another log has no place here."""
    report = begin_log(builder.folder, InitRequest(pin=True))
    assert report.pinned
    assert report.pin_key == "handoff-tui.repository.pin"
    assert report.log in (ada.home / ".gitconfig").read_text()
    other = RepositoryBuilder.init(builder.folder.parent / "elsewhere" / "repository")
    with pytest.raises(LogPresentError, match="pinned for repository"):
        begin_log(other.folder, InitRequest())
    assert not (other.folder / ".handoff-tui").exists()


def test_identity_is_the_users_own(ada: Person, builder: RepositoryBuilder) -> None:
    """What the repository says about it, where an agent can write, does not count; a name given on the call does."""
    builder.config("user.email", "mallory@example.org").config("user.signingkey", "/nonexistent")
    assert begin_log(builder.folder, InitRequest()).principal == ada.email
    other = RepositoryBuilder.init(builder.folder.parent / "other")
    assert begin_log(other.folder, InitRequest(reviewer="ada")).principal == "ada"


def test_nobody_is_refused(ada: Person, builder: RepositoryBuilder) -> None:
    """No e-mail address in global scope, or one that isn't a name for the log: nothing is begun."""
    (ada.home / ".gitconfig").write_text("[user]\n\tname = ada\n")
    builder.config("user.email", "mallory@example.org")
    with pytest.raises(SigningError, match="doesn't say who you are"):
        begin_log(builder.folder, InitRequest())
    with pytest.raises(UsageError, match="cannot be a name"):
        begin_log(builder.folder, InitRequest(reviewer="Ada Lovelace"))
    assert not (builder.folder / ".handoff-tui").exists()


def test_missing_key_is_told_and_made_only_when_asked(ada: Person, builder: RepositoryBuilder) -> None:
    """With the words of the option that makes one; a key that is there is not doubled."""
    ada.key.unlink()
    ada.key.with_name("id_ed25519.pub").unlink()
    write_identity(ada.home, ada.name, ada.email, None)
    with pytest.raises(SigningKeyMissingError) as missing:
        begin_log(builder.folder, InitRequest())
    assert "handoff-tui init --generate-key" in missing.value.hint
    report = begin_log(builder.folder, InitRequest(generate_key=True, no_passphrase=True))
    assert report.key == f"made now, {ada.key}"
    other = RepositoryBuilder.init(builder.folder.parent / "other")
    with pytest.raises(LogPresentError, match="you already have a key"):
        begin_log(other.folder, InitRequest(generate_key=True, no_passphrase=True))


def test_locked_key_begins_nothing(tmp_path: Path, builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without anybody to ask; with the key in the agent it signs, and no terminal is needed."""
    locked = make_person(tmp_path / "homes", passphrase=PASSPHRASE)
    locked.become(monkeypatch)
    with pytest.raises(KeyLockedError, match="protected by a passphrase") as refused:
        begin_log(builder.folder, InitRequest())
    assert "ssh-add" in refused.value.hint
    assert list_entries(builder.folder) == []
    with run_agent() as socket:
        add_to_agent(socket, locked.key, askpass=write_askpass(tmp_path / "askpass", PASSPHRASE))
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        assert begin_log(builder.folder, InitRequest()).principal == locked.email


def test_agents_may_only_submit(ada: Person, builder: RepositoryBuilder) -> None:
    """By the public file or the private one; an agent with the person's own key is refused."""
    key = make_key(builder.folder.parent / "claude")
    agents = (("claude@agents.example", key.with_name("claude.pub")),)
    begin_log(builder.folder, InitRequest(agents=agents))
    policy = find_policy(open_log(open_repository(builder.folder)).verify())
    assert policy is not None
    assert policy.agents == {"claude@agents.example"}
    assert not policy.may_decide("claude@agents.example")
    other = RepositoryBuilder.init(builder.folder.parent / "other")
    with pytest.raises(TrustPolicyError, match="twice"):
        begin_log(other.folder, InitRequest(agents=(("claude", ada.key),)))
    with pytest.raises(TrustPolicyError, match="agents may never decide"):
        begin_log(other.folder, InitRequest(agents=((ada.email, key),)))
    assert not (other.folder / ".handoff-tui").exists()


def test_link_in_the_place_of_the_folder_is_refused(ada: Person, builder: RepositoryBuilder, tmp_path: Path) -> None:
    """Nothing is written where it leads."""
    (tmp_path / "away").mkdir()
    builder.link(".handoff-tui", tmp_path / "away")
    with pytest.raises(StoredFileDamagedError, match="is a link"):
        begin_log(builder.folder, InitRequest())
    assert list((tmp_path / "away").iterdir()) == []


def test_what_fails_after_the_first_entry_is_told(ada: Person, builder: RepositoryBuilder) -> None:
    """The log stands; that its copies could not be written is a warning."""
    builder.link(".handoff-tui/trust", builder.folder.parent)
    report = begin_log(builder.folder, InitRequest())
    assert list_entries(builder.folder) == [report.log]
    assert report.warnings[0].startswith("the log has begun, but .handoff-tui/trust is a link")


def test_ignored_folder_is_told(ada: Person, builder: RepositoryBuilder) -> None:
    """A log that git passes over would not be shared."""
    builder.write(".gitignore", ".*\n")
    assert "git ignores .handoff-tui/" in begin_log(builder.folder, InitRequest()).warnings[0]


def test_hostile_repository_executes_nothing(
    hostile_repository: HostileRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signing programs and key commands that the repository plants are not run."""
    person = make_person(tmp_path / "homes")
    person.become(monkeypatch)
    planted = hostile_repository.build_script("signing-program")
    hostile_repository.builder.config("gpg.ssh.program", planted).config("gpg.ssh.defaultKeyCommand", planted)
    before = hostile_repository.list_fired()
    begin_log(hostile_repository.folder, InitRequest())
    assert hostile_repository.list_fired() == before
    assert len(list_entries(hostile_repository.folder)) == 1


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
