"""Real cases of comparison (equal, trap, drift) that two files can express, each with what `recipediff diff` must say.

The ids are those of the case list that the project was written against; the inputs are our own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.cases.asking import SERVE, Row, Words, diff, diff_files, eugr, run

MTP = '{"num_speculative_tokens": 2, "method": "mtp"}'
JSON_MTP = """--speculative-config '{{"method":"mtp","num_speculative_tokens":2}}'"""
MODE = ("--compilation-config", '{"mode":0,"cudagraph_mode":"NONE"}')


@dataclass(frozen=True)
class Case:
    """Upstream's command (with further keys of its file), our words, and the right answer."""

    id: str
    upstream: str
    ours: str | Words
    differences: tuple[Row, ...] = ()
    notes: tuple[str, ...] = ()
    not_understood: tuple[str, ...] = ()
    keys: dict[str, Any] = field(default_factory=dict)


def ours(*words: str) -> Words:
    return (*SERVE, *words)


def flag(name: str, left: str | None, right: str | None) -> Row:
    return ("flag", name, left, right, "added" if left is None else "dropped" if right is None else "changed")


CASES = [
    Case("A01", "vllm serve org/m -tp {tp}", ours("--tensor-parallel-size", "2"), keys={"defaults": {"tp": 2}}),
    Case("A01-other-way", "vllm serve org/m --tensor-parallel-size 2 --pipeline-parallel-size 3", ours("-pp", "3", "-tp", "2")),
    Case(
        "A02",
        "vllm serve org/m -tp {tp} --max-num-seqs 10 --tensor-parallel-size {tp}",
        ours("--tensor-parallel-size", "2", "--max-num-seqs", "10"),
        notes=("left: -tp 2 is given again later as --tensor-parallel-size; the last one counts",),
        keys={"defaults": {"tp": 2}},
    ),
    Case(
        "A02-last-wins",
        "vllm serve org/m -tp 4 --tensor-parallel-size 2",
        ours("-tp", "4"),
        (flag("tensor_parallel_size", "2", "4"),),
        ("left: -tp 4 is given again later as --tensor-parallel-size; the last one counts",),
    ),
    Case(
        "A03",
        "vllm serve org/m --speculative-config.method mtp --speculative-config.num_speculative_tokens 2",
        ours("--speculative-config", MTP),
    ),
    Case(
        "A04",
        f"vllm serve org/m {JSON_MTP} --speculative-config.num_speculative_tokens 3",
        ours("--speculative-config", '{"method":"mtp","num_speculative_tokens":3}'),
        (flag("speculative_config.method", None, "mtp"),),
        (
            ("""left: --speculative-config '{"method":"mtp","num_speculative_tokens":2}' is replaced whole by the """
             "dotted keys under --speculative-config"),
        ),
    ),
    Case(
        "A05",
        "vllm serve org/m -cc.mode 0 --compilation-config.cudagraph_mode NONE",
        ours(*MODE),
        (flag("compilation_config.mode", None, "0"),),
        ("left: -cc.mode 0 is replaced whole by the dotted keys under --compilation-config, which begin later",),
    ),
    Case("A05-one-prefix", "vllm serve org/m -cc.mode 0 -cc.cudagraph_mode NONE", ours(*MODE)),
    Case("A07", f"vllm serve org/m {JSON_MTP.replace('-c', '_c')}", ours("--speculative-config", MTP)),
    Case(
        "A07-inside-a-key",
        "vllm serve org/m --default-chat-template-kwargs.a-b 1",
        ours("--default-chat-template-kwargs.a_b", "1"),
        (flag("default_chat_template_kwargs.a-b", "1", None), flag("default_chat_template_kwargs.a_b", None, "1")),
    ),
    Case("A09", "vllm serve org/m --max-model-len 32k", ours("--max-model-len", "32768"), (flag("max_model_len", "32k", "32768"),)),
    Case("A09-32k", "vllm serve org/m --max-model-len 32k", ours("--max-model-len", "32000")),
    Case("A09-32K", "vllm serve org/m --max-model-len 32K", ours("--max-model-len", "32768")),
    Case("A09-25.6k", "vllm serve org/m --max-model-len 25.6k", ours("--max-model-len", "25600")),
    Case(
        "A09-25.6K",
        "vllm serve org/m --max-model-len 25.6K",
        ours("--max-model-len", "25600"),
        (flag("max_model_len", "25.6K", "25600"),),
        not_understood=(
            ("left: vLLM 0.32.0 refuses it: --max-model-len: '25.6K' is no whole number: fractions go with small "
             "letters only: did you mean 25.6k?"),
        ),
    ),
    Case("A10", "vllm serve org/m --block-size=64", ours("--block-size", "64")),
    Case("A13", "vllm serve org/m --gpu-memory-utilization {g}", ours("--gpu-memory-utilization", "0.7"), keys={"defaults": "{g: 0.70}"}),
    Case("A14", "vllm serve org/m", "VLLM_SOME_SWITCH=1 vllm serve org/m", keys={"env": "{VLLM_SOME_SWITCH: 1}"}),
    Case(
        "A14-true",
        "vllm serve org/m",
        "VLLM_SOME_SWITCH=true vllm serve org/m",
        (("env", "VLLM_SOME_SWITCH", "True", "true", "changed"),),
        keys={"env": "{VLLM_SOME_SWITCH: true}"},
    ),
    Case(
        "A16",
        "vllm serve org/m --default-chat-template-kwargs {kw}",
        ours("--default-chat-template-kwargs", '{"enable_x": true}'),
        keys={"defaults": r"""{kw: '{\"enable_x\":true}'}"""},
    ),
    Case("A17", """vllm serve org/m --diffusion-config '{{"canvas_length":256}}'""", ours("--diffusion-config", '{"canvas_length":256}')),
    Case(
        "A19",
        "exec /opt/entry serve org/m --speculative-config '{spec}'",
        ours("--speculative-config", '{"method":"mtp"}'),
        notes=("left: the server is started through `/opt/entry`, a difference of launch",),
        keys={"defaults": """{spec: '{"method":"mtp"}'}"""},
    ),
    Case(
        "A22",
        "vllm serve org/m --served-model-name long-name short",
        ours("--served-model-name", "long-name short"),
        (flag("served_model_name", "long-name short", "long-name short"),),
    ),
    Case(
        "A22-order",
        "vllm serve org/m --served-model-name long-name short",
        ours("--served-model-name", "short", "long-name"),
        (flag("served_model_name", "long-name short", "short long-name"),),
    ),
    Case("A24", "bash -c 'vllm serve org/m --port 8000'", ours("--port", "8000"), notes=("left: started through `bash -c '…'`",)),
    Case(
        "A26",
        "export PATH=/opt/e/bin:$PATH && export A=1 && /opt/e/bin/vllm serve {model} --port {port}",
        "A=1 vllm serve org/m --port 8000",
        notes=("left: PATH is set to something that only a shell would know",),
        keys={"defaults": {"model": "org/m", "port": 8000}},
    ),
    Case(
        "A29",
        "vllm serve org/m",
        ours(),
        (("env", "VLLM_GEMM_BACKEND", '""', None, "dropped"),),
        ("left: VLLM_GEMM_BACKEND: ${VLLM_GEMM_BACKEND:-} is taken as its default; whoever launches may set it",),
        keys={"env": {"VLLM_GEMM_BACKEND": "${VLLM_GEMM_BACKEND:-}"}},
    ),
    Case(
        "A31",
        "vllm serve org/m --max-num-seqs 1 \\ \n  --seed 2",
        ours("--max-num-seqs", "1", "--seed", "2"),
        (flag("seed", None, "2"),),
        not_understood=(
            "left: a blank behind the backslash breaks the continuation: the command gets an extra blank word and ends here",
            "left: --seed never reaches the server: its command ended above",
            "left: vLLM 0.32.0 refuses it: nothing takes the word ' '",
        ),
    ),
    Case(
        "A33-not-indented",
        """vllm serve org/m --speculative-config '{{"method":"mtp"}}'\\\n--port 8000""",
        ours("--speculative-config", '{"method":"mtp"}', "--port", "8000"),
        (flag("speculative_config", '{"method":"mtp"}--port', '{"method":"mtp"}'), flag("port", None, "8000")),
        not_understood=(
            "left: a continuation without a blank joins this word with the start of the next line",
            "left: vLLM 0.32.0 refuses it: --speculative-config: no JSON: Extra data at character 17",
            "left: vLLM 0.32.0 refuses it: nothing takes the word '8000'",
        ),
    ),
    Case(
        "A33-indented",
        """vllm serve org/m --speculative-config '{{"method":"mtp"}}'\\\n  --port 8000""",
        ours("--speculative-config", '{"method":"mtp"}', "--port", "8000"),
    ),
    Case(
        "A34",
        "vllm serve org/m --seed 1 \\\n  # --max-num-seqs 2 \\\n  --port 3",
        ours("--seed", "1", "--port", "3"),
        (flag("port", None, "3"),),
        not_understood=("left: --port never reaches the server: the comment in line 7 ends the command",),
    ),
    Case(
        "A34-above-and-after",
        "# why\nvllm serve org/m --seed 1 \\\n  --port 3\n# done",
        ours("--seed", "1", "--port", "3"),
    ),
    Case(
        "B07",
        "vllm serve org/m --distributed-executor-backend ray",
        ours(),
        notes=("left: distributed_executor_backend = ray is the launcher's; it is not compared",),
        keys={"description": "multi-node cluster"},
    ),
    Case(
        "B08",
        "vllm serve org/M-3.5-FP8 --seed 1",
        ("vllm", "serve", "org/M-3.6-FP8"),
        (flag("model", "org/M-3.5-FP8", "org/M-3.6-FP8"), flag("seed", "1", None)),
        ("left: upstream disagrees with itself: the command serves org/M-3.5-FP8, `model:` says org/M-3.6-FP8",),
        keys={"model": "org/M-3.6-FP8"},
    ),
    Case("B13", "vllm serve org/m", ours("--enable-prefix-caching"), (flag("enable_prefix_caching", None, "true"),)),
    Case(
        "B24",
        "vllm serve org/m",
        ours("--revision", "a" * 40),
        (flag("revision", None, "a" * 40), ("env", "HF_HOME", "/models", None, "dropped")),
        (
            f"left: model_revision {'a' * 40} never reaches the server: the command passes no such --revision",
            "left: the launcher sets HF_HOME as well, so what the recipe says may never reach the server",
        ),
        keys={"model_revision": "a" * 40, "env": {"HF_HOME": "/models"}},
    ),
    Case(
        "B26",
        """vllm serve org/m --speculative-config '{{"method":"ngram","num_speculative_tokens":5}}'""",
        ours(),
        (flag("speculative_config", '{"method":"ngram","num_speculative_tokens":5}', None),),
    ),
    Case(
        "C12",
        "vllm serve org/m",
        ours(),
        notes=("left: build_args item “--apply-pr 38135” is one argument with a blank in it",),
        keys={"build_args": ["--apply-pr 38135"]},
    ),
    Case(
        "D08",
        "vllm serve org/m",
        ours(),
        notes=("left: key container is given twice (first in line 4); the last one counts",),
        keys={"container": "a\ncontainer: a"},
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in CASES])
def test_two_files(case: Case, tmp_path: Path) -> None:
    answer = diff(tmp_path, eugr(case.upstream, **case.keys), case.ours)
    assert sorted(answer.differences, key=str) == sorted(case.differences, key=str)
    assert tuple(answer.said("notes")) == case.notes
    assert tuple(answer.said("not_understood")) == case.not_understood
    assert answer.status == (1 if case.differences or case.not_understood else 0)


