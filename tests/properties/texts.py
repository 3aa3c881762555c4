"""A line as the text of a script, and as a recipe of eugr's: quotes, continuations, comments and defaults at random."""

from __future__ import annotations

import json
import re
from random import Random

from recipediff.core.launch import Launch
from recipediff.parse.formats.command import read_text
from recipediff.parse.formats.eugr.reader import read_recipe
from recipediff.parse.formats.format import FormatReading
from recipediff.parse.vllm.launch import understand
from tests.properties.lines import VERSION, Line

_BARE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")


def quoted(word: str, random: Random) -> str:
    """One word in some shell quoting."""
    style = random.randrange(5)
    if style == 0 and _BARE.fullmatch(word) and not word.startswith("="):
        return word
    if style == 1:
        return '"' + re.sub(r'([\\"$`])', r"\\\1", word) + '"'
    if style == 2 and word and "\n" not in word:
        return "".join(char if char.isalnum() else f"\\{char}" for char in word)
    if style == 3 and len(word) > 1:
        at = random.randrange(1, len(word))
        return quoted(word[:at], random) + quoted(word[at:], random)
    return "'" + word.replace("'", "'\\''") + "'"


def gap(random: Random) -> str:
    """What may stand between two words."""
    return random.choice([" ", " ", "  ", "\t", " \\\n", " \\\n    ", " \\\n\t", "\\\n  "])


def script(line: Line, random: Random) -> str:
    """A shell script that starts the line's server with its environment."""
    parts = ["# a note above\n"] if random.random() < 0.5 else []
    prefix = []
    for name, value in line.env.items():
        if random.random() < 0.5:
            parts.append(f"export {name}={quoted(value, random)}\n")
        else:
            prefix.append(f"{name}={quoted(value, random)}")
    program = random.choice([["vllm", "serve"], ["exec", "vllm", "serve"], ["/usr/bin/vllm", "serve"]])
    if prefix and program[0] == "exec":
        program = program[1:]
    words = [*prefix, *program, *(quoted(word, random) for word in line.words)]
    parts += [words[0], *(gap(random) + word for word in words[1:])]
    return "".join(parts) + random.choice(["", "\n", "\n# done\n", " \n\n"])


def recipe(line: Line, random: Random) -> str:
    """The same in eugr's format: some words come out of the defaults, braces are doubled."""
    words, defaults = ["vllm", "serve"], {}
    for number, word in enumerate(line.words):
        text = quoted(word, random)
        if random.random() < 0.2:
            defaults[f"p{number}"] = text
            words.append(f"{{p{number}}}")
        else:
            words.append(text.replace("{", "{{").replace("}", "}}"))
    command = words[0] + "".join(gap(random) + word for word in words[1:])
    head = {"recipe_version": "1", "name": "x", "container": "image", "model": line.items[0].values[0]}
    rest = {
        "defaults": defaults,
        "env": {name: _exported(value) for name, value in line.env.items()},
        "mods": list(line.mods),
    }
    lines = [f"{key}: {json.dumps(value)}" for key, value in (*head.items(), *rest.items())]
    random.shuffle(lines)
    body = json.dumps(command) if "\t" in command else "|\n" + "\n".join("  " + row for row in command.split("\n"))
    return "\n".join([*lines, f"command: {body}"]) + "\n"


def _exported(value: str) -> str:
    """A value as it must stand in `env`, which the runner exports in double quotes."""
    return re.sub(r"([\\$`])", r"\\\1", value)


def read_script(text: str) -> Launch:
    """As the code under test reads a script."""
    return _one(read_text(text, "script"))


def read_recipe_text(text: str) -> Launch:
    """As the code under test reads a recipe."""
    return _one(read_recipe(text.encode(), "recipe.yaml"))


def _one(reading: FormatReading) -> Launch:
    assert not reading.problems, reading.problems
    assert len(reading.invocations) == 1, reading.invocations
    return understand(reading.invocations[0], VERSION)
