"""`make demo`: the main job on this machine alone. A local GitHub, the bot, a pull request that is wrong and its fix, and
the life of a pin bump.

Nothing leaves 127.0.0.1. With a terminal the pages stay up until Ctrl-C; otherwise the demo ends by itself.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from recipediff.adapters.local.credentials import AppCredentials
from recipediff.checks.recipes.check import RecipesSnapshot, check, pin_of
from recipediff.core.fingerprint import fingerprint
from recipediff.core.upstream import UpstreamFiles
from recipediff.parse.tested.read import read_recipes
from recipediff.reports import terminal
from recipediff.reports.report import build
from recipediff.server import logs
from recipediff.wiring.server import serving
from recipediff.wiring.settings import Hosting
from sandbox import Sandbox
from sandbox.model import CheckRunRecord, IssueRecord, Repo

ROOT = Path(__file__).resolve().parent.parent
STATED = ROOT / "tests" / "fixtures" / "upstream" / "eugr"
RECIPE = "recipes/deepseek-v4-flash-2spark.yaml"
UPSTREAM = "eugr/spark-vllm-docker"
SECRET = "demo"
PATIENCE = 30.0


def say(text: str = "") -> None:
    """One line, at once."""
    print(text, flush=True)


def title(text: str) -> None:
    """A heading."""
    say(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n== {text}")


def check_shipped() -> None:
    """The first part: the shipped recipes against upstream's side of them."""
    title("1. recipediff check: the shipped recipes against their upstream")
    blobs = {path.relative_to(STATED).as_posix(): path.read_bytes() for path in STATED.rglob("*.yaml")}
    files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in sorted((ROOT / "recipes").glob("*.yaml"))}
    sources = [r.source for name, data in files.items() for r in read_recipes(data, name).recipes if r.source]
    upstream = {pin_of(source): UpstreamFiles(blobs) for source in sources}
    report = build(check(RecipesSnapshot(files=files, upstream=upstream)))
    say(terminal.render(report, colour=sys.stdout.isatty()))


def pinned(text: str, commit: str) -> str:
    """The recipe, pinned to `commit`, with the fingerprint of the launch as it stands."""
    text = re.sub(r"(?m)^(\s+commit: )\S+", rf"\g<1>{commit}", text)
    (recipe,) = read_recipes(text.encode(), RECIPE).recipes
    return re.sub(r"(?m)^(\s+fingerprint: )\S+", rf"\g<1>{fingerprint(recipe)}", text)


def wrong(text: str, commit: str) -> str:
    """The edit that the demo's pull request makes: more sequences and nothing said, and a declaration that is false."""
    text = text.replace('  - --max-num-seqs\n  - "8"', '  - --max-num-seqs\n  - "32"')
    return pinned(text.replace('ours: "8001"', 'ours: "8011"'), commit)


async def until(look: Callable[[], bool], what: str) -> float:
    """Wait for something to be true; the seconds that it took."""
    started = time.monotonic()
    while not look():
        if time.monotonic() - started > PATIENCE:
            sys.exit(f"the demo waited {PATIENCE:.0f} s for {what}, in vain")
        await asyncio.sleep(0.02)
    return time.monotonic() - started


def concluded(sandbox: Sandbox, repo: Repo, branch: str) -> CheckRunRecord | None:
    """The concluded check run of a branch's tip."""
    tip = repo.git.ref(f"refs/heads/{branch}")
    runs = [run for run in sandbox.check_runs(repo, tip) if run.status == "completed"]
    return runs[-1] if runs else None


async def verdict(sandbox: Sandbox, repo: Repo, pull: IssueRecord, took: float) -> None:
    """Print what stands on the pull request."""
    run = concluded(sandbox, repo, "more-sequences")
    if run is None:
        sys.exit("the check run has gone")
    mark = "✅" if run.conclusion == "success" else "❌"
    say(f"{mark} check “{run.name}”: {run.conclusion} after {took:.2f} s: {run.title}")
    for comment in sandbox.comments(pull):
        say("\nThe comment:\n" + "\n".join(f"  {line}" for line in comment.body.splitlines()))
    say(f"\nThe page: {sandbox.url}/{repo.full_name}/pull/{pull.number}")


async def review(sandbox: Sandbox, then: Callable[[Sandbox, Repo, Repo], Awaitable[None]] | None = None) -> None:
    """The second part: the bot over the local GitHub."""
    mods = {
        f"mods/{name}/run.sh": "# a stand-in\n" for name in ("instanttensor-hybrid-draft-loader", "jj-ds4-vision-deps")
    }
    stated = {p.relative_to(STATED).as_posix(): p.read_bytes() for p in STATED.rglob("*.yaml")}
    upstream = sandbox.create_repo(UPSTREAM, {**stated, **mods})
    pin = upstream.git.ref("refs/heads/main") or ""
    good = pinned((ROOT / RECIPE).read_text("utf-8"), pin)
    repo = sandbox.create_repo("lab/models", {RECIPE: good, "README.md": "# Tested recipes\n"})
    app = sandbox.register_app(secret=SECRET)
    sandbox.install(app, "lab", [repo])
    with tempfile.TemporaryDirectory(prefix="recipediff-demo-") as data:
        hosting = Hosting(data=Path(data), api_url=sandbox.api_url, port=0, log_level="ERROR", slug=app.slug)
        async with serving(hosting, AppCredentials(app.id, app.slug, app.private_key, (SECRET,))) as port:
            app.webhook_url = f"http://127.0.0.1:{port}/webhook"
            title("2. A pull request with one undeclared and one misdeclared deviation")
            sandbox.commit(repo, "more-sequences", {RECIPE: wrong(good, pin)}, "Serve 32 sequences")
            pull = sandbox.open_pull(repo, "more-sequences", "Serve 32 sequences")
            took = await until(lambda: concluded(sandbox, repo, "more-sequences") is not None, "the verdict")
            await until(lambda: bool(sandbox.comments(pull)), "the comment")
            await verdict(sandbox, repo, pull, took)
            title("3. The fix is pushed")
            before = sandbox.comments(pull)[0].body
            sandbox.commit(
                repo,
                "more-sequences",
                {RECIPE: f"# Serves 8 sequences: that is what was measured.\n{good}"},
                "Go back to what was measured",
            )
            took = await until(lambda: concluded(sandbox, repo, "more-sequences") is not None, "the verdict")
            await until(lambda: sandbox.comments(pull)[0].body != before, "the comment's edit")
            await verdict(sandbox, repo, pull, took)
            if then is not None:
                await then(sandbox, repo, upstream)
            if sys.stdout.isatty():
                say("\nThe pages stay up. Ctrl-C ends the demo.")
                await asyncio.Event().wait()


async def run() -> None:
    """The whole demo."""
    from tools.demo_bumps import bumps  # it uses this module's words

    logs.configure(secrets=(SECRET,), level="ERROR")
    check_shipped()
    sandbox = await Sandbox.start()
    try:
        await review(sandbox, bumps)
    finally:
        await sandbox.stop()


def main() -> None:
    """The command behind `make demo`."""
    try:
        asyncio.run(run())
    except KeyboardInterrupt:
        say()


if __name__ == "__main__":
    main()
