"""What a review costs and how long a person waits for it: `python -m tests.bench.review`, a section of `make bench`.

The served command in a process of its own, against a local GitHub in this one. Prints every request of a review with what
it is for, how many of them must wait for each other, and the time from a delivery to the verdict at 50 ms a request.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox import Sandbox, ServedRequest
from sandbox.model import App, IssueRecord, Repo
from tests.app.review.world import RECIPE_PATH, UPSTREAM, UPSTREAM_PATH, UPSTREAM_TEXT, recipe_text

LATENCY = 0.05
PULLS = 15
PAUSE = 3.5
"""Seconds between pull requests: as long as the pace of writes needs to be fresh again."""
SECRET = "the-secret-of-the-bench"
CONFIG_PATH = ".github/recipediff.yml"
MOST = {"cold": 11, "seen": 8, "none": 6}
TRIPS, SECONDS = 4, 0.5
_PURPOSE = {
    "apps/create-installation-access-token": "a token for this repository; kept for an hour, not counted",
    "checks/create": "the check run is there, in progress",
    "checks/list-for-ref": "the check run that an earlier look made",
    "checks/update": "the verdict",
    "issues/create-comment": "the comment",
    "issues/list-comments": "the comment of an earlier verdict",
    "issues/update-comment": "the comment is brought up to date",
    "repos/compare-commits-with-basehead": "where the branch left its base",
    "pulls/get": "the pull request as it is now",
    "repos/get-content": f"{UPSTREAM_PATH} of upstream, while its tree is on the way",
    "git/get-ref": "the tip of the base",
}


@dataclass(slots=True, kw_only=True)
class Scene:
    """A GitHub with a bot."""

    sandbox: Sandbox
    upstream: Repo
    repo: Repo
    app: App
    pin: str
    names: dict[str, str]
    """What an object's id stands for."""

    def text(self, seqs: str, number: int) -> str:
        return recipe_text(self.pin, seqs=seqs) + f"notes: version {number}\n"

    def move(self) -> None:
        """To a repository and a pin that nobody has read yet; its first token is not counted."""
        self.pin = self.sandbox.commit(self.upstream, "main", {"README.md": "moved on\n"}, "Go on")
        text, config = recipe_text(self.pin), "fail-on: any\n"
        files = {RECIPE_PATH: text, CONFIG_PATH: config, "README.md": "hello\n"}
        self.repo = self.sandbox.create_repo("fresh/recipes", files)
        self.sandbox.install(self.app, "fresh")
        self.names |= {
            self.pin: "upstream at the pin",
            self.repo.git.ref("refs/heads/main") or "": "the base",
            self.upstream.git.write("blob", UPSTREAM_TEXT.encode()): f"{UPSTREAM_PATH} of upstream",
            self.repo.git.write("blob", text.encode()): f"{RECIPE_PATH} on the base",
            self.repo.git.write("blob", config.encode()): f"{CONFIG_PATH} on the base: the rules",
        }

    def commit(self, branch: str, path: str, text: str) -> str:
        """A commit whose objects are known by name."""
        head = self.sandbox.commit(self.repo, branch, {path: text}, "Change")
        self.names |= {head: "the head", self.repo.git.write("blob", text.encode()): f"{path} on the head"}
        return head

    def concluded(self, issue: IssueRecord) -> bool:
        """Whether the check on the head has its verdict."""
        assert issue.pull is not None
        return any(run.status == "completed" for run in self.sandbox.check_runs(self.repo, issue.pull.head_sha))

    async def still(self) -> None:
        """Until nothing was asked for a while."""
        seen = -1
        while seen != len(self.sandbox.requests):
            seen = len(self.sandbox.requests)
            await asyncio.sleep(0.5 + 3 * self.sandbox.faults.latency)

    def purpose(self, seen: ServedRequest) -> str:
        """What a request is for."""
        if seen.operation.startswith("git/get-tree") or seen.operation.startswith("git/get-blob"):
            ident = seen.path.rsplit("/", 1)[-1]
            kind = "the files of" if "tree" in seen.operation else ""
            return f"{kind} {self.names.get(ident, ident[:12])}".strip()
        return _PURPOSE.get(seen.operation, "?")


def trips(made: Sequence[ServedRequest]) -> int:
    """How many of the requests up to the verdict had to wait for each other: the longest chain in which each began when the
    one before had ended."""
    depth: list[int] = []
    for number, each in enumerate(made):
        before = [depth[n] for n in range(number) if made[n].at + made[n].took <= each.at]
        depth.append(1 + max(before, default=0))
        if each.operation == "checks/update":
            return depth[-1]
    return 0


def counted(made: Sequence[ServedRequest]) -> list[ServedRequest]:
    """Without what is asked once an hour."""
    return [each for each in made if not each.operation.startswith("apps/")]


