"""The App's credentials in the data folder, readable by their owner alone."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

NAME = "credentials.json"


class Unusable(Exception):
    """The stored credentials cannot be used; the message says what to do."""


@dataclass(frozen=True, slots=True)
class AppCredentials:
    """What the bot needs to be the App."""

    app_id: int
    slug: str
    private_key: str = field(repr=False)
    webhook_secrets: tuple[str, ...] = field(repr=False)


def load(folder: Path) -> AppCredentials | None:
    """Those in `folder`; None where there are none. Raises `Unusable`."""
    path = folder / NAME
    try:
        text = path.read_text("utf-8")
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unusable(f"{path} cannot be read: {error.strerror}") from None
    if mode & 0o077:
        raise Unusable(f"{path} can be read by others; run: chmod 600 {path}")
    try:
        found = json.loads(text)
        secrets = tuple(str(each) for each in found["webhook_secrets"])
        return AppCredentials(int(found["app_id"]), str(found["slug"]), str(found["private_key"]), secrets)
    except (ValueError, KeyError, TypeError):
        raise Unusable(f"{path} is damaged; remove it and set the App up again, or set RECIPEDIFF_APP_ID") from None


def store(folder: Path, credentials: AppCredentials) -> Path:
    """Write them with mode 0600, whole or not at all. The folder is made with mode 0700 where there is none."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    body = {
        "app_id": credentials.app_id,
        "slug": credentials.slug,
        "private_key": credentials.private_key,
        "webhook_secrets": list(credentials.webhook_secrets),
    }
    handle, name = tempfile.mkstemp(prefix=f".{NAME}.", dir=folder)  # mkstemp gives mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(body, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        path = folder / NAME
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return path
