"""The changed files of a pull request, with the check's annotations under the lines that they speak of."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from sandbox.model import IssueRecord, JsonObject
from sandbox.pages.html import Html, Part, join, tag
from sandbox.store import GitRepository

AROUND = 3
"""Unchanged lines shown around a change or an annotation."""
MOST_LINES = 2000
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)")
_LEVELS = {"failure": ("✗", "Failure"), "warning": ("!", "Warning"), "notice": ("i", "Notice")}


@dataclass(slots=True)
class DiffLine:
    """One line of a file: its sign (+, -, space), its number before and after, and its text."""

    sign: str
    old: int | None
    new: int | None
    text: str


def changed(issue: IssueRecord) -> dict[str, list[DiffLine]]:
    """Every changed file, whole, line by line; empty for binary files."""
    if issue.pull is None:
        return {}
    git = issue.repo.git
    base = git.merge_base(issue.pull.base_sha, issue.pull.head_sha)
    said = git.diff(base, issue.pull.head_sha, "--patch", "--unified=1000000").decode("utf-8", "replace")
    found: dict[str, list[DiffLine]] = {}
    for part in re.split(r"^diff --git ", said, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n@@ ")
        names = re.findall(r"^(?:\+\+\+ b/|--- a/|rename to )(.+)$", head, re.MULTILINE)
        name = names[-1].rstrip("\t") if names else head.split(" b/", 1)[-1].split("\n", 1)[0]
        found[name] = _lines("@@ " + body) if body else []
    return found


def _lines(hunk: str) -> list[DiffLine]:
    rows = hunk.rstrip("\n").split("\n")
    start = _HUNK.match(rows[0])
    old, new = (int(start[1]), int(start[2])) if start else (1, 1)
    found = []
    for row in rows[1:]:
        sign, text = row[:1], row[1:]
        if sign not in ("+", "-", " "):
            continue  # "\ No newline at end of file"
        found.append(DiffLine(sign, None if sign == "+" else old, None if sign == "-" else new, text))
        old, new = old + (sign != "+"), new + (sign != "-")
    return found


def whole(git: GitRepository, commit: str, path: str) -> list[DiffLine]:
    """A file as it stands at a commit; empty where it does not."""
    entry = git.find(git.commit(commit).tree, path)
    if entry is None or entry.kind != "blob":
        return []
    text = git.read(entry.sha).decode("utf-8", "replace").splitlines()
    return [DiffLine(" ", number, number, line) for number, line in enumerate(text, 1)]


def files_section(issue: IssueRecord, annotations: list[JsonObject]) -> Html:
    """All changed files, then the unchanged ones that an annotation speaks of."""
    files, marks = changed(issue), defaultdict(list)
    for item in annotations:
        marks[item["path"]].append(item)
    parts: list[Part] = [_file(name, lines, marks.pop(name, [])) for name, lines in files.items()]
    if marks and issue.pull:
        parts.append(tag("h3", "Unchanged files with check annotations"))
        parts += [_file(name, whole(issue.repo.git, issue.pull.head_sha, name), items) for name, items in marks.items()]
    return join(*parts)


def _file(name: str, lines: list[DiffLine], annotations: list[JsonObject]) -> Html:
    added, removed = (sum(line.sign == sign for line in lines) for sign in "+-")
    counts = (
        join(_count("+", added, "added", "plus"), " ", _count("−", removed, "removed", "minus"))
        if added or removed
        else None
    )
    head = tag("summary", tag("span", name, class_="path"), tag("span", counts, class_="counts"))
    by_line: defaultdict[int, list[JsonObject]] = defaultdict(list)
    for item in annotations:
        by_line[item["end_line"]].append(item)
    beyond = [item for number, items in by_line.items() if all(line.new != number for line in lines) for item in items]
    body = tag(
        "div",
        tag("table", tag("tbody", *_rows(lines, by_line)), class_="diff"),
        class_="scroll",
        tabindex="0",
        role="region",
        aria_label=f"Lines of {name}",
    )
    empty = tag("p", "Nothing to show for this file.", class_="muted pad") if not lines else None
    return tag("details", head, empty or body, *(_annotation(item) for item in beyond), class_="file", open=True)


def _count(sign: str, number: int, words: str, kind: str) -> Html:
    return tag("span", f"{sign}{number}", tag("span", f" lines {words}", class_="hidden"), class_=kind)


def file_view(lines: list[DiffLine]) -> Html:
    """A file as it stands, each line with an anchor (`#L5`)."""
    rows = (
        tag("tr", tag("td", str(line.new), class_="number"), tag("td", line.text, class_="code"), id=f"L{line.new}")
        for line in lines[:MOST_LINES]
    )
    return tag(
        "div",
        tag("table", tag("tbody", *rows), class_="diff"),
        class_="scroll",
        tabindex="0",
        role="region",
        aria_label="File",
    )


def _rows(lines: list[DiffLine], marks: defaultdict[int, list[JsonObject]]) -> list[Html]:
    """Table rows: what changed or is annotated with a few lines around it; the rest is counted."""
    wanted = [at for at, line in enumerate(lines) if line.sign != " " or (line.new in marks)]
    shown = {near for at in wanted for near in range(at - AROUND, at + AROUND + 1) if 0 <= near < len(lines)}
    rows, last = [], -1
    for at in sorted(shown)[:MOST_LINES]:
        if at > last + 1:
            rows.append(_gap(at - last - 1))
        line, last = lines[at], at
        kind = {"+": "added", "-": "removed", " ": "same"}[line.sign]
        numbers = (tag("td", str(number) if number else "", class_="number") for number in (line.old, line.new))
        rows.append(
            tag("tr", *numbers, tag("td", line.sign, class_="sign"), tag("td", line.text, class_="code"), class_=kind)
        )
        if line.new is not None and line.sign != "-":
            rows += [
                tag("tr", tag("td", _annotation(item), colspan="4"), class_="mark") for item in marks.get(line.new, [])
            ]
    if last + 1 < len(lines):
        rows.append(_gap(len(lines) - last - 1))
    return rows


def _gap(count: int) -> Html:
    return tag("tr", tag("td", f"⋯ {count} unchanged {'line' if count == 1 else 'lines'}", colspan="4"), class_="gap")


def _annotation(item: JsonObject) -> Html:
    sign, level = _LEVELS[item["annotation_level"]]
    lines = (
        f"Line {item['start_line']}"
        if item["start_line"] == item["end_line"]
        else f"Lines {item['start_line']} to {item['end_line']}"
    )
    title = item.get("title") or "Check"
    head = tag(
        "p",
        tag("span", sign, class_="icon", aria_hidden="true"),
        tag("strong", f"{level}: {title}"),
        " ",
        tag("span", lines, class_="muted"),
        class_="annotation-head",
    )
    more = (
        tag("details", tag("summary", "Raw details"), tag("pre", item["raw_details"], tabindex="0"))
        if item.get("raw_details")
        else None
    )
    return tag(
        "div", head, tag("p", item["message"], class_="message"), more, class_=f"annotation {item['annotation_level']}"
    )
