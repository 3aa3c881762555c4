"""Where the upstream material stands that some tests read: `../shared` beside the project, or `$RECIPEDIFF_SHARED`.

Nothing of it is copied into the project. Tests that need it say so and are skipped on a machine without it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("RECIPEDIFF_SHARED", ROOT.parent / "shared"))

needs_shared = pytest.mark.skipif(
    not (SHARED / "corpus").is_dir(),
    reason=f"upstream material is not at {SHARED.name}/ beside the project (set RECIPEDIFF_SHARED)",
)
