"""Real cases that need a recipe, its pinned source and the vLLM version of its image: what `recipediff check` must say."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from recipediff.core.git import blob_id
from tests.cases.asking import Answer, check, commit, eugr, git, recipe, run

CONTEXT = ("--max-model-len", "32768")
SERVE = "vllm serve org/m --max-model-len 32768"
FIXTURES = Path(__file__).parent.parent / "fixtures" / "vllm_project"


def ask(folder: Path, upstream: str, *args: str, keys: dict[str, Any] | None = None, **more: Any) -> Answer:
    """One recipe with these further args, against one upstream file in a git checkout, pinned at its commit."""
    pin = commit(folder / "upstream", {"recipes/m.yaml": eugr(upstream, **(keys or {}))})
    return check(folder, recipe((*CONTEXT, *args), more.pop("pin", pin), **more), folder / "upstream")


def test_an_equal_pair_has_no_finding(tmp_path: Path) -> None:
    assert ask(tmp_path, SERVE).findings == []


def test_a20_counts_as_not_checked(tmp_path: Path) -> None:
    answer = ask(tmp_path, f"{SERVE} -pp {{pipeline_parallel}}", keys={"defaults": {"pipeline_parellel": 3}})
    found = answer.finding("not-checked")
    assert (answer.status, found["severity"]) == (1, "error")
    assert "placeholder {pipeline_parallel} has no default" in found["message"]


def test_a40_is_unresolvable_upstream_and_then_a_drop(tmp_path: Path) -> None:
    commit(tmp_path / "upstream", {"mods/gpu-mem-gb/run.sh": ""})
    answer = ask(tmp_path, SERVE, keys={"mods": ["mods/gpu-memory-gb"]})
    assert answer.findings[0] == ("undeclared", "mods/gpu-memory-gb")
    said = "upstream names mods/gpu-memory-gb, a mod that does not exist in its tree at that commit"
    assert answer.finding("upstream-inconsistent")["message"] == said


def test_b01_is_equal_at_its_pin_whatever_upstream_did_later(tmp_path: Path) -> None:
    pins = {}
    for parser in ("qwen3_coder", "qwen3_xml", "hermes"):
        text = eugr(f"{SERVE} --tool-call-parser {parser}")
        pins[parser] = commit(tmp_path / "upstream", {"recipes/m.yaml": text})
    for parser, pin in pins.items():
        one = recipe((*CONTEXT, "--tool-call-parser", "qwen3_xml"), pin)
        found = check(tmp_path, one, tmp_path / "upstream").findings
        assert found == ([] if parser == "qwen3_xml" else [("undeclared", "tool_call_parser")])


@pytest.mark.parametrize(
    ("case", "image"),
    [("B04", f"vendor/server:nightly-{'a' * 40}"), ("B06", "ghcr.example/nightly:latest"), ("B06-bare", "vendor/server")],
)  # fmt: skip
def test_b04_b06_an_image_by_tag_is_not_pinned_though_upstream_says_the_same(
    case: str, image: str, tmp_path: Path
) -> None:
    answer = ask(tmp_path, SERVE, keys={"container": image}, image=image)
    assert [rule for rule, _ in answer.findings] == ["unpinned-image"], case
    assert "by its digest" in answer.finding("unpinned-image")["fix"]["summary"]


def test_b04_the_same_image_by_digest_is_fine(tmp_path: Path) -> None:
    assert ask(tmp_path, SERVE, keys={"container": "vendor/server:nightly"}).findings == []


def test_b08_says_that_upstream_disagrees_with_itself_and_the_model_first(tmp_path: Path) -> None:
    command = "vllm serve org/M-3.5-FP8 --max-model-len 32768 --seed 1"
    answer = ask(tmp_path, command, keys={"model": "org/M-3.6-FP8"}, model="org/M-3.6-FP8")
    assert answer.findings[:2] == [("undeclared", "model"), ("undeclared", "seed")]
    said = "upstream disagrees with itself: the command serves org/M-3.5-FP8, `model:` says org/M-3.6-FP8"
    assert answer.finding("upstream-inconsistent")["message"] == said


def test_b13_is_an_addition_of_ours_once_upstream_has_dropped_it(tmp_path: Path) -> None:
    before = commit(tmp_path / "upstream", {"recipes/m.yaml": eugr(f"{SERVE} --enable-prefix-caching")})
    ours = (*CONTEXT, "--enable-prefix-caching")
    assert check(tmp_path, recipe(ours, before), tmp_path / "upstream").findings == []
    after = ask(tmp_path, SERVE, "--enable-prefix-caching").finding("undeclared")
    assert (after["upstream"], after["ours"]) == (None, "true")


def test_b14_a_moved_file_is_compared_at_the_pinned_path_and_commit(tmp_path: Path) -> None:
    upstream = tmp_path / "upstream"
    before = commit(upstream, {"recipes/m.yaml": eugr(SERVE)})
    after = commit(upstream, {"recipes/M.yaml": eugr(SERVE)}, "recipes/m.yaml")
    assert check(tmp_path, recipe(CONTEXT, before), upstream).findings == []
    found = check(tmp_path, recipe(CONTEXT, after), upstream).finding("not-checked")
    assert found["fix"]["summary"] == "letter case differs: recipes/M.yaml"


def variants(**models: str) -> str:
    """A recipe of vllm-project with these variants, each with the model that it serves."""
    entries = {name: {"model_id": model, "precision": "bf16", "vram_minimum_gb": 60} for name, model in models.items()}
    whole = {
        "meta": {"title": "M", "tasks": ["text"], "hardware": {"h200": "verified"}},
        "model": {"model_id": models["default"], "min_vllm_version": "0.20.0", "base_args": list(CONTEXT)},
        "variants": entries,
        "compatible_strategies": ["single_node_tp"],
    }
    return json.dumps(whole)


def test_b16_names_the_variant_to_which_ours_was_reassigned(tmp_path: Path) -> None:
    upstream = tmp_path / "upstream"
    shared = {p.relative_to(FIXTURES).as_posix(): p.read_text() for p in FIXTURES.rglob("*.yaml") if p.parent.parent != FIXTURES / "models"}  # fmt: skip
    before = commit(upstream, {**shared, "models/org/M.yaml": variants(default="org/M", small="org/M-small")})
    after = commit(upstream, {"models/org/M.yaml": variants(default="org/M-0813", fp8="org/M")})
    where = {
        "repo": "vllm-project/recipes",
        "path": "models/org/M.yaml",
        "select": {"hardware": "h200"},
        "model": "org/M",
    }
    ours = ("--tensor-parallel-size", "1", *CONTEXT)
    assert check(tmp_path, recipe(ours, before, **where), upstream, name="vllm-project").findings == []
    moved = check(tmp_path, recipe(ours, after, **where), upstream, name="vllm-project").finding("undeclared")
    assert (moved["setting"], moved["upstream"], moved["ours"]) == ("model", "org/M-0813", "org/M")
    assert moved["detail"] == [
        "upstream's variant fp8 serves org/M: if the key was reassigned, follow it with `select: {variant: fp8}`"
    ]
    where["select"] = {"hardware": "h200", "variant": "fp8"}
    assert check(tmp_path, recipe(ours, after, **where), upstream, name="vllm-project").findings == []


def test_b17_a_split_leaves_both_successors_comparable(tmp_path: Path) -> None:
    upstream = tmp_path / "upstream"
    thinking, quiet = (
        f"""{SERVE} --default-chat-template-kwargs '{{{{"on":{value}}}}}'""" for value in ("true", "false")
    )
    pin = commit(upstream, {"recipes/m.yaml": eugr(thinking), "recipes/m-no-thinking.yaml": eugr(quiet)})
    for path, value in (("recipes/m.yaml", "true"), ("recipes/m-no-thinking.yaml", "false")):
        without = check(tmp_path, recipe(CONTEXT, pin, path=path), upstream)
        assert without.findings == [("undeclared", "default_chat_template_kwargs")]
        ours = (*CONTEXT, "--default-chat-template-kwargs", f'{{"on": {value}}}')
        assert check(tmp_path, recipe(ours, pin, path=path), upstream).findings == []


def test_b19_a_commit_that_is_gone_is_never_replaced_by_another(tmp_path: Path) -> None:
    gone = "f" * 40
    answer = ask(tmp_path, SERVE, pin=gone)
    assert [rule for rule, _ in answer.findings] == ["not-checked"]
    assert f"eugr/spark-vllm-docker has no commit {gone}" in answer.finding("not-checked")["message"]
    assert answer.status == 1


def test_b19_a_branch_or_a_short_id_is_no_pin(tmp_path: Path) -> None:
    short = commit(tmp_path / "upstream", {"recipes/m.yaml": eugr(SERVE)})[:8]
    for pin in ("main", short):
        rules = {rule for rule, _ in ask(tmp_path, SERVE, pin=pin).findings}
        assert "unpinned-source" in rules
        assert git(tmp_path / "upstream", "rev-parse", "main")


def test_b24_what_upstream_declares_and_never_passes_is_said(tmp_path: Path) -> None:
    keys = {"model_revision": "a" * 40, "env": {"HF_HOME": "/models"}}
    answer = ask(tmp_path, SERVE, "--revision", "a" * 40, keys=keys)
    said = [row["message"] for row in answer.document["findings"] if row["rule"] == "upstream-inconsistent"]
    assert said == [
        f"model_revision {'a' * 40} never reaches the server: the command passes no such --revision",
        "the launcher sets HF_HOME as well, so what the recipe says may never reach the server",
    ]


def test_b25_a_repository_that_nobody_configured_is_not_read(tmp_path: Path) -> None:
    answer = ask(tmp_path, SERVE, repo="owner-a/recipes")
    found = answer.finding("not-checked")
    assert found["message"] == "not compared with upstream: owner-a/recipes is not a configured upstream"


@contextmanager
def moved_api(files: Path, new_home: str) -> Iterator[tuple[str, list[str]]]:
    """An API at which upstream has moved to `new_home`, where it serves one tree; and what was asked of it."""
    asked: list[str] = []
    blob = files.read_bytes()
    sha = blob_id(blob, "0" * 40)
    tree = {"sha": "d" * 40, "truncated": False, "tree": [{"path": "recipes/m.yaml", "mode": "100644", "type": "blob", "sha": sha, "size": len(blob)}]}  # fmt: skip
    content = {"sha": sha, "size": len(blob), "encoding": "base64", "content": base64.b64encode(blob).decode()}

    class Moved(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            moved = "/repos/eugr/spark-vllm-docker" in self.path
            body = b"" if moved else json.dumps(tree if "/trees/" in self.path else content).encode()
            self.send_response(301 if moved else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Location", self.path.replace("/repos/eugr/spark-vllm-docker", new_home))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Moved)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("new_home", ["/repos/owner-b/recipes", "/repositories/7"])
def test_b25_a_redirect_to_another_owner_is_reported(
    new_home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECIPEDIFF_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    monkeypatch.delenv("GH_TOKEN", raising=False)
    (tmp_path / "m.yaml").write_text(eugr(SERVE))
    with moved_api(tmp_path / "m.yaml", new_home) as (address, asked):
        monkeypatch.setenv("GITHUB_API_URL", address)
        answer = check(tmp_path, recipe(CONTEXT, "c" * 40), None)
    assert all(path.startswith((new_home, "/repos/eugr/")) for path in asked)
    assert answer.document["notes"] == [
        (
            f"eugr/spark-vllm-docker has moved: the commit was read from {new_home}. Name its new home in the configuration "
            "and in `source.repo`, or make sure that it is still upstream."
        )
    ]
    assert answer.findings == []


def test_b26_a_lost_speculative_config_fails(tmp_path: Path) -> None:
    answer = ask(tmp_path, f"""{SERVE} --speculative-config '{{{{"method":"ngram","num_speculative_tokens":5}}}}'""")
    assert answer.findings == [("undeclared", "speculative_config")]
    assert (answer.status, answer.finding("undeclared")["ours"]) == (1, None)


def test_c04_a_drop_of_what_the_image_refuses_can_be_declared(tmp_path: Path) -> None:
    upstream = f"{SERVE} --enable-reasoning --reasoning-parser qwen3"
    found = ask(tmp_path, upstream, "--reasoning-parser", "qwen3").finding("undeclared")
    assert (found["setting"], found["upstream"], found["ours"]) == ("enable_reasoning", "true", None)
    assert found["detail"][0].startswith("vLLM 0.32.0 refuses upstream's side: --enable-reasoning is no option")
    drop = {
        "kind": "flag",
        "setting": "enable_reasoning",
        "upstream": "true",
        "ours": "",
        "why": "the image refuses it",
    }
    assert ask(tmp_path, upstream, "--reasoning-parser", "qwen3", deviations=[drop]).findings == []


def test_c05_names_the_replacement_and_does_not_call_it_equal(tmp_path: Path) -> None:
    answer = ask(tmp_path, f"{SERVE} --task embed", "--runner", "pooling", "--convert", "embed")
    assert sorted(setting for _, setting in answer.findings) == ["convert", "runner", "task"]
    (task,) = [row for row in answer.document["findings"] if row["setting"] == "task"]
    assert "refuses upstream's side" in task["detail"][0]
    assert "--runner pooling" in task["detail"][0]
    ours = ask(tmp_path, SERVE, "--task", "embed").finding("refused")
    assert ours["detail"] == ["accepted by vLLM 0.11.0"]
    assert "--convert embed" in ours["fix"]["summary"]


def test_c05_is_accepted_where_the_version_has_it(tmp_path: Path) -> None:
    answer = ask(tmp_path, f"{SERVE} --task embed", "--task", "embed", vllm="0.11.0")
    assert answer.findings == []


NGRAM = '{"method":"ngram","num_speculative_tokens":2}'


@pytest.mark.parametrize(
    "words",
    [
        ("--async-scheduling",),
        ("--headless",),
        ("--generation-config", "vllm"),
        ("--speculative_config", NGRAM),
        ("--speculative-config.method", "ngram", "--speculative-config.num_speculative_tokens", "2"),
    ],
    ids=lambda words: words[0],
)
@pytest.mark.parametrize("version", ["0.24.0", "0.32.0", "0.33.0"])
def test_c09_accepted_flags_are_no_alarm(words: tuple[str, ...], version: str, tmp_path: Path) -> None:
    quoted = " ".join(f"'{word}'" if "{" in word else word for word in words).replace("{", "{{").replace("}", "}}")
    assert ask(tmp_path, f"{SERVE} {quoted}", *words, vllm=version).findings == []


@pytest.mark.parametrize(("case", "word"), [("C10", "--omni"), ("C11", "--enable-metrics")])
def test_c10_c11_what_no_version_has_would_abort_and_says_in_which(case: str, word: str, tmp_path: Path) -> None:
    found = ask(tmp_path, f"{SERVE} {word}", word).finding("refused")
    assert (found["severity"], found["message"]) == (
        "error",
        f"vLLM 0.32.0 would not start: {word} is no option of vllm serve",
    ), case
    assert found["detail"] == ["no measured vLLM accepts it"]


def test_a_refusal_without_a_stated_version_is_no_verdict(tmp_path: Path) -> None:
    answer = ask(tmp_path, f"{SERVE} --enable-metrics", "--enable-metrics", vllm="")
    assert answer.finding("refused")["severity"] == "note"


def test_d08_a_key_given_twice_in_a_recipe_is_a_finding(tmp_path: Path) -> None:
    pin = commit(tmp_path / "upstream", {"recipes/m.yaml": eugr(SERVE)})
    one = recipe(CONTEXT, pin)
    text = json.dumps(one, indent=1).replace('"image"', '"image": "a",\n "image"')
    (tmp_path / "m-2spark.yaml").write_text(text)
    status, output = run(
        "check", f"{tmp_path}/m-2spark.yaml", "--upstream", f"eugr={tmp_path}/upstream", "--format", "json"
    )
    assert status == 1
    assert "duplicate-key" in [row["rule"] for row in json.loads(output)["findings"]]
