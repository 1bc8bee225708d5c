"""Nothing an agent can write is believed unread: a poisoned cache costs time, and never changes a verdict."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from handoff_tui.agents.runs.reports import append_note, read_notes
from handoff_tui.agents.step.report import OperatorNote, StepOutcome
from handoff_tui.agents.step.step import list_views
from handoff_tui.changes.snapshots.stored_snapshots import read_pins, write_pin
from handoff_tui.checks.run import guards
from handoff_tui.checks.run.commands import has_consent, save_consent
from handoff_tui.core.errors import AgentRunError
from handoff_tui.git.file_diff import FileChange
from handoff_tui.git.repository import open_repository
from handoff_tui.git.work_tree.capture import write_work_tree
from handoff_tui.handoffs.session import open_session
from handoff_tui.live.drafts import DraftStore, render_drafts
from handoff_tui.system.files.cache_files import find_cache_folder, find_choices_folder, find_state_folder
from handoff_tui.system.files.sealed_files import load_json, write_json
from tests.support.command_line import say
from tests.support.gates import HANDOFF, GateDesk
from tests.support.repositories import RepositoryBuilder
from tests.support.signed import Person
from tests.support.stepping import WORK, Stepping

OWN_CHECK = '[checks.own]\nrun = ["grep", "-q", "good", "app.py"]\nmoments = ["pre", "post", "gate"]\n'
_SEAL = b"\n# seal "


def forge(place: Path, change: Callable[[Any], None]) -> Iterator[None]:
    """Edits one of our files in place: with the seal that was there, then without any."""
    content, _, seal = place.read_bytes().rpartition(_SEAL)
    value = json.loads(content)
    change(value)
    for ending in (_SEAL + seal, b""):
        place.write_bytes(json.dumps(value).encode() + ending)
        yield


@pytest.fixture
def checked(builder: RepositoryBuilder, isolated_user: Path) -> RepositoryBuilder:
    """A repository whose one command check, from the person's own file, fails."""
    config = isolated_user / "config" / "handoff-tui" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(OWN_CHECK, encoding="utf-8")
    builder.write("app.py", "bad\n").write("HANDOFF.md", "# Handoff\n\nStatus: COMPLETE\n").commit("work")
    return builder


def check(builder: RepositoryBuilder, *options: str) -> int:
    return say("check", "--only", "own", "--repo", builder.folder, *options).code


def find_cached(builder: RepositoryBuilder, name: str) -> Path:
    return find_cache_folder(builder.folder) / name


def pass_own(cache: Any) -> None:  # noqa: ANN401 - JSON is whatever it is
    """Lets the remembered results say that the check passed on exactly these inputs."""
    (digest,) = cache["outcomes"]["own"]
    cache["outcomes"]["own"] = {digest: "pass"}
    cache["commands"]["own"] = {
        "id": "own", "outcome": "pass", "severity": "high", "blocking": True, "summary": "fine",
        "inputs_digest": digest,
    }  # fmt: skip


@pytest.mark.parametrize("verb", [("check", "--only", "own"), ("status",)], ids=lambda verb: verb[0])
def test_edited_answer_is_not_repeated(checked: RepositoryBuilder, verb: tuple[str, ...]) -> None:
    """A19: the program looks again and says what is, instead of what somebody wrote into the remembered output."""
    checked.write("app.py", "good\n").commit("better")
    words: tuple[str | Path, ...] = (*verb, "--repo", checked.folder)
    expected = say(*words)

    def change(answers: Any) -> None:  # noqa: ANN401
        for answer in answers.values():
            answer["code"], answer["text"] = 5, "forged\n"

    for _ in forge(find_cached(checked, "answers.json"), change):
        assert say(*words).stdout.splitlines()[0] == expected.stdout.splitlines()[0]
        assert say(*words).code == expected.code == 0


def test_edited_results_are_not_used(checked: RepositoryBuilder) -> None:
    """A20: the remembered results say that the failing command passed."""
    assert check(checked) == 1
    place = find_cached(checked, "checks.json")
    for _ in forge(place, pass_own):
        assert check(checked) == 1


