"""Whatever stands in the files, `read` answers with invocations or with a problem, and never raises."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recipediff.core.launch import Select
from recipediff.parse.formats.format import FormatReading, UpstreamFiles
from tests.parse.formats.vllm_project.tree import BLOBS, FILES, UPSTREAM

PATHS = sorted(BLOBS)
SCALARS = st.sampled_from(
    [
        "",
        "~",
        "3",
        "-1",
        "0",
        "1.5",
        ".nan",
        "true",
        "[]",
        "{}",
        "[a, [b]]",
        "{a: {b: c}}",
        "--x",
        "'",
        "&a",
        "*a",
        "|",
        "é",
    ]
)
SELECTS = st.builds(
    Select,
    hardware=st.sampled_from(["", "h200", "gb200", "desk", "mi300x", "npu", "nowhere"]),
    variant=st.sampled_from(["", "default", "nvfp4", "drafted", "none"]),
    strategy=st.sampled_from(["", "single_node_tp", "multi_node_tp_pp", "pd_cluster", "store_own", "nothing"]),
    features=st.none()
    | st.lists(st.sampled_from(["reasoning", "spec_decoding", "spec_decoding:mtp", ":", "x"])).map(tuple),
    nodes=st.sampled_from([0, -1, 1, 2, 64, 10**9]),
    role=st.sampled_from(["", "", "", "serve", "head", "decode", "nobody"]),
)


def _answers(reading: FormatReading) -> None:
    assert reading.invocations or reading.problems
    for problem in reading.problems:
        assert problem.message
        assert problem.place.file
    for one in reading.invocations:
        assert one.argv
        assert all(isinstance(word.text, str) for word in one.argv)
        assert len({word.place.file for word in one.argv} - set(BLOBS)) == 0


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(PATHS), st.data(), SELECTS)
def test_a_line_replaced(path: str, data: st.DataObject, select: Select) -> None:
    lines = BLOBS[path].decode().split("\n")
    index = data.draw(st.integers(0, len(lines) - 1))
    key, colon, _ = lines[index].partition(":")
    value = data.draw(SCALARS)
    lines[index] = data.draw(
        st.sampled_from([f"{key}{colon} {value}", value, "", f"  {lines[index]}", lines[index][2:]])
    )
    files = UpstreamFiles({**BLOBS, path: "\n".join(lines).encode()})
    for model in ("dense", "moe", "default_hw"):
        _answers(UPSTREAM.read(files, f"models/example/{model}.yaml", select))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(PATHS), st.data(), SELECTS)
def test_bytes_damaged(path: str, data: st.DataObject, select: Select) -> None:
    content = BLOBS[path]
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, min(len(content), start + 40)))
    middle = data.draw(
        st.binary(max_size=8) | st.sampled_from([b"\n", b": ", b"- ", b"\t", b'"', b"{", b"%", b"<<: *a\n"])
    )
    files = UpstreamFiles({**BLOBS, path: content[:start] + middle + content[end:]})
    for model in ("dense", "moe"):
        _answers(UPSTREAM.read(files, f"models/example/{model}.yaml", select))
    list(UPSTREAM.offers(files, "models/example/moe.yaml"))


@settings(max_examples=300, deadline=None)
@given(SELECTS, st.sampled_from(["dense", "moe", "default_hw", "omni", "absent"]))
def test_any_select(select: Select, model: str) -> None:
    reading = UPSTREAM.read(FILES, f"models/example/{model}.yaml", select)
    _answers(reading)
    if reading.invocations and select.role:
        assert {one.role for one in reading.invocations} == {select.role}
