"""The fields of the `records:` section of `.github/recipediff.yml`."""

from __future__ import annotations

from recipediff.parse.schema.shapes import Field, ListOf, Record, Switch, Text

_FILE = Text(
    r"^(?!/)(?!(.*/)?\.\.(/|$))(?!([^*]*\*){9})[^\\\x00-\x1f]+$",
    "a path or a pattern such as docs/*.md, without a leading / or .., with at most 8 stars",
)
_NAME = Text(r"^[^\x00-\x1f]+$", "text on one line")
_SPACE = Text(r"^[^\x00-\x1f]+$", "the name of a key space")

_TABLE = Record(
    (
        Field(name="file", shape=_FILE, doc="The file with the table, or a pattern.", required=True, add="`file:` with its path",
              also=("path",), examples=("docs/model-matrix.md",)),
        Field(name="heading", shape=_NAME, doc="The nearest heading above the table, or a pattern. Default: every table of the file.",
              also=("section",), examples=("MODEL-*",)),
        Field(name="key", shape=_NAME, doc="The header of the key column.", required=True, add="`key:` with the key column's header",
              also=("column", "id"), examples=("ID",)),
        Field(name="space", shape=_SPACE, doc="Tables of one space share their keys. Default: a space of its own.", examples=("rows",)),
        Field(name="pattern", shape=_NAME, doc="The shape that every key must have; `*` and `?` are wildcards.", examples=("MODEL-*",)),
    ),
    wants="a mapping with file and key",
)  # fmt: skip

_REFERENCE = Record(
    (
        Field(name="file", shape=_FILE, doc="The file with the references, or a pattern.", required=True, add="`file:` with its path",
              also=("path",)),
        Field(name="heading", shape=_NAME, doc="The nearest heading above the table, or a pattern.", also=("section",)),
        Field(name="column", shape=_NAME, doc="The column whose cells name rows. Without one, code spans that fit `pattern` do."),
        Field(name="pattern", shape=_NAME, doc="The shape of the ids."),
        Field(name="space", shape=_SPACE, doc="The key space that must have the row.", required=True, add="`space:` that has the rows"),
    ),
    wants="a mapping with file and space, and column or pattern",
)  # fmt: skip

_OWNER = Record(
    (
        Field(name="space", shape=_SPACE, doc="The key space whose rows are counted.", required=True, add="`space:` that has the rows"),
        Field(name="file", shape=_FILE, doc="Only rows in such files.", also=("path",)),
        Field(name="heading", shape=_NAME, doc="Only rows under such headings.", also=("section",)),
        Field(name="column", shape=_NAME, doc="With `value`: only rows whose cell in this column fits."),
        Field(name="value", shape=_NAME, doc="What the cell reads, or a pattern.", examples=("READY*",)),
    ),
    wants="a mapping with space",
)  # fmt: skip

_COUNT = Record(
    (
        Field(name="file", shape=_FILE, doc="The file with the number, or a pattern.", required=True, add="`file:` with its path",
              also=("path",)),
        Field(name="text", shape=_NAME, doc="The words around the number, with `{n}` in its place; the cells of a row are divided by ` | `.",
              required=True, add="`text:` with {n} for the number", examples=("the pin has {n} models",)),
        Field(name="owner", shape=_OWNER, doc="Which rows the number counts.", required=True, add="`owner:` with the key space"),
    ),
    wants="a mapping with file, text and owner",
)  # fmt: skip

RECORDS = Record(
    (
        Field(name="tables", shape=ListOf(_TABLE, "a list of tables"), doc="The tables in which a key may be defined once.", also=("table",)),
        Field(name="references", shape=ListOf(_REFERENCE, "a list of references"), doc="What must name a row of a key space.",
              also=("reference", "refs")),
        Field(name="counts", shape=ListOf(_COUNT, "a list of counts"), doc="Copies of numbers that a table owns.", also=("count",)),
        Field(name="links", shape=Switch(), doc="Whether relative links are looked at. Default: false.", also=("link",)),
        Field(name="anchors", shape=Switch(), doc="Whether `path:line` anchors are looked at. Default: false.", also=("anchor",)),
        Field(name="files", shape=ListOf(_FILE, "a list of patterns"),
              doc="Whose links and anchors are looked at. Default: every Markdown file.", also=("paths",),
              examples=("docs/**/*.md",)),
        Field(name="roots", shape=ListOf(_FILE, "a list of patterns"), doc="This repository's own paths, for anchors. Default: none.",
              also=("root",), examples=("src/**",)),
    ),
    wants="a mapping: tables, references, counts, links, anchors, files, roots",
)  # fmt: skip
