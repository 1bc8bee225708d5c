"""What is run, against which baseline, and with whose consent."""

from __future__ import annotations

from pathlib import Path

import pytest

from handoff_tui.checks.engine import RuleOverride
from handoff_tui.checks.registry import RULES
from handoff_tui.checks.report import ConsentState
from handoff_tui.checks.rule import Rule
from handoff_tui.checks.run.baseline import ChosenBaseline, choose_baseline, choose_usual_baseline
from handoff_tui.checks.run.choose import build_rule_overrides, find_usual_severity
from handoff_tui.checks.run.commands import (
    SESSION_GATE,
    CommandCheck,
    build_environment,
    digest_command,
    give_consent,
    list_commands,
    read_consent,
)
from handoff_tui.config.settings.checks import Check
from handoff_tui.config.settings.procedures import Procedures, ValidationRule
from handoff_tui.config.settings.root import Settings
from handoff_tui.core.errors import UsageError
from handoff_tui.core.place import CheckMoment, Severity
from handoff_tui.handoffs.session import open_session
from tests.support.gates import GateDesk
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person


def choose(builder: RepositoryBuilder, named: str | None = None) -> ChosenBaseline:
    return choose_baseline(open_session(builder.folder), named)


def test_unknown_name_is_refused(builder: RepositoryBuilder) -> None:
    """With the option to use."""
    builder.write("a").commit("one")
    with pytest.raises(UsageError, match="is not a commit here"):
        choose(builder, "nowhere")


def test_unpushed_work_is_compared_with_what_was_pushed(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """The reason names the upstream."""
    builder.write("a").commit("one").push(tmp_path / "remote.git")
    pushed = builder.head()
    builder.write("b").commit("two")
    found = choose(builder)
    assert found.commit == pushed
    assert "origin/main" in found.reason


def test_branch_is_compared_with_where_it_began(builder: RepositoryBuilder) -> None:
    """Without an upstream, the main branch is the measure."""
    builder.write("a").commit("one")
    base = builder.head()
    builder.git("checkout", "-q", "-b", "side")
    builder.write("b").commit("two")
    assert choose(builder).commit == base


def test_no_baseline_is_said(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """On a pushed main branch, and before the first commit, there is none; never a guess."""
    assert choose(builder) == ChosenBaseline(None, "there is no commit yet")
    builder.write("a").commit("one").push(tmp_path / "remote.git")
    assert choose(builder).commit is None


def test_last_approved_commit_is_preferred(gate_desk: GateDesk, bo: Person) -> None:
    """Of this line of work, and not of these very files; so `check` compares with what a person has seen."""
    approved = gate_desk.builder.head()
    gate_desk.decide(bo, "approve")
    assert choose(gate_desk.builder).commit is None
    gate_desk.commit_log()
    gate_desk.change()
    found = choose(gate_desk.builder)
    assert found == ChosenBaseline(approved, "the last approved commit on this branch")
    said = gate_desk.speaking(bo, "check", "--repo", gate_desk.root)
    assert "the last approved commit on this branch" in " ".join(said.stdout.split())
    assert choose_usual_baseline(open_session(gate_desk.root)).commit is None
    assert choose(gate_desk.builder, "HEAD").commit == gate_desk.builder.head()


def test_broken_log_approves_nothing(gate_desk: GateDesk) -> None:
    """What cannot be believed isn't a baseline; the usual one is taken."""
    bo = gate_desk.person("bo")
    genesis = gate_desk.begin(bo).removeprefix("sha256:")
    gate_desk.decide(bo, "approve")
    (gate_desk.root / ".handoff-tui" / "log" / genesis[:2] / f"{genesis}.intoto.jsonl").unlink()
    gate_desk.change()
    assert choose(gate_desk.builder).commit is None


def test_commits_of_the_log_are_no_unpushed_work(gate_desk: GateDesk, tmp_path: Path) -> None:
    """A decision that waits to be pushed makes no baseline."""
    gate_desk.begin(gate_desk.person("bo"))
    gate_desk.builder.push(tmp_path / "remote.git")
    pushed = gate_desk.builder.head()
    gate_desk.commit_log()
    assert choose(gate_desk.builder).commit is None
    gate_desk.change()
    assert choose(gate_desk.builder).commit == pushed


DECLARED = [rule for rule in RULES if rule.declared]


def declare(severity: Severity, **checks: Check) -> Settings:
    """Settings in which VR007 has this severity."""
    rules = {**Settings().procedures.rules}
    rules["VR007"] = ValidationRule(name="permissions granted", severity=severity, timeout_seconds=1)
    named = {name.replace("_", "-"): check for name, check in checks.items()}
    return Settings(procedures=Procedures(rules=rules), checks=named)


def test_every_declared_rule_is_built_in() -> None:
    """VR001 to VR008, each once."""
    assert sorted(rule.declared or "" for rule in DECLARED) == sorted(Settings().procedures.rules)


@pytest.mark.parametrize("rule", DECLARED, ids=lambda rule: rule.id)
def test_declared_rule_says_its_number_and_its_declared_severity(rule: Rule) -> None:
    """Who knows the number finds the rule in every list; what the rule says of itself is the default."""
    assert rule.holds.startswith(f"{rule.declared}: ")
    assert rule.severity is Settings().procedures.rules[rule.declared or ""].severity


def test_declared_severity_is_the_one_of_the_configuration() -> None:
    """Unless the rule's own id says another."""
    rules = [rule for rule in RULES if rule.id in {"permissions-granted", "data-intact"}]
    found = build_rule_overrides(declare(Severity.CRITICAL), rules)
    assert found["permissions-granted"] == RuleOverride(severity=Severity.CRITICAL)
    assert found["data-intact"] == RuleOverride(severity=Severity.HIGH)
    own = declare(Severity.CRITICAL, permissions_granted=Check(severity=Severity.LOW, blocking=True))
    assert build_rule_overrides(own, rules)["permissions-granted"] == RuleOverride(severity=Severity.LOW, blocking=True)
    off = declare(Severity.CRITICAL, permissions_granted=Check(enabled=False))
    assert build_rule_overrides(off, rules)["permissions-granted"] == RuleOverride(
        enabled=False, severity=Severity.CRITICAL
    )


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("VR007", Severity.CRITICAL),
        ("permissions-granted", Severity.CRITICAL),
        ("tests-not-deleted", Severity.CRITICAL),
        ("ci-unchanged", Severity.LOW),
        ("own", Severity.MEDIUM),
        ("nobody", None),
    ],
)
def test_usual_severity_is_found_by_id_and_by_declared_name(name: str, severity: Severity | None) -> None:
    """A name that no rule has gives nothing."""
    checks = {"ci_unchanged": Check(severity=Severity.LOW), "own": Check(run=("a",), severity=Severity.MEDIUM)}
    assert find_usual_severity(declare(Severity.CRITICAL, **checks), name) == severity


