"""A local GitHub in one process over real git repositories, for tests and for trying things out."""

from sandbox.faults import FaultKind
from sandbox.sandbox import Sandbox
from sandbox.server import ServedRequest

__all__ = ["FaultKind", "Sandbox", "ServedRequest"]
