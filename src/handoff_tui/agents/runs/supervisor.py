"""The supervisor of one agent: a session leader that starts it, enforces its time limit, and records how it ended.

It keeps running when whoever started it is gone. Output goes to a file, because a pipe would break when its reader
dies. Only this process ever starts the agent of its run folder. It imports only the lightest part of the standard
library; the heavier ones when the agent is already running.
"""
# importing pathlib takes longer than everything done before the agent starts
# ruff: noqa: PTH108, PTH110, PTH112

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from handoff_tui.agents.runs.files import (
    COMPLAINTS,
    EXIT,
    HEARTBEAT,
    LOCK,
    MESSAGES,
    OUTPUT,
    PAUSED,
    PLAN,
    PROCESS,
    PROMPT,
    STOP,
    TRANSCRIPT,
    OutputHash,
    read_json,
    write_json,
    write_sealed,
)
from handoff_tui.system.processes.agent_process import AgentProcess, ask_for_orphans, start_agent
from handoff_tui.system.processes.identity import read_birth, read_host

if TYPE_CHECKING:
    from handoff_tui.agents.runs.listening import MessagePipe, StreamListener

_READY = b"+"
_SECRET_BYTES = 32
_TICK_SECONDS = 0.2
_BEAT_SECONDS = 2.0
_LINGER_SECONDS = 0.5
"""Processes that an agent left may be about to end, like the end of a pipeline."""
_LOOK_AGAIN_SECONDS = 0.005
_RESERVE = "reserve"
_RESERVED_BYTES = 64 * 1024
_HEARD = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCHLD, signal.SIGHUP)


