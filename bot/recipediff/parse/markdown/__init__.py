"""Markdown with places: headings, text, tables, links and code spans, each with its line and column."""

from recipediff.parse.markdown.document import Block, Markdown, read_markdown
from recipediff.parse.markdown.html import html_targets
from recipediff.parse.markdown.inline import Inline, Link, Piece
from recipediff.parse.markdown.slugs import slug
from recipediff.parse.markdown.tables import Cell, Table

__all__ = ["Block", "Cell", "Inline", "Link", "Markdown", "Piece", "Table", "html_targets", "read_markdown", "slug"]
