"""Where an engine's surface comes from when nobody wrote it down: a measured vLLM table, a help text, a program that is asked.

Never from a search through a repository: a flag's name in a benchmark script that drives another server is not coverage.
"""

from recipediff.parse.engine.answer import surface_in
from recipediff.parse.engine.help_text import surface_of_help
from recipediff.parse.engine.vllm import surface_of_vllm

__all__ = ["surface_in", "surface_of_help", "surface_of_vllm"]