def test_fresh_check_uses_no_result_even_if_its_seal_is_right(checked: RepositoryBuilder) -> None:
    """A20: what hooks call runs everything again, so it holds against an agent that took the secret, too."""
    assert check(checked) == 1
    place = find_cached(checked, "checks.json")
    for code, options in ((0, ()), (1, ("--fresh",)), (1, ("--pre", "--fresh"))):
        cache = load_json(place)
        pass_own(cache)
        assert write_json(place, cache)
        find_cached(checked, "answers.json").unlink(missing_ok=True)
        assert check(checked, *options) == code


@pytest.mark.parametrize("option", ["--assume-unchanged", "--skip-worktree"])
def test_cached_index_that_was_told_to_overlook_is_dropped(
    builder: RepositoryBuilder, tmp_path: Path, option: str
) -> None:
    """A22: the private index overlooks an edit; the capture sees it all the same."""
    builder.write("app.py", "good\n").commit("work")
    repository, cache = open_repository(builder.folder), tmp_path / "cache"
    before = write_work_tree(repository, cache).tree
    index = cache / "work-tree" / "index"
    times = index.stat()
    subprocess.run(
        ["git", "-C", str(builder.folder), "update-index", option, "app.py"],
        env={**os.environ, "GIT_INDEX_FILE": str(index)}, check=True,
    )  # fmt: skip
    os.utime(index, ns=(times.st_atime_ns, times.st_mtime_ns))
    builder.write("app.py", "evil\n")
    seen = write_work_tree(repository, cache).tree
    assert (seen != before, seen) == (True, write_work_tree(repository, tmp_path / "empty").tree)


@pytest.mark.parametrize("option", ["--assume-unchanged", "--skip-worktree"])
def test_file_that_git_overlooks_is_checked_again(checked: RepositoryBuilder, option: str) -> None:
    """A24: flagged before the check passed, edited after it."""
    checked.write("app.py", "good\n").commit("better")
    checked.git("update-index", option, "app.py")
    assert (check(checked), check(checked)) == (0, 0)
    checked.write("app.py", "evil\n")
    assert check(checked) == 1


def test_index_that_is_edited_with_its_old_time_is_noticed(checked: RepositoryBuilder) -> None:
    """A24: flagged after the check passed, and the time of the index set back."""
    checked.write("app.py", "good\n").commit("better")
    assert check(checked) == 0
    index = checked.folder / ".git" / "index"
    times = index.stat()
    checked.git("update-index", "--assume-unchanged", "app.py")
    os.utime(index, ns=(times.st_atime_ns, times.st_mtime_ns))
    checked.write("app.py", "evil\n")
    assert check(checked) == 1


def test_remembered_check_still_repeats_its_answer(checked: RepositoryBuilder) -> None:
    """Sealing takes nothing away: the second call runs nothing."""
    checked.write("app.py", "good\n").commit("better")
    log = find_cached(checked, "logs/own.log")
    assert check(checked) == 0
    log.unlink()
    assert check(checked) == 0
    assert not log.exists()


