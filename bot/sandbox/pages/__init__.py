"""Plain pages that show pull requests and issues about as GitHub does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

from sandbox.model import IssueRecord, Repo
from sandbox.pages.checks import check_section
from sandbox.pages.files import file_view, whole
from sandbox.pages.html import Part, page, tag
from sandbox.pages.manifest import ManifestPages
from sandbox.pages.pull import comment_box, header, moment, name, pull_page, state_badge, talk
from sandbox.world import World

View = Callable[[web.Request], Awaitable[web.StreamResponse]]
REFRESH = 2
"""Seconds after which a page is loaded again while a check is at work."""


class Pages:
    """The pages of one world."""

    def __init__(self, world: World) -> None:
        self._world = world

    def routes(self) -> list[tuple[str, View]]:
        """Path and handler of every page."""
        here = "/{owner}/{repo}"
        return [
            ("/", self.start),
            (here, self.pulls),
            (here + "/pulls", self.pulls),
            (here + "/issues", self.issues),
            (here + "/pull/{number:\\d+}", self.pull),
            (here + "/issues/{number:\\d+}", self.issue),
            (here + "/runs/{run:\\d+}", self.run),
            (here + "/blob/{ref}/{path:.+}", self.blob),
        ]

    def _repo(self, request: web.Request) -> Repo:
        found = self._world.repo(f"{request.match_info['owner']}/{request.match_info['repo']}")
        if found is None:
            raise _Gone
        return found

    def _issue(self, request: web.Request) -> IssueRecord:
        found = self._repo(request).issues.get(int(request.match_info["number"]))
        if found is None:
            raise _Gone
        return found

    async def start(self, request: web.Request) -> web.StreamResponse:
        rows = [
            tag("li", tag("a", repo.full_name, href=f"/{repo.full_name}/pulls"))
            for repo in self._world.repos.values()
            if not repo.deleted
        ]
        main = tag(
            "main",
            tag("h1", "Repositories"),
            tag("ul", *rows) if rows else tag("p", "There are none yet."),
            id="content",
        )
        return page("Repositories", main)

    async def pulls(self, request: web.Request) -> web.StreamResponse:
        repo = self._repo(request)
        return self._list(repo, "Pull requests", [issue for issue in repo.issues.values() if issue.pull], "pull")

    async def issues(self, request: web.Request) -> web.StreamResponse:
        repo = self._repo(request)
        return self._list(repo, "Issues", [issue for issue in repo.issues.values() if not issue.pull], "issues")

    def _list(self, repo: Repo, title: str, found: list[IssueRecord], kind: str) -> web.Response:
        rows: list[Part] = []
        for issue in sorted(found, key=lambda item: -item.number):
            link = tag("a", tag("strong", issue.title), href=f"/{repo.full_name}/{kind}/{issue.number}")
            facts = tag(
                "span", f"#{issue.number} opened ", moment(issue.created), " by ", name(issue.author), class_="muted"
            )
            labels = [tag("span", label.name, class_="pill label") for label in issue.labels]
            rows.append(tag("li", state_badge(issue), tag("span", link, *labels, tag("br"), facts)))
        body = tag("ul", *rows, class_="list") if rows else tag("p", "There are none yet.", class_="muted")
        return page(f"{title} · {repo.full_name}", header(repo), tag("main", tag("h1", title), body, id="content"))

    async def pull(self, request: web.Request) -> web.StreamResponse:
        issue = self._issue(request)
        if issue.pull is None:
            raise web.HTTPFound(f"/{issue.repo.full_name}/issues/{issue.number}")
        title, body, at_work = pull_page(issue)
        return page(title, body, refresh=REFRESH if at_work else None)

    async def issue(self, request: web.Request) -> web.StreamResponse:
        issue = self._issue(request)
        if issue.pull:
            raise web.HTTPFound(f"/{issue.repo.full_name}/pull/{issue.number}")
        heading = tag("h1", issue.title, " ", tag("span", f"#{issue.number}", class_="muted"))
        said = [comment_box(item) for item in issue.repo.comments.values() if item.issue is issue]
        labels = [tag("span", label.name, class_="pill label") for label in issue.labels]
        intro = tag("p", state_badge(issue), *labels, class_="intro")
        main = tag(
            "main",
            heading,
            intro,
            talk(issue.author, issue.created, issue.body, what="opened this"),
            *said,
            id="content",
        )
        return page(f"{issue.title} · Issue #{issue.number} · {issue.repo.full_name}", header(issue.repo), main)

    async def run(self, request: web.Request) -> web.StreamResponse:
        repo = self._repo(request)
        found = repo.check_runs.get(int(request.match_info["run"]))
        if found is None:
            raise _Gone
        return page(
            f"{found.name} · {repo.full_name}",
            header(repo),
            tag("main", tag("h1", found.name), check_section(found), id="content"),
        )

    async def blob(self, request: web.Request) -> web.StreamResponse:
        repo, path = self._repo(request), request.match_info["path"]
        commit = repo.git.resolve(request.match_info["ref"])
        lines = whole(repo.git, commit, path) if commit else []
        if not lines:
            raise _Gone
        return page(
            f"{path} · {repo.full_name}", header(repo), tag("main", tag("h1", path), file_view(lines), id="content")
        )


class _Gone(Exception):
    """There is no such page."""


def guarded(view: View) -> View:
    """A view that answers 404 with a page where something is not there."""

    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            return await view(request)
        except _Gone:
            return page(
                "Not found",
                tag("main", tag("h1", "Not found"), tag("p", tag("a", "All repositories", href="/")), id="content"),
                status=404,
            )

    return answer


def add_pages(app: web.Application, world: World) -> None:
    """Put the pages on an application."""
    ManifestPages(world).add_to(app)
    for path, view in Pages(world).routes():
        app.router.add_get(path, guarded(view))


__all__ = ["Pages", "add_pages"]
