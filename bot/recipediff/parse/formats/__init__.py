"""The upstream formats, in one visible table. Each has the shape of `recipediff.parse.formats.format.Format`."""

from __future__ import annotations

from recipediff.parse.formats.eugr.reader import EUGR
from recipediff.parse.formats.format import Format
from recipediff.parse.formats.vllm_project import VLLM_PROJECT

FORMATS: dict[str, Format] = {EUGR.name: EUGR, VLLM_PROJECT.name: VLLM_PROJECT}
