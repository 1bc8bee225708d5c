#!/usr/bin/env python3
"""A scripted agent for the sample: it brings back the tests of the stations, works in the hub's phases, and reviews.

It prints what Claude Code prints, and needs no model, no network and no package. In SEC its first run fails, in QA its
first run reports a bug, so the work goes back to DEV, and every other run succeeds.
"""

import json
import os
import re
import subprocess
import sys
import time
import uuid
from pathlib import Path

HANDOFF = os.environ.get("HANDOFF_TUI_HANDOFF", "T-1")
PHASE = os.environ.get("HANDOFF_TUI_PHASE", "DEV").upper()
MODULE = "src/tide_table/limits.py"
TESTS = "tests/test_limits.py"
TRIED = (
    "import glob, sys, unittest; sys.path[:0] = glob.glob('PKG-*'); "
    "unittest.main('test_tide_harmonics', argv=['harmonics'])"
)
STATIONS = "PKG-STATIONS-001/test_tide_stations.py"
BUGS = f"tasks/{HANDOFF}/bugs.json"
SECURITY = f"tasks/{HANDOFF}/security_report.json"
BUG = {
    "id": "BUG-1",
    "title": "A height of exactly the limit is refused",
    "severity": "high",
    "file": MODULE,
    "line": 2,
}
CODE = 'def is_safe(height, limit):\n    """Whether a tide stays within a limit."""\n    return height {} limit\n'
TEST = "from tide_table.limits import is_safe\n\n\ndef test_limit_itself_is_safe():\n    assert is_safe(2.0, 2.0)\n"
MORE = "\n\ndef test_more_than_the_limit_is_unsafe_{}():\n    assert not is_safe(2.1, 2.0)\n"


