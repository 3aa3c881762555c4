"""What a move means: changes with their history, consequences, declarations judged again."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from recipediff.core.compare import compare
from recipediff.core.launch import Launch
from recipediff.core.meaning import mean
from tests.core.making import deviation, env, flag, launch, mod

NAMES = st.sampled_from(["a", "b", "c", "d"])
LAUNCHES = st.dictionaries(NAMES, st.sampled_from(["1", "2", "3"]), max_size=4).map(
    lambda values: launch(*(flag(name, value) for name, value in values.items()))
)


def test_a_value_that_flipped_and_flipped_back_is_history() -> None:
    old, middle = launch(flag("tool_call_parser", "qwen3_coder")), launch(flag("tool_call_parser", "qwen3_xml"))
    meaning = mean((), old, old, old, between=[middle])
    assert not meaning.relevant
    (flip,) = meaning.flips
    assert flip.values == ("qwen3_coder", "qwen3_xml", "qwen3_coder")


def test_a_pin_between_the_flips_is_told_that_upstream_went_back() -> None:
    coder, xml = launch(flag("tool_call_parser", "qwen3_coder")), launch(flag("tool_call_parser", "qwen3_xml"))
    meaning = mean((), xml, xml, coder, earlier=[coder])
    (change,) = meaning.changes
    assert change.past == ("qwen3_coder", "qwen3_xml", "qwen3_coder")
    assert change.returns
    assert meaning.relevant


def test_a_plain_change_has_no_history() -> None:
    (change,) = mean((), launch(flag("a", "1")), launch(flag("a", "1")), launch(flag("a", "2"))).changes
    assert (change.past, change.returns) == ((), False)


def test_each_declaration_is_judged_again() -> None:
    ours = launch(flag("port", "8001"), flag("seqs", "32"), env("SKIP", "1"))
    old = launch(flag("port", "8000"), flag("seqs", "8"), env("SKIP", "0"), mod("mods/x"))
    new = launch(flag("port", "8000"), flag("seqs", "32"), env("SKIP", "2"))
    declared = (
        deviation("flag", "port", "8000", "8001"),
        deviation("flag", "seqs", "8", "32"),
        deviation("env", "SKIP", "0", "1"),
        deviation("mod", "mods/x", "mods/x", ""),
        deviation("env", "NEVER", "1", ""),
    )
    meaning = mean(declared, ours, old, new)
    standings = {one.deviation.setting: one.standing for one in meaning.declarations}
    assert standings == {
        "port": "still true",
        "seqs": "no longer needed",
        "SKIP": "now false",
        "mods/x": "no longer needed",
        "NEVER": "was false before",
    }
    skip = next(one for one in meaning.declarations if one.deviation.setting == "SKIP")
    assert (skip.field, skip.expected) == ("upstream", "2")
    effects = {one.setting: (one.effect, one.declared) for one in meaning.consequences}
    assert effects == {"seqs": ("vanishes", True), "SKIP": ("changes", True), "mods/x": ("vanishes", True)}


def test_the_launchers_own_flags_are_shown_apart_and_are_no_launch_change() -> None:
    old, new = launch(flag("a", "1")), launch(flag("a", "1"))
    new = replace(new, launcher=(flag("distributed_executor_backend", "ray"),))
    meaning = mean((), old, old, new)
    assert [change.difference.setting for change in meaning.launcher] == ["distributed_executor_backend"]
    assert not meaning.relevant


@given(LAUNCHES, LAUNCHES, LAUNCHES, st.lists(LAUNCHES, max_size=3), st.lists(LAUNCHES, max_size=2))
def test_relevant_is_what_the_comparison_says(
    ours: Launch, old: Launch, new: Launch, between: list[Launch], earlier: list[Launch]
) -> None:
    meaning = mean((), ours, old, new, between=between, earlier=earlier)
    assert meaning.relevant == bool(compare(old, new))
    assert [change.difference for change in meaning.changes] == list(compare(old, new))
    changed = {change.difference.setting for change in meaning.changes}
    assert all(flip.setting not in changed for flip in meaning.flips)
    for change in meaning.changes:
        if change.past:
            assert (change.past[-1]) == change.difference.right
    before = {d.setting for d in compare(old, ours)}
    after = {d.setting for d in compare(new, ours)}
    assert {c.setting for c in meaning.consequences if c.effect == "appears"} == after - before
    assert {c.setting for c in meaning.consequences if c.effect == "vanishes"} == before - after