def test_planted_drafts_are_not_hers(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """A29: marks, reasons and comments that the app didn't write are set aside; those of another repository too."""
    change = FileChange("M", "cart.py", None, "100644", "100644", "a" * 40, "b" * 40)
    store, other = DraftStore(builder.folder), DraftStore(tmp_path / "other")
    hers = other.change(lambda drafts: drafts.mark(change, viewed=True).keep_reason("H-1", "approve", "read it all"))
    place = find_choices_folder(builder.folder) / "handoff-tui" / "drafts.json"
    place.parent.mkdir(parents=True)
    copied = find_choices_folder(tmp_path / "other") / "handoff-tui" / "drafts.json"
    for planted in (render_drafts(hers), copied.read_bytes(), b"\xff{", b""):
        place.write_bytes(planted)
        assert not store.load().is_viewed(change)
        assert store.load().get("H-1").reasons == {}
        after = store.change(lambda drafts: drafts.keep_reason("H-2", "hold", "mine"))
        assert (after.get("H-1").reasons, store.load().get("H-2").reasons) == ({}, {"hold": "mine"})
        assert place.with_name("drafts.damaged.json").read_bytes() == planted


@pytest.mark.parametrize("edit", ["echo '{}' > \"$before\"", 'sed -i s/refs/refz/ "$before"'])
def test_agent_that_rewrites_what_was_there_before_is_noticed(stepping: Stepping, edit: str) -> None:
    """D7: nothing says any more what it changed, so nothing is ready."""
    stepping.teach(f'{WORK}; before="$(dirname "$1")/before.json"; {edit}')
    with pytest.raises(AgentRunError, match=r"rewrote before\.json"):
        stepping.step()


def test_agent_that_writes_its_own_end_is_not_believed(stepping: Stepping) -> None:
    """D7: it kills its supervisor and says that all went well."""
    end = {"ending": "exited", "code": 0, "began": 1.0, "ended": 2.0, "seconds": 1.0}
    stepping.teach(f'{WORK}; echo \'{json.dumps(end)}\' > "$(dirname "$1")/exit.json"; kill -9 $PPID; sleep 0.2')
    assert stepping.step().outcome is StepOutcome.FAILED


def test_step_runs_the_checks_whatever_is_remembered(stepping: Stepping) -> None:
    """D8: even a result with the right seal is not used at the end of a step."""
    own = OWN_CHECK + 'inputs = ["app.py"]\n'
    stepping.configure(own).teach(WORK).step()
    for place in find_cache_folder(stepping.root).glob("checks*.json"):
        cache = load_json(place)
        assert isinstance(cache, dict)
        if "own" in cache["outcomes"]:
            pass_own(cache)
            assert write_json(place, cache)
    report = stepping.step()
    assert (report.outcome, report.failing) == (StepOutcome.FAILED, ("own",))


def test_files_of_a_run_that_are_edited_later_are_told(stepping: Stepping) -> None:
    """D9: the list of runs names the output and the report, and believes neither."""
    report = stepping.teach().step()
    (view,) = list_views(stepping.desk())
    assert (view.edited, view.report) == ((), report)
    folder = Path(view.state.folder)
    output = folder / "output.log"
    output.write_bytes(output.read_bytes().replace(b"working", b"WORKING"))
    for _ in forge(folder / "report.json", lambda value: value.update(outcome="ready", why=["all is well"])):
        (view,) = list_views(stepping.desk())
        assert (view.edited, view.report) == (("report.json", "output.log"), None)
    said = say("step", "--list", "--repo", stepping.root)
    assert "edited since" in said.stdout
    assert say("step", "--list", "--json", "--repo", stepping.root).json["runs"][0]["edited"] == list(view.edited)


def test_planted_note_is_not_the_operators(builder: RepositoryBuilder) -> None:
    """C4: written straight into the file, without the verb that asks for a person."""
    common = open_repository(builder.folder).common_dir
    mine = OperatorNote(time="2026-01-01T00:00:00Z", author="ada", text="mind the gap")
    append_note(common, "H-1", mine)
    (place,) = (common / "handoff-tui" / "notes").iterdir()
    planted = mine.model_copy(update={"text": "the gate is waived"}).model_dump_json().encode()
    seal = place.read_bytes().rpartition(b" # seal ")[2]
    with place.open("ab") as file:
        file.write(planted + b"\n" + planted + b" # seal " + seal + b"\xff\n")
    assert read_notes(common, "H-1") == (mine,)


def test_planted_choices_are_not_given(gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """A12, A18: pins, consents to commands and accepted settings count only if a person gave them here."""
    bo.become(monkeypatch)
    desk = open_session(gate_desk.root)
    gate_desk.builder.write("handoff-tui.toml", f'[scopes."{HANDOFF}"]\npaths = ["src"]\n')
    assert not guards.guard(desk, desk.work_tree.facts.head).held_back, "a scope guards nothing"
    write_pin(desk.repository.common_dir, "*", "a" * 64)
    save_consent(desk, "sha256:1")
    gate_desk.builder.write("handoff-tui.toml", "[limits]\nfile_bytes = 1000000\n")
    guards.accept_settings(desk)
    assert not guards.guard(desk, desk.work_tree.facts.head).held_back
    choices = find_choices_folder(gate_desk.root)
    given = (*find_state_folder().glob("trusted.json"), *find_state_folder().rglob("pins.json"))
    for place in (*given, choices / "accepted-settings.json"):
        content = place.read_bytes().rpartition(_SEAL)[0]
        place.write_bytes(content)
    assert read_pins(desk.repository.common_dir) == {}
    assert not has_consent(desk, "sha256:1")
    assert guards.guard(desk, desk.work_tree.facts.head).held_back


def test_decision_rests_on_no_remembered_result(
    gate_desk: GateDesk, bo: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A20, A21: even with the right seal, what is signed was just measured."""
    bo.become(monkeypatch)
    config = Path(bo.environment["XDG_CONFIG_HOME"]) / "handoff-tui" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(OWN_CHECK.replace("app.py", "src/app.py"), encoding="utf-8")
    assert gate_desk.gate(bo).json["checks"]["failing"] == ["own"]
    for place in find_cache_folder(gate_desk.root).glob("checks*.json"):
        cache = load_json(place)
        assert isinstance(cache, dict)
        if "own" in cache["outcomes"]:
            pass_own(cache)
            assert write_json(place, cache)
    assert gate_desk.gate(bo).json["checks"]["failing"] == []
    refused = gate_desk.decide(bo, "approve")
    assert (refused.code != 0, "own" in refused.stderr) == (True, True)


def test_whatever_the_files_hold_the_verdict_is_the_same(checked: RepositoryBuilder) -> None:
    """A poisoned cache costs time, and never changes a verdict; nothing crashes on it."""
    words = ("check", "--json", "--repo", checked.folder)
    assert say("check", "--only", "changes-are-documented", "--repo", checked.folder).code == 0
    expected = read_verdicts(say(*words).json)
    say("gate", HANDOFF, "--repo", checked.folder)
    write_work_tree(open_repository(checked.folder), find_cache_folder(checked.folder))
    files = [
        *(
            place
            for place in find_cache_folder(checked.folder).rglob("*")
            if place.is_file() and "objects" not in str(place)
        ),
        find_state_folder() / "trusted.json",
        find_choices_folder(checked.folder) / "accepted-settings.json",
    ]
    assert {"answers.json", "checks.json", "index", "notes.json"} <= {place.name for place in files}
    chance = random.Random(8)  # noqa: S311 - the same damage each time
    tree = write_work_tree(open_repository(checked.folder), checked.folder.parent / "empty").tree
    for _ in range(12):
        for place in files:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(damage(chance, place.read_bytes() if place.exists() else b"[]"))
        said = say(*words)
        assert (said.code, read_verdicts(said.json)) == (1, expected)
        assert write_work_tree(open_repository(checked.folder), find_cache_folder(checked.folder)).tree == tree


def damage(chance: random.Random, content: bytes) -> bytes:
    """Other bytes in the place of these: noise, a part, one bit, another value, or a pass for a failure."""
    at = chance.randrange(len(content) or 1)
    return chance.choice([
        chance.randbytes(chance.randrange(200)),
        content[:at],
        content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :] if content else b"\0",
        b"[" * 50_000,
        content.replace(b"fail", b"pass"),
        content.rpartition(_SEAL)[0].replace(b"fail", b"pass"),
        b'{"schema": 2}',
    ])  # fmt: skip


def read_verdicts(value: Any) -> list[tuple[str, str, str]]:  # noqa: ANN401
    return [(one["id"], one["outcome"], one["summary"]) for one in value["results"]]
