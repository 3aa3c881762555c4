"""Answers about models, kept on disk by revision: a run that was cut short goes on where it was."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path

from recipediff.core.sweep.models import ModelAnswer

KEPT = frozenset({"known", "pipeline", "no architectures", "gated", "missing"})
"""The states that a repository itself told; a failure to ask is not kept."""


class AnswerCache:
    """One small file a model. A damaged file is no answer; a full disk only costs the speed."""

    def __init__(self, folder: Path, endpoint: str) -> None:
        self._folder = folder / "hub" / hashlib.sha256(endpoint.encode()).hexdigest()[:16]

    def get(self, model: str) -> ModelAnswer | None:
        """What was told last."""
        try:
            said = json.loads(self._file(model).read_text("utf-8"))
            if said["model"] != model or said["state"] not in KEPT:
                return None
            names = tuple(str(name) for name in said["architectures"])
            return ModelAnswer(said["state"], names, str(said["revision"]), str(said["detail"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, model: str, answer: ModelAnswer) -> None:
        """Whole or not at all."""
        if answer.state not in KEPT:
            return
        text = json.dumps(
            {
                "model": model,
                "state": answer.state,
                "architectures": answer.architectures,
                "revision": answer.revision,
                "detail": answer.detail,
            }
        )
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, name = tempfile.mkstemp(dir=self._folder, prefix=".new-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).replace(self._file(model))

    def _file(self, model: str) -> Path:
        return self._folder / (hashlib.sha256(model.encode()).hexdigest()[:32] + ".json")
