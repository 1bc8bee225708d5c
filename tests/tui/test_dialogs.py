"""What the dialogs show before something is confirmed."""

from __future__ import annotations

import pytest

from handoff_tui.agents.proofs import TaskProofs
from handoff_tui.agents.rollback.report import Rollback, RollbackPreview, RollbackState, SavedWork
from handoff_tui.agents.runs.run import RunStatus
from handoff_tui.agents.step.report import TouchedFile
from handoff_tui.checks.report import RequestedCommand, RequestedCommands
from handoff_tui.core.classes import replace
from handoff_tui.core.tasks import ProofKind
from handoff_tui.core.text.page import Page
from handoff_tui.core.text.page_layout import lay_out
from handoff_tui.live.state.agents import AgentProposal, Breakpoint, ProofShown, ProposalKind, ProposalStage
from handoff_tui.live.state.app import AppState, BisectPart, RepositoryPart, Trouble
from handoff_tui.tui.dialogs.alert import LogAlarm, build_alert_page, find_alarm
from handoff_tui.tui.dialogs.bisect import build_bisect_box, describe_search
from handoff_tui.tui.dialogs.palette import Offer, rank
from handoff_tui.tui.dialogs.proofs import ProofRows, build_proof_line, build_proof_name
from handoff_tui.tui.dialogs.proposal import add_trust, build_proposal_page, describe_obstacle
from tests.support.desk_states import list_lines
from tests.support.view_states import PLAN, PROOFS, REPORT, TRIALS, make_lock, make_run

READY = AgentProposal(1, ProposalKind.STEP, ProposalStage.READY, plan=PLAN)
PREVIEW = RollbackPreview(
    target="a" * 40, reason="ada approved it", head="b" * 40, files=(TouchedFile(path="src/x.py", change="deleted"),)
)
RECORD = Rollback(
    id="1",
    time="2026-03-05T10:00:00Z",
    owner="ada",
    state=RollbackState.DONE,
    target="a" * 40,
    saved=SavedWork(ref="refs/handoff-tui/saved/1", commit="c", tree="t", index_tree="i", head="h"),
    tree="t",
    commit="c",
)


def read(proposal: AgentProposal) -> str:
    return "\n".join("".join(cell.text for cell in row) for row in lay_out(build_proposal_page(proposal), 100))


@pytest.mark.parametrize(
    ("proposal", "words"),
    [
        (READY, ("maker.sh", "{prompt_file}", "/desk", "HOME, PATH", "10:00", "Then say so.", "attempt 1, run 2")),
        (AgentProposal(1, ProposalKind.STEP, ProposalStage.PREPARING), ("looking…",)),
        (
            AgentProposal(1, ProposalKind.STEP, ProposalStage.REFUSED, trouble=Trouble("it is locked by ada", "Wait.")),
            ("✗ it is locked by ada", "Wait."),
        ),
        (
            AgentProposal(1, ProposalKind.STOP, ProposalStage.READY, run=make_run(3, RunStatus.RUNNING)),
            ("run 3", "Sends TERM, waits 5 s, then KILLs"),
        ),
        (
            AgentProposal(1, ProposalKind.UNLOCK, ProposalStage.READY, lock=make_lock(stale=True)),
            ("ada on vm", "stale"),
        ),
        (
            AgentProposal(1, ProposalKind.ROLLBACK, ProposalStage.READY, rollback=PREVIEW),
            ("ada approved it", "deleted  src/x.py"),
        ),
        (AgentProposal(1, ProposalKind.UNDO, ProposalStage.READY, record=RECORD), ("refs/handoff-tui/saved/1",)),
        (replace(READY, note="it is not what was shown"), ("! it is not what was shown",)),
        (
            replace(READY, plan=PLAN._replace(waits=(5.0, 30.0), demands=2)),
            ("2 automatic if it crashes, after 5 s, 30 s", "2 points from the reviewer who sent the work back"),
        ),
        (
            replace(READY, kind=ProposalKind.LOOP, plan=PLAN._replace(failure_target="plan")),
            ("goes back to plan", "3", "every gate: a person decides", "Then say so."),
        ),
        (
            replace(READY, kind=ProposalKind.LOOP, breakpoints=frozenset({Breakpoint("test", before=True)})),
            ("goes back to build", "your breakpoints: before test"),
        ),
    ],
)
def test_page_says_what_would_be_done(proposal: AgentProposal, words: tuple[str, ...]) -> None:
    """Word for word, or why it cannot be."""
    text = read(proposal)
    assert all(word in text for word in words), text


