"""A real Chromium, where there is one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or "/usr/bin/chromium"
)
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]

needs_chromium = pytest.mark.skipif(
    not Path(CHROMIUM).is_file(), reason="no Chromium: install Debian's chromium, or name one in $CHROMIUM"
)
