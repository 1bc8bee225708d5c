"""The pages and JSON of the log."""

from __future__ import annotations

import pytest

from handoff_tui.log.entries.statement import parse_entry
from handoff_tui.log.entry import LogProblem, LogProblemLevel
from handoff_tui.log.show.page import (
    build_bundle_json,
    build_entry_json,
    build_entry_page,
    build_log_json,
    build_log_page,
    build_report_json,
    build_report_page,
    name_verdict,
)
from handoff_tui.log.show.view import EntryState, EntryView, LogReport, LogRow, ShownEvidence, ShownLog, SignatureView
from tests.support.desk_states import find_section, list_lines
from tests.support.log_keys import build_statement, sign_statement

ID = "sha256:" + "ab" * 32


def build_row(number: int = 0, **fields: object) -> LogRow:
    values: dict[str, object] = {
        "id": f"sha256:{number:064x}",
        "state": EntryState.VALID,
        "kind": "decision",
        "what": "approve",
        "time": "2026-01-01T00:00:00Z",
        "actor": "ada",
        "roles": ("reviewer",),
        "handoff": "H-1",
        "phase": "build",
        "attempt": 2,
    }
    return LogRow.model_validate(values | fields)


def build_view(*rows: LogRow, problems: tuple[LogProblem, ...] = (), fatal: bool = False) -> ShownLog:
    return ShownLog(fatal=fatal, log=ID, policy=ID, heads=(ID,), total=len(rows), rows=rows, problems=problems)


def test_row_tells_state_entry_and_work() -> None:
    """A glyph and a word for the state, the short id, who, role, what, on what, and whether it is a head."""
    lines = list_lines(build_log_page(build_view(build_row(head=True))))
    assert lines == [
        " | entry | time | who | role | what | on | ",
        "✓ | 000000000000 | 2026-01-01T00:00:00Z | ada | reviewer | approve | H-1 · build · 2 | head",
    ]


def test_row_of_what_does_not_count_says_why() -> None:
    """Refused and void, in words."""
    refused = build_row(1, state=EntryState.REFUSED, code="future", why="its time has not come yet")
    void = build_row(2, state=EntryState.VOID, why="its key was dropped")
    unread = LogRow(id=ID, state=EntryState.REFUSED, code="bad-envelope", why="cut off\x1b[2K")
    text = list_lines(build_log_page(build_view(refused, void, unread)))
    assert text[1].endswith("refused: its time has not come yet")
    assert text[2].endswith("void: its key was dropped")
    assert text[3].startswith("✗ | abababababab | – | –")
    assert "\x1b" not in text[3]


def test_long_list_is_cut_unless_everything_is_asked_for() -> None:
    """Thirty rows, then how many more there are."""
    view = build_view(*(build_row(number) for number in range(40)))
    assert list_lines(build_log_page(view))[-1] == "… and 10 older ones; --all shows them"
    assert len(list_lines(build_log_page(view, everything=True))) == 41


def test_problems_of_the_whole_log_stand_under_the_list() -> None:
    """What a row says itself is not said twice; what is fatal is."""
    row = build_row(1, state=EntryState.REFUSED, code="future", why="its time has not come yet")
    own = LogProblem(level=LogProblemLevel.REFUSED, code="future", entry=row.id, text="its time has not come yet")
    gone = LogProblem(level=LogProblemLevel.FATAL, code="rollback", entry=ID, text="is gone")
    page = build_log_page(build_view(row, problems=(own, gone), fatal=True))
    assert find_section(page, "Problems") == ["FATAL rollback  abababababab  is gone"]


def test_empty_lists_say_why_they_are_empty() -> None:
    """No log, or nothing that fits."""
    empty = ShownLog(fatal=False, log=None, policy=None, heads=(), total=0, rows=(), problems=())
    assert "no signed log here yet" in list_lines(build_log_page(empty))[0]
    assert list_lines(build_log_page(empty.model_copy(update={"total": 1}))) == ["None of 1 entry fits."]


@pytest.mark.parametrize(
    ("anchor", "words"),
    [
        ("option", "--pin"),
        ("environment", "HANDOFF_TUI_PIN"),
        ("configuration", "git configuration"),
        ("none", "nothing vouches for it"),
    ],
)
def test_report_tells_what_it_rests_on(anchor: str, words: str) -> None:
    """The verdict, how many entries, and what says that this is the log."""
    report = LogReport(fatal=False, entries=1, heads=(ID,), log=ID, policy=ID, anchor=anchor, void=1, refused=2)
    lines = list_lines(build_report_page(report))
    label = "! clean, not vouched for" if anchor == "none" else "✓ clean"
    assert lines[0] == f"{label}  1 entry, 1 head, 1 void, 2 refused"
    assert words in lines[1]


def test_report_lists_what_was_asked_and_every_problem() -> None:
    """ssh-keygen, the base commit; a long list is cut unless everything is asked for."""
    problems = tuple(
        LogProblem(level=LogProblemLevel.REFUSED, code="unsuitable-file", entry=f"a/{number}", text="odd")
        for number in range(15)
    )
    report = LogReport(
        fatal=True, entries=2, log=ID, anchor="none", second_opinions=2, against="c" * 40, problems=problems
    )
    lines = list_lines(build_report_page(report))
    assert lines[0].startswith("■ fatal  2 entries")
    assert "asked     ssh-keygen, about 2 signatures" in lines
    assert f"against   {'c' * 40}" in lines
    assert lines[-1] == "… and 3 more; --all shows them"
    assert len(find_section(build_report_page(report, everything=True), "Problems")) == 15


