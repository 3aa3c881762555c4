"""A local GitHub in one process over real git repositories, for tests and for trying things out."""

from sandbox.faults import Kind
from sandbox.sandbox import Sandbox
from sandbox.server import Exchange

__all__ = ["Exchange", "Kind", "Sandbox"]
