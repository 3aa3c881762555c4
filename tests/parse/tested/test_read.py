"""Reading tested recipes: what a person sees for a good file, and for each way of getting a field wrong."""

from __future__ import annotations

import json

import pytest

from recipediff.core.finding import Finding
from recipediff.parse.tested.read import read_recipes
from recipediff.parse.tested.shape import MAX_FINDINGS
from tests.parse.tested.examples import COMMIT, GOOD, IMAGE, broken, full, read_one

FILE = "recipes/some-model-2spark.yaml"


def only(data: bytes, file: str = FILE) -> Finding:
    findings = read_recipes(data, file).findings
    assert len(findings) == 1, [f"{f.place}: {f.message}" for f in findings]
    return findings[0]


def test_a_good_file_reads_without_a_finding_and_keeps_every_part() -> None:
    read = read_one(full())
    assert read.findings == ()
    (recipe,) = read.recipes
    assert (recipe.id, recipe.model.text, recipe.image.text) == ("some-model-2spark", "org/some-model", IMAGE)
    assert (recipe.hardware, recipe.nodes, recipe.vllm, recipe.port) == ("DGX Spark", 2, "0.32.0", 8001)
    assert [word.text for word in recipe.args][:3] == ["--max-model-len", "262144", "--port=8001"]
    assert [(a.name, a.value) for a in recipe.env] == [("SOME_SWITCH", "1"), ("EMPTY_ONE", "")]
    assert [word.text for word in recipe.mods] == ["mods/some-mod"]
    assert recipe.source is not None
    assert (recipe.source.repo, recipe.source.commit, recipe.source.license) == ("owner/upstream", COMMIT, "MIT")
    assert recipe.source.select.features == ("reasoning",)
    assert recipe.source.select.role == "head"
    assert [d.setting for d in recipe.source.deviations] == ["port", "SOME_SWITCH"]
    assert recipe.verified is not None
    assert recipe.verified.context == 262144
    assert recipe.verified.facts["concurrency"] == "2.53"
    assert recipe.unread == ()


def test_places_lead_to_the_value_in_the_file() -> None:
    recipe = read_recipes(GOOD.encode(), FILE).recipes[0]
    lines = GOOD.split("\n")
    assert recipe.source is not None
    commit = recipe.source.places["commit"]
    assert lines[commit.line - 1][commit.column - 1 : commit.end_column - 1] == COMMIT
    word = recipe.args[1].place
    assert lines[word.line - 1][word.column - 1 : word.end_column - 1] == '"262144"'
    switch = recipe.env[0].place
    assert lines[switch.line - 1][switch.column - 1 : switch.end_column - 1] == 'SOME_SWITCH: "1"'
    ours = recipe.source.deviations[0].places["ours"]
    assert lines[ours.line - 1].strip() == 'ours: "262144"'


def test_an_absent_feature_list_is_not_an_empty_one() -> None:
    recipe = full()
    del recipe["source"]["select"]["features"]
    absent = read_one(recipe).recipes[0].source
    recipe["source"]["select"]["features"] = []
    empty = read_one(recipe).recipes[0].source
    assert absent is not None
    assert empty is not None
    assert absent.select.features is None
    assert empty.select.features == ()


def test_an_unquoted_number_in_args_is_shown_with_the_line_that_mends_it() -> None:
    found = only(broken(('- "262144"', "- 0.70")))
    assert (found.rule, found.place.line, found.place.column) == ("malformed-recipe", 8, 5)
    assert "0.70" in found.message
    assert found.fix is not None
    assert found.fix.replacement == '  - "0.70"'
    assert found.line == "  - 0.70"


def test_what_an_unquoted_scalar_says_is_still_read_as_it_is_written() -> None:
    recipe = read_recipes(broken(('- "262144"', "- 0.70"), ('"1"', "yes")), FILE).recipes[0]
    assert recipe.args[1].text == "0.70"
    assert recipe.env[0].value == "yes"
    assert recipe.unread == ()


def test_every_violation_is_reported_at_once_in_the_order_of_the_file() -> None:
    data = broken(
        ("model:", "modell:"), ('- "262144"', "- 262144"), ('"1"', "1"), ("context: 262144", "context: 262,144")
    )
    findings = read_recipes(data, FILE).findings
    assert [f.place.line for f in findings] == sorted(f.place.line for f in findings)
    text = " / ".join(f.message for f in findings)
    for part in ("`modell`", "no `model`", "args[1]", "env.SOME_SWITCH", "verified.context"):
        assert part in text


def test_what_could_not_be_read_is_named_so_that_nobody_takes_the_rest_for_the_whole() -> None:
    recipe = read_recipes(broken(('- "262144"', "- {a: 1}"), ('"1"', "")), FILE).recipes[0]
    assert set(recipe.unread) == {"args[1]", "env.SOME_SWITCH"}
    assert [word.text for word in recipe.args] == ["--max-model-len"]


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [
        ("topology:", "topolgy:", "`topology`"),
        ("image:", "container:", "`image`"),
        ("env:", "environment:", "`env`"),
        ("license:", "licence:", "`license`"),
        ("why:", "reason:", "`why`"),
        ("args:", "Args:", "`args`"),
    ],
)
def test_an_unknown_key_gets_a_suggestion(old: str, new: str, meant: str) -> None:
    findings = read_recipes(broken((old, new)), FILE).findings
    unknown = next(f for f in findings if "is not a field" in f.message)
    assert unknown.fix is not None
    assert meant in unknown.fix.summary


def test_a_field_of_another_section_is_sent_there() -> None:
    found = only(GOOD.encode() + b"commit: abc\n")
    assert found.fix is not None
    assert found.fix.summary == "it belongs under `source`"