@asynccontextmanager
async def scene() -> AsyncIterator[Scene]:
    """The GitHub, and `recipediff serve` beside it."""
    sandbox = await Sandbox.start()
    with tempfile.TemporaryDirectory() as folder:
        upstream = sandbox.create_repo(UPSTREAM, {UPSTREAM_PATH: UPSTREAM_TEXT})
        pin = upstream.git.ref("refs/heads/main") or ""
        repo = sandbox.create_repo("org/recipes", {RECIPE_PATH: recipe_text(pin), "README.md": "hello\n"})
        app = sandbox.register_app("http://127.0.0.1:9/", SECRET)
        sandbox.install(app, "org", [repo])
        made = Scene(sandbox=sandbox, upstream=upstream, repo=repo, app=app, pin=pin, names={})
        sandbox.faults.latency = LATENCY
        server = await _serve(sandbox, app, Path(folder))
        try:
            await sandbox.until(lambda: any(each.operation == "pulls/list" for each in sandbox.requests), 30)
            yield made
        finally:
            server.terminate()
            await server.wait()
            await sandbox.stop()


async def _serve(sandbox: Sandbox, app: App, folder: Path) -> asyncio.subprocess.Process:
    own = {
        "RECIPEDIFF_APP_ID": str(app.id),
        "RECIPEDIFF_PRIVATE_KEY": app.private_key,
        "RECIPEDIFF_WEBHOOK_SECRET": SECRET,
        "RECIPEDIFF_DATA": str(folder),
        "GITHUB_API_URL": sandbox.api_url,
        "PORT": "0",
    }
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "recipediff", "serve", env=os.environ | own, stderr=asyncio.subprocess.PIPE, limit=2**20
    )
    assert server.stderr is not None
    while True:
        line = await server.stderr.readline()
        said = json.loads(line) if line.startswith(b"{") else {}
        if said.get("event") == "listening":
            app.webhook_url = f"http://127.0.0.1:{said['port']}/webhook"
            break
        if not line:
            sys.exit("the server ended before it listened")
    drain = asyncio.create_task(server.stderr.read())
    drain.add_done_callback(lambda _: None)
    server.drain = drain  # type: ignore[attr-defined]  # kept, so that it is not collected
    return server


async def requests(
    here: Scene, what: str, name: str, change: IssueRecord | None, path: str, text: str
) -> tuple[bool, IssueRecord]:
    """One review, printed request by request."""
    await here.still()
    await asyncio.sleep(PAUSE)
    before = len(here.sandbox.requests)
    branch = name if change is None else change.pull.head_ref  # type: ignore[union-attr]
    here.commit(branch, path, text)
    issue = change or here.sandbox.open_pull(here.repo, branch, "Change")
    await here.sandbox.until(lambda: here.concluded(issue), 30)
    await here.still()
    made = sorted(list(here.sandbox.requests)[before:], key=lambda each: each.at)
    print(f"\n{what}")
    print(f"{'ms':>6} {'took':>5}  request")
    for each in made:
        print(f"{(each.at - made[0].at) * 1000:6.0f} {each.took * 1000:5.0f}  {each.operation:38} {here.purpose(each)}")
    count, chain = len(counted(made)), trips(counted(made))
    met = count <= MOST[name] and chain <= TRIPS
    bar = f"bar {MOST[name]} and {TRIPS}: {'met' if met else 'MISSED'}"
    print(f"{count} requests, {chain} round trips one after the other to the verdict; {bar}", flush=True)
    return met, issue


async def waits(here: Scene) -> bool:
    """From the moment at which the delivery leaves GitHub to the verdict."""
    took = []
    for number in range(PULLS):
        await asyncio.sleep(PAUSE)
        here.commit(f"wait-{number}", RECIPE_PATH, here.text("16" if number % 2 else "8", number + 100))
        began = time.monotonic()
        issue = here.sandbox.open_pull(here.repo, f"wait-{number}", "Change")
        await here.sandbox.until(lambda i=issue: here.concluded(i), 30)  # type: ignore[misc]
        verdict = [e for e in here.sandbox.requests if e.operation == "checks/update" and e.at > began]
        took.append(verdict[0].at + verdict[0].took - began)
    median = statistics.median(took)
    met = median <= SECONDS
    spread = f"fastest {min(took):.2f}, slowest {max(took):.2f}"
    print(
        f"\n{PULLS} pull requests, {LATENCY * 1000:.0f} ms a request: verdict after {median:.2f} s median ({spread});"
        f" bar {SECONDS:g} s: {'met' if met else 'MISSED'}"
    )
    return met


async def measure() -> bool:
    """All of it."""
    async with scene() as here:
        here.move()
        cold, issue = await requests(
            here, "a recipe changed, nothing seen before", "cold", None, RECIPE_PATH, here.text("16", 1)
        )
        fine = [cold]
        seen, _ = await requests(
            here, "the same pull request, pushed again", "seen", issue, RECIPE_PATH, here.text("8", 2)
        )
        none, _ = await requests(here, "no recipe changed", "none", None, "README.md", "hello again\n")
        fine += [seen, none, await waits(here)]
        return all(fine)


def main() -> int:
    """Measure; 1 where a bar is missed."""
    return 0 if asyncio.run(measure()) else 1


if __name__ == "__main__":
    sys.exit(main())
