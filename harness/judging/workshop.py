"""Recipes judged with builds: which build runs which recipe, how it is started, and all its schedules played."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from harness import wine
from harness.builds import Build, Request, Tell, layers, newest_build, resolve
from harness.environment import this_platform
from harness.errors import ClaimgridError, Exit
from harness.judging.contest import Subject
from harness.judging.records import Record
from harness.judging.schedules import Schedule, schedules
from harness.judging.trials import Theatre, play_all
from harness.libraries import library_folder, version_of
from harness.processes import clean_environment
from harness.promises import Trial, judge_promises
from harness.recipes import Recipe
from harness.runtimes import RUNTIMES
from harness.scratch import scratch
from harness.sources.dotnet_file import own_runtime
from harness.versions import answers

LIBRARY_VARIABLE = "CLAIMGRID_LIBRARY"
"""Names the folder that an adapter finds its library in."""
_SYSTEM_PYTHON = Path("/usr/bin/python3")
_PLAIN_SHELLS = ("dash", "sh")


def usual_build(recipe: Recipe, tell: Tell, *, fetch: bool = True) -> Build:
    """What runs a recipe when nobody says otherwise: the newest build, the plain shell, or the Python that has the packages.

    Raises ClaimgridError when there is none.
    """
    if recipe.packaged:
        return resolve([Request(recipe.runtime, program=_SYSTEM_PYTHON)], tell, fetch=False)[0]
    if recipe.runtime == "sh":
        shell = next(filter(None, map(shutil.which, _PLAIN_SHELLS)), None)
        if shell:
            return resolve([Request("sh", program=Path(shell).resolve())], tell, fetch=False)[0]
    if recipe.runtime == "dotnet":
        return compiling_build()
    return newest_build(recipe.runtime, tell, fetch=fetch)


def asked_builds(requests: Sequence[Request], tell: Tell, *, fetch: bool = True) -> list[Build]:
    """The builds that are asked for. C# recipes are compiled by the SDK, and run on its own runtime alone. Raises ClaimgridError."""
    others = [request for request in requests if request.runtime != "dotnet"]
    builds = resolve(others, tell, fetch=fetch) if others else []
    for request in requests:
        if request.runtime == "dotnet":
            build = compiling_build()
            if request.program or not answers(build.version, request.version or build.version):
                raise ClaimgridError(
                    f"Recipes in C# run on the SDK's own runtime, {build.version}, not on {request}.", "", Exit.NOT_RUN
                )
            builds.append(build)
    return builds


def compiling_build() -> Build:
    """The SDK's own runtime. Raises ClaimgridError when there is none."""
    program, version = own_runtime()
    return Build("dotnet", version, this_platform(), "path", program, (), frozenset())


def judge_recipe(
    recipe: Recipe,
    build: Build,
    place: Path,
    *,
    fetch: bool,
    began: Callable[[int], None],
    played: Callable[[Trial], None],
) -> Record:
    """Play everything that can break what the recipe promises, below `place`; `began` is told how many schedules that are.

    What cannot be judged gives a record with the reason. Raises ClaimgridError only for what concerns more than this recipe.
    """
    record = described(recipe, build)
    try:
        with layers([build.platform]), scratch("recipe", place) as root:
            subject = subject_of(recipe, build, root, fetch=fetch)
            theatre = Theatre(subject, root)
            rehearsed = theatre.rehearse()
            chosen = list(schedules(recipe.kind, rehearsed, recipe.promises))
            began(len(chosen))
            trials = play_all(theatre, rehearsed, chosen, played)
    except ClaimgridError as error:
        if error.code is not Exit.NOT_RUN:
            raise
        return replace(record, obstacle=error.message)
    judged = [each for each in judge_promises(trials, recipe.promises) if each.promise in recipe.promises]
    return replace(record, judged=tuple(judged))


def replay(recipe: Recipe, build: Build, place: Path, schedule: Schedule, *, fetch: bool) -> Trial:
    """One schedule again. Raises ClaimgridError when the recipe cannot be judged here."""
    with layers([build.platform]), scratch("recipe", place) as root:
        theatre = Theatre(subject_of(recipe, build, root, fetch=fetch), root)
        return theatre.play(schedule, theatre.rehearse())


def described(recipe: Recipe, build: Build) -> Record:
    """A record of a recipe that is not judged yet."""
    library = recipe.library
    named = " ".join(filter(None, (library.name, version_of(library, build.program)))) if library else ""
    return Record(
        recipe.kind,
        recipe.code,
        recipe.digest,
        MappingProxyType(dict(recipe.title)),
        advice=MappingProxyType(dict(recipe.advice)),
        library=named,
    )


def subject_of(recipe: Recipe, build: Build, root: Path, *, fetch: bool) -> Subject:
    """How a contender of this recipe is started; all that it writes elsewhere goes into `root`. Raises ClaimgridError when it cannot be."""
    if recipe.program and not shutil.which(recipe.program):
        raise ClaimgridError(f"There is no {recipe.program} on this machine.", "", Exit.NOT_RUN)
    if recipe.windows and not build.platform.startswith("windows"):
        raise ClaimgridError("It runs on Windows itself, and not under Wine either.", "", Exit.NOT_RUN)
    home = root / "home"
    home.mkdir()
    launch = RUNTIMES[build.runtime].script(build.program, build.platform, recipe.file)
    foreign = build.platform.startswith("wine-")
    if foreign:
        launch = wine.under_wine(launch)
    environment = {**clean_environment(home), **launch.env}
    library = recipe.library
    if library and library.source == "npm":
        environment[LIBRARY_VARIABLE] = os.fspath(library_folder(library, fetch=fetch))
    return Subject(
        (*launch.argv, *recipe.arguments),
        cwd=home,
        env=environment,
        kind=recipe.kind,
        done_mark=recipe.done_mark,
        ages=recipe.ages,
        settles=recipe.settles,
        spell=launch.spell,
        foreign=foreign,
    )


def outdated(recipes: Sequence[Recipe], known: dict[str, Record]) -> list[Recipe]:
    """Those that were not judged as they are now; what was in the way of one may be gone."""

    def stands(record: Record | None, digest: str) -> bool:
        return record is not None and record.digest == digest and not record.obstacle

    return [recipe for recipe in recipes if not stands(known.get(recipe.id), recipe.digest)]
