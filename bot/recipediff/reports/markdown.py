"""The report as Markdown: what the comment says and what the check run's summary shows. Short, worst first, whole rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from recipediff.core.finding import Finding
from recipediff.core.place import Place
from recipediff.reports.escape import block, code, prose
from recipediff.reports.report import FindingGroup, Report, ReportRow, plural

LIMIT = 60_000
"""Characters; GitHub takes 65,536 in a comment and 65,535 in a check run's summary."""

Linker = Callable[[Place], str]
"""A place's address, or an empty text where there is none."""

_TITLES = {"pass": "✅ recipediff", "fail": "❌ recipediff", "not evaluated": "⚠️ recipediff"}


def no_links(place: Place) -> str:
    """A linker for reports that stand alone."""
    del place
    return ""


def render(report: Report, *, link: Linker = no_links, limit: int = LIMIT, more: str = "") -> str:
    """The whole report in at most `limit` characters: rows that do not fit are counted, with `more` as where to see them."""
    head = f"### {_TITLES[report.verdict.state]}: {prose(report.headline())}\n"
    notes = "".join(f"\n> {prose(note)}\n" for note in report.notes)
    room = limit - len(head) - len(notes) - 400
    parts: list[str] = []
    left_out = 0
    for group in report.groups:
        text, cut = _group(group, link, room)
        left_out += cut
        room -= len(text)
        parts.append(text)
    if left_out:
        where = f" {more}" if more else ""
        parts.append(f"\n{plural(left_out, 'more row')} did not fit here.{where}\n")
    return head + "".join(parts) + notes


def _group(group: FindingGroup, link: Linker, room: int) -> tuple[str, int]:
    """One recipe's rows within `room` characters, and how many were left out."""
    address = link(Place(file=group.file))
    title = f"[{code(group.file)}]({address})" if address else code(group.file)
    name = f"**{prose(group.title)}** · {title}" if group.title != group.file else title
    settings = any(_is_setting(row) for row in group.rows)
    header = "| | setting | upstream | here | |\n|---|---|---|---|---|" if settings else "| | what | |\n|---|---|---|"
    text = f"\n{name}\n\n{header}\n"
    details: list[str] = []
    cut = 0
    for row in group.rows:
        line = _row(row, link, settings=settings)
        extra = "\n".join(_details(row))
        if cut or len(text) + len(line) + sum(map(len, details)) + len(extra) + 200 > room:
            cut += 1
            continue
        text += line
        if extra:
            details.append(extra)
    fix = _fix(group, details, room - len(text))
    if fix:
        text += f"\n<details><summary>What to do</summary>\n\n{fix}\n\n</details>\n"
    return text, cut


def _is_setting(row: ReportRow) -> bool:
    """Whether a row has two sides to show."""
    return bool(row.finding.setting) and row.finding.rule in ("undeclared", "misdeclared")


def _row(row: ReportRow, link: Linker, *, settings: bool) -> str:
    finding = row.finding
    rule = finding.rule.replace("-", " ")
    rule = rule if finding.severity == "note" or row.status in ("open", "fixed") else f"**{rule}**"
    status = f" · {row.status}" if row.status else ""
    if _is_setting(row):
        kind = "" if finding.kind == "flag" else f"{finding.kind} "
        cells = (f"{kind}{code(finding.setting, 80)}", _value(finding.upstream), _value(finding.ours))
    else:
        cells = (prose(finding.message), "", "")
    address = link(finding.place)
    where = f"line {finding.place.line}" if finding.place.line else "file"
    where = f"[{where}]({address})" if address else where
    reason = finding.message.removeprefix(f"{finding.setting}: ")
    why = f"<br>{prose(reason)}" if finding.rule == "misdeclared" else ""
    inner = "".join(f"<br>{prose(d)}" for d in finding.detail[:5])
    sides = f" {cells[1]} | {cells[2]} |" if settings else ""
    return f"| {rule}{status} | {cells[0]}{why}{inner} |{sides} {where} |\n"


def _value(text: str | None) -> str:
    return "—" if text is None else code(text)


def _details(row: ReportRow) -> Iterator[str]:
    finding: Finding = row.finding
    if finding.fix is None or row.status in ("fixed", "open"):
        return
    name = code(finding.setting or finding.rule, 80)
    yield f"- {name}: {prose(finding.fix.summary)}"


def _fix(group: FindingGroup, details: list[str], room: int) -> str:
    """What a person may do, each kind of advice once, and the patch that does what can be done without them."""
    text = "\n".join(dict.fromkeys(details))
    if group.patch and len(group.patch) + len(text) + 200 < room:
        text += "\n\nAs a patch, for `git apply`. A declaration needs its reason: an empty `why` keeps failing.\n\n"
        text += block(group.patch.rstrip("\n"), "diff")
    return text
