"""Upstream `vllm-project/recipes`: `models/**/*.yaml` with its taxonomy, strategies and KV stores.

One file describes a launch for every combination of hardware, variant and strategy. A select picks one, and the words
are those that upstream's own builder publishes for it.
"""

from __future__ import annotations

from recipediff.parse.formats.vllm_project.reader import Offer, VllmProject

VLLM_PROJECT = VllmProject()

__all__ = ["VLLM_PROJECT", "Offer", "VllmProject"]
