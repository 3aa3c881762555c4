"""The architecture of a model, from the `config.json` of its repository. Weights are never touched."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from recipediff.adapters.hub.cache import AnswerCache
from recipediff.core.place import Unreadable
from recipediff.core.sweep.models import ModelAnswer
from recipediff.parse.documents.document import plain, read

ENDPOINT = "https://huggingface.co"
AT_ONCE = 8
MAX_CONFIG = 1_000_000
"""Bytes of a `config.json`; real ones stay below 100,000."""
TIMEOUT = 20.0
"""Seconds for one answer."""
CONFIG, PIPELINE = "config.json", "model_index.json"


class HubModels:
    """Looks models up at `endpoint`, several at a time. Satisfies `recipediff.app.sweep.sweep.Models`.

    Two requests a model at most, one where its revision has not changed since the last time.
    """

    def __init__(self, cache: Path, *, endpoint: str = "", token: str = "", network: bool = True) -> None:
        self._endpoint = (endpoint or ENDPOINT).rstrip("/")
        self._token: str | bool = token or False
        self._folder = cache
        self._cache = AnswerCache(cache, self._endpoint)
        self._network = network
        self._api: Any = None

    async def look_up(self, models: Sequence[str], step: Callable[[str], None]) -> Mapping[str, ModelAnswer]:
        """What each repository says, in order. Never raises: what could not be asked is `unreachable`."""
        turn = asyncio.Semaphore(AT_ONCE)

        async def one(model: str) -> ModelAnswer:
            async with turn:
                answer = await asyncio.to_thread(self._look_up, model)
            step(model)
            return answer

        answers = await asyncio.gather(*(one(model) for model in models))
        return dict(zip(models, answers, strict=True))

    def _look_up(self, model: str) -> ModelAnswer:
        kept = self._cache.get(model)
        if not self._network:
            detail = "nothing about it is cached, and the network was not to be used"
            return kept or ModelAnswer("not looked up", detail=detail)
        answer = self._ask(model, kept)
        if answer.state == "unreachable" and kept is not None:
            return replace(kept, detail=f"{kept.detail} (as cached; {answer.detail})".strip())
        self._cache.keep(model, answer)
        return answer

    def _ask(self, model: str, kept: ModelAnswer | None) -> ModelAnswer:
        import httpx
        from huggingface_hub import errors

        revision = ""
        try:
            info = self._hub().model_info(model, timeout=TIMEOUT, files_metadata=True)
            revision = info.sha or ""
            if kept is not None and revision and kept.revision == revision and kept.state != "gated":
                return kept
            return self._config(model, revision, {file.rfilename: file.size for file in info.siblings or ()})
        except errors.GatedRepoError:
            return ModelAnswer(
                "gated", revision=revision, detail="access has to be asked for; set HF_TOKEN if you have it"
            )
        except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError):
            return ModelAnswer("missing", detail="there is no such repository, or it is private")
        except errors.HFValidationError:
            return ModelAnswer("missing", detail="this is no repository id")
        except errors.EntryNotFoundError:
            return ModelAnswer("no architectures", revision=revision, detail=f"it has no {CONFIG}")
        except (errors.HfHubHTTPError, httpx.HTTPError, OSError, ValueError) as error:
            return ModelAnswer("unreachable", detail=_words(error))
        except Exception as error:  # the library has its own HTTP client with errors of its own
            return ModelAnswer("unreachable", detail=_words(error))

    def _config(self, model: str, revision: str, files: Mapping[str, int | None]) -> ModelAnswer:
        if CONFIG not in files:
            if PIPELINE in files:
                detail = f"a diffusion pipeline: it has {PIPELINE}, and no architecture of its own"
                return ModelAnswer("pipeline", revision=revision, detail=detail)
            return ModelAnswer("no architectures", revision=revision, detail=f"it has no {CONFIG}")
        size = files[CONFIG] or 0
        if size > MAX_CONFIG:
            return ModelAnswer("no architectures", revision=revision, detail=f"its {CONFIG} has {size:,} bytes")
        path = self._hub().hf_hub_download(model, CONFIG, revision=revision, cache_dir=self._folder / "hub" / "files")
        with Path(path).open("rb") as file:
            data = file.read(MAX_CONFIG + 1)
        names = _architectures(data, f"{model}/{CONFIG}")
        if isinstance(names, str):
            return ModelAnswer("no architectures", revision=revision, detail=names)
        return ModelAnswer("known", names, revision)

    def _hub(self) -> Any:
        if self._api is None:
            from huggingface_hub import HfApi
            from huggingface_hub.utils.tqdm import disable_progress_bars

            disable_progress_bars()
            self._api = HfApi(endpoint=self._endpoint, token=self._token, library_name="recipediff")
        return self._api


def _architectures(data: bytes, file: str) -> tuple[str, ...] | str:
    """The names in a `config.json`, or why there are none."""
    if len(data) > MAX_CONFIG:
        return f"its {CONFIG} has more than {MAX_CONFIG:,} bytes"
    try:
        said: Any = plain(read(data, file).root)
    except Unreadable as error:
        return f"its {CONFIG} cannot be read: {error.problem.message}"
    names = said.get("architectures") if isinstance(said, dict) else None
    if not isinstance(names, list) or not names or not all(isinstance(name, str) and name for name in names):
        return f"its {CONFIG} names no architecture"
    return tuple(str(name)[:200] for name in names[:20])


def _words(error: Exception) -> str:
    text = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
