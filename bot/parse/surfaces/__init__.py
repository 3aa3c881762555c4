"""Where an engine's surface comes from when nobody wrote it down: a measured vLLM table, a help text, a program that is asked.

Never from a search through a repository: a flag's name in a benchmark script that drives another server is not coverage.
"""

from bot.parse.surfaces.answer import surface_in
from bot.parse.surfaces.help_text import surface_of_help
from bot.parse.surfaces.vllm import surface_of_vllm

__all__ = ["surface_in", "surface_of_help", "surface_of_vllm"]
