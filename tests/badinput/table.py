"""Broken recipes, upstream files, configurations and arguments, each with what must be said about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.cases.asking import eugr, recipe

PIN = "c" * 40
SERVE = "vllm serve org/m --max-model-len 32768"
ARGS = ("--max-model-len", "32768")
FILE = "m-2spark.yaml"
CHECK = ("check", FILE, "--upstream", "eugr=up")
LOL = "\n".join([f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else '1'}]" for n in range(9)])


@dataclass(frozen=True, kw_only=True)
class Bad:
    """One broken input. `files` are made in an empty folder; `make` does what a mapping of bytes cannot."""

    name: str
    says: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict)
    arguments: tuple[str, ...] = CHECK
    status: int = 1
    make: Callable[[Path], None] | None = None

    @property
    def heavy(self) -> bool:
        """Whether it is large, grows when it is read, or is no ordinary file: it runs in a process that is measured."""
        grows = any(b"*a" in data or b"{a,b}" in data or b".." in data for data in self.files.values())
        return self.make is not None or grows or sum(map(len, self.files.values())) > 8_000


def text(**changes: Any) -> str:
    """A good recipe as JSON, which YAML reads; a change to None takes the key out."""
    one = {**recipe(ARGS, PIN), **changes}
    one.pop("id")
    return json.dumps({key: value for key, value in one.items() if value is not None}, indent=1)


def ours(name: str, data: bytes | str, *says: str, **more: Any) -> Bad:
    """A broken recipe beside a good upstream."""
    files = {FILE: data.encode() if isinstance(data, str) else data, "up/recipes/m.yaml": eugr(SERVE).encode()}
    return Bad(name=name, says=says, files={**files, **more.pop("files", {})}, **more)


def theirs(name: str, data: bytes | str, *says: str, **more: Any) -> Bad:
    """A broken upstream file that a good recipe follows: never compared, and that counts."""
    files = {FILE: text().encode(), "up/recipes/m.yaml": data.encode() if isinstance(data, str) else data}
    return Bad(
        name=name, says=("not-checked", "m-2spark.yaml:", *says), files={**files, **more.pop("files", {})}, **more
    )


def config(name: str, data: bytes | str, *says: str, **more: Any) -> Bad:
    """A broken configuration: nothing is done, one line says why."""
    files = {FILE: text().encode(), "c.yml": data.encode() if isinstance(data, str) else data}
    arguments = ("check", FILE, "--config", "c.yml")
    return Bad(name=name, says=("error: c.yml", *says), files=files, arguments=arguments, status=2, **more)


def usage(name: str, arguments: tuple[str, ...], *says: str, **more: Any) -> Bad:
    """Arguments that cannot be used."""
    files = {FILE: text().encode(), "up/recipes/m.yaml": eugr(SERVE).encode(), **more.pop("files", {})}
    return Bad(name=name, says=says, files=files, arguments=arguments, status=more.pop("status", 2), **more)


def with_source(**changes: Any) -> str:
    """A good recipe with another source."""
    one = recipe(ARGS, PIN)
    return text(source={**one["source"], **changes})


def _unreadable(folder: Path) -> None:
    (folder / FILE).chmod(0)


def _loop(folder: Path) -> None:
    (folder / "loop.yaml").symlink_to("loop.yaml")


def _folder_named_as_file(folder: Path) -> None:
    (folder / FILE).unlink()
    (folder / FILE).mkdir()


def _fifo(folder: Path) -> None:
    import os

    os.mkfifo(folder / "pipe.yaml")


DEEP = "[" * 5000 + "]" * 5000
BIG_JSON = '{"a":"' + "x" * (10 * 1024 * 1024) + '"}'
SCRIPT = ["diff", "eugr:up/recipes/m.yaml", "command:s", "--vllm", "0.32.0"]


def line(name: str, script: str, *says: str, status: int = 1) -> Bad:
    """A command line that `diff` is given."""
    files = {"up/recipes/m.yaml": eugr(SERVE).encode(), "s": script.encode()}
    return Bad(name=name, says=says, files=files, arguments=tuple(SCRIPT), status=status)


RECIPES = [
    ours("empty file", "", "malformed-recipe", FILE, "empty"),
    ours("only a comment", "# nothing\n", "malformed-recipe", "empty"),
    ours("byte order mark", b"\xef\xbb\xbf" + b"[]\n", "malformed-recipe", "list where one recipe"),
    ours("not UTF-8", b"model: \xff\xfe\n", "malformed-recipe", f"{FILE}:1:8", "not UTF-8", "save the file as UTF-8"),
    ours("UTF-16", text().encode("utf-16"), "malformed-recipe", f"{FILE}:1:1", "not UTF-8"),
    ours("NUL", b"model: a\0b\n", "malformed-recipe", f"{FILE}:1:9", "U+0000"),
    ours("escape sequences", b"model: \x1b[31mred\n", "malformed-recipe", "U+001B"),
    ours("tabs", "model: org/m\ntopology:\n\thardware: x\n", "malformed-recipe", f"{FILE}:3:1", "no tabs"),
    ours("unbalanced quote", 'model: "org/m\n', "malformed-recipe", FILE, "not YAML"),
    ours("unbalanced bracket", "args: [a, b\nenv: {}\n", "malformed-recipe", FILE, "not YAML"),
    ours("a plain word", "hello\n", "malformed-recipe", f"{FILE}:1:1"),
    ours("a list", "- a\n- b\n", "malformed-recipe", "list where one recipe"),
    ours("two documents", text() + "\n---\na: 1\n", "malformed-recipe", "second YAML document"),
    ours("duplicate key", text().replace('"image":', '"image": "a",\n "image":'), "duplicate-key", f"{FILE}:", "image"),
    ours("YAML bomb", LOL, "malformed-recipe", FILE, "aliases"),
    ours("alias to itself", "a: &a [*a]\n", "malformed-recipe", FILE, "anchor"),
    ours("tag that makes an object", "model: !!python/object/apply:os.system ['id']\n", "malformed-recipe", "not allowed"),
    ours("deep nesting", f"args: {DEEP}\n", "malformed-recipe", FILE, "deeper"),
    ours("deep nesting by indentation", "".join(" " * n + "a:\n" for n in range(300)), "malformed-recipe", "deeper"),
    ours("huge file", "a: " + "x" * (5 * 1024 * 1024), "malformed-recipe", FILE, "bytes", "more than"),
    ours("a hundred thousand keys", "".join(f"k{n}: 1\n" for n in range(100_000)), "malformed-recipe", FILE),
    ours("args is text", text(args="--a b"), "malformed-recipe", "args"),
    ours("args holds a mapping", text(args=[{"a": 1}]), "malformed-recipe", "args[0]"),
    ours("args holds a list", text(args=[["a"]]), "malformed-recipe", "args[0]"),
    ours("env is a list", text(env=["A=1"]), "malformed-recipe", "env"),
    ours("env value is a mapping", text(env={"A": {"b": 1}}), "malformed-recipe", "env.A"),
    ours("nodes is text", text(topology={"hardware": "x", "nodes": "two"}), "malformed-recipe", "nodes"),
    ours("nodes is minus one", text(topology={"hardware": "x", "nodes": -1}), "malformed-recipe", "nodes"),
    ours("unknown key", text(modle="org/m"), "malformed-recipe", "modle", "model"),
    ours("no model", text(model=None), "malformed-recipe", "model"),
    ours("no source", text(source=None), "unpinned-source", "source"),
    ours("source is text", text(source="eugr"), "source"),
    ours("commit of 41 digits", with_source(commit="c" * 41), "unpinned-source", "41 digits"),
    ours("commit is a branch", with_source(commit="main"), "unpinned-source", "branch or a tag"),
    ours("commit is a number", with_source(commit=1234567), "source.commit"),
    ours("commit of a megabyte", with_source(commit="c" * 1_000_000), "unpinned-source", "source.commit"),
    ours("path climbs out", with_source(path="../../../../etc/passwd"), "source.path"),
    ours("path is absolute", with_source(path="/etc/passwd"), "source.path"),
    ours("path with NUL", text().replace("recipes/m.yaml", "a\\u0000b"), "source.path"),
    ours("path is a folder", with_source(path="recipes"), "not-checked", "does not exist"),
    ours("repo is an address", with_source(repo="https://example.org/x"), "unpinned-source", "repo"),
    ours("repo climbs out", with_source(repo="../.."), "unpinned-source", "repo"),
    ours("unknown vllm", text(vllm="nightly"), "malformed-recipe", "vllm"),
    ours("absurd vllm", text(vllm="9" * 5000 + ".1"), "vllm"),
    ours("deviations is text", with_source(deviations="none"), "deviations"),
    ours("deviation without why", with_source(deviations=[{"kind": "flag", "setting": "a", "upstream": "1", "ours": "2"}]), "why"),
    ours("unknown kind", with_source(deviations=[{"kind": "arg", "setting": "a", "upstream": "1", "ours": "2", "why": "w"}]), "kind"),
    ours("no digest", text(image="a/b:latest"), "unpinned-image", "latest"),
    ours("10 MB JSON in an argument", text(args=["--hf-overrides", BIG_JSON]), "malformed-recipe", "bytes"),
    ours("a flag nobody has", text(args=[*ARGS, "--nope"]), "refused", "--nope"),
    ours("deep JSON in an argument", text(args=[*ARGS, "--hf-overrides", '{"a":' * 2000 + "1" + "}" * 2000]), "hf_overrides"),
    ours("half a character", text().replace("org/m", "org/\\ud800"), FILE),
    ours("wrong extension", text(), "recipe.txt", files={"recipe.txt": text().encode()}, arguments=("check", "recipe.txt", "--upstream", "eugr=up")),
    Bad(name="JSON list is an object", says=("malformed-recipe", "tested.json"), files={"tested.json": b"{}"}, arguments=("check", "tested.json")),
    Bad(name="JSON with a trailing comma", says=("malformed-recipe", "tested.json:1"), files={"tested.json": b'[{"id":"a",}]'}, arguments=("check", "tested.json")),
    Bad(name="JSON with NaN", says=("malformed-recipe", "tested.json:1"), files={"tested.json": b'[{"id":NaN}]'}, arguments=("check", "tested.json")),
    Bad(name="JSON of 5,000 brackets", says=("malformed-recipe", "tested.json"), files={"tested.json": DEEP.encode()}, arguments=("check", "tested.json")),
    Bad(name="JSON cut short", says=("malformed-recipe", "tested.json:1"), files={"tested.json": b'[{"id": "a'}, arguments=("check", "tested.json")),
]  # fmt: skip

UPSTREAM = [
    theirs("upstream empty", ""),
    theirs("upstream not UTF-8", b"name: \xff\n", "not UTF-8"),
    theirs("upstream NUL", b"name: a\0\n", "U+0000"),
    theirs("upstream YAML bomb", LOL, "aliases"),
    theirs("upstream list", "- a\n", "mapping"),
    theirs("upstream without command", 'recipe_version: "1"\nname: x\n', "no command"),
    theirs("upstream command is a list", 'recipe_version: "1"\ncommand: [a]\n', "not text"),
    theirs("upstream without version", "name: x\ncommand: vllm serve m\n", "recipe_version"),
    theirs("upstream unknown version", eugr(SERVE, version="7"), "recipe_version 7"),
    theirs("upstream unbalanced quote", eugr(f"{SERVE} --a 'b"), "quote"),
    theirs("upstream command substitution", eugr(f"{SERVE} --seed $(date +%s)"), "only known to a shell"),
    theirs("upstream backticks", eugr(f"{SERVE} --seed `date`"), "only known to a shell"),
    theirs("upstream variable for words", eugr(f"{SERVE} $EXTRA"), "any number of words"),
    theirs("upstream missing placeholder", eugr(f"{SERVE} -tp {{tp}}"), "{tp} has no default"),
    theirs("upstream single brace", eugr(f"{SERVE} --seed {{"), "brace"),
    theirs("upstream no server", eugr("echo hello"), "serve"),
    theirs("upstream two servers", eugr(f"{SERVE} &\n{SERVE} --port 1"), status=1),
    theirs("upstream huge command", eugr(SERVE + " --a" * 400_000), "characters"),
    theirs("upstream defaults is a list", eugr(SERVE, defaults=[1]), "defaults is not a mapping"),
    theirs("upstream env is text", eugr(SERVE, env='"A=1"'), "env is not a mapping"),
    theirs("upstream mods is text", eugr(SERVE, mods='"a"'), "mods is not a list"),
    theirs("upstream point in time", eugr(f"{SERVE} --seed {{s}}", defaults="\n  s: 2024-01-01 10:00:00"), "point in time"),
    theirs("upstream open loop", eugr(f"for i in 1 2; do {SERVE}"), "not-checked"),
    theirs("upstream here document", eugr(f"cat <<EOF\n{SERVE}\nEOF"), "not-checked"),
]  # fmt: skip

LINES = [
    line("line empty", "", "not understood"),
    line("line of quotes", "vllm serve org/m --a '", "not understood", "s:1:"),
    line("line of 200,000 words", "vllm serve org/m " + "--a " * 200_000, "s", "characters"),
    line("line with 10 MB JSON", "vllm serve org/m --hf-overrides '" + BIG_JSON + "'", "s: ", "bytes"),
    line("line with braces to expand", "vllm serve org/m {1..99999999}", "not understood", "s"),
    line("line with nested braces", "vllm serve org/m " + "{a,b}" * 40, "not understood", "s"),
    line("line of substitutions", "vllm serve org/m --seed " + "$(" * 500 + ")" * 500, "not understood", "s:1:"),
    line("line with deep JSON", "vllm serve org/m --hf-overrides '" + '{"a":' * 3000 + "1" + "}" * 3000 + "'", "hf-overrides"),
    line("line is a list of numbers", "[1, 2]", "not understood", "s:1:"),
]  # fmt: skip

CONFIGS = [
    config("config not YAML", "a: [", "not YAML"),
    config("config list", "- a\n", ":1:1"),
    config("config unknown key", "recipe: [a]\n", "recipes"),
    config("config unknown format", "upstreams: [{repo: a/b, format: nope}]\n", "format"),
    config("config fail-on", "fail-on: sometimes\n", "fail-on"),
    config("config authority", "upstreams: [{repo: a/b, format: eugr, authority: all}]\n", "authority"),
    config("config duplicate key", "comment: never\ncomment: never\n", "comment"),
    config("config NUL", b"a: \0\n", "U+0000"),
    config("config bomb", LOL, "aliases"),
    config("config huge", "#" * (5 * 1024 * 1024), "bytes"),
    usage("config not there", ("check", FILE, "--config", "nope.yml"), "there is no configuration file nope.yml"),
    usage("config is a folder", ("check", FILE, "--config", "up"), "up"),
]  # fmt: skip

ARGUMENTS = [
    usage("no such file", ("check", "nope.yaml"), "there is no file or folder nope.yaml"),
    usage("folder without recipes", ("check", "empty"), "no recipe found in empty", make=lambda folder: (folder / "empty").mkdir()),
    usage("upstream without path", ("check", FILE, "--upstream", "eugr"), "--upstream takes NAME=PATH"),
    usage("upstream with no name", ("check", FILE, "--upstream", "=up"), "--upstream takes NAME=PATH"),
    usage("upstream unknown", ("check", FILE, "--upstream", "nope=up"), "not a configured upstream", "eugr"),
    usage("upstream folder missing", ("check", FILE, "--upstream", "eugr=nope"), "there is no folder nope"),
    usage("upstream is a file", ("check", FILE, "--upstream", f"eugr={FILE}"), "there is no folder"),
    usage("unknown command", ("chek",), "Did you mean “check”?"),
    usage("unknown format", ("check", FILE, "--format", "xml"), "xml"),
    usage("unknown option", ("check", "--nope"), "--nope"),
    usage("spec without kind", ("show", FILE), "names no launch", "recipe:FILE"),
    usage("spec of unknown kind", ("show", f"helm:{FILE}"), "names no launch"),
    usage("spec without file", ("show", "recipe:"), "names no file"),
    usage("spec unknown select", ("show", "vllm-project:a.yaml?gpu=x"), "no select key “gpu”", "hardware"),
    usage("spec nodes no number", ("show", "vllm-project:a.yaml?nodes=two"), "nodes is a whole number"),
    usage("spec file missing", ("show", "eugr:nope.yaml"), "cannot read nope.yaml"),
    usage("spec file is a folder", ("show", "eugr:up"), "up is a folder"),
    usage("spec unknown entry", ("show", f"recipe:{FILE}#other"), "no recipe “other”", status=1),
    usage("standard input twice", ("diff", "command:-", "command:-"), "standard input can be read once"),
    usage("unknown vllm version", ("show", f"recipe:{FILE}", "--vllm", "nightly"), "nightly"),
    usage("absurd vllm version", ("show", f"recipe:{FILE}", "--vllm", "9" * 3000), "vLLM"),
    usage("unknown rule", ("rules", "undeclard"), "did you mean undeclared?"),
    usage("unreadable file", ("check", FILE), "m-2spark.yaml", make=_unreadable),
    usage("folder named as a file", ("check", FILE), "no recipe found", make=_folder_named_as_file),
    usage("symlink to itself", ("check", "loop.yaml"), "loop.yaml", make=_loop),
    usage("pipe in a folder", ("check", "pipe.yaml"), "pipe.yaml", make=_fifo),
]  # fmt: skip

TABLE = [*RECIPES, *UPSTREAM, *LINES, *CONFIGS, *ARGUMENTS]
