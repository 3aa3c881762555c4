"""Markdown with places: headings, text, tables, links and code spans, each with its line and column."""

from bot.parse.markdown.document import Block, Markdown, read_markdown
from bot.parse.markdown.html import html_targets
from bot.parse.markdown.inline import Inline, Link, Piece
from bot.parse.markdown.slugs import slug
from bot.parse.markdown.tables import Cell, Table

__all__ = ["Block", "Cell", "Inline", "Link", "Markdown", "Piece", "Table", "html_targets", "read_markdown", "slug"]