def test_report_of_no_log_says_so() -> None:
    """Nothing is clean, and a hint tells how to begin."""
    lines = list_lines(build_report_page(LogReport(fatal=False, entries=0, anchor="none")))
    assert lines[0] == "✓ clean  0 entries, 0 heads"
    assert "handoff-tui init" in lines[1]


def show(kind: str, **predicate: object) -> EntryView:
    entry = parse_entry(sign_statement(build_statement(kind, **predicate))).entry
    row = build_row(id=entry.id, actor=entry.actor, kind=kind, head=True)
    signature = SignatureView(
        keyid="SHA256:x", key_type="ssh-ed25519", hash="sha512", principal="ada", user_present=True
    )
    evidence = tuple(
        ShownEvidence(name=name, digest="0" * 64, present=name == "review") for name in ("snapshot", "review")
    )
    return EntryView(
        row=row,
        entry=entry,
        size=2000,
        places=("work tree", "refs/heads/main"),
        policy=ID,
        signatures=(signature,),
        followers=(ID,),
        evidence=evidence,
    )


def test_decision_is_told_in_every_field() -> None:
    """Who, when, on what, why, bound to what, signed by whom, before and after, where."""
    view = show("decision", reason="first line\nsecond line", regards=[ID])
    page = build_entry_page(view, ("README.md",), "some/folder")
    text = "\n".join(list_lines(page))
    entry = view.entry
    assert entry is not None
    assert entry.work is not None
    for piece in (entry.id, entry.time, entry.actor, entry.work.handoff, entry.work.phase, entry.work.policy, ID):
        assert piece in text
    for digest in entry.work.subject.model_dump().values():
        assert digest in text or set(digest) == {"0"}
    assert "reason    first line" in text
    assert "          second line" in text
    assert "(not stored here)" in text
    assert "(stored here)" in text
    assert "touched" in find_section(page, "Signed")[0]
    assert find_section(page, "Extracted") == ["README.md"]
    assert "it is a head of the log" in text


@pytest.mark.parametrize("kind", ["genesis", "policy"])
def test_policy_is_told_with_both_texts(kind: str) -> None:
    """The first one has a nonce, the others say what they replace."""
    page = build_entry_page(show(kind))
    text = "\n".join(list_lines(page))
    assert ("nonce     " in text) == (kind == "genesis")
    assert ("replaces  sha256:" in text) == (kind == "policy")
    assert find_section(page, "policy.toml")[0] == "version = 1"
    assert find_section(page, "allowed_signers")


def test_what_is_no_entry_is_told_with_its_reason() -> None:
    """The code, the reason, where the file is; nothing is made up."""
    row = LogRow(id=ID, state=EntryState.REFUSED, code="bad-envelope", why="cut off")
    lines = list_lines(build_entry_page(EntryView(row=row, entry=None, size=3, places=("work tree",))))
    assert lines[:2] == [f"✗ refused  {ID}", "  bad-envelope: cut off"]
    assert "found in  work tree" in lines


ROW = LogRow(id=ID, state=EntryState.REFUSED, code="bad-envelope", why="cut off")
PROBLEM = LogProblem(level=LogProblemLevel.FATAL, code="rollback", entry=ID, text="is gone")


def test_verification_has_the_promised_shape() -> None:
    """verdict, entries, heads, log, problems with level, code, entry and text."""
    report = LogReport(fatal=True, entries=3, heads=(ID,), log=ID, anchor="none", problems=(PROBLEM,))
    value = build_report_json(report)
    assert value["schema"] == "handoff-tui/log-verify/v1"
    assert {name: value[name] for name in ("verdict", "entries", "heads", "log")} == {
        "verdict": "fatal",
        "entries": 3,
        "heads": [ID],
        "log": ID,
    }
    assert value["problems"] == [{"level": "FATAL", "code": "rollback", "entry": ID, "text": "is gone"}]
    assert value["second_opinions"] is None


def test_list_has_a_row_for_each_entry() -> None:
    """What could not be read is null, and an empty reason too."""
    good = LogRow(id=ID, state=EntryState.VALID, what="approve")
    view = ShownLog(fatal=False, log=ID, policy=ID, heads=(ID,), total=2, rows=(ROW, good), problems=(PROBLEM,))
    value = build_log_json(view)
    assert (value["schema"], value["verdict"], value["total"]) == ("handoff-tui/log/v1", "clean", 2)
    entries = value["entries"]
    assert isinstance(entries, list)
    assert (entries[0]["state"], entries[0]["why"], entries[0]["time"]) == ("refused", "cut off", None)
    assert (entries[1]["why"], entries[1]["what"]) == (None, "approve")


def test_entry_has_its_row_and_all_else() -> None:
    """An entry that is none has null in its place."""
    value = build_entry_json(EntryView(row=ROW, entry=None, size=3, places=("work tree",)), ("README.md",))
    assert (value["schema"], value["id"], value["entry"]) == ("handoff-tui/log-show/v1", ID, None)
    assert (value["places"], value["extracted"], value["followers"]) == (["work tree"], ["README.md"], [])


def test_bundle_tells_where_it_is() -> None:
    """The file and its size."""
    value = build_bundle_json("log.tar", 10240)
    assert value == {"schema": "handoff-tui/log-bundle/v1", "file": "log.tar", "bytes": 10240}
    assert (name_verdict(fatal=True), name_verdict(fatal=False)) == ("fatal", "clean")
