"""The demo's part about pins: an upstream moves, and a bump is opened, updated, left alone after a person's commit, and closed.

The bot's jobs for this come by the hour or by webhook with half a minute of patience; the demo runs them at once.
"""

from __future__ import annotations

import sys
import time

import httpx

from recipediff.adapters.github.auth import AppIdentity
from recipediff.adapters.github.connect import BUMP, GitHubForge, Settings
from recipediff.app.bumps.move import About
from recipediff.app.bumps.tend import tend
from recipediff.core.bumps.branches import PREFIX
from sandbox import Sandbox
from sandbox.model import IssueRecord, Repo
from tools.demo import RECIPE, say, title, until

CONFIG = "bumps: {cooldown: 0}\n"


def newest(repo: Repo) -> IssueRecord:
    """The newest pull request of a bump."""
    pulls = [i for i in repo.issues.values() if i.pull and i.pull.head_ref.startswith(PREFIX)]
    if not pulls:
        sys.exit("no bump was opened")
    return pulls[-1]


def path_of(repo: Repo) -> str:
    """Upstream's file, as the recipe names it."""
    git = repo.git
    entry = git.find(git.commit(git.ref("refs/heads/main") or "").tree, RECIPE)
    text = git.read(entry.sha).decode() if entry is not None else ""
    return next(line.split()[1] for line in text.splitlines() if line.startswith("  path: "))


def edited(upstream: Repo, path: str, old: str, new: str) -> str:
    """Upstream's file with one text replaced."""
    git = upstream.git
    entry = git.find(git.commit(git.ref("refs/heads/main") or "").tree, path)
    text = git.read(entry.sha).decode() if entry is not None else ""
    if old not in text:
        sys.exit(f"{path} does not say {old!r}")
    return text.replace(old, new)


async def bumps(sandbox: Sandbox, repo: Repo, upstream: Repo) -> None:
    """The whole part."""
    app = next(app for app in sandbox.world.apps.values() if app.slug == "recipediff")
    installation = next(one for one in sandbox.world.installation_for(repo, app))
    path = path_of(repo)
    sandbox.commit(repo, "main", {".github/recipediff.yml": CONFIG}, "No cooldown, for the demo")
    async with httpx.AsyncClient(timeout=10) as connection:
        identity = AppIdentity(str(app.id), app.private_key)
        forge = GitHubForge(connection, identity, Settings(base_url=sandbox.api_url, interval=0.0, burst=3))
        home = forge.home(repo.full_name, installation.id, BUMP)

        async def run() -> None:
            await tend(home, forge, About(author=f"{app.slug}[bot]", now=time.time() + 1))

        title("4. Upstream moves: one pull request that says what it means")
        move = ("max_num_seqs: 8", "max_num_seqs: 16  # measured on two nodes")
        sandbox.commit(upstream, "main", {path: edited(upstream, path, *move)}, "Raise max_num_seqs")
        await run()
        bump = newest(repo)
        say(f"#{bump.number} {bump.title}\n")
        say("\n".join(f"  {line}" for line in (bump.body or "").splitlines() if not line.startswith("<!--")))
        head = bump.pull.head_sha if bump.pull else ""
        await until(
            lambda: any(r.status == "completed" for r in sandbox.check_runs(repo, head)), "the bump's own check"
        )
        say(f"Its own check: {next(r.conclusion for r in sandbox.check_runs(repo, head) if r.status == 'completed')}")

        title("5. A second move updates the same pull request")
        sandbox.commit(upstream, "main", {path: edited(upstream, path, "port: 8000", "port: 8080")}, "Move the port")
        await run()
        say(f"#{newest(repo).number} {newest(repo).title}")

        title("6. A person commits to it: it is left alone, and says so")
        branch = bump.pull.head_ref if bump.pull else ""
        sandbox.commit(repo, branch, {"notes.md": "Measured again tomorrow.\n"}, "Take notes")
        await run()
        say((bump.body or "").splitlines()[0])

        title("7. That one is merged; upstream moves and goes back: the next bump is closed with one line")
        sandbox.merge(bump, method="squash")
        sandbox.commit(upstream, "main", {path: edited(upstream, path, "port: 8080", "port: 9090")}, "Try another port")
        await run()
        bump = newest(repo)
        say(f"#{bump.number} {bump.title}")
        sandbox.commit(upstream, "main", {path: edited(upstream, path, "port: 9090", "port: 8080")}, "Go back")
        await run()
        say(sandbox.comments(bump)[-1].body.splitlines()[-1] + f" ({bump.state})")
        say(f"\nThe page: {sandbox.url}/{repo.full_name}/pull/{bump.number}")
