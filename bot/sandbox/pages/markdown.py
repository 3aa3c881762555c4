"""Markdown as GitHub shows it: tables, task lists, suggestions, mentions; and only the few HTML elements that GitHub lets through."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from sandbox.pages.html import Html

ALLOWED = frozenset({"details", "summary", "br", "sub", "sup", "kbd", "b", "i", "em", "strong", "code", "p"})
_PIECE = re.compile(r"<!--.*?-->|</?([a-zA-Z]+)\s*(open)?\s*/?>", re.DOTALL)
_NAMED = re.compile(r"(?<![\w/@`.-])(@[a-zA-Z0-9][a-zA-Z0-9-]{0,38}(?:/[a-zA-Z0-9_-]+)?)(?![\w@])|(?<![\w#&])(#\d+)\b")
_TASK = re.compile(r"\[([ xX])\] ")


class _Balance(HTMLParser):
    """Whether every element that is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.right = True

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        """`<br />` opens nothing."""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("br", "input", "hr", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.right = self.right and bool(self.open) and self.open.pop() == tag


def _cleaned(content: str, *, nothing: bool) -> str:
    """Raw HTML with comments dropped, allowed elements kept without attributes, and everything else escaped."""
    found, at = [], 0
    for piece in _PIECE.finditer(content):
        found.append(html.escape(content[at : piece.start()]))
        name, at = (piece[1] or "").lower(), piece.end()
        if piece[0].startswith("<!--"):
            continue
        if name in ALLOWED and not nothing:
            found.append(f"</{name}>" if piece[0][1] == "/" else f"<{name}{' open' if piece[2] else ''}>")
        else:
            found.append(html.escape(piece[0]))
    return "".join([*found, html.escape(content[at:])])


class Renderer(RendererHTML):
    """markdown-it's renderer with GitHub's habits. `nothing`: let no HTML element through."""

    nothing = False

    def html_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return _cleaned(tokens[idx].content, nothing=self.nothing)

    def html_inline(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return _cleaned(tokens[idx].content, nothing=self.nothing)

    def text(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        content = tokens[idx].content
        task = _TASK.match(content) if idx == 0 and env.get("in_item") else None
        box = (
            f'<input type="checkbox" disabled aria-label="task"{" checked" if task[1] != " " else ""}> ' if task else ""
        )
        return box + _NAMED.sub(_link, html.escape(content[task.end() :] if task else content, quote=False))

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f"[{html.escape(tokens[idx].content)}]"  # nothing is fetched from elsewhere

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        token = tokens[idx]
        language = token.info.strip().split(" ")[0]
        if language not in ("suggestion", "diff"):
            return f'<pre tabindex="0"><code>{html.escape(token.content)}</code></pre>\n'
        lines = [
            (line[:1] if line[:1] in "+-" else " ", line[1:] if line[:1] in "+- " else line)
            for line in token.content.splitlines()
        ]
        if language == "suggestion":
            lines = [("+", line) for line in token.content.splitlines()]
        rows = "".join(
            f'<tr class="{_CLASS[sign]}"><td class="sign">{sign}</td><td class="code">{html.escape(line)}</td></tr>'
            for sign, line in lines
        )
        head = '<p class="suggestion-head">Suggested change</p>' if language == "suggestion" else ""
        return f'<div class="suggestion">{head}<div class="scroll" tabindex="0"><table class="diff"><tbody>{rows}</tbody></table></div></div>\n'

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return '<div class="scroll" tabindex="0"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return "</table></div>\n"

    def inline(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        before = tokens[max(idx - 2, 0)].type
        return str(
            self.renderInline(tokens[idx].children or [], options, env | {"in_item": before == "list_item_open"})
        )

    def render(self, tokens: Sequence[Token], options: Any, env: Any) -> str:
        found = []
        for idx, token in enumerate(tokens):
            if token.type == "inline":
                found.append(self.inline(tokens, idx, options, env))
            elif token.type in self.rules:
                found.append(self.rules[token.type](tokens, idx, options, env))
            else:
                found.append(self.renderToken(tokens, idx, options, env))
        return "".join(found)


class _Strict(Renderer):
    nothing = True


_CLASS = {"+": "added", "-": "removed", " ": "same"}


def _link(found: re.Match[str]) -> str:
    if found[1]:
        return f'<span class="mention" title="GitHub would notify {found[1]}">{found[1]}</span>'
    return f'<a href="../issues/{found[2][1:]}">{found[2]}</a>'


def _make(renderer: type[Renderer]) -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": True}, renderer_cls=renderer)
    return made.enable(["table", "strikethrough"])


_AS_GITHUB, _STRICT = _make(Renderer), _make(_Strict)


def render(source: str) -> Html:
    """Markdown to HTML. Where its own HTML does not close what it opens, none of it is let through."""
    source = re.sub(
        r"^(> )\[!([A-Z]+)\][ ]*$", lambda found: f"{found[1]}**{found[2].capitalize()}**  ", source, flags=re.MULTILINE
    )
    made = _AS_GITHUB.render(source)
    balance = _Balance()
    balance.feed(made)
    if not balance.right or balance.open:
        made = _STRICT.render(source)
    return Html(made)


_ISSUE = re.compile(r"(?<![\w&/])(?:[\w.-]+/[\w.-]+)?#\d+\b|\bGH-\d+\b", re.IGNORECASE)
_ISSUE_ADDRESS = re.compile(
    r"https?://(?:github\.com|127\.0\.0\.1:\d+|localhost:\d+)/[\w.-]+/[\w.-]+/(?:issues|pull|discussions)/\d+",
    re.IGNORECASE,
)


def references(source: str) -> set[str]:
    """What GitHub would notify or link back from a text: mentions, and issues and pull requests by number or address.

    Code does not count, nor do HTML comments.
    """
    found: set[str] = set()
    for token in _AS_GITHUB.parse(source):
        for child in token.children or []:
            if child.type == "text":
                found |= {match[1] for match in _NAMED.finditer(child.content) if match[1]}
                found |= set(_ISSUE.findall(child.content))
                found |= set(_ISSUE_ADDRESS.findall(child.content))
            elif child.type == "link_open":
                found |= set(_ISSUE_ADDRESS.findall(str(child.attrGet("href") or "")))
    return found
