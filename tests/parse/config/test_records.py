"""The `records:` section: every declaration with its line, every fault at its place, nothing half-understood in force."""

from __future__ import annotations

from pathlib import Path

import pytest

from recipediff.core.records import MAX_RULES, CountOwner, CountRule, RecordsConfig, ReferenceRule, TableRule
from recipediff.parse.config.repository import read_config

FILE = ".github/recipediff.yml"
DOCS = Path(__file__).parents[3] / "docs" / "records.md"


def read(text: str) -> tuple[RecordsConfig, list[str]]:
    config, findings = read_config(text.encode(), FILE)
    return config.records, [f"{f.place}: {f.message}" for f in findings]


def test_the_example_of_the_documentation_says_what_it_shows() -> None:
    text = DOCS.read_text().split("```yaml\n", 1)[1].split("```", 1)[0]
    config, faults = read(text)
    assert faults == []
    rules: list[TableRule | ReferenceRule | CountRule] = [*config.tables, *config.references, *config.counts]
    places = [rule.place.line for rule in rules]
    lines = text.split("\n")
    assert [lines[line - 1].lstrip()[:7] for line in places] == ["- file:"] * 6
    bare = [
        TableRule(
            file="docs/model-matrix.md",
            key="ID",
            heading="MODEL-*",
            space="rows",
            pattern="MODEL-*",
            place=config.tables[0].place,
        ),
        TableRule(file="docs/roadmap.md", key="Block", space="rows", place=config.tables[1].place),
    ]
    assert list(config.tables) == bare
    assert config.references == (
        ReferenceRule(
            file="docs/model-matrix.md",
            space="rows",
            column="Row",
            heading="Checklist",
            place=config.references[0].place,
        ),
        ReferenceRule(file="docs/*.md", space="rows", pattern="MODEL-*-*", place=config.references[1].place),
    )
    owners = (
        CountOwner(space="rows", file="docs/model-matrix.md"),
        CountOwner(space="rows", column="State", value="READY*"),
    )
    assert tuple(rule.owner for rule in config.counts) == owners
    assert isinstance(config.counts[0], CountRule)
    assert (config.links, config.anchors, config.files, config.roots) == (True, True, ("*.md", "**/*.md"), ("src/**",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("records:\n  tables:\n    - file: a.md\n", "3:7: `records.tables[0]` has no `key`"),
        (
            "records:\n  tables:\n    - file: /a.md\n      key: ID\n",
            "3:13: `records.tables[0].file` is the text “/a.md”",
        ),
        ("records:\n  links: sometimes\n", "2:10: `records.links` is the text “sometimes”"),
        ("records:\n  table: []\n", "2:3: `table` is not a field of `records`"),
        (
            "records:\n  tables:\n    - {file: a.md, key: ID, space: rows}\n  references:\n    - {file: b.md, column: R, space: row}\n",
            "5:7: the reference names the key space “row”, which no table has",
        ),
        (
            "records:\n  tables:\n    - {file: a.md, key: ID, space: r}\n  counts:\n    - {file: b.md, text: many, owner: {space: r}}\n",
            "5:7: the text “many” of a count needs {n} once, with words around it",
        ),
        ("records: yes please\n", "1:10: `records` is the text “yes please” where a mapping is expected"),
    ],
)
def test_a_fault_is_said_at_its_place_and_its_declaration_is_not_in_force(text: str, said: str) -> None:
    config, faults = read(text)
    assert faults == [f"{FILE}:{said}"]
    assert all((rule.file, rule.key) == ("a.md", "ID") for rule in config.tables)
    assert (config.references, config.counts, config.links) == ((), (), False)
    assert list(config.problems()) == []


def test_a_broken_declaration_leaves_the_others_in_force() -> None:
    config, faults = read("records:\n  tables:\n    - {file: a.md}\n    - {file: b.md, key: ID}\n  links: true\n")
    assert len(faults) == 1
    assert [rule.file for rule in config.tables] == ["b.md"]
    assert config.links


def test_more_declarations_than_are_read_are_said_and_left_out() -> None:
    rules = "".join(f"    - {{file: t{n}.md, key: ID}}\n" for n in range(MAX_RULES + 1))
    config, faults = read(f"records:\n  tables:\n{rules}")
    assert faults == [
        f"{FILE}:{MAX_RULES + 3}:7: {MAX_RULES + 1} declarations are more than the {MAX_RULES} that are read"
    ]
    assert len(config.tables) == MAX_RULES


def test_a_file_full_of_faults_is_read_without_a_crash() -> None:
    rules = "".join("    - {}\n" for _ in range(150))
    config, faults = read(f"records:\n  tables:\n{rules}upstreams:\n  - {{format: eugr}}\n")
    assert config == RecordsConfig()
    assert faults[-1].endswith("more faults in this file are not listed")


def test_nothing_declared_is_nothing_to_look_at() -> None:
    assert not read("fail-on: new\n")[0]
    assert read("records:\n  anchors: true\n")[0]
