"""The fingerprint of a launch: what a measurement was made of, in one short text.

The numbers in `verified` belong to one command. The fingerprint covers everything that makes that command another one:
the model, the image, the words of `args` in their order, the environment, the mods in their order, and the number of
nodes. It leaves out what describes the recipe (id, notes, source, the measurement itself, the spelling of the hardware).

It is taken of what is written, not of what it means: an edit that should change nothing (`256K` for `262144`) still
asks for a look, because "should" was not measured. Only the order of environment keys does not count.
"""

from __future__ import annotations

import hashlib
import json

from recipediff.core.recipe import TestedRecipe


def fingerprint(recipe: TestedRecipe) -> str:
    """`sha256:` and 64 hex digits over the canonical JSON (sorted keys, no blanks, UTF-8) of the recipe's launch."""
    launch = {
        "model": recipe.model.text,
        "image": recipe.image.text,
        "nodes": recipe.nodes,
        "args": [word.text for word in recipe.args],
        "env": {variable.name: variable.value for variable in recipe.env},
        "mods": [word.text for word in recipe.mods],
    }
    text = json.dumps(launch, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
