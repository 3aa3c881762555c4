"""Which files are recipes that eugr's runner reads, and which belong to a launcher with other rules."""

from __future__ import annotations

from recipediff.core.place import Place, Problem
from recipediff.parse.documents.document import MappingNode, ScalarNode
from recipediff.parse.formats.eugr import values

VERSION = "1"
_OTHER_DIALECT = ("runtime", "min_nodes", "max_nodes", "executor_config")
"""Keys of another launcher's recipes, which look alike and fill their commands by other rules."""


def refused(root: MappingNode, path: str) -> Problem | None:
    """Why this is no recipe that the rules of version 1 hold for."""
    stated = root.get("recipe_version")
    hint = f'only recipe_version "{VERSION}" is read'
    if stated is None:
        return Problem(
            "there is no recipe_version, so it is not known how the command is to be read", Place(file=path), hint
        )
    for key in _OTHER_DIALECT:
        if key in root:
            message = f"`{key}` belongs to another launcher's recipes, which are filled by other rules"
            return Problem(message, root.keys[key].place, "recipes of that launcher are not read")
    found = version(root)
    if found == VERSION or _reads_the_same(root):
        return None
    return Problem(f"recipe_version {found[:40]} is another format", stated.place, hint)


def version(root: MappingNode) -> str:
    """`recipe_version` as the runner compares it."""
    node = root.get("recipe_version")
    return values.shown(node) if isinstance(node, ScalarNode) else "a list or mapping"


def _reads_the_same(root: MappingNode) -> bool:
    """Whether a file that says version 2 is one of this runner's all the same.

    The runner warns and reads it by the rules of version 1. The launcher whose version 2 is another format writes no
    `name`, and differs in what a doubled brace means; with a name and no doubled brace, both read the command alike.
    """
    command = root.get("command")
    text = command.text if isinstance(command, ScalarNode) else "{{"
    return version(root) == "2" and "name" in root and "metadata" not in root and "{{" not in text and "}}" not in text
