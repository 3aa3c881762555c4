"""A stand-in for Hugging Face on a local port: the few operations that looking models up needs, and every way they fail."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import urlsplit


class Hub:
    """Repositories by id, each a mapping of files; `gated` ones let nobody read their files."""

    def __init__(self) -> None:
        self.repos: dict[str, dict[str, bytes]] = {}
        self.gated: set[str] = set()
        self.failing: set[str] = set()
        self.asked: Counter[str] = Counter()
        self.url = ""

    def add(self, model: str, **files: object) -> None:
        """A repository; `config` is its config.json, `model_index` its model_index.json."""
        self.repos[model] = {f"{name}.json": json.dumps(content).encode() for name, content in files.items()}
        self.repos[model]["model.safetensors"] = b"weights"

    def revision(self, model: str) -> str:
        """The commit: another as soon as a file is."""
        return hashlib.sha1(repr(sorted(self.repos[model].items())).encode(), usedforsecurity=False).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    hub: ClassVar[Hub]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the library names it)
        """Say nothing."""

    def _answer(self, *, body: bool) -> None:
        path = urlsplit(self.path).path.strip("/")
        self.hub.asked[f"{self.command} {path}"] += 1
        if path.startswith("api/models/"):
            self._info(path.removeprefix("api/models/"), body)
        elif "/resolve/" in path:
            model, _, rest = path.partition("/resolve/")
            self._file(model, rest.partition("/")[2], body)
        else:
            self._send(404, b"{}", body, code="EntryNotFound")

    def _info(self, model: str, body: bool) -> None:
        if model in self.hub.failing:
            self._send(503, b"{}", body)
        elif model not in self.hub.repos:
            self._send(404, b"{}", body, code="RepoNotFound")
        else:
            files = [{"rfilename": name, "size": len(data)} for name, data in self.hub.repos[model].items()]
            said = {"id": model, "sha": self.hub.revision(model), "siblings": files, "gated": model in self.hub.gated}
            self._send(200, json.dumps(said).encode(), body)

    def _file(self, model: str, name: str, body: bool) -> None:
        if model in self.hub.gated:
            self._send(403, b"{}", body, code="GatedRepo")
        elif name not in self.hub.repos.get(model, {}):
            self._send(404, b"{}", body, code="EntryNotFound")
        else:
            data = self.hub.repos[model][name]
            self._send(200, data, body, commit=self.hub.revision(model))

    def _send(self, status: int, data: bytes, body: bool, *, code: str = "", commit: str = "") -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        if code:
            self.send_header("x-error-code", code)
            self.send_header("x-error-message", code)
        if commit:
            self.send_header("x-repo-commit", commit)
            self.send_header("etag", f'"{hashlib.sha256(data).hexdigest()}"')
        self.end_headers()
        if body:
            self.wfile.write(data)


@contextmanager
def standin() -> Iterator[Hub]:
    """The stand-in, running."""
    hub = Hub()
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
