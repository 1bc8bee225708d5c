"""The documents of the signed log say what the code does: every problem code, every field, the script as it is."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import pytest

from handoff_tui.handoffs.scope.digests import build_scope_digest
from handoff_tui.log.entries import fields, statement
from handoff_tui.log.entry import DecisionVerb, EntryKind
from handoff_tui.log.gates.gate_state import GateName
from handoff_tui.log.policy import policy
from handoff_tui.log.review_record import ReviewRecord, ScopeManifest
from handoff_tui.log.show.entries import read_script
from handoff_tui.log.show.verify import Fate
from handoff_tui.log.storage.evidence import write_review
from tests.support.log_keys import GOLDEN, IDS
from tests.support.logs import build_policy_toml
from tests.support.real_log import SCOPED, RealLog
from tests.support.repositories import RepositoryBuilder

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "handoff_tui"
FORMAT = (ROOT / "docs" / "log-format.md").read_text(encoding="utf-8")
THREATS = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
BY_HAND = (ROOT / "docs" / "verify-by-hand.md").read_text(encoding="utf-8")
CODE = re.compile(r"[a-z]+(?:-[a-z]+)*")


def list_codes_of(path: Path) -> Iterator[str]:
    """Every problem code that a module can give: `code=…`, `code = …` in an error, the first word of `_build_fatal`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        for value in list_code_values(node):
            if isinstance(value, ast.Name) and value.id in constants:
                yield str(constants[value.id])
            elif isinstance(value, ast.Constant):
                yield str(value.value)
            elif isinstance(value, ast.JoinedStr):  # entry-{fate}
                yield from (f"entry-{fate}" for fate in Fate)


