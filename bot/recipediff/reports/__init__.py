"""Findings become reports. Every format has one shape: a `Report` goes in, text comes out."""

from __future__ import annotations

from collections.abc import Callable

from recipediff.reports import github, json_report, markdown, sarif, terminal
from recipediff.reports.report import Report

FORMATS: dict[str, Callable[[Report], str]] = {
    "terminal": terminal.render,
    "json": json_report.render,
    "markdown": markdown.render,
    "sarif": sarif.render,
    "github": github.render,
}
