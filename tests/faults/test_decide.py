"""Decisions by the real command, without a terminal: every verb, and every way in which one is refused."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from handoff_tui.decisions import decide as deciding
from handoff_tui.git.repository import open_repository
from handoff_tui.git.signing.ssh_keygen import SigningTool
from handoff_tui.log.entries.statement import build_payload
from handoff_tui.log.entry import Entry, EntryKind, PolicyText
from handoff_tui.log.journal import Draft, Parents
from handoff_tui.log.open_log import OpenLog, open_log
from handoff_tui.system.clock import read_now
from tests.support.gates import CODE, GATE, HANDOFF, GateDesk
from tests.support.repositories import EMAIL, RepositoryBuilder, build_git_environment
from tests.support.signed import Person, Speaking, list_entries

Plan = Callable[[Callable[[], object]], None]


@pytest.fixture
def before_signing(monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Lets something happen between the page and the signature, once."""
    sign = deciding.sign_decision

    def plan(happens: Callable[[], object]) -> None:
        def sign_late(log: OpenLog, prepared: deciding.PreparedDecision) -> Entry:
            monkeypatch.setattr(deciding, "sign_decision", sign)
            happens()
            return sign(log, prepared)

        monkeypatch.setattr(deciding, "sign_decision", sign_late)

    return plan


def test_approval_opens_the_gate(desk: GateDesk, bo: Person) -> None:
    """What was approved is approved; the receipt says so in JSON, and `gate` exits with 0."""
    before = desk.gate(bo)
    assert (before.code, before.json["state"]) == (1, "pending")
    said = desk.decide(bo, "approve")
    assert said.code == 0, said.stderr
    assert said.json["schema"] == "handoff-tui/decide/v1"
    assert (said.json["decision"], said.json["actor"]) == ("approve", bo.email)
    assert said.json["gate"]["state"] == "approved"
    assert said.json["entry"] in list_entries(desk.root)
    after = desk.gate(bo)
    assert (after.code, after.json["state"], after.json["why"]) == (0, "approved", [f"decided by {bo.email}"])


def test_gate_has_the_promised_shape(desk: GateDesk, bo: Person) -> None:
    """Every promised field is there, and the digest covers subject, handoff, phase and attempt."""
    value = desk.gate(bo).json
    promised = {"handoff", "phase", "attempt", "state", "why", "subject", "threshold", "approvals"}
    assert promised <= value.keys()
    bound = {"commit", "tree", "baseline", "scope", "start", "snapshot", "checks", "handoff"}
    assert value["subject"].keys() == {"digest", *bound}
    assert value["subject"]["commit"] == desk.builder.head()
    assert desk.digest(bo, "--phase", "release") != value["subject"]["digest"]


@pytest.mark.parametrize(
    ("verb", "state", "code"),
    [("reject", "rejected", 1), ("retry", "retry", 1), ("hold", "held", 1), ("skip", "skipped", 0)],
)
def test_other_verbs_say_what_they_say(desk: GateDesk, bo: Person, verb: str, state: str, code: int) -> None:
    """Each needs a reason, and the gate stands as decided."""
    silent = desk.decide(bo, verb)
    assert (silent.code, "needs a reason" in silent.stderr) == (2, True)
    said = desk.decide(bo, verb, "--reason", "there is one")
    assert said.code == 0, said.stderr
    gate = desk.gate(bo)
    assert (gate.code, gate.json["state"]) == (code, state)


def test_override_is_a_debt_until_an_approval_settles_it(desk: GateDesk, bo: Person) -> None:
    """It goes over failing checks, stays visible in gate and status, and the approval that regards it ends it."""
    desk.change("Status: COMPLETE\n\nCreated `src/gone.py`.\n", "HANDOFF.md")
    refused = desk.decide(bo, "approve")
    assert (refused.code, "claims-hold" in refused.stderr, "override" in refused.stderr) == (1, True, True)
    entry = desk.decide(bo, "override", "--reason", "the file comes later").json["entry"]
    gate = desk.gate(bo)
    assert (gate.code, gate.json["state"], gate.json["debts"]) == (0, "overridden", [entry])
    assert "is not settled" in desk.speaking(bo, "status", "--repo", desk.root).stdout
    desk.change("Status: COMPLETE\n\nAll is well.\n", "HANDOFF.md")
    assert desk.gate(bo).json["debts"] == [entry]
    assert desk.decide(bo, "approve").code == 0
    gate = desk.gate(bo)
    assert (gate.json["state"], gate.json["debts"]) == ("approved", [])


