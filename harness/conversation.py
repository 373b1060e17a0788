"""Talking to a probe: requests out, answers in, and every way of not answering charged to the request that suffered it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.answers import answer_to, excerpt, parse
from harness.errors import ClaimgridError, Exit
from harness.observation import Answer, Said
from harness.processes import Ending, Process, clean_environment, kill_marked, new_mark
from harness.runtimes.contract import Launch

MAX_LINE_BYTES = 1 << 20
_IDLE_SECONDS = 0.4
_encode = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that the first answer of a process and every further answer may take."""

    start: float
    case: float


@dataclass(frozen=True, slots=True)
class Request:
    """One claim to be made. Paths are the harness's own; they are spelled for the runtime when they are sent.

    `may_block`: the name is of a sort that a call may wait at for ever, so that an idle probe need not be waited for as long.
    """

    id: int
    call: str
    name: Path
    source: Path
    mine: Path
    data: str
    may_block: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, whatever it was, and what the process said on standard error if it did not survive."""

    answer: Answer
    stderr: str = ""


@dataclass
class Conversation:
    """One build's probe, kept running from request to request and started anew after it died or was ended.

    `per_case` starts a process for every request instead. Use as a context manager: nothing is left running.
    """

    launch: Launch
    home: Path
    limits: Limits
    per_case: bool = False
    isolate: bool = False
    _process: Process | None = field(default=None, init=False)
    _mark: str = field(default_factory=new_mark, init=False)

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        # Whoever forked away from any of its processes, and let go of the pipes, is still found by the mark.
        kill_marked(self._mark)

    def close(self, *, polite: bool = True) -> None:
        """End the probe, if one runs."""
        if self._process is not None:
            process, self._process = self._process, None
            process.end(polite=polite)

    def ask(self, verb: str) -> Mapping[str, Any]:
        """The answer to `hello` or `list`. Raises ClaimgridError when the probe cannot be started or does not answer properly."""
        reply = self._exchange_one({"do": verb}, (verb,), self.limits.start)
        if isinstance(reply, Reply):
            raise self._not_a_probe(reply)
        return reply

    def claims(self, requests: Sequence[Request]) -> Iterator[Reply]:
        """Make the claims in order, one reply each, up to the first that the probe did not survive.

        Those after it may have been made or not: they need new folders. With a process for each claim all of them get a reply.
        """
        if self.per_case or self.isolate:
            for request in requests:
                reply = self._exchange_one(
                    self._message(request), self._arguments(request), self.limits.case, request.may_block
                )
                yield _as_reply(reply, request.id)
                self.close()
            return
        self._started().send(b"".join(_line(self._message(request)) for request in requests))
        for request in requests:
            reply = _as_reply(self._receive(self.limits.case, request.may_block), request.id)
            yield reply
            if not reply.answer.said.valid:
                # What it still has to say belongs to nobody any more.
                self.close(polite=False)
                return

    def hold(self, request: Request) -> Reply:
        """Make a *held* claim and leave the process alone, which holds what it won until `release`."""
        received = self._exchange_one(
            self._message(request), self._arguments(request), self.limits.case, request.may_block
        )
        return _as_reply(received, request.id)

    def prepare(self, request: Request) -> Reply | None:
        """Start the process for one claim, up to where only the claim itself is left to do. A reply when it did not get that far."""
        received = self._exchange_one(
            self._message(request), ["race", *self._arguments(request)[1:]], self.limits.case, request.may_block
        )
        if not isinstance(received, Reply) and received.get("id") == request.id and received.get("ready") is True:
            return None
        return _as_reply(received, request.id)

    def go(self, request: Request) -> Reply:
        """Have the claim made that was prepared."""
        assert self._process is not None
        self._process.send(b"\n")
        return _as_reply(self._receive(self.limits.case, request.may_block), request.id)

    def release(self, request: Request) -> None:
        """Let go of what this claim holds: the probe is asked to, or ended if it was started for this claim alone."""
        if self.per_case:
            self.close()
        else:
            self._exchange_one({"do": "release", "id": request.id, "holds": request.id}, (), self.limits.case)

    def stay_on(self, processor: int) -> None:
        """Keep the probe on one processor, where the system can do that; one is started if none runs."""
        self._started().stay_on(processor)

    def post(self, message: Mapping[str, Any]) -> None:
        """Send a request of any kind and do not wait, so that several probes can be at work at the same time."""
        self._started().send(_line(message))

    def collect(self, wanted: int, seconds: float) -> Mapping[str, Any] | Reply:
        """The answer to the request `wanted` that was posted, as it stands; a reply when there was none, and the probe is ended then."""
        received = self._receive(seconds)
        if not isinstance(received, Reply) and received.get("id") != wanted:
            received = _as_reply(received, wanted)
        if isinstance(received, Reply):
            self.close(polite=False)
        return received

    def _exchange_one(
        self, message: Mapping[str, Any], arguments: Sequence[str], limit: float, may_block: bool = False
    ) -> Mapping[str, Any] | Reply:
        if self.per_case:
            self.close()
            self._start(arguments)
        else:
            self._started().send(_line(message))
        reply = self._receive(limit, may_block)
        if isinstance(reply, Reply):
            self.close(polite=False)
        return reply

    def _not_a_probe(self, reply: Reply) -> ClaimgridError:
        why = " ".join(part for part in (reply.answer.message, _first_line(reply.stderr)) if part)
        return ClaimgridError(f"{self.launch.argv[0]} did not start as a probe: {why}", "", Exit.NOT_RUN)

    def _started(self) -> Process:
        """The running process; a new one has said hello, so that its start is not charged to a claim."""
        if self._process is None:
            process = self._start(())
            process.send(_line({"do": "hello"}))
            reply = self._receive(self.limits.start)
            if isinstance(reply, Reply):
                self.close(polite=False)
                raise self._not_a_probe(reply)
            return process
        return self._process

    def _start(self, arguments: Sequence[str]) -> Process:
        self.home.mkdir(parents=True, exist_ok=True)
        environment = {**clean_environment(self.home), **self.launch.env}
        try:
            self._process = Process([*self.launch.argv, *arguments], cwd=self.home, env=environment, mark=self._mark)
        except OSError as error:
            raise ClaimgridError(f"{self.launch.argv[0]} cannot be started: {error}.", "", Exit.NOT_RUN) from error
        return self._process

    def _receive(self, seconds: float, may_block: bool = False) -> Mapping[str, Any] | Reply:
        """The next answer as it stands, or a reply that says how there was none."""
        process = self._process
        assert process is not None
        line = process.read_line(time.monotonic() + seconds, MAX_LINE_BYTES, _IDLE_SECONDS if may_block else None)
        if isinstance(line, Ending):
            return _no_line(line, process, seconds)
        answer = parse(line)
        return _no_answer(answer, process) if isinstance(answer, str) else answer

    def _message(self, request: Request) -> Mapping[str, Any]:
        spell = self.launch.spell
        return {
            "do": "claim",
            "id": request.id,
            "claim": request.call,
            "name": spell(request.name),
            "source": spell(request.source),
            "mine": spell(request.mine),
            "data": request.data,
        }

    def _arguments(self, request: Request) -> Sequence[str]:
        message = self._message(request)
        return [str(message[key]) for key in ("do", "id", "claim", "name", "source", "mine", "data")]


def _as_reply(received: Mapping[str, Any] | Reply, wanted: int) -> Reply:
    return received if isinstance(received, Reply) else Reply(answer_to(wanted, received))


def _no_line(ending: Ending, process: Process, seconds: float) -> Reply:
    if ending is Ending.SILENT:
        return Reply(Answer(Said.TIMED_OUT, message=f"no answer; waited up to {seconds:g} s"), _stderr(process))
    if ending is Ending.FLOODED:
        return _no_answer(f"more than {MAX_LINE_BYTES} bytes without an answer", process)
    code = process.wait()
    half = f" after half an answer: {excerpt(process.unread())}" if process.unread() else ""
    if code is None:
        return _no_answer(f"closed its output but went on running{half}", process)
    if code == 0:
        return _no_answer(f"ended{half}", process)
    how = f"killed by signal {-code}" if code < 0 else f"ended with code {code}"
    return Reply(
        Answer(Said.CRASHED, error=f"signal {-code}" if code < 0 else f"exit {code}", message=how + half),
        _stderr(process),
    )


def _no_answer(message: str, process: Process) -> Reply:
    return Reply(Answer(Said.NO_ANSWER, message=message), _stderr(process))


def _stderr(process: Process) -> str:
    return process.stderr().decode(errors="backslashreplace")


def _line(message: Mapping[str, Any]) -> bytes:
    # ASCII on the wire: no console code page can alter it.
    return _encode(message).encode() + b"\n"


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:300]