def list_code_values(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        for value in (keyword.value for keyword in node.keywords if keyword.arg == "code"):
            yield from (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
        if isinstance(node.func, ast.Name) and node.func.id == "_build_fatal":
            yield node.args[0]
    elif isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
        for statement in node.body:
            if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == "code":
                yield statement.value
            elif isinstance(statement, ast.AnnAssign) and getattr(statement.target, "id", "") == "code":
                yield from [statement.value] if statement.value is not None else []
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple) and is_refusal(node.targets[0]):
        yield node.value.elts[0]


def is_refusal(target: ast.expr) -> bool:
    """`self._refused[…] = (code, text)`."""
    return (
        isinstance(target, ast.Subscript)
        and isinstance(target.value, ast.Attribute)
        and target.value.attr == "_refused"
    )


def read_codes_of_the_source() -> set[str]:
    modules = [
        SOURCE / "core" / "errors.py",
        *(SOURCE / "log").rglob("*.py"),
    ]
    return {code for path in modules for code in list_codes_of(path) if CODE.fullmatch(code)}


def read_table(text: str, heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its two first rows."""
    below = text[text.index(f"{heading}\n") :].split("\n")
    start = next(number for number, line in enumerate(below) if line.startswith("|"))
    rows = list(takewhile(lambda line: line.startswith("|"), below[start:]))
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows[2:]]


def test_every_problem_code_is_in_the_format() -> None:
    """The table has every code that the source can give, and no other."""
    written = {row[0].strip("`") for row in read_table(FORMAT, "### Problems")}
    assert written == read_codes_of_the_source()
    assert len(written) > 40


def test_levels_of_problem_codes_are_known() -> None:
    """FATAL, REFUSED, NOTE, or one of two."""
    levels = {row[1] for row in read_table(FORMAT, "### Problems")}
    assert levels == {"FATAL", "REFUSED", "NOTE", "FATAL or REFUSED"}


def test_codes_in_the_threat_model_exist() -> None:
    """Whatever looks like a code there is one."""
    known = read_codes_of_the_source()
    headings = ("## Changing entries", "## Removing entries", "## Keys")
    cells = [row[1] for heading in headings for row in read_table(THREATS, heading)]
    named = {word for cell in cells for word in re.findall(r"`([a-z-]+)`", cell) if not word.startswith("-")}
    assert named <= known
    assert len(named) > 20


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("policy:v1", statement.GENESIS.fields | statement.POLICY.fields),
        ("submission:v1", statement.SUBMISSION.fields),
        ("decision:v1", statement.DECISION.fields),
        ("submission:v2", statement.SCOPED_SUBMISSION.fields),
        ("decision:v2", statement.SCOPED_DECISION.fields),
    ],
)
def test_every_field_is_in_the_format(kind: str, keys: frozenset[str]) -> None:
    """Each kind of each version is named, and each of its fields has a row with its form."""
    assert EntryKind(f"urn:handoff-tui:{kind}").value == f"urn:handoff-tui:{kind}"
    assert f"`{kind}`" in {row[0] for row in read_table(FORMAT, "## The statement")}
    rows = read_table(FORMAT, "### Predicate")
    written = {name for row in rows for name in re.findall(r"`([a-z]+)`", row[0])}
    assert keys <= written
    assert written == statement.GENESIS.fields | statement.POLICY.fields | statement.DECISION.fields


def test_forms_of_fields_are_those_of_the_code() -> None:
    """Grammars, verbs, subjects and their algorithms, as the readers have them."""
    for pattern in (fields.PRINCIPAL, fields.LABEL):
        assert f"`{pattern.pattern}`" in FORMAT
    assert ", ".join(verb.value for verb in DecisionVerb) in FORMAT
    subjects = {row[0].strip("`"): row[1] for row in read_table(FORMAT, "### Subject")}
    for form in (statement.DECISION, statement.SCOPED_DECISION):
        assert {name: subjects[name] for name in form.subjects} == form.subjects
    rows = {row[0]: row[1] for row in read_table(FORMAT, "## The statement")}
    for form in (statement.SUBMISSION, statement.SCOPED_SUBMISSION):
        named = rows[f"`{form.kind.removeprefix('urn:handoff-tui:')}`"]
        assert named == ", ".join(f"`{name}`" for name in form.subjects)
    for key in policy._GATE_KEYS | policy._KEYS - {"roles", "gates"}:
        assert re.search(rf"^{key} =", FORMAT, re.MULTILINE), key


def test_example_of_the_scope_digest_is_canonical() -> None:
    """The bytes that the document shows are those that the code hashes."""
    block = re.search(r"```\n(\{\"files\":.*?)\n```", FORMAT)
    assert block is not None
    shown = block.group(1).replace("<64 hex>", "1" * 64)
    files = json.loads(shown)["files"]
    assert build_scope_digest(files) == hashlib.sha256(shown.encode()).hexdigest()


def test_states_of_gates_are_told() -> None:
    """Every state that a gate can have."""
    section = FORMAT[FORMAT.index("## The gate") : FORMAT.index("## Bundles")]
    assert {state for state in GateName if f"**{state}**" not in section} == set()


def test_script_in_the_document_is_the_one_that_is_shipped() -> None:
    """Who pastes it gets what the tests run, and what bundles carry."""
    block = re.search(r"```sh\n(#!/bin/sh\n.*?)```", BY_HAND, re.DOTALL)
    assert block is not None
    assert block.group(1) == read_script()


def test_commands_for_one_entry_work(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """As they stand in the document, on a real entry; the policy's payload is opened the same way, as it says."""
    log = RealLog(builder)
    log.begin()
    decision = log.decide()
    block = re.search(r"```sh\n(entry=.*?)```", BY_HAND, re.DOTALL)
    assert block is not None
    commands = block.group(1).split("\n", 1)[1]
    policy = f"jq -j .payload '{log.place(log.genesis)}' | base64 -d > policy-payload.json\n"
    script = f"set -e\nentry='{log.place(decision)}'\n{policy}{commands}"
    done = subprocess.run(["sh"], input=script.encode(), cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert b'Good "handoff-log@handoff-tui" signature for alice' in done.stdout
    assert decision.removeprefix("sha256:").encode() in done.stdout


def test_commands_for_one_decision_work(builder: RepositoryBuilder, tmp_path: Path) -> None:
    """As they stand in the document: record, scope and files are those that were signed, and the decision is solo."""
    content = b"def on(): ...\n"
    builder.write("lamp.py", content.decode()).commit("work")
    files = (
        {"content": f"sha256:{hashlib.sha256(content).hexdigest()}", "mode": "100644", "path": "lamp.py"},
        {"content": "deleted", "mode": "000000", "path": "old.py"},
    )
    subject = SCOPED.model_copy(update={"scope": build_scope_digest(list(files))})
    manifest = ScopeManifest(files=files)
    record = ReviewRecord(handoff="H-1", phase="implement", attempt=1, subject=subject, scope=manifest)
    log = RealLog(builder)
    log.begin("solo = true\n" + build_policy_toml(reviewers=("alice",)))
    review = write_review(builder.folder, record)
    decision = log.decide(subject=subject, review=review, producers=("alice",))
    section = BY_HAND[BY_HAND.index("## One decision") : BY_HAND.index("## Recovery")]
    opened = "".join(
        f"jq -j .payload '{log.place(entry)}' | base64 -d > {tmp_path}/{name}\n"
        for name, entry in (("payload.json", decision), ("policy-payload.json", log.genesis))
    )
    blocks = "".join(re.findall(r"```sh\n(.*?)```", section, re.DOTALL))
    script = f"set -e\n{opened}{blocks}".replace(" payload.json", f" {tmp_path}/payload.json")
    script = script.replace(" policy-payload.json", f" {tmp_path}/policy-payload.json")
    done = subprocess.run(["sh"], input=script.encode(), cwd=builder.folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    lines = done.stdout.decode().split("\n")
    assert lines[0].startswith(review)
    assert lines[1] == subject.scope == lines[2].partition(" ")[0]
    assert lines[3:] == ["lamp.py: OK", "true", "solo = true", ""]


def test_golden_files_are_where_the_format_says() -> None:
    """The folder, its ids, and the sentence of the seeds."""
    assert f"`{GOLDEN.relative_to(ROOT).as_posix()}/`" in FORMAT
    names = {"genesis", "decision", "scoped_submission", "scoped_decision"}
    assert names <= IDS.keys()
    written = {word for row in read_table(FORMAT, "## Golden vectors") for word in re.findall(r"`([^`]+)`", row[0])}
    assert names <= written
    assert {name for name in written - names if not (GOLDEN / name).is_file()} == set()
    assert "handoff_tui example key: alice" in FORMAT