class Supervisor:
    """One agent, from its start to the end of its last process."""

    def __init__(self, folder: str, plan: dict[str, object], secret: bytes) -> None:
        words = plan["argv"]
        self.folder = folder
        self._secret = secret
        self.argv = [str(word) for word in words] if isinstance(words, list) else []
        self.work_folder = str(plan["folder"])
        self.timeout = float(str(plan["timeout_seconds"]))
        self.grace = float(str(plan["grace_seconds"]))
        self.output_limit = int(str(plan["output_bytes"]))
        self.mark = str(plan["mark"])
        self.phase_lock = str(plan["lock"]) if plan.get("lock") else None
        self.plan = plan
        self.pipe: MessagePipe | None = None
        self.listener: StreamListener | None = None
        self.agent: AgentProcess | None = None
        self.ending = "exited"
        self.failure: str | None = None
        self.left_running = 0
        self.disk_full = False
        self.began = time.time()
        self._asked: set[int] = set()
        self._wake = os.pipe()
        self._last_beat = 0.0
        self._paused_since: float | None = None

    def listen(self) -> None:
        """Handles signals; called before anybody knows our pid, because an early signal would end this process."""
        for end in self._wake:
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._wake[1], warn_on_full_buffer=False)
        for number in _HEARD:
            # always a function: an ignored signal would stay ignored in the agent
            signal.signal(number, lambda number, _frame: self._asked.add(number))

    def reserve(self) -> None:
        """Takes the room that the record of the end will need."""
        with suppress(OSError), os.fdopen(os.open(self._find(_RESERVE), os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(b"\0" * _RESERVED_BYTES)

    def run(self) -> None:
        """Starts the agent, watches it to its end, and records that."""
        has_orphans = ask_for_orphans()  # before the start: a daemon loses its parent at once
        monotonic = time.monotonic()
        try:
            self.agent = self._start()
        except (OSError, ValueError) as refused:
            self.ending, self.failure = "not-started", self._explain(refused)
        output = OutputHash(self._find(OUTPUT), self._listen())
        if self.agent is not None:
            self.agent.has_orphans = has_orphans
            try:
                with suppress(OSError):  # an agent may delete even this folder
                    write_json(self._find(PROCESS), {**_describe_self(self.began), "agent_pid": self.agent.pid})
                self.ending = self._watch(self.agent, output, monotonic + self.timeout)
            finally:
                self._end_all(self.agent, output)
        output.read_rest()
        with suppress(OSError):  # the agent may have filled the disk: its end is recorded all the same
            room = os.statvfs(self.work_folder)
            self.disk_full = room.f_bavail * room.f_frsize < _RESERVED_BYTES
        with suppress(OSError):
            os.unlink(self._find(_RESERVE))
        try:
            end = self._build_end(output, time.monotonic() - monotonic)
            write_sealed(self._find(EXIT), end, self._secret, lasting=True)
        finally:
            self._leave_phase()

    def _start(self) -> AgentProcess:
        """Starts the agent with what it is to read."""
        kind = self.plan.get("input")
        if kind == "messages":
            from handoff_tui.agents.runs.listening import MessagePipe  # noqa: PLC0415 - few agents need it

            self.pipe = MessagePipe(self._find(MESSAGES))
            self.pipe.send()
            reading = self.pipe.reading
        else:
            reading = os.open(self._find(PROMPT) if kind == "prompt" else os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return start_agent(self.argv, self.work_folder, self.mark, self._find(OUTPUT), reading)
        finally:
            os.close(reading)

    def _listen(self) -> StreamListener | None:
        if self.plan.get("stream") is None:
            return None
        from handoff_tui.agents.runs.listening import StreamListener  # noqa: PLC0415 - the agent is running
        from handoff_tui.agents.transcript.tally import RunLimits  # noqa: PLC0415

        names = ("max_cost", "max_tokens", "max_turns")
        cost, tokens, turns = (self.plan.get(name) for name in names)
        limits = RunLimits(
            cost if isinstance(cost, float) else None,
            *(limit if isinstance(limit, int) else None for limit in (tokens, turns)),
        )
        stream, lacks_login = str(self.plan["stream"]), bool(self.plan.get("lacks_login"))
        self.listener = StreamListener(stream, limits, self._find(TRANSCRIPT), lacks_login=lacks_login)
        return self.listener

    def _find(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def _explain(self, refused: OSError | ValueError) -> str:
        if not os.path.isdir(self.work_folder):
            return f"the folder {self.work_folder} does not exist"
        reason = refused.strerror if isinstance(refused, OSError) else str(refused)
        return f"{self.argv[0] if self.argv else 'nothing'}: {reason}"

    def _watch(self, agent: AgentProcess, output: OutputHash, deadline: float) -> str:
        """Watches until the agent ends or must be ended; says which."""
        while True:
            agent.reap()
            if agent.code is not None:
                return "exited" if agent.code >= 0 else "signalled"
            if self._asked & {signal.SIGTERM, signal.SIGINT}:
                return "stopped"
            deadline += self._heed_pauses(agent)
            if self._paused_since is None and time.monotonic() >= deadline:
                return "timed-out"
            has_more = output.read_some()
            if output.size > self.output_limit:
                return "flooded"
            if self.listener is not None and (stop := self.listener.find_stop()) is not None:
                self.failure = stop.why
                return stop.ending
            self._pass_messages()
            self._beat()
            self._sleep(0 if has_more else min(_TICK_SECONDS, max(0.0, deadline - time.monotonic())))

    def _pass_messages(self) -> None:
        """Hands over new messages; ends the agent's input once it has answered the last."""
        if self.pipe is not None and not self.pipe.send() and self.listener is not None and self.listener.is_done:
            self.pipe.close()

    def _sleep(self, seconds: float) -> None:
        if self._paused_since is not None:
            seconds = _TICK_SECONDS
        if select.select([self._wake[0]], [], [], seconds)[0]:
            with suppress(BlockingIOError):
                os.read(self._wake[0], 4096)

    def _heed_pauses(self, agent: AgentProcess) -> float:
        """Pauses or resumes the agent as asked; returns how long a pause lasted that has just ended."""
        if signal.SIGUSR1 in self._asked and self._paused_since is None:
            self._paused_since = time.monotonic()
            agent.send(signal.SIGSTOP)
            with suppress(OSError):
                write_json(self._find(PAUSED), {"since": time.time()})
        lasted = 0.0
        if signal.SIGUSR2 in self._asked and self._paused_since is not None:
            lasted, self._paused_since = time.monotonic() - self._paused_since, None
            agent.send(signal.SIGCONT)
            with suppress(OSError):
                os.unlink(self._find(PAUSED))
        self._asked -= {signal.SIGUSR1, signal.SIGUSR2}
        return lasted

    def _beat(self) -> None:
        if time.monotonic() - self._last_beat < _BEAT_SECONDS:
            return
        self._last_beat = time.monotonic()
        with suppress(OSError):  # the agent may have deleted the folder; it is watched to its end anyway
            os.close(os.open(self._find(HEARTBEAT), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            os.utime(self._find(HEARTBEAT))
        if self.phase_lock is not None:
            with suppress(OSError):  # somebody broke the lock
                os.utime(self.phase_lock)

    def _end_all(self, agent: AgentProcess, output: OutputHash) -> None:
        """Ends everything of the agent: its group, what left the group, and orphans."""
        if agent.code is None:
            agent.send(signal.SIGTERM)
            agent.send(signal.SIGCONT)  # a stopped process reacts to nothing but KILL
            self._wait_for(agent, output, self._read_grace())
        elif agent.find_living():
            self._wait_for(agent, output, _LINGER_SECONDS)
            self.left_running = len(agent.find_living())
        agent.kill_all()

    def _wait_for(self, agent: AgentProcess, output: OutputHash, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while agent.find_living() and time.monotonic() < deadline:
            agent.reap()
            output.read_some()
            time.sleep(_LOOK_AGAIN_SECONDS)
        agent.reap()

    def _read_grace(self) -> float:
        """Returns the grace period that was asked for with the stop, or the planned one."""
        try:
            return float(str(read_json(self._find(STOP))["grace_seconds"]))
        except (OSError, ValueError, KeyError):
            return self.grace

    def _build_end(self, output: OutputHash, seconds: float) -> dict[str, object]:
        code = self.agent.code if self.agent is not None else None
        return {
            "ending": self.ending,
            "code": code if code is not None and code >= 0 else None,
            "signal": -code if code is not None and code < 0 else None,
            "failure": self.failure,
            "usage": self.listener.build_usage() if self.listener is not None else None,
            "began": self.began,
            "ended": time.time(),
            "seconds": round(seconds, 6),
            "output_bytes": output.hashed,
            "output_sha256": output.digest.hexdigest(),
            "output_rewritten": output.rewritten,
            "left_running": self.left_running,
            "disk_full": self.disk_full,
        }

    def _leave_phase(self) -> None:
        """Removes the lock of the phase, if it still belongs to this run."""
        if self.phase_lock is not None and _holds(self.phase_lock, self.mark):
            with suppress(OSError):
                os.unlink(self.phase_lock)


def supervise(folder: str, ready: int, secret: bytes) -> None:
    """Takes the run and sees it through; leaves it alone if another supervisor has taken it."""
    lock = os.open(f"{folder}/{LOCK}", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.exists(f"{folder}/{PROCESS}") or os.path.exists(f"{folder}/{EXIT}"):
            os.write(ready, _READY)
            return
        supervisor = Supervisor(folder, read_json(f"{folder}/{PLAN}"), secret)
        supervisor.listen()
        supervisor.reserve()
        write_json(f"{folder}/{PROCESS}", {**_describe_self(supervisor.began), "agent_pid": None})
        if supervisor.phase_lock is not None:
            _take_over(supervisor.phase_lock, supervisor.mark)
        os.write(ready, _READY)
        os.close(ready)
        supervisor.run()
    except BlockingIOError:
        os.write(ready, _READY)
    finally:
        os.close(lock)


def main() -> None:
    """Becomes a process that nobody waits for; the original exits as soon as the run is taken.

    The secret to seal the end with comes on standard input, where the agent can't see it, and after it what to start
    when the agent has ended.
    """
    folder = sys.argv[-1]
    with open(0, "rb", closefd=False) as given:
        secret, ending = given.read(_SECRET_BYTES), given.read()
    reading, writing = os.pipe()
    if os.fork():
        os.close(writing)
        os._exit(0 if os.read(reading, 1) == _READY else 1)
    os.close(reading)
    os.setsid()
    _detach(folder)
    supervise(folder, writing, secret)
    if ending:
        _start_ending(ending)


def _start_ending(given: bytes) -> None:
    """Becomes the command that examines the run and tells about it; what it prints goes to a file of the run."""
    import json  # noqa: PLC0415 - the agent has ended

    command = json.loads(given)
    os.chdir("/")
    os.dup2(2, 1)
    os.execve(command["argv"][0], command["argv"], command["environment"])  # noqa: S606 - no shell is what is wanted


def _detach(folder: str) -> None:
    """Lets go of the terminal and pipes of the process that started this; errors go to a file of the run."""
    nothing = os.open(os.devnull, os.O_RDWR)
    complaints = os.open(f"{folder}/{COMPLAINTS}", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.dup2(complaints, 2)
    os.close(nothing)
    os.close(complaints)


def _take_over(place: str, mark: str) -> None:
    """Takes over the lock from the process that prepared the run."""
    if _holds(place, mark):
        with suppress(OSError, ValueError):
            write_json(place, {**read_json(place), "pid": os.getpid(), "started": read_birth(os.getpid())})


def _holds(place: str, mark: str) -> bool:
    try:
        return read_json(place).get("mark") == mark
    except (OSError, ValueError):
        return False


def _describe_self(began: float) -> dict[str, object]:
    return {"pid": os.getpid(), "started": read_birth(os.getpid()) or "", "host": read_host(), "since": began}