SCRIPT = "scripts/gate.sh"


def commands(
    builder: RepositoryBuilder, moment: CheckMoment | None = None, phase: str | None = None
) -> dict[str, CommandCheck]:
    return {command.id: command for command in list_commands(open_session(builder.folder), moment, phase)}


def configure(builder: RepositoryBuilder, text: str) -> RepositoryBuilder:
    return builder.write("handoff-tui.toml", text)


def test_commands_are_those_of_the_settings(builder: RepositoryBuilder) -> None:
    """Neither built-in checks, nor functions, nor what is switched off."""
    configure(
        builder,
        '[checks.lint]\nrun = ["make", "lint"]\n[checks.off]\nrun = ["x"]\nenabled = false\n'
        '[checks.line]\nrun = ["make | tee log"]\nshell = true\nseverity = "low"\n[checks.own]\npython = "a:b"\n',
    )
    found = commands(builder)
    assert {name: command.argv for name, command in found.items()} == {
        "lint": ("make", "lint"),
        "line": ("/bin/sh", "-c", "make | tee log"),
    }
    assert (found["lint"].severity, found["lint"].blocking, found["lint"].shown) == (Severity.HIGH, True, "make lint")
    assert (found["line"].severity, found["line"].blocking) == (Severity.LOW, False)


def test_commands_of_the_repository_are_told_from_the_users(builder: RepositoryBuilder, isolated_user: Path) -> None:
    """Only those of the repository need consent."""
    configure(builder, '[checks.theirs]\nrun = ["a"]\n')
    own = isolated_user / "config" / "handoff-tui" / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[checks.mine]\nrun = ["b"]\n', encoding="utf-8")
    found = commands(builder)
    assert {name: command.from_repository for name, command in found.items()} == {"theirs": True, "mine": False}


def test_commands_are_chosen_by_moment_and_phase(builder: RepositoryBuilder) -> None:
    """One that names no phase guards all."""
    configure(
        builder, '[checks.before]\nrun = ["a"]\nmoments = ["pre"]\n[checks.review]\nrun = ["b"]\nphases = ["review"]\n'
    )
    assert set(commands(builder)) == {"before", "review"}
    assert set(commands(builder, CheckMoment.GATE)) == {"review"}
    assert set(commands(builder, CheckMoment.PRE, "build")) == {"before"}


def test_session_gate_is_a_command_where_its_script_is(builder: RepositoryBuilder) -> None:
    """It is the repository's, it blocks, it runs after a handover, and it can be switched off."""
    assert SESSION_GATE not in commands(builder)
    gate = f'[mosaic]\nsession_gate_script = "{SCRIPT}"\n'
    configure(builder.write(SCRIPT, "exit 0\n"), gate)
    found = commands(builder)[SESSION_GATE]
    assert (found.argv, found.blocking, found.from_repository) == (("bash", SCRIPT), True, True)
    assert SESSION_GATE in commands(builder, CheckMoment.POST)
    assert SESSION_GATE not in commands(builder, CheckMoment.PRE)
    configure(builder, f"{gate}[checks.{SESSION_GATE}]\nenabled = false\n")
    assert SESSION_GATE not in commands(builder)