def test_obstacle_is_told_until_it_can_be_confirmed() -> None:
    """Only what is ready can be, and only with what must be typed."""
    assert describe_obstacle(READY, "") == ""
    asks = replace(READY, typed="release", typed_why="release may only be started by a person")
    assert describe_obstacle(asks, "relase") == "type release: release may only be started by a person"
    assert describe_obstacle(asks, " release ") == ""
    for stage in set(ProposalStage) - {ProposalStage.READY}:
        assert describe_obstacle(replace(READY, stage=stage), "") != ""


def test_page_shows_every_word_and_every_script() -> None:
    """What is trusted is seen, and nothing of it is obeyed by the terminal."""
    commands = (
        RequestedCommand("lint", ("sh", "-c", "a\x1b[2J"), (("lint.sh", "sha256:34"),)),
        RequestedCommand("x", ("x",), ()),
    )
    page = Page()
    add_trust(page, RequestedCommands("sha256:12", commands, ("own=checks:run",)))
    lines = list_lines(page)
    assert lines[0] == "This repository asks to run 3 checks with your permissions."
    for line in (
        "runs     sh",
        "         -c",
        "         a␛[2J",
        "script   lint.sh  sha256:34",
        "calls    own=checks:run",
    ):
        assert line in lines
    assert lines[-1] == "digest   sha256:12"


PART = BisectPart(1, "tests-unit", "H-1")


def render(part: BisectPart | None) -> str:
    rows = lay_out(build_bisect_box(part), 100)
    return "\n".join("".join(cell.text for cell in row) for row in rows)


def test_box_shows_the_range_and_every_trial_while_it_searches() -> None:
    """What cannot be tested is named as that, and moves neither end."""
    words = render(BisectPart(1, "tests-unit", "H-1", TRIALS))
    assert "good a1a1a1a … bad fffffff" in words
    assert "3  ? can't tell  c3c3c3c" in words
    assert words.index("3  ? can't") < words.index("1  ✗ fails")


def test_box_shows_the_commit_its_author_and_its_diff_at_the_end() -> None:
    """The answer comes first."""
    words = render(BisectPart(1, "tests-unit", "H-1", TRIALS, REPORT))
    assert words.startswith("b2b2b2b broke tests-unit of H-1")
    assert "heron <heron@example.org>" in words
    assert "+bad" in words


def test_box_says_why_nothing_could_be_searched() -> None:
    """With what to do about it, and nothing of it reaches the terminal as it is."""
    words = render(BisectPart(1, "t", "H-1", trouble=Trouble("nobody trusted \x1b[2J", "Read it first.")))
    assert "✗ nobody trusted ␛[2J" in words
    assert "Read it first." in words


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (None, "Checking the newest commit"),
        (BisectPart(1, "t", "H-1", TRIALS[:1]), "step 1 · looking for a commit that passes"),
        (BisectPart(1, "t", "H-1", TRIALS), "step 3 of about 6 · 5 commits left"),
        (BisectPart(1, "t", "H-1", TRIALS, cancelling=True), "stopping…"),
        (BisectPart(1, "t", "H-1", trouble=Trouble("no")), "The search failed"),
        (BisectPart(1, "t", "H-1", TRIALS, REPORT), "1 commit tried"),
    ],
)
def test_progress_is_said_in_one_line(part: BisectPart | None, words: str) -> None:
    """From the first trial to the answer."""
    assert words in "".join(cell.text for cell in describe_search(part))