def test_withdrawal_takes_back_the_last_decision(desk: GateDesk, bo: Person) -> None:
    """It is an entry of its own; without a decision there is nothing to take back."""
    nothing = desk.decide(bo, "withdraw", "--reason", "wait")
    assert (nothing.code, "no decision to withdraw" in nothing.stderr) == (1, True)
    desk.decide(bo, "approve")
    said = desk.decide(bo, "withdraw", "--reason", "I was too quick")
    assert said.code == 0, said.stderr
    assert desk.gate(bo).json["state"] == "withdrawn"
    assert len(list_entries(desk.root)) == 3


def test_carry_takes_an_approval_over_work_of_others(desk: GateDesk) -> None:
    """At a gate that binds the tree, with the handoff's own files equal: superseded, carried, and it counts again."""
    bo = desk.person("bo")
    desk.begin(bo, gates=f'{GATE}binds = "tree"\n')
    approval = desk.decide(bo, "approve").json["entry"]
    desk.builder.moment += 60
    desk.builder.git("commit", "--quiet", "--amend", "--no-verify", "-m", "another message")
    assert desk.gate(bo).json["state"] == "approved"
    early = desk.decide(bo, "carry")
    assert (early.code, "nothing to carry" in early.stderr) == (1, True)
    desk.change(path="elsewhere.py")
    gate = desk.gate(bo)
    assert (gate.json["state"], "other files" in " ".join(gate.json["why"])) == ("superseded", True)
    said = desk.decide(bo, "carry")
    assert said.code == 0, said.stderr
    assert desk.gate(bo).json["state"] == "approved"
    carried = open_log(open_repository(desk.root)).verify().entries[-1].decision
    assert carried is not None
    assert carried.regards == (approval,)
    desk.change()
    refused = desk.decide(bo, "carry")
    assert (refused.code, "exactly these files" in refused.stderr) == (1, True)


def test_two_people_are_needed_where_the_policy_says_two(desk: GateDesk) -> None:
    """One approval is pending and says how many are missing; a second one of the same person adds nothing."""
    bo, cy = desk.person("bo"), desk.person("cy")
    desk.begin(bo, cy, gates='[gates."*"]\nthreshold = 2\n')
    desk.decide(bo, "approve")
    desk.decide(bo, "approve")
    gate = desk.gate(cy)
    assert (gate.code, gate.json["state"], gate.json["why"]) == (1, "pending", ["1 of 2 approvals"])
    assert "1 of 2 approvals" in desk.speaking(bo, "status", "--repo", desk.root).stdout
    assert desk.decide(cy, "approve").json["gate"]["state"] == "approved"
    desk.decide(bo, "hold", "--reason", "one more look")
    assert desk.gate(cy).json["state"] == "held"


def test_roles_are_counted_as_the_gate_asks(desk: GateDesk) -> None:
    """ "1 of security and 2 of dev": three of dev are not enough, with security they are; each fills one place."""
    bo, cy, di, eve = (desk.person(name) for name in ("bo", "cy", "di", "eve"))
    roles = (
        f'[roles.security]\nprincipals = ["{eve.email}"]\n'
        f'[roles.dev]\nprincipals = ["{bo.email}", "{cy.email}", "{di.email}", "{eve.email}"]\n'
    )
    gates = '[gates."*"]\nthreshold = 3\nrequire = "1 of security and 2 of dev"\n'
    desk.begin(bo, cy, di, eve, gates=gates, roles=roles)
    for person in (bo, cy, di):
        assert desk.decide(person, "approve").code == 0
    gate = desk.gate(bo)
    assert (gate.json["state"], gate.json["requirement"]) == ("pending", "1 of security and 2 of dev")
    assert desk.decide(eve, "approve").json["gate"]["state"] == "approved"


def test_who_made_the_work_does_not_approve_it(desk: GateDesk) -> None:
    """Authors and co-authors are refused for all that lets pass, and may still reject."""
    ada, bo = desk.person("ada"), desk.person("bo")
    desk.begin(bo, ada)
    assert desk.gate(bo).json["producers"] == [EMAIL]
    for verb in ("approve", "override", "skip"):
        said = desk.decide(ada, verb, "--reason", "mine")
        assert (said.code, "had a hand in this work" in said.stderr) == (1, True)
    assert desk.decide(ada, "reject", "--reason", "not good enough yet").code == 0


