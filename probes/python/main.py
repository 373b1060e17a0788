"""The probe for Python: makes the calls of claims.py and says what their caller would conclude (see ../PROTOCOL.md).

It runs from Python 3.6 on, with the standard library alone.
"""

import ast
import bz2
import codecs
import contextlib
import errno
import gc
import gzip
import importlib
import inspect
import io
import json
import lzma
import os
import pathlib
import platform
import shutil
import stat
import sys
import tarfile
import textwrap
import time
import types
import zipfile
from collections import Counter, deque
from typing import IO, Any

# An isolated interpreter does not look beside its script.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from claims import CLAIMS, Claim

MESSAGE_LIMIT = 500
LONG_WAIT = 20.0
KEPT_HANDLES = 500
UNKNOWN = object()


def optional(module: str) -> types.ModuleType:
    """A module that only some systems have; elsewhere an empty one of that name."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return types.ModuleType(module)


PARAMETERS = ("name", "source", "mine", "data")
SCOPE = {
    "FileExistsError": FileExistsError,
    "FileNotFoundError": FileNotFoundError,
    "OSError": OSError,
    "Path": pathlib.Path,
    "bz2": bz2,
    "codecs": codecs,
    "contextlib": contextlib,
    "fcntl": optional("fcntl"),
    "gzip": gzip,
    "io": io,
    "lzma": lzma,
    "msvcrt": optional("msvcrt"),
    "open": open,
    "os": os,
    "shutil": shutil,
    "stat": stat,
    "tarfile": tarfile,
    "zipfile": zipfile,
}


class Missing(Exception):
    """This build has no such call."""


class Ready:
    """A claim and the function that its code became; `lack` says what this build lacks for it."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        text = "def claim({}):\n{}\n".format(", ".join(PARAMETERS), textwrap.indent(claim.code, "    "))
        self.lack = lacking(ast.parse(text))
        scope = dict(SCOPE)
        exec(compile(text, claim.id, "exec"), scope)
        self.call = scope["claim"]

    def listed(self) -> "dict[str, object]":
        """What the protocol's list says about it."""
        entry = self.claim._asdict()
        entry["supported"] = self.lack is None
        return {key: value for key, value in entry.items() if key != "role" or value}

    def refusal(self, error: OSError) -> "dict[str, object]":
        """What the caller can test in the error; only somebody who wants to make the name asks whether it exists."""
        answer = {"said": "no", "error": type(error).__name__, "message": str(error)[:MESSAGE_LIMIT]}
        if error.errno in errno.errorcode:
            answer["code"] = errno.errorcode[error.errno]
        if self.claim.kind == "create":
            answer["exists"] = isinstance(error, FileExistsError)
        return answer


def lacking(tree: ast.AST) -> "str | None":
    """The first thing in some code that this build lacks, or None; found out by looking, never by calling."""
    local = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    local.update(PARAMETERS)

    def named(node: ast.AST) -> object:
        """What an expression names, the class for an object made on the spot, UNKNOWN if only running tells."""
        if isinstance(node, ast.Name) and node.id not in local:
            return SCOPE[node.id]
        if isinstance(node, ast.Attribute):
            owner = named(node.value)
            return owner if owner is UNKNOWN else getattr(owner, node.attr)
        if isinstance(node, ast.Call):
            made = named(node.func)
            return made if inspect.isclass(made) else UNKNOWN
        return UNKNOWN

    for node in ast.walk(tree):
        try:
            if isinstance(node, ast.Attribute):
                named(node)
            elif isinstance(node, ast.Call):
                called = named(node.func)
                unknown = unknown_keywords(called, [keyword.arg for keyword in node.keywords])
                if unknown:
                    return f"{called.__qualname__} has no argument {unknown[0]}"
        except AttributeError as error:
            return str(error)
    return None


