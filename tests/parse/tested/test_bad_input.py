"""Broken recipes: each gives a finding that names the file, the line and what to do; never a traceback, never silence."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from recipediff.parse.tested.read import RecipeFile, read_recipes
from tests.parse.tested.examples import COMMIT, GOOD, IMAGE, broken, full
from tests.shared import ROOT

FILE = "recipes/some-model-2spark.yaml"
MEGABYTE = 1024 * 1024


def _bomb() -> bytes:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    return "\n".join(rows).encode()


def _entry(**changes: object) -> bytes:
    return json.dumps([{**full(), **changes}]).encode()


def _line(text: bytes, piece: bytes) -> int:
    return text[: text.index(piece)].count(b"\n") + 1


# name, bytes, file, the line that is named (0: the file as a whole), a piece of the message or of the advice
BAD: list[tuple[str, bytes, str, int, str]] = [
    ("empty", b"", FILE, 0, "empty"),
    ("only a comment", b"# nothing\n", FILE, 0, "empty"),
    ("only null", b"~\n", FILE, 0, "empty"),
    ("a bare word", b"hello\n", FILE, 1, "mapping is expected"),
    ("a list", b"- a\n- b\n", FILE, 1, "one recipe a file"),
    ("a number", b"7\n", FILE, 1, "mapping is expected"),
    ("not UTF-8", GOOD.encode().replace(b"DGX", b"\xff\xfe"), FILE, 3, "UTF-8"),
    ("UTF-16", GOOD.encode("utf-16"), FILE, 1, "UTF-8"),
    ("NUL", broken(("DGX", "D\0X")), FILE, 3, "control character"),
    ("escape codes", broken(("DGX", "D\x1b[31mX")), FILE, 3, "control character"),
    ("tab indentation", broken(("  nodes: 2", "\tnodes: 2")), FILE, 4, "tab"),
    ("unclosed quote", broken(('- "262144"', '- "262144')), FILE, 0, "not YAML"),
    ("unclosed bracket", broken(("nodes: 2", "nodes: [2")), FILE, 0, "not YAML"),
    ("wrong indentation", broken(("  nodes: 2", " nodes: 2")), FILE, 4, "not YAML"),
    ("no blank after the colon", broken(("model: org", "model:org")), FILE, 0, "not YAML"),
    ("merge conflict", broken(("env:", "<<<<<<< HEAD\nenv:")), FILE, 0, "not YAML"),
    ("two documents", GOOD.encode() + b"---\nmodel: x\n", FILE, 0, "one document"),
    ("alias without anchor", broken(("DGX Spark", "*nowhere")), FILE, 0, "nowhere"),
    ("alias bomb", _bomb(), FILE, 0, "aliases"),
    ("recursive alias", b"model: &a [*a]\n", FILE, 1, "anchor"),
    ("deep nesting", b"notes: " + b"[" * 5000 + b"]" * 5000, FILE, 0, "nested deeper"),
    ("a Python tag", broken(("DGX Spark", "!!python/object/apply:os.system [id]")), FILE, 0, ""),
    ("an unknown tag", broken(("DGX Spark", "!secret x")), FILE, 3, "tag"),
    ("a list as a key", broken(("env:", "? [a, b]\n: c\nenv:")), FILE, 0, "key"),
    ("10 MB", b"notes: " + b"x" * (10 * MEGABYTE), FILE, 0, "bytes"),
    ("a million items", b"args: [" + b"1," * 1_000_000 + b"1]", FILE, 0, "more than"),
    ("very many items", b"args: [" + b"1," * 40_000 + b"1]", FILE, 1, "more than the 10,000"),
    ("very many variables", b"env: {" + b"".join(b"A%d: 1," % n for n in range(20_000)) + b"}", FILE, 1, "more than the 10,000"),
    ("no model", broken(("model: org/some-model\n", "")), FILE, 1, "add `model:`"),
    ("model without a value", broken(("org/some-model", "")), FILE, 1, "add `model:`"),
    ("model is a list", broken(("org/some-model", "[a, b]")), FILE, 1, "where text is expected"),
    ("model is a number", broken(("org/some-model", "70")), FILE, 1, 'in quotes: "70"'),
    ("model with a blank", broken(("org/some-model", "some model")), FILE, 1, "without blanks"),
    ("no topology", broken(("topology:\n  hardware: DGX Spark\n  nodes: 2\n", "")), FILE, 1, "`topology:`"),
    ("topology is text", broken(("topology:\n  hardware: DGX Spark\n  nodes: 2", "topology: 2 sparks")), FILE, 2, "mapping"),
    ("nodes in words", broken(("nodes: 2", "nodes: two")), FILE, 4, "whole number"),
    ("nodes below one", broken(("nodes: 2", "nodes: 0")), FILE, 4, "from 1 up"),
    ("half a node", broken(("nodes: 2", "nodes: 1.5")), FILE, 4, "whole number"),
    ("several topologies", broken(("nodes: 2", "nodes: [1, 2]")), FILE, 4, "an id of its own"),
    ("image is a mapping", broken((IMAGE, "{name: x}")), FILE, 5, "where text is expected"),
    ("no args", broken(('args:\n  - --max-model-len\n  - "262144"\n', "")), FILE, 1, "add `args:`"),
    ("args as one text", broken(('args:\n  - --max-model-len\n  - "262144"', "args: --max-model-len 262144")), FILE, 6, "a list"),
    ("args as a mapping", broken(("  - --max-model-len\n", "  --max-model-len: 1\n  "), ('- "262144"\n', "x: 1\n")), FILE, 0, ""),
    ("a number in args", broken(('- "262144"', "- 262144")), FILE, 8, 'in quotes: "262144"'),
    ("a boolean in args", broken(('- "262144"', "- true")), FILE, 8, 'in quotes: "true"'),
    ("nothing in args", broken(('- "262144"', "-")), FILE, 8, "no value"),
    ("JSON without quotes in args", broken(('- "262144"', '- {"mode": 0}')), FILE, 8, "single quotes"),
    ("flag and value in one item", broken(('- "262144"', "- --port 8001")), FILE, 8, "one word an item"),
    ("a list inside args", broken(('- "262144"', "- [a]")), FILE, 8, "where text is expected"),
    ("env is a list", broken(('SOME_SWITCH: "1"', "- SOME_SWITCH=1")), FILE, 10, "one `NAME:"),
    ("env number", broken(('"1"', "1")), FILE, 10, 'in quotes: "1"'),
    ("env boolean", broken(('"1"', "false")), FILE, 10, 'in quotes: "false"'),
    ("env null", broken((' "1"', "")), FILE, 10, '""'),
    ("env mapping", broken(('"1"', "{a: 1}")), FILE, 10, "where text is expected"),
    ("env name with a dash", broken(("SOME_SWITCH", "SOME-SWITCH")), FILE, 10, "environment variable"),
    ("env name with an =", broken(('SOME_SWITCH: "1"', 'SOME=1: "1"')), FILE, 10, "environment variable"),
    ("env name twice", broken(('"1"', '"1"\n  SOME_SWITCH: "2"')), FILE, 11, "second time"),
    ("mods is text", GOOD.encode() + b"mods: mods/x\n", FILE, 25, "a list"),
    ("a mod without a slash", GOOD.encode() + b"mods: [x]\n", FILE, 25, "a path"),
    ("port in quotes", GOOD.encode() + b'port: "8001"\n', FILE, 25, "write 8001"),
    ("port below one", GOOD.encode() + b"port: 0\n", FILE, 25, "a port number"),
    ("vllm unquoted", GOOD.encode() + b"vllm: 0.32\n", FILE, 25, 'in quotes: "0.32"'),
    ("vllm in words", GOOD.encode() + b"vllm: nightly\n", FILE, 25, "0.32.0"),
    ("source is text", broken((GOOD[GOOD.index("source:") : GOOD.index("verified:")], "source: owner/upstream\n")), FILE, 11, "mapping"),
    ("commit without quotes", broken((COMMIT, "1" * 40)), FILE, 14, "in quotes"),
    ("commit like a float", broken((COMMIT, "1" * 30 + "e" + "1" * 9)), FILE, 14, "in quotes"),
    ("license is a list", broken(("MIT", "[MIT]")), FILE, 15, "where text is expected"),
    ("select is a list", broken(("  license: MIT", "  license: MIT\n  select: [h200]")), FILE, 16, "mapping"),
    ("select nodes as text", broken(("  license: MIT", "  license: MIT\n  select: {nodes: two}")), FILE, 16, "number"),
    ("select features as text", broken(("  license: MIT", "  license: MIT\n  select: {features: all}")), FILE, 16, "a list"),
    ("deviations is a mapping", broken(("    - kind: flag\n  ", "      kind: flag\n  ")), FILE, 17, "a list"),
    ("a deviation is text", broken(("    - kind: flag\n", "    - changed the port\n    - kind: flag\n")), FILE, 17, "mapping"),
    ("unknown kind", broken(("kind: flag", "kind: option")), FILE, 17, "flag, env or mod"),
    ("no kind", broken(("    - kind: flag\n      setting", "    - setting")), FILE, 17, "add `kind:`"),
    ("no setting", broken(("      setting: max_model_len\n", "")), FILE, 17, "add `setting:`"),
    ("no upstream", broken(("      upstream: auto\n", "")), FILE, 17, "add `upstream:`"),
    ("ours is a number", broken(('ours: "262144"', "ours: 262144")), FILE, 20, 'in quotes: "262144"'),
    ("upstream is null", broken(("upstream: auto", "upstream:")), FILE, 19, "`source.deviations[0].upstream` has no value"),
    ("no verified", broken((GOOD[GOOD.index("verified:") :], "")), FILE, 1, "nobody ran"),
    ("verified is a flag", broken((GOOD[GOOD.index("verified:") :], "verified: true\n")), FILE, 22, "mapping"),
    ("no context", broken(("  context: 262144\n", "")), FILE, 23, "add `context:`"),
    ("context with a suffix", broken(("context: 262144", "context: 256K")), FILE, 23, "number of tokens"),
    ("context below one", broken(("context: 262144", "context: -1")), FILE, 23, "number of tokens"),
    ("concurrency with an x", broken(("context: 262144", "context: 262144\n  concurrency: 2.5x")), FILE, 24, "write 2.5"),
    ("a day that is none", broken(("context: 262144", "context: 262144\n  when: 2026-13-01")), FILE, 24, "2026-11-30"),
    ("notes is a list", GOOD.encode() + b"notes: [a]\n", FILE, 25, "where text is expected"),
    ("an unknown key", GOOD.encode() + b"speed: fast\n", FILE, 25, "the fields are"),
    ("a misspelt key", broken(("verified:", "verifed:")), FILE, 22, "did you mean `verified`"),
    ("a key with a long name", GOOD.encode() + b"k" * 1000 + b": 1\n", FILE, 25, "is not a field"),
    ("a key without end", GOOD.encode() + b"k" * 100_000 + b": 1\n", FILE, 25, "not YAML"),
    ("another id inside", GOOD.encode() + b"id: x\n", FILE, 25, "rename the file"),
    ("a file name that is no id", GOOD.encode(), "recipes/two words.yaml", 0, "name the file"),
    ("JSON: empty", b"", "tested.json", 0, "empty"),
    ("JSON: cut off", _entry()[:-10], "tested.json", 1, "not JSON"),
    ("JSON: trailing comma", b"[{},]", "tested.json", 1, "not JSON"),
    ("JSON: comment", b"// x\n[]", "tested.json", 1, "not JSON"),
    ("JSON: NaN", _entry(port=float("nan")), "tested.json", 1, "not JSON"),
    ("JSON: single quotes", b"[{'id': 'x'}]", "tested.json", 1, "not JSON"),
    ("JSON: one mapping", json.dumps(full()).encode(), "tested.json", 1, "list of recipes"),
    ("JSON: text", b'"recipes"', "tested.json", 1, "list of recipes"),
    ("JSON: a number in the list", b"[1]", "tested.json", 1, "mapping is expected"),
    ("JSON: key twice", b'[{"id": "a", "id": "a"}]', "tested.json", 1, "second time"),
    ("JSON: a number in args", _entry(args=[0.7]), "tested.json", 1, 'in quotes: "0.7"'),
    ("JSON: null args", _entry(args=None), "tested.json", 1, "add `args:`"),
    ("JSON: id with a blank", _entry(id="a b"), "tested.json", 1, "letters, digits"),
    ("JSON: 10 MB", b'["' + b"x" * (10 * MEGABYTE) + b'"]', "tested.json", 0, "bytes"),
    ("JSON: deep", b"[" * 100_000, "tested.json", 1, "nested deeper"),
    ("JSON: lone surrogate", b'[{"id": "\\ud800"}]', "tested.json", 1, "surrogate"),
    ("JSON: lone surrogate in a key", b'[{"\\udc00": 1}]', "tested.json", 1, "surrogate"),
    ("JSON: huge number", b'[{"id": "x", "port": 1e999}]', "tested.json", 1, "port number"),
]  # fmt: skip


def said(read: RecipeFile) -> str:
    return "\n".join(f"{f.place}: {f.message} ({f.fix.summary if f.fix else ''})" for f in read.findings)


@pytest.mark.parametrize(("data", "file", "line", "piece"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_broken_recipes_are_reported(data: bytes, file: str, line: int, piece: str) -> None:
    read = read_recipes(data, file)
    assert read.findings, "a broken file passed for a good one"
    assert all(f.place.file == file and "\n" not in f.message for f in read.findings)
    assert said(read).encode("utf-8"), "it can be printed"
    assert all(f.fix is not None and f.fix.summary for f in read.findings), said(read)
    about = [f for f in read.findings if piece in f.message or (f.fix and piece in f.fix.summary)]
    assert about, said(read)
    if line:
        assert line in {f.place.line for f in about}, said(read)


def test_the_table_is_large_enough_and_names_no_case_twice() -> None:
    names = [row[0] for row in BAD]
    assert len(names) == len(set(names)) >= 60


def test_the_good_file_of_the_table_is_good() -> None:
    assert read_recipes(GOOD.encode(), FILE).findings == ()


_MEASURE = """
import sys, time
from recipediff.parse.tested.read import read_recipes
from tests.parse.tested.test_bad_input import BAD

for name, data, file, *_ in BAD:
    best = 9.0
    for _ in range(3):  # a busy machine is no fault of the file
        begun = time.process_time()
        read_recipes(data, file)
        best = min(best, time.process_time() - begun)
        if best < 2:
            break
    if best >= 2:
        sys.exit(f"{name}: {best:.1f} s")
status = open("/proc/self/status").read()  # getrusage would begin at the size of the process that started this one
print(int(status.split("VmHWM:")[1].split()[0]) // 1024)
"""


def test_no_broken_file_takes_two_seconds_or_200_megabytes() -> None:
    """Measured in a process of its own, whose peak is that of the worst file with all of Python around it."""
    done = subprocess.run([sys.executable, "-c", _MEASURE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 200
