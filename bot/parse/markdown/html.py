"""What HTML within Markdown names and points at."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass(slots=True)
class HtmlTargets:
    """The ids and names that a fragment can reach, and the addresses with the offset of their tag."""

    ids: list[str] = field(default_factory=list)
    hrefs: list[tuple[str, int, int]] = field(default_factory=list)
    """Address, line from 0 and column from 0 of the tag."""


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = HtmlTargets()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line, column = self.getpos()
        for name, value in attrs:
            if value and (name == "id" or (name == "name" and tag == "a")):
                self.found.ids.append(value)
            if value and (name, tag) in {("href", "a"), ("src", "img")}:
                self.found.hrefs.append((value, line - 1, column))


def html_targets(html: str) -> HtmlTargets:
    """Read tags; anything that is no well-formed tag is passed over, as a browser does."""
    tags = _Tags()
    tags.feed(html)
    tags.close()
    return tags.found
