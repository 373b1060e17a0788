"""The report as Markdown: `results/README.md` for who opens the folder, and a short summary for the page of a CI job. Pure functions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from harness import sentences
from harness.encounters import Meeting
from harness.judging import stories
from harness.judging.records import Records, promises_made
from harness.matrix import Table, build_tables
from harness.plain import code_span, plain
from harness.promises import Standing
from harness.report.insight import (
    Change,
    Series,
    Sureness,
    all_series,
    changes,
    counts,
    in_order,
    racy_somewhere,
    sureness,
    traps,
    ways,
)
from harness.results import BuildResult
from harness.sentences import reason, verdict_meaning, verdict_word
from harness.vocabulary import Kind, Verdict

_LONGEST_LABEL = 160
_LISTED = 40
"""Claims that are named one by one before the rest is only counted."""

_SHOWN_IN_SUMMARY = 12
_STEPS_IN_SUMMARY = 300
_BUILDS_IN_SUMMARY = 500
"""The page of a job in a workflow takes a megabyte."""
_NAMED = 4
_WAYS = 4


def render_readme(results: Sequence[BuildResult], meetings: Sequence[Meeting], records: Sequence[Records] = ()) -> str:
    """What a code host shows when somebody opens the folder of results."""
    ordered = in_order(results)
    parts = [
        "# Results",
        "Which call takes a name exclusively? Measured by [claimgrid](../README.md), by runtime version, platform and filesystem. "
        "[`report.html`](report.html), downloaded and opened in a browser, has all of this with the code that ran and everything behind each cell.",
        "This file is made by `claimgrid report`.",
        "## Signs",
        _table(
            ("sign", "verdict", "meaning"),
            [(f"`{each.sign}`", verdict_word(each, "en"), verdict_meaning(each, "en")) for each in Verdict],
        ),
        "## What to use",
        "In the newest measured version; of every way the system has to do it, the plainest code. Filesystems on which nothing was raced "
        "have no row where there is one on which something was.",
        _ways(ordered),
        "## What was measured",
        _builds(ordered),
        "## Traps",
        "The most surprising verdicts, chosen by a rule: 4 points when the arguments ask for a new name and do not get it, 3 when only a "
        "race shows it, 2 when another measured build of the runtime is clean, 1 when it says yes and takes nothing.",
        _traps(ordered),
        "## What changed",
        "Between measured versions next to each other. What lies in between was not measured.",
        *_changes(ordered),
        *_recipes(records),
        *_meetings(meetings),
        "## Matrix",
        "Versions and variants with equal verdicts are folded; a range names the first and the last version that was measured.",
        *_matrices(ordered),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _matrices(results: Sequence[BuildResult]) -> list[str]:
    """The matrix on the filesystem of each platform that has most builds; code hosts show no page that is much larger."""
    main = {
        platform: Counter(
            each.environment.filesystem for each in results if each.environment.platform == platform
        ).most_common(1)[0][0]
        for platform in {each.environment.platform for each in results}
    }
    tables = build_tables(results)
    others = sorted(
        {f"{table.platform} · {table.filesystem}" for table in tables if table.filesystem != main[table.platform]}
    )
    told = f"The page also has, and `claimgrid matrix` prints: {_text(', '.join(others))}." if others else ""
    return [told, *(part for table in tables if table.filesystem == main[table.platform] for part in _matrix(table))]


def render_summary(results: Sequence[BuildResult]) -> str:
    """What matters first, for a place with little room: builds with their numbers, what changed, what is unsafe though it asks not to be."""
    ordered = in_order(results)
    steps = [line for series in all_series(ordered) for line in _steps(series, _SHOWN_IN_SUMMARY)]
    parts = [
        "## claimgrid: which call takes a name exclusively?",
        "### Unsafe, and surprisingly so",
        _traps(ordered),
        "### Changed between versions",
        "\n".join(steps[:_STEPS_IN_SUMMARY]) if steps else "Nothing that was measured differs between versions.",
        f"… and {len(steps) - _STEPS_IN_SUMMARY} changes more." if len(steps) > _STEPS_IN_SUMMARY else "",
        "### What was measured",
        _builds(ordered[:_BUILDS_IN_SUMMARY]),
        f"… and {len(ordered) - _BUILDS_IN_SUMMARY} builds more." if len(ordered) > _BUILDS_IN_SUMMARY else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _recipes(all_records: Sequence[Records]) -> list[str]:
    """Recipes down, promises across; of what is broken, how."""
    rows = [
        (records, name, record)
        for records in all_records
        for name, record in records.recipes.items()
        if not record.obstacle
    ]
    if not rows:
        return []
    made = promises_made(record for _, _, record in rows)
    table = _table(
        ("recipe", "build", *(stories.promise_word(promise, "en") for promise in made)),
        [
            (
                _code(name),
                _text(
                    f"{records.version}, {_platform(records.environment.platform)} · {records.environment.filesystem}"
                ),
                *(_standing(record.standing(promise)) for promise in made),
            )
            for records, name, record in rows
        ],
    )
    return [
        "## Recipes and libraries",
        "What people copy and install: each put through every schedule with one pause or one kill. *Kept* is that every such schedule "
        "was explored; a dot is what it does not promise. The page has the schedules that break a promise, step by step.",
        table,
    ]


def _standing(standing: Standing) -> str:
    word = stories.standing_word(standing, "en")
    return {Standing.NOT_PROMISED: "·", Standing.BROKEN: f"**{word}**"}.get(standing, word)


def _builds(results: Sequence[BuildResult]) -> str:
    rows = []
    for build in results:
        found = counts(build)
        tried = [sureness(claim) for claim in build.claims.values()]
        raced = tried.count(Sureness.RACED) + tried.count(Sureness.EXPLORED)
        rows.append(
            (
                _text(f"{build.runtime} {build.version}"),
                _text(_place(build)),
                *(str(found.get(verdict, 0)) for verdict in Verdict),
                f"{raced} of {len(tried) - tried.count(Sureness.NONE)}",
            )
        )
    return _table(("build", "where", *(verdict_word(each, "en") for each in Verdict), "raced"), rows)


def _place(build: BuildResult) -> str:
    return f"{_platform(build.environment.platform)} · {build.environment.filesystem}"


def _platform(platform: str) -> str:
    return f"{platform} (not Windows)" if platform.startswith("wine-") else platform


def _ways(results: Sequence[BuildResult]) -> str:
    """A row for each place and kind; a filesystem on which nothing was raced has none where there is another one on which something was."""
    rows = []
    racy = racy_somewhere(results)
    newest_builds = [series.builds[-1] for series in all_series(results)]
    proved = {
        (each.runtime, each.environment.platform) for each in newest_builds if ways(each, Kind.CREATE, Verdict.SAFE, 1)
    }
    for newest in newest_builds:
        is_proved = bool(ways(newest, Kind.CREATE, Verdict.SAFE, 1))
        if not is_proved and (newest.runtime, newest.environment.platform) in proved:
            continue
        for kind in (Kind.CREATE, Kind.TAKE, Kind.HELD):
            safe = ways(newest, kind, Verdict.SAFE, _WAYS)
            refuses = [] if safe or is_proved else ways(newest, kind, Verdict.REFUSES, _WAYS, racy)
            told = "" if safe else "not raced, so not proven: "
            if safe or refuses:
                codes = {claim_id: newest.claims[claim_id].code for claim_id in safe or refuses}
                # A table has no room for code of several lines; its id is found in the page.
                named = ", ".join(_code(claim_id if "\n" in code else code) for claim_id, code in codes.items())
                where = f"{newest.runtime} {newest.version} on {_place(newest)}"
                rows.append((_text(where), sentences.kind_word(kind, "en"), told + named))
    return _table(("build", "to", "use"), rows) if rows else "Nothing that was measured is clean."


def _traps(results: Sequence[BuildResult]) -> str:
    lines = []
    for trap in traps(results):
        claim = trap.shown.claims[trap.claim_id]
        where = _versions(list(dict.fromkeys(build.version for build in trap.builds)))
        clean = f" Clean in {_text(trap.clean.version)} on {_text(_place(trap.clean))}." if trap.clean else ""
        lines.append(
            f"1. {_code(trap.claim_id)} in {_text(where)}: **{claim.verdict.sign} {verdict_word(claim.verdict, 'en')}**. "
            f"{_text(reason(claim.judgement.reason, claim.kind, 'en'))}{clean}"
        )
    return "\n".join(lines) if lines else "None."


def _versions(versions: Sequence[str]) -> str:
    """Versions by name while they are few. No range is told: they may be on different platforms."""
    if len(versions) <= _NAMED:
        return ", ".join(versions)
    return f"{', '.join(versions[: _NAMED - 1])} and {len(versions) - _NAMED + 1} others"


def _changes(results: Sequence[BuildResult]) -> list[str]:
    parts = []
    for series in all_series(results):
        if lines := _steps(series, _LISTED):
            parts += [f"### {_text(series.runtime)} · {_text(_place(series.builds[0]))}", "\n".join(lines)]
    return parts or ["Nothing that was measured differs between versions."]


def _steps(series: Series, listed: int) -> list[str]:
    return [_step(series.runtime, change, listed) for change in changes(series)]


def _step(runtime: str, change: Change, listed: int) -> str:
    named = ", ".join(_code(claim_id) for claim_id in change.claims[:listed])
    rest = f" and {len(change.claims) - listed} more" if len(change.claims) > listed else ""
    return (
        f"- {_text(runtime)} {_text(change.older)} → {_text(change.newer)}: {verdict_word(change.was, 'en')} → "
        f"**{verdict_word(change.became, 'en')}**, {len(change.claims)}: {named}{rest}"
    )


def _meetings(meetings: Sequence[Meeting]) -> list[str]:
    if not meetings:
        return []
    parts = ["## Across runtimes", "What each made of the other's product, and their race."]
    for meeting in meetings:
        names = f"{' '.join(meeting.first)} and {' '.join(meeting.second)} · {meeting.environment.platform} · {meeting.environment.filesystem}"
        rows = [
            (_code(each.first), _code(each.second), f"{each.verdict.sign} {verdict_word(each.verdict, 'en')}")
            for each in meeting.encounters
        ]
        parts += [f"### {_text(names)}", _table(("one", "other", "verdict"), rows)]
    return parts


def _matrix(table: Table) -> list[str]:
    head = ("call", *(_text(column.label) for column in table.columns))
    rows = [
        (_code(row.label), *(f"`{cell.sign}` {verdict_word(cell, 'en')}" for cell in row.cells)) for row in table.rows
    ]
    return [
        f"### {_text(table.runtime)} · {_text(_platform(table.platform))} · {_text(table.filesystem)}",
        _table(head, rows),
    ]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(text: str) -> str:
    """Text from results as plain Markdown text: nothing in it is markup."""
    return re.sub(r"[\\`*_{}\[\]<>()#!|~&@]", r"\\\g<0>", plain(text, 2000))


def _code(text: str) -> str:
    """Text from results as code, also within a table and whatever quotes it has."""
    return code_span(plain(text, _LONGEST_LABEL).replace("|", "\\|"))
