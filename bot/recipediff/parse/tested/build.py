"""From nodes to a `TestedRecipe`, leniently: whatever has text is taken as it is written, whatever is missing is empty.

The shape is judged elsewhere (`tested_shape`); here nothing is refused and nothing is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from recipediff.core.launch import Assignment, Select, Word
from recipediff.core.place import Place
from recipediff.core.recipe import Deviation, Source, TestedRecipe, Verified
from recipediff.core.setting import SettingKind
from recipediff.parse.documents.document import MappingNode, Node, ScalarNode, SequenceNode
from recipediff.parse.schema.fields import VLLM_TEXT
from recipediff.parse.tested.shape import start

_KINDS: dict[str, SettingKind] = {"flag": "flag", "env": "env", "mod": "mod"}
_FACTS = ("kv_tokens", "concurrency", "load_seconds", "when", "on")


def text(node: Node | None) -> str:
    """The text of a scalar as it is written; empty for anything else, and for null."""
    return node.text if isinstance(node, ScalarNode) and node.value is not None else ""


def build(root: MappingNode, recipe_id: str, file: str) -> TestedRecipe:
    """The recipe in `root`, as far as it can be read."""
    here = start(root.place)
    topology = _mapping(root.get("topology"))
    return TestedRecipe(
        id=recipe_id,
        model=_word(root.get("model"), here),
        image=_word(root.get("image"), here),
        hardware=text(topology.get("hardware")),
        nodes=_whole(topology.get("nodes")) or 0,
        args=tuple(_words(root.get("args"))),
        env=tuple(_environment(root.get("env"))),
        mods=tuple(_words(root.get("mods"))),
        source=_source(root.get("source")),
        verified=_verified(root.get("verified")),
        vllm=_version(root.get("vllm")),
        place=here,
        file=file,
        places=_all_places(root),
        notes=text(root.get("notes")),
        port=_whole(root.get("port")),
    )


def _mapping(node: Node | None) -> Mapping[str, Node]:
    return node.entries if isinstance(node, MappingNode) else {}


def _places(node: Node | None) -> dict[str, Place]:
    return {key: value.place for key, value in _mapping(node).items()}


def _all_places(root: MappingNode) -> dict[str, Place]:
    """The places of the fields, and of those one level down (`topology.nodes`, `env.FOO`)."""
    found = _places(root)
    for outer in ("topology", "env"):
        found.update({f"{outer}.{key}": place for key, place in _places(root.get(outer)).items()})
    return found


def _whole(node: Node | None) -> int | None:
    value = node.value if isinstance(node, ScalarNode) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == value and abs(value) != float("inf") and value == int(value) else None


def _version(node: Node | None) -> str:
    """The stated vLLM version; empty where it is none, since nothing can be looked up by it then."""
    stated = text(node)
    return stated if VLLM_TEXT.fits(stated) else ""


def _word(node: Node | None, otherwise: Place) -> Word:
    return Word(text(node), node.place if isinstance(node, ScalarNode) else otherwise)


def _words(node: Node | None) -> Iterator[Word]:
    if isinstance(node, SequenceNode):
        for item in node.items:
            if isinstance(item, ScalarNode) and item.value is not None:
                yield Word(item.text, item.place)


def _environment(node: Node | None) -> Iterator[Assignment]:
    if not isinstance(node, MappingNode):
        return
    for name, value in node.entries.items():
        if isinstance(value, ScalarNode) and value.value is not None:
            yield Assignment(name, value.text, _span(node.keys[name].place, value.place))


def _span(key: Place, value: Place) -> Place:
    """From the key to the end of its value; the key alone where the value is an alias of something elsewhere."""
    if (value.line, value.column) < (key.line, key.column):
        return key
    return Place(file=key.file, line=key.line, column=key.column, end_line=value.end_line, end_column=value.end_column)


def _source(node: Node | None) -> Source | None:
    if not isinstance(node, MappingNode):
        return None
    here = start(node.place)
    declared = node.get("deviations")
    items = declared.items if isinstance(declared, SequenceNode) else ()
    return Source(
        repo=text(node.get("repo")),
        path=text(node.get("path")),
        commit=text(node.get("commit")),
        license=text(node.get("license")),
        select=_select(node.get("select")),
        deviations=tuple(found for found in map(_deviation, items) if found is not None),
        place=here,
        places=_places(node),
        flow=node.flow,
        last=items[-1].place if isinstance(declared, SequenceNode) and declared.flow and items else None,
    )


def _select(node: Node | None) -> Select:
    entries = _mapping(node)
    features = entries.get("features")
    return Select(
        hardware=text(entries.get("hardware")),
        variant=text(entries.get("variant")),
        strategy=text(entries.get("strategy")),
        features=tuple(word.text for word in _words(features)) if isinstance(features, SequenceNode) else None,
        nodes=_whole(entries.get("nodes")) or 0,
        role=text(entries.get("role")),
    )


def _deviation(node: Node) -> Deviation | None:
    """One declaration; None where its kind or its setting cannot be told, which the shape has reported."""
    if not isinstance(node, MappingNode):
        return None
    kind = _KINDS.get(text(node.get("kind")))
    setting = text(node.get("setting"))
    if kind is None or not setting:
        return None
    return Deviation(
        kind=kind,
        setting=setting,
        upstream=text(node.get("upstream")),
        ours=text(node.get("ours")),
        why=text(node.get("why")),
        place=start(node.place),
        places=_places(node),
    )


def _verified(node: Node | None) -> Verified | None:
    if not isinstance(node, MappingNode):
        return None
    return Verified(
        context=_whole(node.get("context")),
        fingerprint=text(node.get("fingerprint")),
        place=start(node.place),
        places=_places(node),
        facts={name: text(node.get(name)) for name in _FACTS if text(node.get(name))},
    )
