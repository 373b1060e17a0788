"""`claimgrid recipe`: programs that people copy and libraries that they install, and which promises these keep."""

from __future__ import annotations

import itertools
import textwrap
from dataclasses import replace
from pathlib import Path

import click
import tabulate

from harness.builds import Build, Request, parse_request
from harness.commands.options import default_place, offline_option, place_option, results_option, runtime_option, tell
from harness.commands.trials import Progress, render_judged, render_standings, render_trial, standing_exit, trial_exit
from harness.environment import describe
from harness.errors import ClaimgridError, Exit
from harness.judging.records import Record, Records, read_file, write_records
from harness.judging.schedules import parse_schedule
from harness.judging.workshop import asked_builds, judge_recipe, outdated, replay, usual_build
from harness.processes import quoted
from harness.recipes import Recipe, all_recipes, select_recipes


@click.group("recipe")
def command() -> None:
    """Recipes: how people acquire, hold, release and take over, publish and consume; and libraries that do it for them."""


@command.command("list")
@click.argument("selectors", nargs=-1, metavar="[SELECTOR]...")
def list_(selectors: tuple[str, ...]) -> None:
    """List recipes: id, kind, what they are, and what they promise."""
    rows = [
        (recipe.id, recipe.kind, _wrapped(recipe.title["en"], 44), _wrapped(", ".join(recipe.promises), 36))
        for recipe in select_recipes(all_recipes(), selectors)
    ]
    click.echo(tabulate.tabulate(rows, ["id", "kind", "what", "promises"], disable_numparse=True))


def _wrapped(text: str, width: int) -> str:
    return "\n".join(textwrap.wrap(text, width, break_on_hyphens=False))


@command.command("show")
@click.argument("recipe_id", metavar="RECIPE")
def show(recipe_id: str) -> None:
    """Print the code of a recipe, as it is judged."""
    click.echo(_one(recipe_id).code, nl=False)


@command.command("run")
@click.argument("selectors", nargs=-1, metavar="[SELECTOR]...")
@runtime_option
@click.option("--all", "everything", is_flag=True, help="Judge again also what was judged as it is now.")
@results_option
@place_option
@offline_option
def run(
    selectors: tuple[str, ...], runtimes: tuple[str, ...], everything: bool, results: Path, place: Path, offline: bool
) -> int:
    """Judge recipes: put each through every schedule with one pause or one kill, and keep what became of its promises.

    Each runs with the newest build of its runtime, or with those given by --runtime. Exit code 4: some could not be judged.
    """
    requests = [parse_request(text) for text in runtimes]
    named = {request.runtime for request in requests}
    known = all_recipes()
    listed = {recipe.id: recipe.digest for recipe in known}
    recipes = [each for each in select_recipes(known, selectors) if not named or each.runtime in named]
    if not recipes:
        raise ClaimgridError("No recipe of these runtimes was selected.", "`claimgrid recipe list` lists them all.")
    judged: list[Records] = []
    for build, theirs in _by_build(recipes, requests, offline):
        judged.append(_judge(build, theirs, listed, results, place.absolute(), everything, offline))
    click.echo(render_standings(judged))
    return Exit.NOT_RUN if any(each.obstacle for one in judged for each in one.recipes.values()) else Exit.DONE


@command.command("try")
@click.argument("recipe_id", metavar="RECIPE")
@click.option("--schedule", metavar="SCHEDULE", help="Play only this schedule, as it was printed.")
@runtime_option
@place_option
@offline_option
def try_(recipe_id: str, schedule: str | None, runtimes: tuple[str, ...], place: Path, offline: bool) -> int:
    """Judge one recipe and keep nothing; or play one schedule of it again, step by step.

    Exit code 1: a promise is broken; 4: it could not be played, or not all could be explored.
    """
    recipe = _one(recipe_id)
    ((build, _),) = _by_build([recipe], [parse_request(text) for text in runtimes][:1], offline)
    if schedule is not None:
        trial = replay(recipe, build, place.absolute(), parse_schedule(schedule, recipe.kind), fetch=not offline)
        click.echo(render_trial(trial))
        return trial_exit(trial)
    with Progress(recipe.id) as progress:
        record = judge_recipe(
            recipe, build, place.absolute(), fetch=not offline, began=progress.began, played=progress.played
        )
    if record.obstacle:
        raise ClaimgridError(record.obstacle, "", Exit.NOT_RUN)
    environment = describe(place, build.platform)
    click.echo(f"{recipe.id} with {build.id} on {environment.platform}, {environment.filesystem}\n")
    at = [] if place == default_place() else ["--at", str(place)]
    again = ["claimgrid", "recipe", "try", recipe.id, *(part for text in runtimes for part in ("--runtime", text)), *at]
    click.echo(render_judged(record.judged, lambda trial: quoted([*again, "--schedule", trial.schedule])))
    return standing_exit(record.judged)


def _one(recipe_id: str) -> Recipe:
    found = select_recipes(all_recipes(), [recipe_id])
    exact = [recipe for recipe in found if recipe.id == recipe_id]
    if len(exact or found) > 1:
        raise ClaimgridError(f"{recipe_id!r} names {len(found)} recipes.", "`claimgrid recipe list` lists their ids.")
    return (exact or found)[0]


def _by_build(recipes: list[Recipe], requests: list[Request], offline: bool) -> list[tuple[Build, list[Recipe]]]:
    """What is to be judged with which build; a build that cannot be had is told, and its recipes are left out."""
    found: list[tuple[Build, Recipe]] = []
    if requests:
        builds = asked_builds(requests, tell, fetch=not offline)
        found = [(build, recipe) for build in builds for recipe in recipes if recipe.runtime == build.runtime]
    else:
        # Finding a build starts programs, so it is done once for all recipes that want the same.
        wanted = sorted(recipes, key=_wants)
        for _, group in itertools.groupby(wanted, _wants):
            theirs = list(group)
            try:
                build = usual_build(theirs[0], tell, fetch=not offline)
                found.extend((build, recipe) for recipe in theirs)
            except ClaimgridError as error:
                for recipe in theirs:
                    tell(f"not judged: {recipe.id}: {error.message}")
    if not found:
        raise ClaimgridError("None of these recipes can be judged here.", "", Exit.NOT_RUN)
    by_build: dict[str, tuple[Build, list[Recipe]]] = {}
    for build, recipe in found:
        by_build.setdefault(build.id, (build, []))[1].append(recipe)
    return list(by_build.values())


def _wants(recipe: Recipe) -> tuple[str, bool]:
    return recipe.runtime, recipe.packaged


def _judge(
    build: Build,
    recipes: list[Recipe],
    listed: dict[str, str],
    results: Path,
    place: Path,
    everything: bool,
    offline: bool,
) -> Records:
    """What there is of these recipes with this build; what is new is judged and kept at once."""
    records = Records(describe(place, build.platform), build.runtime, build.version, {})
    known: dict[str, Record] = {}
    try:
        # What is listed no longer, or is another program now, is not carried on.
        kept = read_file(results / records.path).recipes
        known = {name: record for name, record in kept.items() if listed.get(name) == record.digest}
    except FileNotFoundError:
        pass
    for recipe in recipes if everything else outdated(recipes, known):
        with Progress(f"{recipe.id} with {build.id}") as progress:
            known[recipe.id] = judge_recipe(
                recipe, build, place, fetch=not offline, began=progress.began, played=progress.played
            )
        write_records(replace(records, recipes=known), results)
    asked = {recipe.id for recipe in recipes}
    return replace(records, recipes={name: record for name, record in sorted(known.items()) if name in asked})