SOUND = RepositoryPart("/a", "a")
BROKEN = RepositoryPart("/b", "b", fatal=("an entry is gone\x1b[2K", *(f"problem {n}" for n in range(20))))


def test_alarm_is_raised_by_what_is_fatal() -> None:
    """Only repositories whose logs are not intact; equal problems are an equal alarm."""
    assert find_alarm(AppState(repositories=(SOUND,))) == ()
    assert find_alarm(AppState(repositories=(SOUND, BROKEN))) == (LogAlarm("/b", BROKEN.fatal),)


def test_alert_tells_what_is_wrong_and_what_follows() -> None:
    """Every gate is closed; the list is cut, and nothing in it is obeyed."""
    text = "\n".join(list_lines(build_alert_page(find_alarm(AppState(repositories=(BROKEN,))))))
    assert "THE SIGNED LOG IS NOT INTACT" in text
    assert "Every gate of this repository is closed" in text
    assert "an entry is gone␛[2K" in text
    assert "… and 9 more" in text
    assert "handoff-tui log verify" in text


SHOT, LOG, GONE = (proof for task in PROOFS for proof in task.proofs)


def read_proofs(rows: ProofRows) -> list[str]:
    return ["".join(cell.text for cell in rows.build_row(index, 80)) for index in range(len(rows.keys))]


def test_proofs_stand_below_their_tasks() -> None:
    """With what is known of each; the cursor passes over the tasks."""
    rows = ProofRows(PROOFS)
    assert read_proofs(rows) == [
        "T-1",
        "? not recorded  screenshot  proofs/shot.png  70 bytes  run R-1  sha256 " + "a" * 12,
        "the whole handoff",
        "✓ as recorded   log         output of build 1.1  12 bytes  sha256 " + "b" * 12,
        "✗ unreadable    report      proofs/gone.json  can't be read",
    ]
    assert [bool(key) for key in rows.keys] == [False, True, False, True, True]
    assert rows.find(build_proof_name(LOG)) is LOG
    assert rows.find("") is None
    assert rows.find("no such") is None


def test_changed_output_is_marked() -> None:
    """By glyph and word."""
    forged = LOG.model_copy(update={"sha256": "c" * 64})
    assert "✗ changed since" in read_proofs(ProofRows([TaskProofs(task=None, proofs=(forged,))]))[1]


def test_lines_of_a_diff_are_told_apart() -> None:
    """By their role; those of other texts are plain, and can be read from a column on."""
    lines = ("+new", "-old", "@@ 1", " same")
    diff = ProofShown(SHOT.model_copy(update={"kind": ProofKind.DIFF}), lines)
    assert [build_proof_line(diff, index, 0)[0].role for index in range(4)] == ["added", "removed", "muted", "text"]
    assert build_proof_line(ProofShown(LOG, lines), 0, 1)[0] == ("new", "text")


def test_best_match_is_a_name_or_an_id_and_no_value() -> None:
    """A handoff by its id or the name of its document comes before a setting whose value begins like that."""
    setting = Offer("setting:names", "setting names", "handoff_*.json")
    handoff = Offer("handoff:/desk\0notes/HANDOFF.md", "handoff subtracting", "notes/HANDOFF.md")
    action = Offer("action:app.new", "App: new handoff…")
    offers = [action, setting, handoff]
    assert sorted(offers, key=lambda offer: rank(offer, "hand")) == [handoff, setting, action]
    assert sorted(offers, key=lambda offer: rank(offer, "")) == offers


def test_best_match_among_decisions_begins_with_what_was_typed() -> None:
    """Enter after `over` overrides, and carries nothing over."""
    offers = [Offer("override", "override…    Lets it go on"), Offer("carry", "carry over…  Carries it over")]
    assert min(offers, key=lambda offer: rank(offer, "over")).id == "override"
