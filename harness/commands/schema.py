"""`claimgrid schema`: the JSON Schema of the files."""

from __future__ import annotations

import json

import click

from harness.schema import SCHEMAS


@click.command("schema")
@click.argument("name", type=click.Choice(list(SCHEMAS)), default="results")
def command(name: str) -> None:
    """Print the JSON Schema (2020-12) of results, evidence, pairs or recipes files."""
    click.echo(json.dumps(SCHEMAS[name], indent=2))