def unknown_keywords(function: object, keywords: "list[str | None]") -> "list[str | None]":
    """Those of the keyword arguments that the function does not take."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return []
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return []
    return [keyword for keyword in keywords if keyword not in parameters]


class Probe:
    """Answers requests; `held` are the handles of the claims that are still held, by request."""

    def __init__(self) -> None:
        self.claims = {claim.id: Ready(claim) for claim in CLAIMS}
        self.held = {}

    def answer(self, request: "dict[str, Any]") -> "dict[str, object]":
        """The answer to one request. Whatever it raises is a fault of the probe, but for Missing."""
        do = {
            "hello": self.hello,
            "list": self.catalogue,
            "claim": self.claim,
            "release": self.release,
            "clock": self.clock,
            "race": self.race,
        }
        return do[request["do"]](request)

    def hello(self, request: "dict[str, Any]") -> "dict[str, object]":
        """Which Python this is."""
        version = platform.python_version()
        if sys.implementation.name != "cpython":
            version = "{}-{}.{}.{}".format(sys.implementation.name, *sys.implementation.version)
        return {"protocol": 1, "runtime": "python", "version": version}

    def catalogue(self, request: "dict[str, Any]") -> "dict[str, object]":
        """The catalogue."""
        return {"claims": [ready.listed() for ready in self.claims.values()]}

    def ready(self, request: "dict[str, Any]") -> Ready:
        """The claim asked for. Raises Missing where this build has no such call."""
        ready = self.claims[request["claim"]]
        if ready.lack:
            raise Missing(ready.lack)
        return ready

    def claim(self, request: "dict[str, Any]") -> "dict[str, object]":
        """Make a claim once. Only an OSError is a refusal: a caller gets no other when the name is taken."""
        ready = self.ready(request)
        try:
            handle = ready.call(*[request.get(parameter) for parameter in PARAMETERS])
        except OSError as error:
            return ready.refusal(error)
        if ready.claim.kind == "held":
            self.held[request["id"]] = handle
        return {"said": "yes"}

    def release(self, request: "dict[str, Any]") -> "dict[str, object]":
        """Let go of what a claim holds."""
        self.held.pop(request["holds"]).close()
        return {"said": "yes"}

    def clock(self, request: "dict[str, Any]") -> "dict[str, object]":
        """The time, as races count it."""
        return {"clock": now()}

    def race(self, request: "dict[str, Any]") -> "dict[str, object]":
        """Make a claim once a round, at the round's own time."""
        ready = self.ready(request)
        gc.collect()
        gc.disable()
        try:
            return rounds(ready, request)
        finally:
            gc.enable()


def rounds(ready: Ready, request: "dict[str, Any]") -> "dict[str, object]":
    """The rounds of a race. What a round of a held claim holds stays open for the rounds after it."""
    call, data, start, gap = ready.call, request.get("data"), request["start"], request["gap"]
    numbers = range(request["rounds"])
    paths = [[request[key] + str(number) if request.get(key) else None for key in PARAMETERS[:3]] for number in numbers]
    results, errors, handles = [None] * len(numbers), Counter(), deque()
    for number in numbers:
        name, source, mine = paths[number]
        began = wait_until(start + number * gap)
        try:
            handle = call(name, source, mine, data)
            ended = now()
            won = 1
            handles.append(handle)
        except OSError as error:
            ended = now()
            won = 0
            errors[type(error).__name__] += 1
        results[number] = (won, round(began, 3), round(ended, 3))
        if len(handles) > KEPT_HANDLES:
            close(handles.popleft())
    for handle in handles:
        close(handle)
    return {"rounds": results, "errors": errors}


def close(handle: "IO[str] | None") -> None:
    """Close what a held claim returned; other claims return nothing."""
    if handle is not None:
        handle.close()


def wait_until(due: float) -> float:
    """Spin until the time has come, and return the time then; asleep only while it is far off."""
    time_now = now()
    while time_now < due:
        if due - time_now > LONG_WAIT:
            time.sleep((due - time_now - LONG_WAIT) / 1000)
        time_now = now()
    return time_now


def now() -> float:
    """Milliseconds of the finest monotonic clock."""
    return time.perf_counter() * 1000


def main() -> None:
    """Answer line by line until standard input ends."""
    probe = Probe()
    for line in sys.stdin.buffer:
        reply = {}
        try:
            request = json.loads(line.decode("utf-8"))
            if "id" in request:
                reply["id"] = request["id"]
            reply.update(probe.answer(request))
        except Missing as error:
            reply.update(said="unsupported", message=str(error))
        except Exception as error:
            reply["fault"] = f"{type(error).__name__}: {error}"
        sys.stdout.buffer.write(json.dumps(reply).encode("ascii") + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
