"""The rule catalogue: every rule that can speak, in one visible table. A rule's page is `bot/recipediff/rules/<id>.md`."""

from __future__ import annotations

from dataclasses import dataclass

from recipediff.core.finding import Severity


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `summary` is one line; `source` says where the rule comes from."""

    id: str
    name: str
    summary: str
    severity: Severity
    group: str
    source: str


_COMPARE = "Comparing with upstream"
_RECIPE = "The recipe itself"
_LAUNCH = "What vLLM would do"
_PIN = "The pin"
_RECORDS = "Keyed records"
_CONFIG = "Configuration"
_SURFACE = "The engine's surface"

_DESIGN = "DESIGN.md, the rules of comparison"
_SPEC = "spec/recipes.md"
_SWEEP = "spec/sweep.md"

_TABLE: tuple[Rule, ...] = (
    Rule("undeclared", "Undeclared difference", "A setting differs from upstream and no deviation says so.",
         "error", _COMPARE, f"{_DESIGN}, 1; {_SPEC}, Declared deviations"),
    Rule("misdeclared", "Misdeclared deviation", "A declared deviation does not fit the difference that is there.",
         "error", _COMPARE, f"{_DESIGN}, 3; {_SPEC}, Declared deviations"),
    Rule("not-checked", "Not checked", "The recipe could not be compared with its source; that counts.",
         "error", _COMPARE, f"{_DESIGN}, 4"),
    Rule("wrong-authority", "The wrong upstream was believed",
         "A setting follows the upstream that has no authority over it, and the one with authority says otherwise.",
         "error", _COMPARE, f"{_DESIGN}, 6; {_SPEC}, Source authority"),
    Rule("upstream-inconsistent", "Upstream disagrees with itself",
         "The upstream file says two things, or names something that is not in its own tree.",
         "note", _COMPARE, "cases B08, A40, B24"),
    Rule("refused", "vLLM refuses this", "The stated vLLM version would abort at start on this word, value or key.",
         "error", _LAUNCH, f"{_DESIGN}, 1"),
    Rule("unread-args", "Arguments not understood", "Part of the recipe's own arguments could not be parsed.",
         "error", _LAUNCH, f"{_DESIGN}, 2"),
    Rule("malformed-recipe", "Malformed recipe", "The file does not have the shape of a tested recipe.",
         "error", _RECIPE, f"{_DESIGN}, Words"),
    Rule("duplicate-key", "Key given twice", "A YAML or JSON key stands twice in one mapping; readers disagree on which counts.",
         "error", _RECIPE, "case D08"),
    Rule("unpinned-source", "Source is not pinned", "The source lacks a repository, a path, a full commit or a licence.",
         "error", _RECIPE, f"{_SPEC}, Provenance"),
    Rule("unpinned-image", "Image is not pinned by digest", "The image is named by a tag, which can move.",
         "error", _RECIPE, f"{_SPEC}, Invariants"),
    Rule("context-mismatch", "Context is not the measured one", "--max-model-len differs from verified.context.",
         "error", _RECIPE, f"{_SPEC}, Invariants"),
    Rule("duplicate-id", "Two recipes with one id", "Two entries carry the same id; each topology has an id of its own.",
         "error", _RECIPE, f"{_SPEC}, Invariants"),
    Rule("topology-in-id", "One id a topology", "An entry describes more than one topology; each has an id of its own.",
         "error", _RECIPE, f"{_SPEC}, Invariants"),
    Rule("forbidden-combination", "Forbidden combination", "These settings are known to abort or to misbehave together.",
         "error", _RECIPE, f"{_SPEC}, Local overrides"),
    Rule("stale-measurement", "Numbers of another launch",
         "args, env, mods or image changed and verified still describes the launch before.",
         "error", _RECIPE, f"{_DESIGN}, 5"),
    Rule("unreachable-pin", "Pin is not on its branch", "The pinned commit cannot be reached from the branch that is followed.",
         "error", _PIN, "cases B19, B25"),
    Rule("trailing-pin", "Pin trails upstream", "Upstream's file has moved since the pinned commit.",
         "note", _PIN, f"{_SPEC}, Provenance"),
    Rule("config", "Configuration is not valid", "The configuration file has a key or value that cannot be used.",
         "error", _CONFIG, f"{_DESIGN}, How the bot behaves"),
    Rule("malformed-surface", "Malformed engine surface", "The engine's surface file does not have its shape.",
         "error", _SURFACE, f"{_SWEEP}, What it reads"),
    Rule("surface-loss", "Recipes stop starting", "This change of the surface file makes published recipes stop.",
         "warning", _SURFACE, f"{_SWEEP}, The question"),
    Rule("surface-gain", "Recipes newly start", "This change of the surface file lets published recipes start.",
         "note", _SURFACE, f"{_SWEEP}, The question"),
    Rule("record-duplicate-key", "Key defined twice", "A keyed table defines one key twice.",
         "error", _RECORDS, f"{_SWEEP}, Where the results go"),
    Rule("record-cross-pull-duplicate", "Key added by two pull requests",
         "Two open pull requests add the same key; git merges both cleanly.", "error", _RECORDS,
         f"{_SWEEP}, Where the results go"),
    Rule("record-dangling-reference", "Dangling row reference", "A row points at a row id that does not exist here.",
         "error", _RECORDS, f"{_SWEEP}, Where the results go"),
    Rule("record-dangling-link", "Dangling link", "A relative link leads to a file or heading that does not exist.",
         "error", _RECORDS, f"{_SWEEP}, Where the results go"),
    Rule("record-stale-anchor", "Stale line anchor", "A path:line anchor no longer holds what the text says it holds.",
         "error", _RECORDS, f"{_SWEEP}, Where the results go"),
    Rule("record-foreign-count", "Count that another file owns", "A stored count is a copy of a number that has another owner.",
         "error", _RECORDS, f"{_SWEEP}, Where the results go"),
    Rule("record-lost-row", "Row lost in a merge", "A row that both parents have is missing from the merge.",
         "error", _RECORDS, f"{_SWEEP}, Where the results go"),
    Rule("record-malformed-table", "Table cannot be read", "A declared table, column or row does not have its shape.",
         "error", _RECORDS, f"{_SWEEP}, Where the results go"),
)  # fmt: skip

RULES: dict[str, Rule] = {rule.id: rule for rule in _TABLE}
