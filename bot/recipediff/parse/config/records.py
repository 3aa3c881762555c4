"""The `records:` section of the configuration, read into a `RecordsConfig` whose declarations know their places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from recipediff.core.place import Place
from recipediff.core.records import CountOwner, CountRule, RecordsConfig, ReferenceRule, TableRule
from recipediff.parse.documents.document import MappingNode, Node, SequenceNode, plain

RuleT = TypeVar("RuleT")


def records_config(node: Node | None, wrong: set[str]) -> RecordsConfig:
    """The declarations of a section. Those within which a path of `wrong` lies (`records.tables[0].key`) are left out:
    half of a declaration would guard something else."""
    if not isinstance(node, MappingNode):
        return RecordsConfig()
    default = RecordsConfig()
    scalars = {name: plain(node.get(name)) for name in ("links", "anchors")}
    return RecordsConfig(
        tables=tuple(_rules(node, "tables", wrong, _table)),
        references=tuple(_rules(node, "references", wrong, _reference)),
        counts=tuple(_rules(node, "counts", wrong, _count)),
        links=scalars["links"] is True,
        anchors=scalars["anchors"] is True,
        files=_texts(node, "files", wrong) or default.files,
        roots=_texts(node, "roots", wrong),
    )


def _rules(
    node: MappingNode, name: str, wrong: set[str], make: Callable[[MappingNode, Place], RuleT]
) -> Iterator[RuleT]:
    listed = node.get(name)
    for index, item in enumerate(listed.items if isinstance(listed, SequenceNode) else ()):
        path = f"records.{name}[{index}]"
        if isinstance(item, MappingNode) and not any(one == path or one.startswith(f"{path}.") for one in wrong):
            yield make(item, Place(file=item.place.file, line=item.place.line, column=item.place.column))


def _texts(node: MappingNode, name: str, wrong: set[str]) -> tuple[str, ...]:
    listed = node.get(name)
    items = listed.items if isinstance(listed, SequenceNode) else ()
    values = [plain(item) for index, item in enumerate(items) if f"records.{name}[{index}]" not in wrong]
    return tuple(value for value in values if isinstance(value, str))


def _text(node: MappingNode, name: str) -> str:
    value = plain(node.get(name))
    return value if isinstance(value, str) else ""


def _table(node: MappingNode, place: Place) -> TableRule:
    names = ("file", "key", "heading", "space", "pattern")
    return TableRule(**{name: _text(node, name) for name in names}, place=place)


def _reference(node: MappingNode, place: Place) -> ReferenceRule:
    names = ("file", "space", "column", "heading", "pattern")
    return ReferenceRule(**{name: _text(node, name) for name in names}, place=place)


def _count(node: MappingNode, place: Place) -> CountRule:
    owner = node.get("owner")
    names = ("space", "column", "value", "file", "heading")
    given = {name: _text(owner, name) for name in names} if isinstance(owner, MappingNode) else {"space": ""}
    return CountRule(_text(node, "file"), _text(node, "text"), CountOwner(**given), place)
