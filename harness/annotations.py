"""Findings told to GitHub: an annotation for each, and a list on the page of the job."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from harness.plain import markdown_text, plain


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence; a `good` one is only a notice."""

    good: bool
    sentence: str


def annotate(title: str, findings: Sequence[Finding]) -> None:
    """Print workflow commands, and append to the file that GITHUB_STEP_SUMMARY names, when there is one."""
    for finding in findings:
        level = "notice" if finding.good else "error"
        click.echo(f"::{level} title={_property(title)}::{_data(finding.sentence)}")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        lines = [f"### {markdown_text(plain(title))}", "", *(f"- {_line(finding)}" for finding in findings), ""]
        with Path(summary).open("a", encoding="utf-8", newline="\n") as file:
            file.write("\n".join(lines) + "\n")


def _line(finding: Finding) -> str:
    return f"{'✅' if finding.good else '❌'} {markdown_text(plain(finding.sentence))}"


def _data(text: str) -> str:
    return plain(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
