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
        Field("file", _FILE, "The file with the table, or a pattern.", required=True, add="`file:` with its path",
              also=("path",), examples=("docs/model-matrix.md",)),
        Field("heading", _NAME, "The nearest heading above the table, or a pattern. Default: every table of the file.",
              also=("section",), examples=("MODEL-*",)),
        Field("key", _NAME, "The header of the key column.", required=True, add="`key:` with the key column's header",
              also=("column", "id"), examples=("ID",)),
        Field("space", _SPACE, "Tables of one space share their keys. Default: a space of its own.", examples=("rows",)),
        Field("pattern", _NAME, "The shape that every key must have; `*` and `?` are wildcards.", examples=("MODEL-*",)),
    ),
    wants="a mapping with file and key",
)  # fmt: skip

_REFERENCE = Record(
    (
        Field("file", _FILE, "The file with the references, or a pattern.", required=True, add="`file:` with its path",
              also=("path",)),
        Field("heading", _NAME, "The nearest heading above the table, or a pattern.", also=("section",)),
        Field("column", _NAME, "The column whose cells name rows. Without one, code spans that fit `pattern` do."),
        Field("pattern", _NAME, "The shape of the ids."),
        Field("space", _SPACE, "The key space that must have the row.", required=True, add="`space:` that has the rows"),
    ),
    wants="a mapping with file and space, and column or pattern",
)  # fmt: skip

_OWNER = Record(
    (
        Field("space", _SPACE, "The key space whose rows are counted.", required=True, add="`space:` that has the rows"),
        Field("file", _FILE, "Only rows in such files.", also=("path",)),
        Field("heading", _NAME, "Only rows under such headings.", also=("section",)),
        Field("column", _NAME, "With `value`: only rows whose cell in this column fits."),
        Field("value", _NAME, "What the cell reads, or a pattern.", examples=("READY*",)),
    ),
    wants="a mapping with space",
)  # fmt: skip

_COUNT = Record(
    (
        Field("file", _FILE, "The file with the number, or a pattern.", required=True, add="`file:` with its path",
              also=("path",)),
        Field("text", _NAME, "The words around the number, with `{n}` in its place; the cells of a row are divided by ` | `.",
              required=True, add="`text:` with {n} for the number", examples=("the pin has {n} models",)),
        Field("owner", _OWNER, "Which rows the number counts.", required=True, add="`owner:` with the key space"),
    ),
    wants="a mapping with file, text and owner",
)  # fmt: skip

RECORDS = Record(
    (
        Field("tables", ListOf(_TABLE, "a list of tables"), "The tables in which a key may be defined once.", also=("table",)),
        Field("references", ListOf(_REFERENCE, "a list of references"), "What must name a row of a key space.",
              also=("reference", "refs")),
        Field("counts", ListOf(_COUNT, "a list of counts"), "Copies of numbers that a table owns.", also=("count",)),
        Field("links", Switch(), "Whether relative links are looked at. Default: false.", also=("link",)),
        Field("anchors", Switch(), "Whether `path:line` anchors are looked at. Default: false.", also=("anchor",)),
        Field("files", ListOf(_FILE, "a list of patterns"),
              "Whose links and anchors are looked at. Default: every Markdown file.", also=("paths",),
              examples=("docs/**/*.md",)),
        Field("roots", ListOf(_FILE, "a list of patterns"), "This repository's own paths, for anchors. Default: none.",
              also=("root",), examples=("src/**",)),
    ),
    wants="a mapping: tables, references, counts, links, anchors, files, roots",
)  # fmt: skip
