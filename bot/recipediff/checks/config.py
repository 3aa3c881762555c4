"""The check of an edited configuration file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from recipediff.core.verdict import Evaluation
from recipediff.parse.config.repository import read_config


@dataclass(frozen=True, slots=True)
class ConfigSnapshot:
    """The configuration file by its path, where a change touches it."""

    files: Mapping[str, bytes]


def check(snapshot: ConfigSnapshot) -> Evaluation:
    """Every violation of the configuration's shape, at its line."""
    findings = tuple(finding for path, data in snapshot.files.items() for finding in read_config(data, path)[1])
    return Evaluation(findings=findings)
