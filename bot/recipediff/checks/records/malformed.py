"""How the guard words what keeps a declared table from being read. Not evaluated is never a success."""

from __future__ import annotations

from fnmatch import fnmatchcase

from recipediff.core.finding import Finding, Fix
from recipediff.core.place import Place, Unreadable
from recipediff.core.records import BLANK, ReferenceRule, TableRule
from recipediff.parse.markdown import Block, Cell, Markdown, Table


def unreadable(error: Unreadable) -> Finding:
    """A file that cannot be read at all."""
    problem = error.problem
    fix = Fix(problem.hint) if problem.hint else None
    message = f"the file cannot be read: {problem.message}"
    return Finding(
        rule="record-malformed-table",
        severity="error",
        recipe="",
        message=message,
        place=problem.place,
        fix=fix,
        key=f"{problem.place.file}:read",
    )


def too_large(path: str, size: int) -> Finding:
    """A file that is not read for its size."""
    message = f"the file has {size:,} bytes, more than are read, and is not guarded"
    fix = Fix("divide it")
    return Finding(
        rule="record-malformed-table",
        severity="error",
        recipe="",
        message=message,
        place=Place(file=path),
        fix=fix,
        key=f"{path}:size",
    )


def no_file(rule: TableRule) -> Finding:
    """The pattern of a declaration fits no file."""
    message = f"no file fits “{rule.file}”, where the table with the key column “{rule.key}” is declared to be"
    fix = Fix("correct the path in the declaration, or remove it")
    return Finding(
        rule="record-malformed-table",
        severity="error",
        recipe="",
        message=message,
        place=rule.place,
        fix=fix,
        key=f"{rule.file}:file",
    )


def no_table(document: Markdown, rule: TableRule, under: list[Table]) -> Finding:
    """A declared heading, table or column is missing; the place is as near as the file allows."""
    fix = Fix(f"restore it, or correct the declaration in {rule.place.file}")
    key = f"{document.file}:{rule.heading}:{rule.key}:table"
    where = f"under “{rule.heading}”" if rule.heading else "in the file"
    place = Place(file=document.file)
    texts = zip(document.headings, document.heading_texts, strict=True)
    headings = [heading for heading, text in texts if rule.heading and fnmatchcase(text, rule.heading)]
    if under:
        names = ", ".join(f"“{document.plain(cell)}”" for cell in under[0].header)
        message = f"no table {where} has the declared key column “{rule.key}”; the first one has {names}"
        place = Place(file=document.file, line=under[0].line, column=under[0].header[0].column)
    elif rule.heading in {"", "*"} or headings:
        message = f"no table {where}, where one with the key column “{rule.key}” is declared"
        place = headings[0].place(document.file) if headings else place
        if broken := _broken_table(document, headings[0].line if headings else None):
            message = f"{message}: here the row of dashes does not have as many cells as the header"
            place = Place(file=document.file, line=broken.line, column=broken.starts[0] + 1)
    else:
        message = (
            f"no heading reads “{rule.heading}”, under which the table with the key column “{rule.key}” is declared"
        )
    return Finding(
        rule="record-malformed-table", severity="error", recipe="", message=message, place=place, fix=fix, key=key
    )


def wrong_width(document: Markdown, table: Table, line: int) -> Finding:
    """A row with more or fewer cells than the header."""
    cells = table.cells(document.lines, line)
    width, count = len(table.header), len(cells)
    if count > width:
        place = Place(file=document.file, line=line, column=cells[width].column)
        what = f"{_cells(count)} where the header has {width}: what stands here is not shown"
        fix = Fix("write a pipe that belongs to the text as \\|, also within a code span")
    else:
        place = Place(file=document.file, line=line, column=cells[-1].column if cells else 1)
        what = f"{_cells(count)} where the header has {width}"
        fix = Fix(f"write the missing cells; {BLANK} is the honest blank")
    text = document.lines[line - 1]
    key = f"{document.file}:{text.strip()[:200]}:width"
    return Finding(
        rule="record-malformed-table",
        severity="error",
        recipe="",
        message=f"the row has {what}",
        place=place,
        fix=fix,
        key=key,
        line=text,
    )


def bad_key(document: Markdown, cell: Cell, key: str, rule: TableRule) -> Finding:
    """A row without a key, or with one of another shape."""
    if key:
        message = f"the key “{key}” does not have the declared shape “{rule.pattern}”"
        fix = Fix("correct the key, or the shape in the declaration")
    else:
        message = f"the row has no key in the column “{rule.key}”"
        fix = Fix(f"write the key, or {BLANK} for an honest blank")
    text = document.lines[cell.line - 1]
    place = cell.place(document.file)
    identity = f"{document.file}:{key or text.strip()[:200]}:key"
    return Finding(
        rule="record-malformed-table",
        severity="error",
        recipe="",
        message=message,
        place=place,
        fix=fix,
        key=identity,
        line=text,
    )


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


def _broken_table(document: Markdown, heading: int | None) -> Block | None:
    """The first text under the heading at that line (in the file, without one) that looks like a table and is none."""
    for text in document.texts:
        if heading is not None and text.line <= heading:
            continue
        if heading is not None and text.level:
            break
        lines = text.content.split("\n")
        if len(lines) > 1 and "|" in lines[0] and "-" in lines[1] and not lines[1].strip("|-: \t"):
            return text
    return None


def no_reference_file(rule: ReferenceRule) -> Finding:
    """The pattern of a declared reference fits no file."""
    message = f"no file fits “{rule.file}”, where references to “{rule.space}” are declared to be"
    fix = Fix("correct the path in the declaration, or remove it")
    key = f"{rule.file}:{rule.space}:reference"
    return Finding(
        rule="record-malformed-table", severity="error", recipe="", message=message, place=rule.place, fix=fix, key=key
    )


def no_column(document: Markdown, rule: ReferenceRule) -> Finding:
    """The declared column of references is missing."""
    where = f"under “{rule.heading}”" if rule.heading else "in the file"
    message = (
        f"no table {where} has the column “{rule.column}”, whose cells are declared to name rows of “{rule.space}”"
    )
    fix = Fix(f"restore it, or correct the declaration in {rule.place.file}")
    key = f"{document.file}:{rule.heading}:{rule.column}:reference"
    return Finding(
        rule="record-malformed-table",
        severity="error",
        recipe="",
        message=message,
        place=Place(file=document.file),
        fix=fix,
        key=key,
    )
