"""The stage of a schedule: contenders for one name in a fresh folder, held, killed and let go, and the record of what became of them.

Who held the name, and when, is the harness's own record, kept from outside: a contender holds it from the moment at which it is
about to say so until it is let go.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from harness.judging.contest import Contender, Stop, Subject
from harness.judging.running import Touch
from harness.promises import Act, Finding, Hold, Promise, Step, together

_NAME = "the.lock"
_NUMBER = re.compile(r"\d{3,}")


class NotSo(Exception):
    """The schedule did not come about; the code says why."""


class Broken(Exception):
    """The schedule breaks this promise, and ends here."""

    def __init__(self, promise: Promise, how: str) -> None:
        super().__init__(how)
        self.finding = Finding(promise, how)


@dataclass
class Stage:
    """A fresh folder with the contested name, the contenders in it, and the record; `content` is the file that is published next."""

    subject: Subject
    folder: Path
    patience: float
    content: Path = Path()
    steps: list[Step] = field(default_factory=list)
    holds: dict[str, Hold] = field(default_factory=dict)
    contenders: dict[str, Contender] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def name(self) -> Path:
        """The contested path; of workers it is the folder itself."""
        return self.folder if self.subject.kind == "consume" else self.folder / _NAME

    @property
    def next(self) -> str:
        """The label of one who has not come yet."""
        return chr(ord("A") + len(self.contenders))

    def go(self, label: str, stop_after: int | None = None) -> Stop:
        """Start this contender, or let it go on, and record how it stands afterwards."""
        if label not in self.contenders:
            spell = self.subject.spell
            words = {"name": spell(self.name), "worker": label, "content": spell(self.content)}
            self.contenders[label] = Contender(label, self.subject, words, self.folder, self.patience)
        contender = self.contenders[label]
        if contender.over:
            return Stop.ENDED
        if contender.acquired and label in self.holds and self.holds[label].until is None:
            # From here on it may release at any moment, so that it counts as holding no more.
            self.holds[label] = Hold(label, self.holds[label].since, len(self.steps))
            contender.let_end()
        had = contender.acquired
        stop = contender.go(stop_after)
        self._record(contender, stop, had)
        return stop

    def hold_back(self, label: str, point: int | None) -> None:
        """Hold it once it has made so many touches; one that has acquired or ended with the last of them counts. Raises NotSo."""
        stop = self.go(label, point)
        if self.contenders[label].made != point or stop is Stop.WAITS:
            raise NotSo("not-held-there")

    def _record(self, contender: Contender, stop: Stop, had: bool) -> None:
        acts = {Stop.HELD: Act.HELD_BACK, Stop.ACQUIRED: Act.HOLDS, Stop.WAITS: Act.WAITS}
        refused, done = (Act.REFUSED, Act.DONE) if self.subject.kind == "lock" else (Act.FAILED, Act.FINISHED)
        ended = Act.RELEASED if had else done if contender.code == 0 else refused
        detail = (
            self.told(contender.before)
            if stop is Stop.HELD and contender.before
            else str(contender.code)
            if stop is Stop.ENDED
            else ""
        )
        calls = tuple(self.told(touch) for touch in contender.take_calls())
        self.steps.append(Step(contender.label, acts.get(stop, ended), calls, detail))
        if stop is Stop.ACQUIRED:
            self.holds[contender.label] = Hold(contender.label, len(self.steps))
        # Killed by a signal, or a shell whose last program was: that is no refusal, and no release.
        if stop is Stop.ENDED and contender.code is not None and (contender.code < 0 or 128 < contender.code < 193):
            raise NotSo("crashed")

    def kill(self, label: str) -> None:
        """Kill this contender where it stands."""
        contender = self.contenders[label]
        contender.kill()
        before = self.told(contender.before) if contender.before else ""
        if label in self.holds:
            self.holds[label] = Hold(label, self.holds[label].since, len(self.steps))
        self.steps.append(Step(label, Act.KILLED, detail=before))

    def tell(self, act: Act, detail: str = "") -> None:
        """Record what the harness did itself."""
        self.steps.append(Step("", act, detail=detail))

    def told(self, touch: Touch) -> str:
        """A call as it is printed: paths without the folder, `{name}` for the contested one."""
        paths = ", ".join(self._short(path) for path in touch.paths)
        flags = f", {'|'.join(touch.flags)}" if touch.flags else ""
        return f"{touch.call}({paths}{flags})"

    def _short(self, path: str) -> str:
        inside = os.path.relpath(path, os.path.realpath(self.folder))
        # Whoever makes names of its own puts its process id in, which tells nothing and is another one every time.
        return path if inside.startswith("..") else _NUMBER.sub("#", inside.replace(_NAME, "{name}"))

    def two_hold(self) -> bool:
        """Whether two hold the name, by the record."""
        return together(self.holds.values()) is not None

    def marks(self) -> dict[str, bytes]:
        """The content of every file in the folder."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }

    def close(self) -> None:
        """Leave nothing running."""
        for contender in self.contenders.values():
            contender.close()
