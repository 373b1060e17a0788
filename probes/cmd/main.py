"""The probe for cmd: runs the lines of claims.py in batch files and says what their caller would conclude (see ../PROTOCOL.md).

    python main.py CMD            where CMD is cmd.exe itself
    python main.py WINE cmd       where WINE is the program that runs cmd.exe

cmd can hold no conversation, so this holds it for cmd. Every claim gets a fresh cmd.exe with nothing to read on standard
input, as a scheduler would start it; the rounds of a race share one.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from typing import IO, Any

# An isolated interpreter does not look beside its script.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from abilities import ABILITIES, NAMES
from batch import TAKEN, VARIABLES, WON, Unpassable, command, once, rounds, variables
from claims import CLAIMS, Claim

FLOOD = 1 << 16
"""A command that has printed this much goes on asking the same question for ever."""
MESSAGE_LIMIT = 500
LONG_WAIT = 20.0

_VERSION = re.compile(rb"\d+(\.\d+)+")
_ERRORLEVEL = re.compile(rb"ERRORLEVEL (-?\d+)\s*$")


class Missing(Exception):
    """This build cannot make the claim."""


class Flooded(Exception):
    """A command prints without end."""


class Probe:
    """Answers requests by running `cmd`; its batch files and trials are in `folder`."""

    def __init__(self, cmd: list[str], folder: pathlib.Path) -> None:
        self.cmd = cmd
        self.folder = folder
        self.claims = {claim.id: claim for claim in CLAIMS}
        self.held: dict[int, subprocess.Popen[bytes]] = {}
        self.lacks: dict[str, str | None] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, object]:
        """The answer to one request. Whatever it raises is a fault of the probe."""
        do = {
            "hello": self.hello,
            "list": self.catalogue,
            "claim": self.claim,
            "release": self.release,
            "clock": self.clock,
            "race": self.race,
        }
        try:
            return do[request["do"]](request)
        except (Missing, Unpassable) as error:
            return {"said": "unsupported", "message": str(error)[:MESSAGE_LIMIT]}
        except Flooded as error:
            return {"said": "timed-out", "message": str(error)[:MESSAGE_LIMIT]}

    def hello(self, request: dict[str, Any]) -> dict[str, object]:
        """Which cmd this is: the version of Windows, or that of the Wine which made its cmd."""
        _, said = self.run(once("ver"), {})
        version = _VERSION.search(said)
        if version is None:
            raise RuntimeError(f"`ver` says {shown(said)!r}")
        if len(self.cmd) == 1:
            return {"protocol": 1, "runtime": "cmd", "version": version.group().decode()}
        wine = subprocess.run([self.cmd[0], "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
        return {"protocol": 1, "runtime": "cmd", "version": shown(wine.stdout).split()[0]}

    def catalogue(self, request: dict[str, Any]) -> dict[str, object]:
        """The catalogue."""
        return {"claims": [self.listed(claim) for claim in CLAIMS]}

    def listed(self, claim: Claim) -> dict[str, object]:
        """What the protocol's list says about a claim."""
        entry: dict[str, object] = {key: getattr(claim, key) for key in ("id", "kind", "code", "makes", "source")}
        entry["supported"] = self.lack(claim) is None
        return {**entry, "role": claim.role} if claim.role else entry

    def claim(self, request: dict[str, Any]) -> dict[str, object]:
        """Make a claim once."""
        claim = self.ready(request)
        values = self.values(request)
        if claim.kind == "held":
            return self.hold(claim, request["id"], values)
        code, said = self.run(once(claim.code), values)
        return verdict(code, said)

    def hold(self, claim: Claim, request: int, values: Mapping[str, str]) -> dict[str, object]:
        """Make a claim that lasts until its batch file reads a line."""
        holder = self.start(once(claim.code), values, stdin=subprocess.PIPE)
        said = b""
        for line in output(holder):
            said += line
            if line.strip() == b"held":
                self.held[request] = holder
                return {"said": "yes"}
        return verdict(holder.wait(), said)

    def release(self, request: dict[str, Any]) -> dict[str, object]:
        """Let go of what a claim holds."""
        holder = self.held.pop(request["holds"])
        holder.communicate(b"\r\n")
        return {"said": "yes"}

    def clock(self, request: dict[str, Any]) -> dict[str, object]:
        """The time on this process's clock."""
        return {"clock": now()}

    def race(self, request: dict[str, Any]) -> dict[str, object]:
        """Make a claim once per round, each at its time, in one cmd that waits for the word to start the round."""
        claim = self.ready(request)
        values = self.values(request)
        spread = {variable: values.pop(variable) for variable in ("name", "source", "mine")}
        contender = self.start(
            rounds(claim.code),
            {**values, **{f"all_{variable}": value for variable, value in spread.items()}},
            stdin=subprocess.PIPE,
        )
        told = output(contender)
        results: list[tuple[int, float, float]] = []
        errors: Counter[str] = Counter()
        for number in range(request["rounds"]):
            wait_until(request["start"] + number * request["gap"])
            tell(contender, f"{number}\r\n")
            began = ended = now()
            for line in told:
                ended = now()
                word, _, errorlevel = line.decode("ascii", "replace").strip().partition(" ")
                if word == "BEGAN":
                    began = ended
                elif word in ("WON", "TAKEN"):
                    break
            else:
                crash(contender.wait(), b"")
            results.append((int(word == "WON"), round(began, 3), round(ended, 3)))
            if word == "TAKEN":
                errors[f"errorlevel {errorlevel}"] += 1
        contender.communicate()
        return {"rounds": results, "errors": errors}

    def ready(self, request: dict[str, Any]) -> Claim:
        """The claim asked for. Raises Missing where this build cannot make it."""
        claim = self.claims[request["claim"]]
        lack = self.lack(claim)
        if lack:
            raise Missing(lack)
        return claim

    def values(self, request: dict[str, Any]) -> dict[str, str]:
        """The request's values as variables. Raises Unpassable for those that this cmd would alter."""
        given = {variable: request.get(variable) or "" for variable in VARIABLES}
        arrives = not any("%" in value for value in given.values()) or self.ability("%") is None
        return variables(given, percent_arrives=arrives)

    def lack(self, claim: Claim) -> str | None:
        """Why this build cannot make a claim, or None."""
        lacks = [self.ability(need) for need in claim.needs]
        if claim.tried and not any(lacks):
            lacks.append(self.trial(claim))
        return next((lack for lack in lacks if lack), None)

    def ability(self, need: str) -> str | None:
        """What is said of a cmd without this ability, or None where it has it."""
        if need not in self.lacks:
            script, reproach = ABILITIES[need]
            name = NAMES.get(need) or self.spare()
            code, _ = self.run(once(script), {"name": name})
            able = code == WON and (need not in NAMES or (self.folder / name).exists())
            self.lacks[need] = None if able else reproach
        return self.lacks[need]

    def trial(self, claim: Claim) -> str | None:
        """Whether the claim makes anything of a free name in the probe's own folder; what it printed if not."""
        if claim.id not in self.lacks:
            name, source = self.spare(), self.spare()
            if claim.source == "file":
                (self.folder / source).write_bytes(b"source\r\n")
            else:
                (self.folder / source).mkdir()
            if claim.source == "full-dir":
                (self.folder / source / "inside").write_bytes(b"inside\r\n")
            code, said = self.run(
                once(f'{claim.code}\nif not exist "%name%" goto taken'), {"name": name, "source": source}
            )
            self.lacks[claim.id] = None if code == WON else f"{claim.id} makes nothing here: {shown(said)}"
        return self.lacks[claim.id]

    def spare(self) -> str:
        """A name in the probe's own folder that nobody has."""
        return pathlib.Path(tempfile.mktemp(prefix="trial-", dir=self.folder)).name

    def run(self, script: bytes, values: Mapping[str, str]) -> tuple[int, bytes]:
        """Run a batch file to its end: its exit code and all that it printed. Raises Flooded."""
        child = self.start(script, values)
        assert child.stdout is not None
        said = child.stdout.read(FLOOD)
        if len(said) == FLOOD:
            # It is left as it is: what it started goes with it when the harness ends this probe's whole tree.
            raise Flooded(f"prints without end: {shown(said[:200])}")
        return child.wait(), said

    def start(
        self, script: bytes, values: Mapping[str, str], stdin: int = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        """Start a batch file of its own, with the values in its environment."""
        handle, path = tempfile.mkstemp(prefix="claim-", suffix=".cmd", dir=self.folder)
        with os.fdopen(handle, "wb") as file:
            file.write(script)
        return subprocess.Popen(
            command(self.cmd, pathlib.Path(path).name),
            cwd=self.folder,
            env={**os.environ, **values},
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )


def verdict(code: int, said: bytes) -> dict[str, object]:
    """What the caller of a batch file concludes from its exit code."""
    if code == WON:
        return {"said": "yes"}
    if code != TAKEN:
        crash(code, said)
    level = _ERRORLEVEL.search(said)
    message = shown(_ERRORLEVEL.sub(b"", said))
    return {
        "said": "no",
        "error": f"errorlevel {level.group(1).decode()}" if level else "goto taken",
        "message": message,
    }


def crash(code: int, said: bytes) -> None:
    """A cmd that did not get to the end of its batch file takes its probe with it: that is not an answer."""
    print(f"cmd ended with code {code}: {shown(said)}", file=sys.stderr, flush=True)
    os._exit(code & 0xFF or 70)


def output(child: subprocess.Popen[bytes]) -> IO[bytes]:
    assert child.stdout is not None
    return child.stdout


def tell(child: subprocess.Popen[bytes], text: str) -> None:
    assert child.stdin is not None
    child.stdin.write(text.encode("ascii"))
    child.stdin.flush()


def shown(said: bytes) -> str:
    """Printed bytes as text on one line, from the console's code page where there is one."""
    text = said.decode("oem" if os.name == "nt" else "utf-8", "replace")
    return " ".join(text.split())[:MESSAGE_LIMIT]


def now() -> float:
    return time.perf_counter() * 1000


def wait_until(due: float) -> None:
    """Sleep only while it is long, then spin."""
    early = due - now()
    if early > LONG_WAIT:
        time.sleep((early - LONG_WAIT) / 1000)
    while now() < due:
        pass


def converse(probe: Probe) -> None:
    """Answer requests until standard input ends."""
    for line in sys.stdin.buffer:
        reply: dict[str, object] = {}
        try:
            request = json.loads(line)
            if "id" in request:
                reply["id"] = request["id"]
            reply.update(probe.answer(request))
        except Exception as error:
            reply["fault"] = f"{type(error).__name__}: {error}"[:MESSAGE_LIMIT]
        sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cmd-", dir=pathlib.Path.cwd(), ignore_cleanup_errors=True) as own:
        converse(Probe(sys.argv[1:], pathlib.Path(own)))
