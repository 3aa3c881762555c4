"""The settings of a server by name, read from a mapping (the environment, in a test a dictionary) and checked at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from recipediff.ports.errors import Misconfigured

if TYPE_CHECKING:
    from recipediff.adapters.local.credentials import AppCredentials

GITHUB = "https://api.github.com"
_MOST_BYTES = 25 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosting:
    """How the server runs."""

    data: Path
    api_url: str = GITHUB
    upstream_api_url: str = ""
    upstream_token: str = field(default="", repr=False)
    database_url: str = field(default="", repr=False)
    host: str = "127.0.0.1"
    port: int = 8080
    most_bytes: int = _MOST_BYTES
    concurrency: int = 4
    grace: float = 20.0
    """Seconds for the jobs that run when the server is told to stop."""
    write_interval: float = 1.0
    """Seconds between writes at GitHub, on average. Less is for a local GitHub only."""
    log_level: str = "INFO"
    slug: str = ""
    app_id: int = 0
    private_key: str = field(default="", repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def credentials(self) -> AppCredentials | None:
        """Those that were named, else those that the first run stored; None where there are none."""
        from recipediff.adapters.local.credentials import AppCredentials, Unusable, load

        if self.app_id:
            return AppCredentials(self.app_id, self.slug, self.private_key, self.secrets)
        try:
            return load(self.data)
        except Unusable as error:
            raise Misconfigured(str(error)) from None

    @property
    def web_url(self) -> str:
        """GitHub's address for people."""
        parts = urlsplit(self.api_url)
        return "https://github.com" if self.api_url == GITHUB else f"{parts.scheme}://{parts.netloc}"

    def secret_texts(self, credentials: AppCredentials | None = None) -> Iterator[str]:
        """Everything that no log may show."""
        yield from self.secrets
        yield self.private_key
        yield self.upstream_token
        password = urlsplit(self.database_url).password if self.database_url else None
        if password:
            yield password
        if credentials is not None:
            yield credentials.private_key
            yield from credentials.webhook_secrets


def hosting(environ: Mapping[str, str], *, host: str | None = None, port: int | None = None) -> Hosting:
    """The settings in `environ`; `host` and `port` from the command line go first. Raises `Misconfigured`."""
    app_id = _number(environ, "RECIPEDIFF_APP_ID", 0, 2**53)
    key = _secret(environ, "RECIPEDIFF_PRIVATE_KEY")
    accepted = _secrets(environ)
    if app_id and not key:
        raise Misconfigured("RECIPEDIFF_PRIVATE_KEY_FILE is not set: RECIPEDIFF_APP_ID needs the App's private key")
    if app_id and "PRIVATE KEY-----" not in key:
        raise Misconfigured("the App's private key is not in PEM (-----BEGIN RSA PRIVATE KEY----- …)")
    if app_id and not accepted:
        raise Misconfigured("RECIPEDIFF_WEBHOOK_SECRET is not set: without it anybody could send deliveries")
    if (key or accepted) and not app_id:
        raise Misconfigured("RECIPEDIFF_APP_ID is not set, though the App's key or secret is")
    return Hosting(
        data=_data(environ),
        api_url=_url(environ, "GITHUB_API_URL") or GITHUB,
        upstream_api_url=_url(environ, "RECIPEDIFF_UPSTREAM_API_URL"),
        upstream_token=_secret(environ, "RECIPEDIFF_UPSTREAM_TOKEN"),
        database_url=_database(environ),
        host=host or environ.get("RECIPEDIFF_HOST") or "127.0.0.1",
        port=_number(environ, "PORT", 8080, 65535) if port is None else port,
        most_bytes=_number(environ, "RECIPEDIFF_MAX_BYTES", _MOST_BYTES, _MOST_BYTES),
        concurrency=max(_number(environ, "RECIPEDIFF_CONCURRENCY", 4, 64), 1),
        log_level=_level(environ),
        slug=environ.get("RECIPEDIFF_SLUG", "").strip(),
        app_id=app_id,
        private_key=key,
        secrets=accepted,
    )


def _data(environ: Mapping[str, str]) -> Path:
    if named := environ.get("RECIPEDIFF_DATA"):
        return Path(named)
    state = environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "recipediff"


def _database(environ: Mapping[str, str]) -> str:
    url = environ.get("DATABASE_URL", "").strip()
    if url and not url.startswith(("postgresql://", "postgres://")):
        raise Misconfigured("DATABASE_URL must begin with postgresql://; leave it empty for SQLite in the data folder")
    return url


def _url(environ: Mapping[str, str], name: str) -> str:
    url = environ.get(name, "").strip().rstrip("/")
    if url and (urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname):
        raise Misconfigured(f"{name} is not an address like {GITHUB} or https://HOST/api/v3")
    return url


def _number(environ: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = environ.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) <= most):
        raise Misconfigured(f"{name} must be a whole number up to {most}")
    return int(text)


def _level(environ: Mapping[str, str]) -> str:
    level = environ.get("RECIPEDIFF_LOG_LEVEL", "INFO").strip().upper()
    if level not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        raise Misconfigured("RECIPEDIFF_LOG_LEVEL is DEBUG, INFO, WARNING or ERROR")
    return level


def _secret(environ: Mapping[str, str], name: str) -> str:
    """The value of `name`, or the text of the file that `name`_FILE names."""
    if value := environ.get(name, "").strip():
        return value
    path = environ.get(f"{name}_FILE", "").strip()
    if not path:
        return ""
    try:
        return Path(path).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise Misconfigured(f"{name}_FILE: {path} cannot be read: {why}") from None


def _secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Every accepted secret: `RECIPEDIFF_WEBHOOK_SECRET` and, while it is changed, those of `RECIPEDIFF_WEBHOOK_SECRETS`."""
    several = _secret(environ, "RECIPEDIFF_WEBHOOK_SECRETS").replace(",", " ").split()
    one = _secret(environ, "RECIPEDIFF_WEBHOOK_SECRET")
    return tuple(dict.fromkeys([one, *several] if one else several))
