"""The upstream formats, in one visible table. Each has the shape of `bot.parse.formats.shape.Format`."""

from __future__ import annotations

from bot.parse.formats.eugr import EUGR
from bot.parse.formats.shape import Format
from bot.parse.formats.vllm_project import VLLM_PROJECT

FORMATS: dict[str, Format] = {EUGR.name: EUGR, VLLM_PROJECT.name: VLLM_PROJECT}
