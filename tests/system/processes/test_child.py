from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from handoff_tui.system.processes.child import Child


def start(script: str, **options: bool) -> Child:
    return Child(["/bin/sh", "-c", script], {"PATH": os.environ["PATH"], "WORD": "given"}, **options)


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize(("script", "code"), [("exit 7", 7), ("kill -TERM $$", -15), ("true", 0)])
def test_it_says_how_it_ended(script: str, code: int) -> None:
    """Also when it is asked twice, and when it didn't read what it was told."""
    with start(script) as child:
        child.say(b"nobody reads this")
        assert child.listen(10)
        assert (child.wait(), child.wait()) == (code, code)


def test_both_outputs_are_read_however_much_there_is() -> None:
    """Neither waits for the other: each is more than a pipe takes."""
    with start('cat; echo "$WORD"; head -c 200000 /dev/zero >&2; head -c 300000 /dev/zero') as child:
        child.say(b"asked\n")
        assert child.listen(10)
        output, complaints = child.read_output()
    assert (output[:12], len(output), len(complaints)) == (b"asked\ngiven\n", 300_012, 200_000)


def test_input_may_be_a_file(tmp_path: Path) -> None:
    """For more than a pipe takes; and complaints may be lost."""
    place = tmp_path / "words"
    place.write_bytes(b"from a file")
    with place.open("rb") as file, Child(["/bin/cat"], {}, stdin=file.fileno(), complains=False) as child:
        assert child.listen(10)
        assert child.read_output() == (b"from a file", b"")


def test_silent_one_is_left_and_nothing_of_it_stays() -> None:
    """What it started is in its group, and ends with it."""
    with start("sleep 300 & echo $!; wait", complains=False) as child:
        assert not child.listen(0.2)
        deep = int(child.read_output()[0])
        assert is_running(deep)
    assert not is_running(child.pid)
    late = time.monotonic() + 10
    while is_running(deep) and time.monotonic() < late:
        os.sched_yield()
    assert not is_running(deep)


def test_no_program_says_so_and_leaves_nothing_open() -> None:
    """No end of a pipe stays behind."""
    before = sorted(Path("/proc/self/fd").iterdir())
    with pytest.raises(FileNotFoundError):
        Child(["/no/such/program"], {})
    assert sorted(Path("/proc/self/fd").iterdir()) == before


def test_it_starts_as_python_would_start_it() -> None:
    """Without a file of ours, and without the signals that Python ignores (the C library keeps two for itself)."""
    words = ["/bin/sh", "-c", "ls /proc/self/fd | wc -l; grep SigIgn /proc/self/status | cut -c 12-"]
    with Child(words, dict(os.environ)) as child:
        assert child.listen(10)
        files, ignored = child.read_output()[0].split()
    assert int(files) == 4, "its three, and the folder that ls reads"
    assert int(ignored, 16) & sum(1 << number - 1 for number in (signal.SIGPIPE, signal.SIGXFSZ)) == 0


def test_it_works_where_the_program_was_started_without_input() -> None:
    """Then a pipe gets the number of what is missing."""
    code = (
        "import os; os.close(0); os.close(2)\n"
        "from handoff_tui.system.processes.child import Child\n"
        "child = Child(['/bin/cat'], {})\n"
        "child.say(b'as ever'); child.listen(10); print(child.read_output(), child.wait())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "(b'as ever', b'') 0\n"