def test_environment_is_only_what_the_check_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything else of the session is held back; what is not set is not given."""
    monkeypatch.setenv("LAMP", "lit")
    monkeypatch.setenv("SECRET", "hidden")
    monkeypatch.delenv("ABSENT", raising=False)
    assert build_environment(Check(environment=("LAMP", "ABSENT"))) == {"LAMP": "lit"}


def digest(builder: RepositoryBuilder) -> str:
    desk = open_session(builder.folder)
    return digest_command(desk, list_commands(desk, None, None)[0])


def test_digest_follows_the_inputs_of_a_command(builder: RepositoryBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their content, committed or not, the words and the environment; other files and log entries do not count."""
    configure(builder, '[checks.lint]\nrun = ["make"]\ninputs = ["*.py"]\nenvironment = ["LAMP"]\n')
    builder.write("a.py", "one\n").write("b.md").commit()

    first = digest(builder)
    builder.write("b.md", "changed\n").write(f".handoff-tui/log/aa/{'a' * 64}.intoto.jsonl").commit()
    assert digest(builder) == first
    builder.write("a.py", "two\n")
    second = digest(builder)
    monkeypatch.setenv("LAMP", "lit")
    third = digest(builder)
    builder.write("new.py")
    assert len({first, second, third, digest(builder)}) == 4


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The consents of this user: none yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "handoff-tui"


@pytest.fixture
def asking(builder: RepositoryBuilder) -> RepositoryBuilder:
    """A repository that asks to run a script of its own."""
    return builder.write("handoff-tui.toml", '[checks.lint]\nrun = ["sh", "lint.sh"]\n').write("lint.sh", "exit 0\n")


def find_state(builder: RepositoryBuilder) -> ConsentState | None:
    return read_consent(open_session(builder.folder))


def consent(builder: RepositoryBuilder) -> None:
    state = find_state(builder)
    assert state is not None
    give_consent(open_session(builder.folder), state.digest)


def has_consent(builder: RepositoryBuilder) -> bool:
    state = find_state(builder)
    assert state is not None
    return state.trusted


def test_nothing_may_run_until_someone_consents(asking: RepositoryBuilder) -> None:
    """By naming the digest."""
    assert not has_consent(asking)
    consent(asking)
    assert has_consent(asking)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("lint.sh", "rm -rf /\n"),
        ("handoff-tui.toml", '[checks.lint]\nrun = ["sh", "lint.sh", "-x"]\n'),
        ("handoff-tui.toml", '[checks.lint]\nrun = ["sh", "lint.sh"]\n[checks.more]\npython = "a:b"\n'),
    ],
)
def test_consent_ends_when_what_would_run_changes(asking: RepositoryBuilder, path: str, content: str) -> None:
    """The words, the script they name, or one more of them; and comes back with the old bytes."""
    consent(asking)
    before = asking.place(path).read_text(encoding="utf-8")
    asking.write(path, content)
    assert not has_consent(asking)
    asking.write(path, before)
    assert has_consent(asking)


def test_consent_is_for_this_repository_alone(asking: RepositoryBuilder, tmp_path: Path) -> None:
    """The same commands elsewhere are asked about again."""
    consent(asking)
    other = RepositoryBuilder.init(tmp_path / "other")
    for path in ("handoff-tui.toml", "lint.sh"):
        other.write(path, asking.place(path).read_text(encoding="utf-8"))
    assert not has_consent(other)


def test_repository_that_asks_for_nothing_needs_no_consent(builder: RepositoryBuilder) -> None:
    """And none can be given."""
    assert find_state(builder) is None
    with pytest.raises(UsageError, match="nothing to consent to"):
        give_consent(open_session(builder.folder), "sha256:0")


@pytest.mark.parametrize("content", ["[]", "{", '{"x": 3}', '{"x": [1]}', ""])
def test_damaged_file_holds_no_consent(asking: RepositoryBuilder, state_folder: Path, content: str) -> None:
    """And is replaced by the next consent."""
    state_folder.mkdir(parents=True)
    (state_folder / "trusted.json").write_text(content, encoding="utf-8")
    assert not has_consent(asking)
    consent(asking)
    assert has_consent(asking)


def test_consent_that_cannot_be_saved_is_an_error(asking: RepositoryBuilder, state_folder: Path) -> None:
    """Nobody believes it was saved."""
    state_folder.parent.mkdir(parents=True)
    state_folder.write_text("a file in the way", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be written"):
        consent(asking)