def test_a16_two_keys_expand_into_two_words(tmp_path: Path) -> None:
    upstream = eugr(
        "vllm serve org/m --default-chat-template-kwargs {kw}", defaults=r"""{kw: '{\"x\":true,\"y\":1}'}"""
    )
    answer = diff(tmp_path, upstream, ours("--default-chat-template-kwargs", '{"x": true, "y": 1}'))
    assert answer.status == 1
    assert "nothing takes the word '\"y\":1'" in answer.said("not_understood")[-1]


def test_a17_the_stated_version_decides_what_a_doubled_brace_is(tmp_path: Path) -> None:
    upstream = eugr("""vllm serve org/m --diffusion-config '{{"canvas_length":256}}'""", version="2")
    answer = diff(tmp_path, upstream, ours("--diffusion-config", '{"canvas_length":256}'))
    assert (answer.status, answer.differences) == (1, [])
    assert answer.said("not_understood") == ["left: recipe_version 2 is another format"]


def test_a20_a_placeholder_without_default_is_not_compared(tmp_path: Path) -> None:
    upstream = eugr("vllm serve org/m -pp {pipeline_parallel}", defaults={"pipeline_parellel": 3})
    answer = diff(tmp_path, upstream, ours("--pipeline-parallel-size", "3"))
    assert answer.status == 1
    first = answer.document["not_understood"][0]
    assert first["message"] == "placeholder {pipeline_parallel} has no default"
    assert first["hint"] == "defaults has pipeline_parellel"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("docker run vllm/vllm-openai:v1 bash -c 'vllm serve org/m --port 8000'", "this image's entrypoint is the server already"),
        ("vllm serve bash -c 'vllm serve org/m --port 8000'", "vLLM 0.32.0 refuses it: "),
    ],
)  # fmt: skip
def test_a24_where_the_entrypoint_is_the_server_the_line_cannot_run(command: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "left").write_text(command)
    (tmp_path / "right").write_text("vllm serve org/m --port 8000")
    answer = diff_files(f"command:{tmp_path}/left", f"command:{tmp_path}/right")
    assert answer.status == 1
    assert any(said in message for message in answer.said("not_understood"))


