"""What HTML within Markdown names and points at."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass(slots=True)
class HtmlTargets:
    """The ids and names that a fragment can reach, and the addresses."""

    ids: list[str] = field(default_factory=list)
    hrefs: list[str] = field(default_factory=list)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = HtmlTargets()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and (name == "id" or (name == "name" and tag == "a")):
                self.found.ids.append(value)
            if value and (tag, name) in {("a", "href"), ("img", "src")}:
                self.found.hrefs.append(value)


def html_targets(tag: str) -> HtmlTargets:
    """Read one tag, as CommonMark knows it: what is no whole tag, the standard reader would search through again and
    again."""
    reader = _Tags()
    reader.feed(tag)
    reader.close()
    return reader.found
