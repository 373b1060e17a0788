"""Which recipes keep the promises that somebody asks for, best first. Pure functions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from harness.advice import Block
from harness.errors import ClaimgridError
from harness.judging.records import Record, Records
from harness.plain import plain, plain_lines
from harness.promises import Promise, Standing


@dataclass(frozen=True, slots=True)
class Keeping:
    """A recipe with the build that it was judged with, and the asked promises that it does not keep."""

    records: Records
    id: str
    record: Record
    missing: tuple[Promise, ...]

    @property
    def kept(self) -> list[Promise]:
        """All that it keeps, asked for or not."""
        return self._that(Standing.KEPT)

    @property
    def broken(self) -> list[Promise]:
        """All that it breaks."""
        return self._that(Standing.BROKEN)

    def _that(self, standing: Standing) -> list[Promise]:
        return [each.promise for each in self.record.judged if each.standing is standing]


def keeping(
    all_records: Iterable[Records],
    asked: Sequence[Promise],
    runtimes: Collection[str],
    platforms: Collection[str],
    filesystems: Collection[str] = (),
) -> list[Keeping]:
    """All recipes of these runtimes, platforms and filesystems (any, when there are none; Wine only by name), best first.

    What keeps all that is asked comes before what keeps less, then what breaks least, locks before what publishes or consumes, and
    then the shortest, in which least can be wrong.
    """
    found = [
        Keeping(records, name, record, _missing(record, asked))
        for records in all_records
        for name, record in records.recipes.items()
        if (not runtimes or records.runtime in runtimes)
        and (
            records.environment.platform in platforms
            or not (platforms or records.environment.platform.startswith("wine-"))
        )
        and (not filesystems or records.environment.filesystem in filesystems)
        and record.judged
    ]
    return sorted(
        found,
        key=lambda each: (
            len(each.missing),
            len(each.broken),
            each.record.kind != "lock",
            len(each.record.code),
            each.id,
            each.records.path,
        ),
    )


def parse_promises(text: str, known: Sequence[Promise] = tuple(Promise)) -> list[Promise]:
    """Promises as people write them, with commas between. Raises ClaimgridError for a word that is none of those known."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    unknown = [word for word in words if word not in known]
    if unknown or not words:
        raise ClaimgridError(
            f"{' and '.join(map(repr, unknown)) or 'Nothing'} is no promise here.", f"They are: {', '.join(known)}."
        )
    return [promise for promise in known if promise in words]


def _missing(record: Record, asked: Sequence[Promise]) -> tuple[Promise, ...]:
    return tuple(promise for promise in asked if record.standing(promise) is not Standing.KEPT)


# ---- Told


_TOLD = 3
_LONGEST = 1000
_PROVED = "Proved for every schedule of two contenders (up to four where some take over) with a kill or a pause, or two where one takes over too late; there are others."


def blocks_keeping(found: Sequence[Keeping], asked: Sequence[Promise]) -> Iterator[Block]:
    """The best of them with their code; where none keeps all, what comes nearest, and what it lacks."""
    fitting = [each for each in found if not each.missing]
    yield Block("heading", f"recipes that keep {', '.join(asked)}")
    if not found:
        yield Block("line", "none was judged; `claimgrid recipe run` judges them")
        return
    if not fitting:
        yield Block("line", "none of those that were judged keeps all of these; what comes nearest:")
    for number, each in enumerate((fitting or found)[:_TOLD], 1):
        yield from _told(number, each)
    more = len(fitting) - _TOLD
    if more > 0:
        yield Block(
            "line", f"and {more} more, such as {', '.join(plain(each.id) for each in fitting[_TOLD : 2 * _TOLD])}"
        )
    yield Block("line", _PROVED)


def _told(number: int, each: Keeping) -> Iterator[Block]:
    where = each.records.environment
    build = f"{each.records.runtime} {each.records.version} on {where.platform}, {where.filesystem}"
    driven = f"{each.record.library}, " if each.record.library else ""
    yield Block("claim", f"{number}. {plain(each.id)}", (plain(driven + build),))
    yield Block("line", plain(each.record.title["en"]))
    if each.missing:
        yield Block("line", f"lacks: {', '.join(each.missing)}")
    yield Block("line", f"keeps: {', '.join(each.kept)}")
    if each.broken:
        yield Block("line", f"breaks: {', '.join(each.broken)}")
    if each.record.advice:
        yield Block("line", plain(each.record.advice["en"], _LONGEST))
    yield Block("code", "the program", (plain_lines(each.record.code.rstrip("\n")),))


def keeping_to_dict(each: Keeping) -> dict[str, object]:
    """For other programs."""
    return {
        "recipe": each.id,
        "library": each.record.library,
        "runtime": each.records.runtime,
        "version": each.records.version,
        "platform": each.records.environment.platform,
        "filesystem": each.records.environment.filesystem,
        "missing": list(each.missing),
        "keeps": each.kept,
        "breaks": each.broken,
        "code": each.record.code,
    }
