"""`recipediff sweep` at a terminal: folders, checkouts, each way to name an engine, and every refusal in one line."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from recipediff.cli import main
from recipediff.cli.context import Workbench
from recipediff.wiring.local import LocalAdapters
from recipediff.wiring.sweep import Sources
from sandbox import Sandbox
from tests.adapters.hub.standin import standin
from tests.app.sweep.upstream import BLOBS, ENGINE, PLAIN, REPO, THINKING


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "up"
    for path, text in BLOBS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    (tmp_path / "engine.yaml").write_text(ENGINE, "utf-8")
    return root


def git(root: Path, *words: str, date: str = "2026-01-01T00:00:00Z") -> None:
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "a"), ("EMAIL", "a@example.org"), ("DATE", date))
    }
    subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, env={**os.environ, **who})


@pytest.fixture
def checkout(folder: Path) -> Path:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    (folder / "models/org/new.yaml").write_text(PLAIN, "utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "two", date="2026-02-01T00:00:00Z")
    return folder


def run(folder: Path, *words: str, environ: dict[str, str] | None = None) -> Result:
    """The command with `engine.yaml` beside `folder`."""
    bench = Workbench(LocalAdapters(), None, Sources(environ or {}, folder.parent / "cache"))
    words = tuple(str(folder.parent / "engine.yaml") if word == "ENGINE" else word for word in words)
    return CliRunner().invoke(main, ["sweep", str(folder), *words], obj=bench, catch_exceptions=False)


def test_a_folder_against_a_surface_file(folder: Path) -> None:
    found = run(folder, "--surface", "ENGINE", "--hardware", "desk")
    assert found.exit_code == 1
    assert found.stdout.startswith("2 of 3 recipes start on tiny 1, 1 stops.")
    assert "desk (restricted profile, yours): 1 recipe lists it (1 verified)" in found.stdout
    assert "fail-open default" in found.stdout
    (folder / "models/org/broken.yaml").unlink()
    assert run(folder, "--surface", "ENGINE").exit_code == 0


def test_a_program_that_is_asked(folder: Path) -> None:
    code = f"print(open({str(folder.parent / 'engine.yaml')!r}).read())"
    found = run(folder, "--surface-command", f'{sys.executable} -c "{code}"', "--format", "json")
    assert json.loads(found.stdout)["engine"]["obtained"].startswith("what `")
    assert json.loads(found.stdout)["totals"]["starts"] == 2


def test_a_saved_help_text(folder: Path) -> None:
    (folder.parent / "help.txt").write_text("usage: x\noptions:\n  --max-model-len N  length\n", "utf-8")
    found = run(folder, "--surface", f"help:{folder.parent / 'help.txt'}")
    assert found.stdout.startswith("1 of 3 recipes starts on help, 2 stop.")


def test_a_checkout_knows_commits_and_what_moved(checkout: Path) -> None:
    found = run(checkout, "--surface", "ENGINE", "--against", "HEAD~1")
    assert "2 of 3 started, 3 of 4 start." in found.stdout
    assert "1 recipe is new, of which 1 starts." in found.stdout
    assert run(checkout, "--surface", "ENGINE", "--at", "HEAD~1").stdout.startswith("2 of 3 recipes start")
    document = json.loads(run(checkout, "--surface", "ENGINE", "--format", "json").stdout)
    assert [(point["recipes"], point["starts"]) for point in document["history"]] == [(3, 2), (4, 3)]
    assert "over upstream&#x27;s history" in run(checkout, "--surface", "ENGINE", "--format", "html").stdout


def test_two_surfaces_against_each_other(folder: Path) -> None:
    (folder.parent / "less.yaml").write_text(ENGINE.replace(", tool_call_parser]", "]"), "utf-8")
    found = run(folder, "--surface", "ENGINE", "--against", str(folder.parent / "less.yaml"))
    assert "1 recipe newly start: org/thinking." in found.stdout
    assert "138" not in found.stdout
    assert "from vLLM 0.32.0 to tiny 1" in run(folder, "--surface", "ENGINE", "--against", "vllm:0.32.0").stdout


def test_architectures_come_from_the_endpoint_and_then_from_the_cache(folder: Path) -> None:
    with standin() as hub:
        hub.add("org/plain", config={"architectures": ["PlainForCausalLM"]})
        hub.add("org/thinking", config={"architectures": ["ThinkingForCausalLM"]})
        environ = {"HF_ENDPOINT": hub.url}
        found = run(folder, "--surface", "ENGINE", "--architectures", environ=environ)
        assert "2 of 3 recipes could be verified: 2 architectures." in found.stdout
        assert "missing" in found.stdout
        assert (
            run(folder, "--surface", "ENGINE", "--architectures", "--no-network", environ=environ).stdout
            == found.stdout
        )


REFUSED = {
    ("--surface", "none.yaml"): "cannot read none.yaml",
    (): "name the engine",
    ("--surface", "ENGINE", "--surface-command", "x"): "one of them",
    ("--surface", "vllm:nightly"): "no vLLM version",
    ("--surface", "ENGINE", "--count", "all"): "there is no counting rule “all”",
    ("--surface", "ENGINE", "--at", "main"): "a plain folder, which knows no commits",
    ("--surface-command", "no-such-program-here"): "cannot start no-such-program-here",
    ("--surface-command", "'"): "--surface-command",
    ("--surface", "help:ENGINE"): "cannot read ENGINE",
}


@pytest.mark.parametrize(("words", "said"), REFUSED.items())
def test_what_cannot_be_done_is_said_in_one_line(folder: Path, words: tuple[str, ...], said: str) -> None:
    found = run(folder, *words)
    assert found.exit_code == 2
    assert said in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


def test_a_surface_that_is_wrong_names_the_line(folder: Path) -> None:
    (folder.parent / "engine.yaml").write_text("engine: x\nflgs: {}\n", "utf-8")
    found = run(folder, "--surface", "ENGINE")
    assert found.exit_code == 2
    assert "engine.yaml:2:1" in found.stderr or "engine.yaml:1:1" in found.stderr


def test_an_upstream_that_is_not_here_needs_the_network(folder: Path) -> None:
    bench = Workbench(LocalAdapters(), None, Sources({}, folder.parent / "cache"))
    words = ["sweep", "--surface", str(folder.parent / "engine.yaml"), "--no-network"]
    found = CliRunner().invoke(main, words, obj=bench)
    assert (found.exit_code, "name a local copy of vllm-project/recipes" in found.stderr) == (2, True)
    local = [*words, "--upstream", f"vllm-project={folder}"]
    assert CliRunner().invoke(main, local, obj=bench).stdout.startswith("2 of 3 recipes start")


def test_every_recipe_is_named_with_what_became_of_it(folder: Path) -> None:
    (folder / "models/org/thinking.yaml").write_text(THINKING.replace("hermes", "other"), "utf-8")
    text = run(folder, "--surface", "ENGINE").stdout
    assert "stops at other; starts without tools" in text
    assert "stops at --max-model-len auto" in text


async def test_upstream_and_owners_are_read_over_githubs_api(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = await Sandbox.start()
    try:
        upstream = sandbox.create_repo(REPO, dict(BLOBS))
        engine = sandbox.create_repo("org/tiny", {"a.cpp": "int a;\n"})
        sandbox.commit(engine, "topic", {"a.cpp": 'int a;\nif (arg == "--trust-remote-code") {}\n'}, "Rework")
        number = sandbox.open_pull(engine, "topic", "Rework").number
        sandbox.commit(upstream, "main", {"models/org/new.yaml": PLAIN}, "new")
        monkeypatch.setenv("GITHUB_API_URL", sandbox.api_url)
        monkeypatch.setenv("RECIPEDIFF_CACHE", str(folder.parent / "cache"))
        (folder.parent / "engine.yaml").write_text(ENGINE.replace("trust_remote_code, ", ""), "utf-8")
        bench = Workbench(LocalAdapters(), None, Sources({"GITHUB_API_URL": sandbox.api_url}, folder.parent / "cache"))
        words = ["sweep", "--surface", str(folder.parent / "engine.yaml"), "--owners", "org/tiny"]
        found = await asyncio.to_thread(CliRunner().invoke, main, words, obj=bench)
        assert found.stdout.startswith("2 of 4 recipes start on tiny 1"), found.output
        assert f"--trust-remote-code: pull request #{number} “Rework” (a.cpp)" in found.stdout
        bench = Workbench(LocalAdapters(), None, Sources({"GITHUB_API_URL": sandbox.api_url}, folder.parent / "cache"))
        found = await asyncio.to_thread(
            CliRunner().invoke, main, ["sweep", "--surface", "vllm:0.32.0", "--at", "gone"], obj=bench
        )
        assert (found.exit_code, found.stderr.startswith("error: ")) == (2, True)
    finally:
        await sandbox.stop()