class Session:
    """One session: every message as Claude Code prints it with --output-format stream-json --verbose."""

    def __init__(self):
        self.id = str(uuid.uuid4())
        self.began = time.monotonic()
        self.turns = 0
        self.tools = 0

    def say(self, kind, **fields):
        print(json.dumps({"type": kind, **fields, "session_id": self.id}), flush=True)
        time.sleep(float(os.environ.get("SCRIPTED_AGENT_PAUSE", "0.05")))

    def begin(self):
        tools = ["Bash", "Edit", "Read", "Write"]
        self.say("system", subtype="init", cwd=str(Path.cwd()), tools=tools, model="scripted", permissionMode="default")

    def answer(self, block):
        self.turns += block["type"] == "text"
        usage = {"input_tokens": 900 + 150 * self.turns, "output_tokens": 60, "cache_read_input_tokens": 0}
        message = {
            "id": f"msg_{self.turns}",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": [block],
            "stop_reason": None,
            "usage": usage,
        }
        self.say("assistant", message=message, parent_tool_use_id=None)

    def tell(self, text):
        self.answer({"type": "text", "text": text})

    def use(self, tool, given, result, *, failed=False):
        self.tools += 1
        name = f"toolu_{self.tools}"
        self.answer({"type": "tool_use", "id": name, "name": tool, "input": given})
        content = {"type": "tool_result", "tool_use_id": name, "content": result, "is_error": failed}
        self.say("user", message={"role": "user", "content": [content]}, parent_tool_use_id=None)

    def write(self, path, text):
        place = Path(path)
        known = place.exists()
        old = place.read_text(encoding="utf-8") if known else ""
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        if known:
            before, after = leave_out_equal(old.splitlines(), text.splitlines())
            given = {"file_path": path, "old_string": "\n".join(before), "new_string": "\n".join(after)}
            self.use("Edit", given, f"{path} has been updated.")
        else:
            self.use("Write", {"file_path": path, "content": text}, f"File created successfully at: {path}")

    def run(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        given = {"command": " ".join(command).replace(sys.executable, "python3"), "description": "Run a command"}
        self.use("Bash", given, (done.stdout + done.stderr).strip() or "(no output)", failed=done.returncode != 0)
        return done.returncode == 0

    def commit(self, subject, *paths, name="sanderling"):
        self.run("git", "add", *(paths or ["--all"]))
        who = ("-c", f"user.name={name}", "-c", f"user.email={name}@agents.example.com")
        return self.run("git", *who, "commit", "--quiet", "--message", f"{HANDOFF}: {subject}", *paths)

    def end(self, text, *, failed=False):
        milliseconds = int(1000 * (time.monotonic() - self.began))
        self.say(
            "result",
            subtype="error_during_execution" if failed else "success",
            is_error=failed,
            duration_ms=milliseconds,
            num_turns=self.turns,
            result=text,
            stop_reason="end_turn",
            total_cost_usd=round(0.004 * max(self.turns, 1), 4),
            usage={"input_tokens": 1000 * self.turns, "output_tokens": 60 * self.turns},
            permission_denials=[],
        )
        return 1 if failed else 0


def leave_out_equal(before, after):
    """The lines that differ, without those that are equal at the beginning and at the end."""
    while before and after and before[0] == after[0]:
        before, after = before[1:], after[1:]
    while before and after and before[-1] == after[-1]:
        before, after = before[:-1], after[:-1]
    return before, after


def is_first_run():
    """Whether this is the first run of its attempt, by the folder of its prompt."""
    found = re.search(r"/t(\d+)/", os.environ.get("HANDOFF_TUI_PROMPT_FILE", ""))
    return found is None or found.group(1) == "1"


def develop(session):
    reason, reported = read_reason(), Path(BUGS).exists()
    if reason and Path(TESTS).exists():
        session.tell(f"{HANDOFF} was sent back: {reason}. I'll add a test.")
        tests = Path(TESTS).read_text(encoding="utf-8")
        session.write(TESTS, tests + MORE.format(tests.count("def ")))
        session.commit("test more of the limit")
        return session.end("There is one more test.")
    session.tell("I'll fix the bug that QA reported." if reported else "I'll add the limit, and a test for it.")
    session.write(MODULE, CODE.format("<=" if reported else "<"))
    session.write(TESTS, TEST if reported else TEST.replace("2.0, 2.0", "1.0, 2.0"))
    session.run(sys.executable, "-c", "print('1 passed')")
    session.commit("fix the limit itself" if reported else "tides within a limit")
    return session.end("The bug is fixed." if reported else "The limit is there, with a test.")


def test(session):
    fixed = "<=" in Path(MODULE).read_text(encoding="utf-8")
    session.tell("I'll try the limit itself.")
    program = f"import sys; sys.path.insert(0, 'src'); from tide_table.limits import is_safe; assert is_safe(2.0, 2.0)"
    session.run(sys.executable, "-B", "-c", program)
    session.write(BUGS, json.dumps([{**BUG, "status": "fixed" if fixed else "open"}], indent=2) + "\n")
    session.commit("tested")
    return session.end("The bug is fixed." if fixed else "1 bug: a height of exactly the limit is refused.")


def secure(session):
    if is_first_run():
        session.tell("I'll look for unchecked input.")
        return session.end("I could not finish: the file of the report is not clear to me.", failed=True)
    session.tell("I'll look for unchecked input.")
    session.use("Read", {"file_path": MODULE}, Path(MODULE).read_text(encoding="utf-8"))
    session.write(SECURITY, "[]\n")
    session.commit("looked for vulnerabilities")
    return session.end("No vulnerabilities.")


def document(session):
    session.tell("I'll document the limit.")
    session.write("docs/limits.md", "# Limits\n\n`is_safe(height, limit)` says whether a tide stays within a limit.\n")
    session.commit("documented")
    return session.end("docs/limits.md says how to use it.")


def deploy(session):
    session.tell("I'll note what is deployed.")
    session.write(f"tasks/{HANDOFF}/deployment.md", "# Deployment\n\nThe sample deploys nothing.\n")
    session.commit("deployed")
    return session.end("Deployed, as far as a sample can be.")


def review(session):
    notes = f"handoffs/{HANDOFF}/{HANDOFF}_REVIEW_NOTES.md"
    session.tell("I'll read what was built, and run its tests.")
    session.run("git", "log", "--oneline", "-5", "--", f"handoffs/{HANDOFF}")
    session.run(sys.executable, "-B", "-c", TRIED)
    session.write(notes, f"# Review of {HANDOFF}\n\nThe tests of the harmonics were run again, and pass.\n")
    session.commit("reviewed")
    return session.end("The tests pass; the notes say what was run.")


def build(session):
    """The next attempt at H-3: another agent switched off some of its tests and removed others."""
    results = f"handoffs/{HANDOFF}/{HANDOFF}_RESULTS.md"
    place = Path(results)
    if not (place.exists() and Path(STATIONS).exists()):
        return session.end(f"There are no results of {HANDOFF} to go on from.", failed=True)
    session.tell(f"{HANDOFF} was sent back: {read_reason() or 'no reason was given.'} I'll see what became of its tests.")
    session.run("git", "log", "--format=%h %an: %s", "-2", "--", STATIONS)
    own = subprocess.run(
        ["git", "log", "--format=%h", "-1", f"--grep=({HANDOFF}, attempt"], capture_output=True, text=True, check=False
    ).stdout.strip()
    session.run("git", "diff", "--stat", own, "HEAD", "--", STATIONS)
    session.tell("Another agent removed five of my tests and switched two off. I'll bring them back, and run them.")
    session.run("git", "checkout", "--quiet", own, "--", STATIONS)
    program = "import glob, sys; sys.path[:0] = glob.glob('PKG-*'); import unittest; "
    session.run(sys.executable, "-B", "-c", program + "unittest.main('test_tide_stations', argv=['stations'])")
    text = place.read_text(encoding="utf-8")
    session.write(results, text.rstrip("\n") + f"\n- `{STATIONS}` is again as at `{own}`: all 11 tests are back.\n")
    session.commit("bring back the tests of the stations", STATIONS, results, name="heron")
    return session.end("All 11 tests are back, and pass.")


def read_reason():
    """What the reviewer wrote, from what this run was told; empty if nobody sent the work back."""
    told = Path(os.environ.get("HANDOFF_TUI_CONTEXT_FILE", ""))
    packet = json.loads(told.read_text(encoding="utf-8")).get("packet") if told.is_file() else None
    demands = packet["demands"] if packet else []
    return f'"{demands[-1]["reason"]}"' if demands else ""


PHASES = {"BUILD": build, "REVIEW": review, "DEV": develop, "QA": test, "SEC": secure, "DOCS": document, "DEPLOY": deploy}

if __name__ == "__main__":
    own = Session()
    own.begin()
    sys.exit(PHASES.get(PHASE, develop)(own))
