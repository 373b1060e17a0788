"""What a cmd can do, tried once: Wine's cannot do everything that its batch language promises."""

ABILITIES: dict[str, tuple[str, str]] = {
    "||": (
        'ver > nul || goto taken\ntype "%name%" > nul 2> nul && goto taken\ntype "%name%" > nul 2> nul || goto apart\ngoto taken\n:apart',
        "this cmd runs the second command of && and || whatever the first one did",
    ),
    "9>": (
        '9> "%name%" (\n  if exist "%name%" goto open\n)\ngoto taken\n:open',
        "this cmd redirects no handle but 1 and 2",
    ),
    "%": ('mkdir "%name%"', "this cmd expands % in the value of a variable once more"),
}
"""By name: a script that falls through where cmd has the ability, with `%name%` free, and what is said where it has not."""

NAMES = {"%": "50% of %none%"}
"""Names that have to be there afterwards as they were given; else `%name%` is any free name in the probe's own folder."""
