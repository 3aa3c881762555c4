"""What a job carries."""

from __future__ import annotations

Scalar = str | int | float | bool | None
"""A value of a job's data, which is flat and stored as JSON."""
