"""Recipes as they are listed beside the probes: small programs that acquire, publish or consume, and what each of them promises."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.claims import matches, near
from harness.errors import ClaimgridError, Exit
from harness.judging.schedules import PLOTS
from harness.probes import probes_folder
from harness.promises import Promise

_ARGUMENTS = {"lock": ("{name}",), "publish": ("{name}", "{content}"), "consume": ("{name}", "{worker}")}
_KNOWN = {
    "file",
    "kind",
    "promises",
    "title",
    "advice",
    "arguments",
    "done_mark",
    "ages",
    "settles",
    "windows",
    "library",
    "program",
}


@dataclass(frozen=True, slots=True)
class Library:
    """What an adapter drives: a package of npm or Debian, or a program (`source` "path"). Without a version: the one that is here."""

    source: str
    name: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One program. `title` and `advice` are texts by language; `program` is what has to be on PATH for it; `arguments` follow the file.

    It `ages` unless it goes by a time of its marks that nobody can set, such as ctime. Readers of one that `settles` wait until its
    size stands still. One for `windows` runs on Windows itself, and not under Wine either.
    """

    runtime: str
    name: str
    file: Path
    code: str
    kind: str
    promises: tuple[Promise, ...]
    title: Mapping[str, str]
    advice: Mapping[str, str]
    arguments: tuple[str, ...]
    done_mark: str = ""
    library: Library | None = None
    program: str = ""
    ages: bool = True
    settles: bool = False
    windows: bool = False

    @property
    def id(self) -> str:
        """`<runtime>:recipe/<name>`, of an adapter `<runtime>:library/<name>`."""
        return f"{self.runtime}:{'library' if self.library else 'recipe'}/{self.name}"

    @property
    def packaged(self) -> bool:
        """Whether it needs the interpreter that has Debian's packages."""
        return self.library is not None and self.library.source == "debian"

    @property
    def digest(self) -> str:
        """Identifies what is judged: it changes with the code, with what is promised and tried, and with the version of the library."""
        library = [self.library.source, self.library.name, self.library.version] if self.library else []
        parts = [
            self.code,
            self.kind,
            PLOTS[self.kind],
            self.promises,
            self.arguments,
            self.done_mark,
            self.ages,
            *(["settles"] if self.settles else []),
            self.program,
            library,
        ]
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:12]


def all_recipes() -> list[Recipe]:
    """Every recipe of every runtime, in order of their ids. Raises ClaimgridError for a list that is broken."""
    lists = sorted(probes_folder().glob("*/recipes/**/recipes.toml"))
    found = [recipe for path in lists for recipe in _listed(path)]
    return sorted(found, key=lambda recipe: recipe.id)


def select_recipes(recipes: Iterable[Recipe], selectors: Sequence[str]) -> list[Recipe]:
    """Those that any selector names, as of claims; all of them without one. Raises ClaimgridError for one that names nothing."""
    known = list(recipes)
    for selector in selectors:
        if not any(matches(recipe.id, selector) for recipe in known):
            ids = [recipe.id for recipe in known]
            raise ClaimgridError(
                f"No recipe is called {selector!r}.", near(selector, ids, "`claimgrid recipe list` lists them all.")
            )
    return [recipe for recipe in known if not selectors or any(matches(recipe.id, each) for each in selectors)]


def _listed(path: Path) -> list[Recipe]:
    runtime = path.relative_to(probes_folder()).parts[0]
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
        return [_recipe(runtime, name, entry, path.parent) for name, entry in entries.items()]
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise ClaimgridError(f"{path} lists no proper recipes: {error!r}.", "", Exit.FAULT) from error


def _recipe(runtime: str, name: str, entry: Mapping[str, Any], folder: Path) -> Recipe:
    """Raises ValueError, KeyError, TypeError or OSError for an entry that is not as it should be."""
    if unknown := set(entry) - _KNOWN:
        raise ValueError(f"{name} has {', '.join(sorted(unknown))}, which means nothing")
    kind = entry["kind"]
    library = entry.get("library")
    file = folder / entry["file"]
    return Recipe(
        runtime=runtime,
        name=name,
        file=file,
        code=file.read_text(encoding="utf-8"),
        kind=kind,
        promises=tuple(sorted(map(Promise, entry["promises"]), key=list(Promise).index)),
        title=_texts(entry["title"]),
        advice=_texts(entry["advice"]) if "advice" in entry else {},
        arguments=tuple(entry.get("arguments", _ARGUMENTS[kind])),
        done_mark=entry.get("done_mark", ""),
        library=Library(**library) if library else None,
        program=entry.get("program", ""),
        ages=entry.get("ages", True),
        settles=entry.get("settles", False),
        windows=entry.get("windows", False),
    )


def _texts(texts: Mapping[str, str]) -> Mapping[str, str]:
    return {"en": texts["en"], "ja": texts["ja"]}
