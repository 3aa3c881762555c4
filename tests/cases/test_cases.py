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


@dataclass(frozen=True, kw_only=True)
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
    Case(id="A01", upstream="vllm serve org/m -tp {tp}", ours=ours("--tensor-parallel-size", "2"), keys={"defaults": {"tp": 2}}),
    Case(id="A01-other-way", upstream="vllm serve org/m --tensor-parallel-size 2 --pipeline-parallel-size 3", ours=ours("-pp", "3", "-tp", "2")),
    Case(
        id="A02",
        upstream="vllm serve org/m -tp {tp} --max-num-seqs 10 --tensor-parallel-size {tp}",
        ours=ours("--tensor-parallel-size", "2", "--max-num-seqs", "10"),
        notes=("left: -tp 2 is given again later as --tensor-parallel-size; the last one counts",),
        keys={"defaults": {"tp": 2}},
    ),
    Case(
        id="A02-last-wins",
        upstream="vllm serve org/m -tp 4 --tensor-parallel-size 2",
        ours=ours("-tp", "4"),
        differences=(flag("tensor_parallel_size", "2", "4"),),
        notes=("left: -tp 4 is given again later as --tensor-parallel-size; the last one counts",),
    ),
    Case(
        id="A03",
        upstream="vllm serve org/m --speculative-config.method mtp --speculative-config.num_speculative_tokens 2",
        ours=ours("--speculative-config", MTP),
    ),
    Case(
        id="A04",
        upstream=f"vllm serve org/m {JSON_MTP} --speculative-config.num_speculative_tokens 3",
        ours=ours("--speculative-config", '{"method":"mtp","num_speculative_tokens":3}'),
        differences=(flag("speculative_config.method", None, "mtp"),),
        notes=(
            ("""left: --speculative-config '{"method":"mtp","num_speculative_tokens":2}' is replaced whole by the """
             "dotted keys under --speculative-config"),
        ),
    ),
    Case(
        id="A05",
        upstream="vllm serve org/m -cc.mode 0 --compilation-config.cudagraph_mode NONE",
        ours=ours(*MODE),
        differences=(flag("compilation_config.mode", None, "0"),),
        notes=("left: -cc.mode 0 is replaced whole by the dotted keys under --compilation-config, which begin later",),
    ),
    Case(id="A05-one-prefix", upstream="vllm serve org/m -cc.mode 0 -cc.cudagraph_mode NONE", ours=ours(*MODE)),
    Case(id="A07", upstream=f"vllm serve org/m {JSON_MTP.replace('-c', '_c')}", ours=ours("--speculative-config", MTP)),
    Case(
        id="A07-inside-a-key",
        upstream="vllm serve org/m --default-chat-template-kwargs.a-b 1",
        ours=ours("--default-chat-template-kwargs.a_b", "1"),
        differences=(flag("default_chat_template_kwargs.a-b", "1", None), flag("default_chat_template_kwargs.a_b", None, "1")),
    ),
    Case(id="A09", upstream="vllm serve org/m --max-model-len 32k", ours=ours("--max-model-len", "32768"), differences=(flag("max_model_len", "32k", "32768"),)),
    Case(id="A09-32k", upstream="vllm serve org/m --max-model-len 32k", ours=ours("--max-model-len", "32000")),
    Case(id="A09-32K", upstream="vllm serve org/m --max-model-len 32K", ours=ours("--max-model-len", "32768")),
    Case(id="A09-25.6k", upstream="vllm serve org/m --max-model-len 25.6k", ours=ours("--max-model-len", "25600")),
    Case(
        id="A09-25.6K",
        upstream="vllm serve org/m --max-model-len 25.6K",
        ours=ours("--max-model-len", "25600"),
        differences=(flag("max_model_len", "25.6K", "25600"),),
        not_understood=(
            ("left: vLLM 0.32.0 refuses it: --max-model-len: '25.6K' is no whole number: fractions go with small "
             "letters only: did you mean 25.6k?"),
        ),
    ),
    Case(id="A10", upstream="vllm serve org/m --block-size=64", ours=ours("--block-size", "64")),
    Case(id="A13", upstream="vllm serve org/m --gpu-memory-utilization {g}", ours=ours("--gpu-memory-utilization", "0.7"), keys={"defaults": "{g: 0.70}"}),
    Case(id="A14", upstream="vllm serve org/m", ours="VLLM_SOME_SWITCH=1 vllm serve org/m", keys={"env": "{VLLM_SOME_SWITCH: 1}"}),
    Case(
        id="A14-true",
        upstream="vllm serve org/m",
        ours="VLLM_SOME_SWITCH=true vllm serve org/m",
        differences=(("env", "VLLM_SOME_SWITCH", "True", "true", "changed"),),
        keys={"env": "{VLLM_SOME_SWITCH: true}"},
    ),
    Case(
        id="A16",
        upstream="vllm serve org/m --default-chat-template-kwargs {kw}",
        ours=ours("--default-chat-template-kwargs", '{"enable_x": true}'),
        keys={"defaults": r"""{kw: '{\"enable_x\":true}'}"""},
    ),
    Case(id="A17", upstream="""vllm serve org/m --diffusion-config '{{"canvas_length":256}}'""", ours=ours("--diffusion-config", '{"canvas_length":256}')),
    Case(
        id="A19",
        upstream="exec /opt/entry serve org/m --speculative-config '{spec}'",
        ours=ours("--speculative-config", '{"method":"mtp"}'),
        notes=("left: the server is started through `/opt/entry`, a difference of launch",),
        keys={"defaults": """{spec: '{"method":"mtp"}'}"""},
    ),
    Case(
        id="A22",
        upstream="vllm serve org/m --served-model-name long-name short",
        ours=ours("--served-model-name", "long-name short"),
        differences=(flag("served_model_name", "long-name short", "long-name short"),),
    ),
    Case(
        id="A22-order",
        upstream="vllm serve org/m --served-model-name long-name short",
        ours=ours("--served-model-name", "short", "long-name"),
        differences=(flag("served_model_name", "long-name short", "short long-name"),),
    ),
    Case(id="A24", upstream="bash -c 'vllm serve org/m --port 8000'", ours=ours("--port", "8000"), notes=("left: started through `bash -c '…'`",)),
    Case(
        id="A26",
        upstream="export PATH=/opt/e/bin:$PATH && export A=1 && /opt/e/bin/vllm serve {model} --port {port}",
        ours="A=1 vllm serve org/m --port 8000",
        notes=("left: PATH is set to something that only a shell would know",),
        keys={"defaults": {"model": "org/m", "port": 8000}},
    ),
    Case(
        id="A29",
        upstream="vllm serve org/m",
        ours=ours(),
        differences=(("env", "VLLM_GEMM_BACKEND", '""', None, "dropped"),),
        notes=("left: VLLM_GEMM_BACKEND: ${VLLM_GEMM_BACKEND:-} is taken as its default; whoever launches may set it",),
        keys={"env": {"VLLM_GEMM_BACKEND": "${VLLM_GEMM_BACKEND:-}"}},
    ),
    Case(
        id="A31",
        upstream="vllm serve org/m --max-num-seqs 1 \\ \n  --seed 2",
        ours=ours("--max-num-seqs", "1", "--seed", "2"),
        differences=(flag("seed", None, "2"),),
        not_understood=(
            "left: a blank behind the backslash breaks the continuation: the command gets an extra blank word and ends here",
            "left: --seed never reaches the server: its command ended above",
            "left: vLLM 0.32.0 refuses it: nothing takes the word ' '",
        ),
    ),
    Case(
        id="A33-not-indented",
        upstream="""vllm serve org/m --speculative-config '{{"method":"mtp"}}'\\\n--port 8000""",
        ours=ours("--speculative-config", '{"method":"mtp"}', "--port", "8000"),
        differences=(flag("speculative_config", '{"method":"mtp"}--port', '{"method":"mtp"}'), flag("port", None, "8000")),
        not_understood=(
            "left: a continuation without a blank joins this word with the start of the next line",
            "left: vLLM 0.32.0 refuses it: --speculative-config: no JSON: Extra data at character 17",
            "left: vLLM 0.32.0 refuses it: nothing takes the word '8000'",
        ),
    ),
    Case(
        id="A33-indented",
        upstream="""vllm serve org/m --speculative-config '{{"method":"mtp"}}'\\\n  --port 8000""",
        ours=ours("--speculative-config", '{"method":"mtp"}', "--port", "8000"),
    ),
    Case(
        id="A34",
        upstream="vllm serve org/m --seed 1 \\\n  # --max-num-seqs 2 \\\n  --port 3",
        ours=ours("--seed", "1", "--port", "3"),
        differences=(flag("port", None, "3"),),
        not_understood=("left: --port never reaches the server: the comment in line 7 ends the command",),
    ),
    Case(
        id="A34-above-and-after",
        upstream="# why\nvllm serve org/m --seed 1 \\\n  --port 3\n# done",
        ours=ours("--seed", "1", "--port", "3"),
    ),
    Case(
        id="B07",
        upstream="vllm serve org/m --distributed-executor-backend ray",
        ours=ours(),
        notes=("left: distributed_executor_backend = ray is the launcher's; it is not compared",),
        keys={"description": "multi-node cluster"},
    ),
    Case(
        id="B08",
        upstream="vllm serve org/M-3.5-FP8 --seed 1",
        ours=("vllm", "serve", "org/M-3.6-FP8"),
        differences=(flag("model", "org/M-3.5-FP8", "org/M-3.6-FP8"), flag("seed", "1", None)),
        notes=("left: upstream disagrees with itself: the command serves org/M-3.5-FP8, `model:` says org/M-3.6-FP8",),
        keys={"model": "org/M-3.6-FP8"},
    ),
    Case(id="B13", upstream="vllm serve org/m", ours=ours("--enable-prefix-caching"), differences=(flag("enable_prefix_caching", None, "true"),)),
    Case(
        id="B24",
        upstream="vllm serve org/m",
        ours=ours("--revision", "a" * 40),
        differences=(flag("revision", None, "a" * 40), ("env", "HF_HOME", "/models", None, "dropped")),
        notes=(
            f"left: model_revision {'a' * 40} never reaches the server: the command passes no such --revision",
            "left: the launcher sets HF_HOME as well, so what the recipe says may never reach the server",
        ),
        keys={"model_revision": "a" * 40, "env": {"HF_HOME": "/models"}},
    ),
    Case(
        id="B26",
        upstream="""vllm serve org/m --speculative-config '{{"method":"ngram","num_speculative_tokens":5}}'""",
        ours=ours(),
        differences=(flag("speculative_config", '{"method":"ngram","num_speculative_tokens":5}', None),),
    ),
    Case(
        id="C12",
        upstream="vllm serve org/m",
        ours=ours(),
        notes=("left: build_args item “--apply-pr 38135” is one argument with a blank in it",),
        keys={"build_args": ["--apply-pr 38135"]},
    ),
    Case(
        id="D08",
        upstream="vllm serve org/m",
        ours=ours(),
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
