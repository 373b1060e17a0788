"""The page: one HTML file that needs nothing else, with a policy that lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from harness import sentences
from harness.encounters import Meeting
from harness.judging.records import Records
from harness.matrix import Row, build_tables
from harness.plain import plain
from harness.report.data import page_data
from harness.results import BuildResult
from harness.sentences import catalogue
from harness.vocabulary import Verdict

PAGES = ("answer", "recipes", "across", "held", "take", "traps", "history", "method", "data")
_LONGEST_LABEL = 400


def render_page(results: Sequence[BuildResult], meetings: Sequence[Meeting], records: Sequence[Records] = ()) -> str:
    """The whole file; the same for any order of the results."""
    style, script = _template("report.css"), _template("report.js")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("harness", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("report.html").render(
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        data=Markup(_embedded(page_data(results, meetings, records))),
        texts=catalogue("en"),
        pages=PAGES,
        legend=[_legend(verdict) for verdict in Verdict],
        tables=_plain_tables(results),
    )


def _template(name: str) -> str:
    return resources.files("harness").joinpath("templates", name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing but this very style and this very script, and nothing is sent anywhere."""
    return f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _embedded(data: dict[str, Any]) -> str:
    """JSON that no HTML parser sees an end or a comment in, whatever the texts are."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _legend(verdict: Verdict) -> dict[str, str]:
    return {
        "value": verdict.value,
        "sign": verdict.sign,
        "en": sentences.verdict_word(verdict, "en"),
        "ja": sentences.verdict_word(verdict, "ja"),
        "meaning_en": sentences.verdict_meaning(verdict, "en"),
        "meaning_ja": sentences.verdict_meaning(verdict, "ja"),
    }


def _plain_tables(results: Sequence[BuildResult]) -> list[dict[str, Any]]:
    """The matrix for those who run no scripts."""
    return [
        {
            "runtime": plain(table.runtime),
            "platform": _platform(plain(table.platform)),
            "filesystem": plain(table.filesystem),
            "columns": [plain(column.label) for column in table.columns],
            "rows": [_plain_row(row) for row in table.rows],
        }
        for table in build_tables(results)
    ]


def _platform(platform: str) -> str:
    return sentences.text("ui.wine", "en", platform=platform) if platform.startswith("wine-") else platform


def _plain_row(row: Row) -> dict[str, Any]:
    return {
        "label": plain(row.label, _LONGEST_LABEL),
        "cells": [
            {"value": cell.value, "sign": cell.sign, "word": sentences.verdict_word(cell, "en")} for cell in row.cells
        ],
    }