@pytest.mark.parametrize(("folder", "notes"), [("gpu-mem-gb", 1), ("gpu-memory-gb", 0)])
def test_a40_a_mod_that_upstream_does_not_have(folder: str, notes: int, tmp_path: Path) -> None:
    (tmp_path / "mods" / folder).mkdir(parents=True)
    answer = diff(tmp_path, eugr("vllm serve org/m", mods=["mods/gpu-memory-gb"]), ours())
    assert answer.differences == [("mod", "mods/gpu-memory-gb", "mods/gpu-memory-gb", None, "dropped")]
    said = "left: upstream names mods/gpu-memory-gb, a mod that does not exist in its tree at that commit"
    assert answer.said("notes") == [said] * notes


@pytest.mark.parametrize(("successor", "value"), [("x", "true"), ("x-no-thinking", "false")])
def test_b17_each_part_of_a_split_can_be_compared(successor: str, value: str, tmp_path: Path) -> None:
    upstream = eugr(f"""vllm serve org/m --default-chat-template-kwargs '{{{{"thinking":{value}}}}}'""")
    same = diff(tmp_path, upstream, ours("--default-chat-template-kwargs.thinking", "true"))
    assert (same.differences == []) == (successor == "x")
    without = diff(tmp_path, upstream, ours())
    assert without.differences == [flag("default_chat_template_kwargs", f'{{"thinking":{value}}}', None)]


def test_what_a_person_reads(tmp_path: Path) -> None:
    diff(tmp_path, eugr("vllm serve org/m --max-model-len 32k"), ours("--max-model-len", "32768"))
    status, output = run("diff", f"eugr:{tmp_path}/upstream.yaml", f"command:{tmp_path}/ours", "--vllm", "0.32.0")
    assert status == 1
    assert output.splitlines()[2:] == ["~ max_model_len = 32k → 32768", "1 difference."]