def test_co_author_and_committer_are_producers(desk: GateDesk) -> None:
    """A trailer and a committer count as an author does."""
    bo, cy, di = desk.person("bo"), desk.person("cy"), desk.person("di")
    desk.begin(bo, cy, di)
    desk.commit_log()
    desk.builder.push(desk.folder / "remote")
    desk.builder.write("src/app.py", CODE + "# two\n")
    desk.builder.git("add", "--all")
    desk.builder.git("-c", f"user.email={cy.email}", "commit", "-q", "-m", f"x\n\nCo-authored-by: Bo <{bo.email}>")
    assert desk.gate(bo).json["producers"] == [EMAIL, bo.email]
    assert desk.decide(bo, "approve").code == 1
    assert desk.decide(di, "approve").code == 0


def test_submitter_does_not_approve(desk: GateDesk) -> None:
    """The signer of a submission made the work; an agent's submission is recorded with its name."""
    bo, cy, robot = desk.person("bo"), desk.person("cy"), desk.person("robot")
    desk.begin(bo, cy, agents=[robot], gates='[gates."*"]\nthreshold = 1\nrequire_signed_submission = true\n')
    assert desk.decide(bo, "approve").json["gate"]["state"] == "blocked"
    said = desk.speaking(robot, "submit", HANDOFF, "--repo", desk.root, "--sign", "--json")
    assert said.code == 0, said.stderr
    assert said.json["schema"] == "handoff-tui/submit/v1"
    assert desk.gate(bo).json["state"] == "approved"
    assert robot.email in desk.gate(bo).json["producers"]
    assert desk.speaking(cy, "submit", HANDOFF, "--repo", desk.root, "--sign").code == 4
    assert desk.speaking(cy, "submit", HANDOFF, "--repo", desk.root, "--sign", terminal=True).code == 0
    assert (desk.decide(cy, "approve").code, desk.gate(bo).json["state"]) == (1, "approved")


def test_agents_never_decide(desk: GateDesk) -> None:
    """An enrolled agent is refused with the code of its own, whatever it says; so is a key that nobody enrolled."""
    bo, robot, stranger = desk.person("bo"), desk.person("robot"), desk.person("stranger")
    desk.begin(bo, agents=[robot])
    for verb in ("approve", "reject"):
        said = desk.decide(robot, verb, "--reason", "trust me")
        assert (said.code, "is an agent" in said.stderr) == (4, True)
    said = desk.decide(stranger, "approve")
    assert (said.code, "not in the policy" in said.stderr, "keys enroll" in said.stderr) == (4, True, True)
    assert len(list_entries(desk.root)) == 1


def test_nobody_decides_without_a_terminal_or_a_digest(desk: GateDesk, bo: Person) -> None:
    """No terminal and no `--subject`: refused with a hint; a wrong digest is refused and the right one named."""
    said = desk.speaking(bo, "decide", "approve", HANDOFF, "--repo", desk.root)
    assert (said.code, "no terminal" in said.stderr, "in a terminal" in said.stderr) == (4, True, True)
    wrong = desk.decide(bo, "approve", subject="sha256:" + "0" * 64)
    assert (wrong.code, desk.digest(bo) in wrong.stderr) == (4, True)
    assert len(list_entries(desk.root)) == 1


def test_without_a_log_nobody_decides(desk: GateDesk) -> None:
    """The hint names what makes one."""
    bo = desk.person("bo")
    said = desk.decide(bo, "approve")
    assert (said.code, "handoff-tui init" in said.stderr) == (4, True)
    assert not (desk.root / ".handoff-tui").exists()


def test_locked_key_without_an_agent_is_refused(desk: GateDesk) -> None:
    """Nobody can be asked for the passphrase: exit 4, nothing is stored, and the hint says what to do."""
    bo = desk.person("bo")
    locked = desk.person("cy", "open sesame")
    desk.begin(bo, locked)
    said = desk.decide(locked, "approve")
    assert (said.code, "passphrase" in said.stderr, "ssh-add" in said.stderr) == (4, True, True)
    assert len(list_entries(desk.root)) == 1


