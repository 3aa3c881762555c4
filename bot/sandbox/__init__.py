"""A local GitHub in one process over real git repositories, for tests and for trying things out."""

from bot.sandbox.faults import Kind
from bot.sandbox.sandbox import Sandbox
from bot.sandbox.server import Exchange

__all__ = ["Exchange", "Kind", "Sandbox"]
