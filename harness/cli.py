"""The command line: a thin front, and the one door through which every error leaves."""

from __future__ import annotations

import importlib
import signal
import sys
import traceback

import click

from harness import __version__
from harness.errors import ClaimgridError, Exit, out_of_space
from harness.plain import plain

_COMMANDS = (
    "run",
    "filesystems",
    "matrix",
    "claims",
    "try",
    "race",
    "explore",
    "versus",
    "check",
    "expect",
    "judge",
    "recipe",
    "recommend",
    "history",
    "bisect",
    "explain",
    "doctor",
    "builds",
    "legs",
    "collect",
    "fetch",
    "report",
    "badge",
    "diff",
    "export",
    "schema",
    "validate",
)


class _Commands(click.Group):
    """One module for each command, imported when the command is asked for: all together take half a second."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"harness.commands.{'try_' if cmd_name == 'try' else cmd_name}")
        command: click.Command = module.command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="claimgrid", message="%(prog)s %(version)s")
def cli() -> None:
    """Which call takes a name exclusively? Measured, by runtime version, OS and filesystem."""


def main() -> None:
    """Run the command line and leave with one of the exit codes of `harness.errors.Exit`."""
    for stream in (sys.stdout, sys.stderr):
        # A console that cannot show a sign shows its number instead; it never stops the output.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    # A cancelled job is told so by SIGTERM, and has as much to clean up as one that is interrupted by hand.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(_guarded())


def _guarded() -> int:
    try:
        return int(cli.main(prog_name="claimgrid", standalone_mode=False) or Exit.DONE)
    except ClaimgridError as error:
        return _told(error)
    except click.ClickException as error:
        error.show()
        return Exit.USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("claimgrid: interrupted; what was finished before is kept.", err=True)
        return Exit.INTERRUPTED
    except SystemExit:
        # Not in standalone mode click exits for one reason only: whoever read our output has seen enough. That is no finding.
        return Exit.DONE
    except Exception as error:
        if full := out_of_space(error):
            return _told(full)
        traceback.print_exc()
        click.echo("claimgrid: this is a fault of claimgrid itself; the lines above are wanted in a report.", err=True)
        return Exit.FAULT


def _told(error: ClaimgridError) -> int:
    # It may quote a file or a name from anywhere, and what it quotes must not begin a line: there a workflow would read commands.
    click.echo(plain(f"claimgrid: {error}", 4000), err=True)
    return error.code