def test_commit_of_the_log_and_push_keep_a_decision_current(desk: GateDesk, bo: Person) -> None:
    """Neither is work: the subject stays as it was. Nor is somebody else's commit work of this handoff."""
    desk.builder.push(desk.folder / "remote")
    desk.change()
    desk.decide(bo, "approve")
    digest = desk.gate(bo).json["subject"] | {"digest": "", "commit": ""}
    desk.commit_log()
    committed = desk.gate(bo)
    assert (committed.code, committed.json["subject"] | {"digest": "", "commit": ""}) == (0, digest)
    desk.builder.push(desk.folder / "remote")
    assert desk.gate(bo).code == 0
    desk.builder.write("README.md", "hello\n").commit("a change")
    assert desk.gate(bo).code == 0
    desk.change("# other\n")
    gate = desk.gate(bo)
    assert (gate.code, gate.json["state"], gate.json["attempt"]) == (1, "superseded", 2)


def test_log_commit_on_a_pushed_main_branch_keeps_a_decision_current(desk: GateDesk, bo: Person) -> None:
    """Without a baseline at first, the unpushed commit of the log must not become one."""
    desk.commit_log()
    desk.builder.push(desk.folder / "remote")
    assert desk.decide(bo, "approve").code == 0
    desk.commit_log()
    assert desk.gate(bo).code == 0
    desk.builder.push(desk.folder / "remote")
    assert desk.gate(bo).code == 0


def test_merge_by_the_reviewer_keeps_the_approval(desk: GateDesk, bo: Person) -> None:
    """Whoever approves and then merges has made nothing: same files, same approval, also as one squashed commit."""
    desk.commit_log()
    desk.builder.step("switch", "--quiet", "--create", "feature")
    desk.change()
    desk.decide(bo, "approve")
    desk.commit_log()
    desk.builder.step("switch", "--quiet", "main")
    identity = ("-c", f"user.email={bo.email}", "-c", "user.name=bo")
    environment = {"GIT_COMMITTER_EMAIL": bo.email, "GIT_AUTHOR_EMAIL": bo.email}
    merge = ("git", "-C", str(desk.root), *identity, "merge", "--quiet", "--no-ff", "-m", "merge", "feature")
    subprocess.run(merge, check=True, env={**build_git_environment(desk.builder.moment), **environment})
    gate = desk.gate(bo)
    assert (gate.code, gate.json["state"]) == (0, "approved"), gate.json["why"]
    desk.builder.step("reset", "--quiet", "--hard", "HEAD~1")
    desk.builder.step("merge", "--quiet", "--squash", "feature").commit("squashed")
    assert desk.gate(bo).json["state"] == "approved"


def test_command_runs_once_for_a_decision(desk: GateDesk, bo: Person) -> None:
    """A failing command is not run again for the snapshot; output that differs every time doesn't supersede."""
    ran = desk.folder / "ran"
    script = f"date +%s%N; echo x >> {ran}; exit 1"
    access = f"{desk.folder}/:write"
    settings = f'[checks.mine]\nrun = ["{script}"]\nshell = true\naccess = ["{access}"]\n'
    desk.builder.write("handoff-tui.toml", settings).commit("settings")
    listed = desk.speaking(bo, "check", "--list", "--json", "--repo", desk.root).json
    trusting = ("check", "--trust", listed["trust"]["digest"], "--grant", access, "--list", "--repo", desk.root)
    assert desk.speaking(bo, *trusting).code == 0
    digest = desk.digest(bo)
    runs = len(ran.read_text(encoding="utf-8").split())
    said = desk.decide(bo, "override", "--reason", "known to fail", subject=digest)
    assert said.code == 0, said.stderr
    assert len(ran.read_text(encoding="utf-8").split()) == runs + 1
    assert desk.gate(bo).json["state"] == "overridden"


def test_other_kinds_of_repository_are_decided_in_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """SHA-256 object names, a detached HEAD and a linked work tree make no difference."""
    builder = RepositoryBuilder.init(tmp_path / "sha256", "--object-format=sha256")
    desk = GateDesk(Speaking(monkeypatch, capsys), builder, tmp_path)
    bo = desk.person("bo")
    desk.begin(bo)
    desk.commit_log()
    desk.builder = builder.worktree(tmp_path / "linked", "side").detach()
    said = desk.decide(bo, "approve")
    assert said.code == 0, said.stderr
    assert len(said.json["gate"]["subject"]["commit"]) == 64
    assert said.json["gate"]["state"] == "approved"
    desk.commit_log()
    assert desk.gate(bo).code == 0


def test_uncommitted_change_supersedes(desk: GateDesk, bo: Person) -> None:
    """The file is named, and the approval counts again once it is as it was."""
    desk.decide(bo, "approve")
    desk.builder.write("src/app.py", CODE + "# sneaked in\n")
    gate = desk.gate(bo)
    assert (gate.json["state"], gate.json["uncommitted"]) == ("superseded", True)
    assert "src/app.py changed since" in " ".join(gate.json["why"])
    desk.builder.write("src/app.py", CODE)
    assert desk.gate(bo).json["state"] == "approved"