def test_a_key_given_twice_is_reported_even_where_the_values_agree() -> None:
    found = only(GOOD.encode() + b"model: org/some-model\n")
    assert found.rule == "duplicate-key"
    assert "first is on line 1" in found.message


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        ("context: 262144", "context: 262,144", "context: 262144"),
        ("context: 262144", 'context: "262144"', "context: 262144"),
        ("context: 262144", "context: 262144\n  concurrency: 2.53x", "concurrency: 2.53"),
        ("context: 262144", "context: 262144\n  load_seconds: 161 s", "load_seconds: 161"),
    ],
)
def test_a_number_with_trimmings_is_mended(old: str, new: str, written: str) -> None:
    found = only(broken((old, new)))
    assert found.fix is not None
    assert (found.fix.replacement or "").strip() == written


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "true", "null", ".inf", ".nan", "[1]", "{a: 1}", "many"])
def test_a_context_that_is_no_whole_number_is_refused(value: str) -> None:
    found = only(broken(("context: 262144", f"context: {value}")))
    assert "verified.context" in found.message


def test_one_item_with_flag_and_value_is_refused_but_a_value_with_blanks_is_not() -> None:
    found = only(broken(('- "262144"', "- --max-num-seqs 8")))
    assert found.fix is not None
    assert found.fix.summary == "write one word an item, or --flag=value"
    for fine in ("'{\"a\": 1}'", "'--served-model-name=long name'", "'- a list in a prompt'", '""'):
        assert read_recipes(broken(('- "262144"', f"- {fine}")), FILE).findings == ()


def test_several_topologies_in_one_entry_are_told_apart_from_a_wrong_type() -> None:
    found = only(broken(("nodes: 2", "nodes: [2, 4]")))
    assert found.rule == "topology-in-id"
    found = only(
        broken(("topology:\n  hardware: DGX Spark\n  nodes: 2", "topology:\n  - hardware: GB10\n    nodes: 2"))
    )
    assert found.rule == "topology-in-id"
    assert only(broken(("nodes: 2", "nodes: two"))).rule == "malformed-recipe"


def test_the_id_is_the_file_name_and_may_be_repeated_inside() -> None:
    assert read_recipes(GOOD.encode(), FILE).recipes[0].id == "some-model-2spark"
    assert read_recipes(GOOD.encode() + b"id: some-model-2spark\n", FILE).findings == ()
    found = only(GOOD.encode() + b"id: other\n")
    assert "“other”" in found.message
    assert found.fix is not None
    assert found.fix.replacement == "id: some-model-2spark"
    assert "file's name" in only(GOOD.encode(), "recipes/-bad name.yaml").message


def test_a_json_list_holds_many_recipes_each_with_its_id() -> None:
    one, two = full(), full()
    two["id"] = "other-2spark"
    read = read_recipes(json.dumps([one, two], indent=1).encode(), "recipes/tested.json")
    assert read.findings == ()
    assert [r.id for r in read.recipes] == ["some-model-2spark", "other-2spark"]
    assert read.recipes[1].place.line > read.recipes[0].place.line


def test_in_a_json_list_a_broken_entry_does_not_hide_its_neighbours() -> None:
    one, two, three = full(), full(), full()
    del one["id"]
    two["id"], two["env"] = "second", {"A": 1}
    three["id"] = "third"
    read = read_recipes(json.dumps([one, two, 7, three]).encode(), "tested.json")
    assert [r.id for r in read.recipes] == ["tested[0]", "second", "third"]
    assert [(f.recipe, f.message) for f in read.findings] == [
        ("tested[0]", "the recipe has no `id`"),
        ("second", "`env.A` is the number 1 where text is expected"),
        ("tested[2]", "the recipe is the number 7 where a mapping is expected"),
    ]
    assert read.recipes[0].unread == ("id",)
    assert read.recipes[2].unread == ()


def test_an_empty_json_list_holds_no_recipes_and_is_fine() -> None:
    read = read_recipes(b"[]", "tested.json")
    assert (read.recipes, read.findings) == ((), ())


def test_missing_pins_are_left_to_their_own_rules() -> None:
    data = broken(
        (f"image: {IMAGE}\n", ""), (f"  commit: {COMMIT}\n", ""), ("      why: the window that was measured\n", "")
    )
    assert read_recipes(data, FILE).findings == ()


def test_a_version_that_is_none_is_reported_and_not_used() -> None:
    read = read_recipes(GOOD.encode() + b"vllm: nightly\n", FILE)
    assert [f.key for f in read.findings] == ["vllm"]
    assert read.recipes[0].vllm == ""
    assert (
        read_recipes(GOOD.encode() + b"vllm: 0.32\n", FILE).findings[0].message.startswith("`vllm` is the number 0.32")
    )


def test_a_file_full_of_faults_is_reported_within_a_bound_that_is_said() -> None:
    data = broken(('- "262144"', "\n".join(["- 1"] + ["  - 1"] * 500)))
    findings = read_recipes(data, FILE).findings
    assert len(findings) == MAX_FINDINGS + 1
    assert findings[-1].message == f"{501 - MAX_FINDINGS} more faults in this file are not listed"
    assert len(read_recipes(data, FILE).recipes[0].args) == 502


def test_an_aliased_value_is_read_where_it_is_used() -> None:
    data = broken(("image:", "notes: &n the same words\nimage:"), ("why: the window that was measured", "why: *n"))
    read = read_recipes(data, FILE)
    assert read.findings == ()
    assert read.recipes[0].source is not None
    assert read.recipes[0].source.deviations[0].why == "the same words"
