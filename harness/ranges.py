"""Ranges of versions as people write them: `>=18,<22.3`. Pure."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from harness.errors import ClaimgridError

_HOLDS: MappingProxyType[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {
        ">=": operator.ge,
        "<=": operator.le,
        "==": operator.eq,
        "!=": operator.ne,
        ">": operator.gt,
        "<": operator.lt,
    }
)
_BOUND = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)*)\s*", re.ASCII)
_RELEASE = re.compile(r"\d+(?:\.\d+)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Bound:
    """One condition, `>=` and (18,): it looks at as many numbers of a version as it has itself, so that `<=22` holds for 22.5."""

    sign: str
    numbers: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.sign}{'.'.join(map(str, self.numbers))}"

    def holds(self, release: tuple[int, ...]) -> bool:
        """Whether it holds for the numbers of a version; those that the version does not have are zero."""
        padded = (*release, *(0,) * len(self.numbers))[: len(self.numbers)]
        return _HOLDS[self.sign](padded, self.numbers)


@dataclass(frozen=True, slots=True)
class Range:
    """Versions for which every bound holds; without bounds, all of them."""

    bounds: tuple[Bound, ...] = ()

    def __str__(self) -> str:
        return ",".join(map(str, self.bounds))

    @classmethod
    def parse(cls, text: str) -> Range:
        """`>=18,<22.3`: bounds with a comma between them. "" is every version. Raises ClaimgridError for anything else."""
        if not text.strip():
            return cls()
        found = [_BOUND.fullmatch(part) for part in text.split(",")]
        bounds = tuple(
            Bound(match[1], tuple(int(number) for number in match[2].split("."))) for match in found if match
        )
        if len(bounds) < len(found):
            raise ClaimgridError(f"{text!r} is not a range of versions.", "Write bounds such as '>=18,<22.3'.")
        return cls(bounds)

    @property
    def is_empty(self) -> bool:
        """Whether no version at all can lie in it; found by trying its bounds, and what is just above and below each."""
        tried = {bound.numbers for bound in self.bounds}
        near = [(*numbers[:-1], last) for numbers in tried for last in (numbers[-1] - 1, numbers[-1], numbers[-1] + 1)]
        within = [(*numbers, 1) for numbers in tried]
        candidates = [*near, *within, (0,), (max((numbers[0] for numbers in tried), default=0) + 1,)]
        return not any(all(bound.holds(each) for bound in self.bounds) for each in candidates if min(each) >= 0)

    def holds(self, version: str) -> bool:
        """Whether a version lies in the range. A preview counts as its release; what has no number in front lies in no bounds."""
        match = _RELEASE.match(version)
        if match is None:
            return not self.bounds
        release = tuple(int(number) for number in match[0].split("."))
        return all(bound.holds(release) for bound in self.bounds)