def test_reviewer_who_lost_the_role_is_not_counted(desk: GateDesk) -> None:
    """After a policy change the approval stands in the log and says why it does not count."""
    bo, cy = desk.person("bo"), desk.person("cy")
    desk.begin(bo, cy)
    desk.decide(cy, "approve")
    _change_policy(desk, f'principals = ["{bo.email}", "{cy.email}"]', f'principals = ["{bo.email}"]')
    gate = desk.gate(bo)
    assert (gate.code, gate.json["state"]) == (1, "pending")
    assert f"{cy.email} is no longer a reviewer" in " ".join(gate.json["why"])
    said = desk.decide(cy, "reject", "--reason", "still here")
    assert (said.code, "no role that decides" in said.stderr) == (1, True)


def test_approval_grows_too_old(desk: GateDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """After max_age_days the gate is expired, neither approved nor rejected."""
    bo = desk.person("bo")
    desk.begin(bo, gates='[gates."*"]\nthreshold = 1\nmax_age_days = 14\n')
    desk.decide(bo, "approve")
    later = read_now() + timedelta(days=15)
    monkeypatch.setattr("handoff_tui.log.gates.all_gates.read_now", lambda: later)
    gate = desk.gate(bo)
    assert (gate.code, gate.json["state"]) == (1, "expired")
    assert f"{bo.email}'s approval is too old" in gate.json["why"]


def test_first_decision_wins(desk: GateDesk, before_signing: Plan) -> None:
    """Who looked before another decided is told who it was and what they decided, and signs nothing."""
    bo, cy = desk.person("bo"), desk.person("cy")
    desk.begin(bo, cy)
    digest = desk.digest(cy)

    def reject() -> None:
        said = bo.say("decide", "reject", HANDOFF, "--repo", desk.root, "--reason", "no tests", "--subject", digest)
        assert said.code == 0, said.stderr

    before_signing(reject)
    said = desk.decide(cy, "approve", subject=digest)
    assert said.code == 1
    assert f"{bo.email} decided first: reject on attempt 1, because no tests" in said.stderr
    assert len(list_entries(desk.root)) == 2


@pytest.mark.parametrize("change", ["file", "commit"])
def test_work_that_moved_after_it_was_shown_is_not_signed(
    desk: GateDesk, bo: Person, before_signing: Plan, change: str
) -> None:
    """Between the page and the signature something changed: nothing is stored."""
    before_signing(lambda: desk.builder.write("src/app.py", "import os\n") if change == "file" else desk.change())
    said = desk.decide(bo, "approve")
    assert (said.code, "has changed since it was shown" in said.stderr) == (1, True)
    assert len(list_entries(desk.root)) == 1
    assert not (desk.root / ".handoff-tui" / "reviews").exists()


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_what_moves_elsewhere_keeps_nobody_from_signing(
    desk: GateDesk, bo: Person, before_signing: Plan, verb: str
) -> None:
    """Other files, other commits; and a rejection is signed whatever moved."""

    def move() -> None:
        desk.builder.write("elsewhere.py", "import os\n").commit("other work").write("scratch.py", "x\n")
        if verb == "reject":
            desk.builder.write("src/app.py", "# half saved\n")

    before_signing(move)
    said = desk.decide(bo, verb, "--reason", "seen")
    assert said.code == 0, said.stderr
    assert len(list_entries(desk.root)) == 2


def test_handoff_outside_git_that_moved_is_not_signed(desk: GateDesk, bo: Person, before_signing: Plan) -> None:
    """A handoff that git ignores is in no tree; it is read once more all the same."""
    desk.builder.write(".gitignore", "HANDOFF.md\n").step("rm", "--cached", "--quiet", "HANDOFF.md").commit("ignored")
    text = "# Handoff\n\nStatus: COMPLETE\n\nSomething else.\n"
    before_signing(lambda: desk.builder.write("HANDOFF.md", text))
    assert "has changed since it was shown" in desk.decide(bo, "approve").stderr
    assert len(list_entries(desk.root)) == 1


def test_broken_log_closes_the_gate(desk: GateDesk, bo: Person) -> None:
    """An entry that was seen here is gone: exit 3 for gate, decide, submit, wait and packet; status says it."""
    entry = desk.decide(bo, "approve").json["entry"].removeprefix("sha256:")
    (desk.root / ".handoff-tui" / "log" / entry[:2] / f"{entry}.intoto.jsonl").unlink()
    gate = desk.gate(bo)
    assert (gate.code, gate.json["state"]) == (3, "blocked")
    said = desk.decide(bo, "approve")
    assert (said.code, "log verify" in said.stderr) == (3, True)
    for verb in (("submit", HANDOFF, "--sign"), ("wait", HANDOFF), ("packet", HANDOFF)):
        assert desk.speaking(bo, *verb, "--repo", desk.root).code == 3
    assert "the log is not intact" in desk.speaking(bo, "status", "--repo", desk.root).stdout


def test_wiped_log_is_noticed_by_status(desk: GateDesk, bo: Person) -> None:
    """Without its folder the log is not as good as none: this clone remembers it."""
    (desk.root / ".handoff-tui").rename(desk.folder / "away")
    assert "the log is not intact" in desk.speaking(bo, "status", "--repo", desk.root).stdout


def test_damaged_review_record_costs_its_remarks_and_nothing_else(desk: GateDesk, bo: Person) -> None:
    """The decision stands, the packet has its reason and says that the record is not here."""
    desk.decide(bo, "reject", "--reason", "no tests")
    for file in (desk.root / ".handoff-tui" / "reviews").iterdir():
        file.chmod(0o644)
        file.write_bytes(b"{}")
    assert desk.gate(bo).json["state"] == "rejected"
    packet = desk.speaking(bo, "packet", HANDOFF, "--repo", desk.root)
    assert packet.code == 0
    assert "\nno tests\n" in packet.stdout
    assert "is missing; only its reason is known" in packet.stdout


def test_missing_snapshot_of_the_baseline_is_said(desk: GateDesk, bo: Person) -> None:
    """What was compared with is gone; the decision is about the work, and stands."""
    desk.decide(bo, "approve")
    desk.change()
    first = {file.name for file in (desk.root / ".handoff-tui" / "baselines").iterdir()}
    assert desk.decide(bo, "approve").json["gate"]["subject"]["baseline"] in {name[:64] for name in first}
    for name in first:
        (desk.root / ".handoff-tui" / "baselines" / name).unlink()
    gate = desk.gate(bo)
    assert (gate.code, gate.json["state"]) == (0, "approved")
    assert "isn't stored here" in gate.json["baseline_reason"]


def test_second_attempt_after_a_rejection(desk: GateDesk, bo: Person) -> None:
    """New work is the next attempt: the rejection no longer vetoes it, and an approval of the first never counts."""
    desk.decide(bo, "reject", "--reason", "no tests")
    assert desk.gate(bo).json["attempt"] == 1
    desk.change()
    gate = desk.gate(bo)
    assert (gate.json["attempt"], gate.json["state"]) == (2, "pending")
    assert desk.decide(bo, "approve").json["gate"]["state"] == "approved"


def test_reason_that_the_log_cannot_hold_is_refused_first(desk: GateDesk, bo: Person) -> None:
    """Too long, or with control characters: said at once, before any check runs."""
    for reason in ("x" * 4001, "a\x1b[2Jb", "tab\there", "\udcff"):
        said = desk.decide(bo, "reject", "--reason", reason)
        assert said.code == 2
        assert "reason" in said.stderr
    assert desk.decide(bo, "reject", "--reason", "two\nlines", "--phase", "Déjà", subject="sha256:0").code == 2
    assert len(list_entries(desk.root)) == 1


def _change_policy(desk: GateDesk, old: str, new: str) -> None:
    """The next version of the policy, signed by bo, who alone is root."""
    bo = desk.folder / "homes" / "bo" / ".ssh" / "id_ed25519"
    public = " ".join(bo.with_name("id_ed25519.pub").read_text(encoding="utf-8").split()[:2])
    log = open_log(open_repository(desk.root))
    first = log.verify().entries[0]
    assert first.policy is not None
    text = first.policy.policy_toml.replace(old, new).replace("version = 1", "version = 2")

    def build(parents: Parents) -> Draft:
        policy = PolicyText(
            version=2, allowed_signers=first.policy.allowed_signers if first.policy else "", policy_toml=text,
            previous=first.id,
        )  # fmt: skip
        return Draft(build_payload(parents.build_entry(EntryKind.POLICY, first.actor, policy=policy)))

    log.journal.append(build, SigningTool(public, bo))
