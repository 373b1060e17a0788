"""Claims as the probes list them, their ids, and the selectors that people type for them."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from harness.errors import ClaimgridError
from harness.vocabulary import Kind

MAKES = ("file", "empty-dir", "full-dir", "link", "fifo", "moved", "gone", "nothing")
SOURCES = ("file", "empty-dir", "full-dir", "link")
VIAS = ("hard-link",)
ROLES = ("overwrites", "check-then-act")


@dataclass(frozen=True, slots=True)
class Claim:
    """One call that a person might use to take a name; `call` is the id after the colon."""

    runtime: str
    call: str
    kind: Kind
    code: str
    makes: str
    source: str | None = None
    role: str | None = None
    via: str | None = None

    @property
    def id(self) -> str:
        """`<runtime>:<call>/<variant>`."""
        return f"{self.runtime}:{self.call}"

    @property
    def digest(self) -> str:
        """Identifies what was run: it changes when the code or what is expected of it changes.

        `via` is not part of it: that is only looked at where the claim cannot be made at all.
        """
        parts = [self.call, self.kind, self.code, self.makes, self.source, self.role]
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:12]


def claim_from_listing(runtime: str, entry: Mapping[str, Any]) -> Claim:
    """A claim as a probe's `list` answer describes it. Raises ValueError, naming the key that is wrong."""

    def text(key: str, allowed: Sequence[str | None] | None = None) -> str:
        value = entry.get(key)
        if not isinstance(value, str) or not value or (allowed is not None and value not in allowed):
            raise ValueError(f"{entry.get('id')!r}: {key} is {value!r}")
        # JSON can carry half a surrogate pair, which no UTF-8 file can.
        return value.encode("utf-8", "backslashreplace").decode()

    def optional(key: str, allowed: Sequence[str]) -> str | None:
        return None if entry.get(key) is None else text(key, allowed)

    return Claim(
        runtime=runtime,
        call=text("id"),
        kind=Kind(text("kind", list(Kind))),
        code=text("code"),
        makes=text("makes", MAKES),
        source=optional("source", SOURCES),
        role=optional("role", ROLES),
        via=optional("via", VIAS),
    )


def select(claims: Iterable[Claim], selectors: Sequence[str]) -> list[Claim]:
    """The claims that any selector names; all of them when there is no selector.

    A selector is a whole id, the id without its runtime, a beginning that ends where a part of the id ends
    (`node`, `node:fs.cpSync`), or a pattern with `*` and `?`. Raises ClaimgridError for one that names nothing.
    """
    known = list(claims)
    if not selectors:
        return known
    chosen: dict[str, Claim] = {}
    for selector in selectors:
        matched = [claim for claim in known if matches(claim.id, selector)]
        if not matched:
            otherwise = "`claimgrid claims` lists them all; a selector may use * and ?."
            raise ClaimgridError(
                f"No claim is called {selector!r}.", near(selector, [claim.id for claim in known], otherwise)
            )
        chosen.update((claim.id, claim) for claim in matched)
    return [claim for claim in known if claim.id in chosen]


def select_exactly(claims: Iterable[Claim], name: str) -> list[Claim]:
    """The claims of that very name, with or without the runtime; where there is none, those that it selects. Raises ClaimgridError."""
    known = list(claims)
    return [claim for claim in known if name in (claim.id, claim.call)] or select(known, [name])


def matches(claim_id: str, selector: str) -> bool:
    """Whether one selector names the claim, or recipe, of this id."""
    call = claim_id.partition(":")[2]
    if selector in (claim_id, call):
        return True
    if any(sign in selector for sign in "*?"):
        # Brackets are ordinary characters here: ids such as `[IO.File]::Open` contain them.
        pattern = selector.replace("[", "[[]")
        return fnmatchcase(claim_id, pattern) or fnmatchcase(call, pattern)
    return any(
        whole.startswith(selector) and whole[len(selector)] in ":/"
        for whole in (claim_id, call)
        if len(whole) > len(selector)
    )


def near(selector: str, ids: Sequence[str], otherwise: str) -> str:
    """A hint for whoever typed a selector that names nothing: ids that look like it, or `otherwise`."""
    found = difflib.get_close_matches(selector, [name for each in ids for name in (each, each.partition(":")[2])], n=3)
    return f"Did you mean {' or '.join(repr(name) for name in found)}?" if found else otherwise
