"""The public command, asked as a person would: two files for `diff`, a recipe and its upstream for `check`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from recipediff.cli import main
from recipediff.cli.context import Workbench
from recipediff.wiring.local import LocalAdapters

Words = Sequence[str]
SERVE = ("vllm", "serve", "org/m")
DIGEST = "sha256:" + "ab" * 32
Row = tuple[str, str, str | None, str | None, str]
"""kind, setting, left, right, direction"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the command said, as JSON, and its exit status."""

    status: int
    document: Mapping[str, Any]

    @property
    def differences(self) -> list[Row]:
        """The rows of `diff`."""
        keys = ("kind", "setting", "left", "right", "direction")
        return [tuple(row[key] for key in keys) for row in self.document["differences"]]

    def said(self, part: str) -> list[str]:
        """The messages of `notes` or `not_understood`."""
        return [f"{row['side']}: {row['message']}" for row in self.document[part]]

    @property
    def findings(self) -> list[tuple[str, str]]:
        """(rule, setting or message) of `check`."""
        return [(row["rule"], row["setting"] or row["message"]) for row in self.document["findings"]]

    def finding(self, rule: str) -> Mapping[str, Any]:
        """The one finding of a rule."""
        found = [row for row in self.document["findings"] if row["rule"] == rule]
        assert len(found) == 1, self.document["findings"]
        one: Mapping[str, Any] = found[0]
        return one


def run(*arguments: str) -> tuple[int, str]:
    """One run of `recipediff`: exit status and everything it printed."""
    result = CliRunner().invoke(main, arguments, obj=Workbench(LocalAdapters()))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def eugr(command: str, *, version: str = "1", model: str = "org/m", **keys: object) -> str:
    """A recipe in eugr's format. `keys` are further keys of the file, written as JSON, which YAML reads."""
    lines = [f'recipe_version: "{version}"', "name: example", f"model: {model}"]
    lines += [f"{key}: {value if isinstance(value, str) else json.dumps(value)}" for key, value in keys.items()]
    lines += [] if "container" in keys else ["container: image"]
    return "\n".join([*lines, "command: |", *("  " + line for line in command.split("\n"))]) + "\n"


def diff(folder: Path, left: str, right: str | Words, *, vllm: str = "0.32.0") -> Answer:
    """`recipediff diff` of an eugr recipe against a command line (or the words of one)."""
    (folder / "upstream.yaml").write_text(left, "utf-8")
    (folder / "ours").write_text(right if isinstance(right, str) else json.dumps(right), "utf-8")
    return diff_files(f"eugr:{folder}/upstream.yaml", f"command:{folder}/ours", vllm=vllm)


def diff_files(left: str, right: str, *, vllm: str = "0.32.0") -> Answer:
    """`recipediff diff LEFT RIGHT --format json`."""
    status, output = run("diff", left, right, "--format", "json", *(("--vllm", vllm) if vllm else ()))
    return Answer(status, json.loads(output))


def git(folder: Path, *arguments: str) -> str:
    """Run git in `folder`, and give what it prints."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", "-C", folder, *identity, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(folder: Path, files: Mapping[str, str], *gone: str) -> str:
    """Commit these files in the repository at `folder`, which is made where it is not there; the commit's id."""
    if not (folder / ".git").exists():
        folder.mkdir(parents=True, exist_ok=True)
        git(folder, "init", "-q", "-b", "main")
    for path in gone:
        (folder / path).unlink()
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "change")
    return git(folder, "rev-parse", "HEAD")


def recipe(args: Words, pin: str, **more: Any) -> dict[str, Any]:
    """A tested recipe; `env`, `mods`, `vllm`, `image`, `model`, `repo`, `path`, `deviations` and `select` may be given."""
    source = {
        "repo": more.pop("repo", "eugr/spark-vllm-docker"),
        "path": more.pop("path", "recipes/m.yaml"),
        "commit": pin,
        "license": "MIT",
        "deviations": more.pop("deviations", []),
    }
    if "select" in more:
        source["select"] = more.pop("select")
    return {
        "id": "m-2spark",
        "model": more.pop("model", "org/m"),
        "topology": {"hardware": "DGX Spark (GB10)", "nodes": 2},
        "image": more.pop("image", f"example/image@{DIGEST}"),
        "vllm": more.pop("vllm", "0.32.0"),
        "args": list(args),
        "source": source,
        "verified": {"context": 32768},
        **more,
    }


def check(folder: Path, one: Mapping[str, Any], upstream: Path | None, *, name: str = "eugr") -> Answer:
    """`recipediff check` of one recipe against a local upstream. What a missing measurement says is left aside."""
    (folder / "tested.json").write_text(json.dumps([one]), "utf-8")
    local = ("--upstream", f"{name}={upstream}") if upstream is not None else ()
    status, output = run("check", f"{folder}/tested.json", *local, "--format", "json")
    document = json.loads(output)
    document["findings"] = [row for row in document["findings"] if row["rule"] != "stale-measurement"]
    return Answer(status, document)
