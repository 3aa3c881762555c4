"""The rule catalogue: every rule that can speak, in one visible table. A rule's page is `bot/recipediff/rules/<id>.md`."""

from __future__ import annotations

from dataclasses import dataclass

from recipediff.core.finding import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
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
    Rule(id="undeclared", name="Undeclared difference", summary="A setting differs from upstream and no deviation says so.",
         severity="error", group=_COMPARE, source=f"{_DESIGN}, 1; {_SPEC}, Declared deviations"),
    Rule(id="misdeclared", name="Misdeclared deviation", summary="A declared deviation does not fit the difference that is there.",
         severity="error", group=_COMPARE, source=f"{_DESIGN}, 3; {_SPEC}, Declared deviations"),
    Rule(id="not-checked", name="Not checked", summary="The recipe could not be compared with its source; that counts.",
         severity="error", group=_COMPARE, source=f"{_DESIGN}, 4"),
    Rule(id="wrong-authority", name="The wrong upstream was believed",
         summary="A setting follows the upstream that has no authority over it, and the one with authority says otherwise.",
         severity="error", group=_COMPARE, source=f"{_DESIGN}, 6; {_SPEC}, Source authority"),
    Rule(id="upstream-inconsistent", name="Upstream disagrees with itself",
         summary="The upstream file says two things, or names something that is not in its own tree.",
         severity="note", group=_COMPARE, source="cases B08, A40, B24"),
    Rule(id="refused", name="vLLM refuses this", summary="The stated vLLM version would abort at start on this word, value or key.",
         severity="error", group=_LAUNCH, source=f"{_DESIGN}, 1"),
    Rule(id="unread-args", name="Arguments not understood", summary="Part of the recipe's own arguments could not be parsed.",
         severity="error", group=_LAUNCH, source=f"{_DESIGN}, 2"),
    Rule(id="malformed-recipe", name="Malformed recipe", summary="The file does not have the shape of a tested recipe.",
         severity="error", group=_RECIPE, source=f"{_DESIGN}, Words"),
    Rule(id="duplicate-key", name="Key given twice", summary="A YAML or JSON key stands twice in one mapping; readers disagree on which counts.",
         severity="error", group=_RECIPE, source="case D08"),
    Rule(id="unpinned-source", name="Source is not pinned", summary="The source lacks a repository, a path, a full commit or a licence.",
         severity="error", group=_RECIPE, source=f"{_SPEC}, Provenance"),
    Rule(id="unpinned-image", name="Image is not pinned by digest", summary="The image is named by a tag, which can move.",
         severity="error", group=_RECIPE, source=f"{_SPEC}, Invariants"),
    Rule(id="context-mismatch", name="Context is not the measured one", summary="--max-model-len differs from verified.context.",
         severity="error", group=_RECIPE, source=f"{_SPEC}, Invariants"),
    Rule(id="duplicate-id", name="Two recipes with one id", summary="Two entries carry the same id; each topology has an id of its own.",
         severity="error", group=_RECIPE, source=f"{_SPEC}, Invariants"),
    Rule(id="topology-in-id", name="One id a topology", summary="An entry describes more than one topology; each has an id of its own.",
         severity="error", group=_RECIPE, source=f"{_SPEC}, Invariants"),
    Rule(id="forbidden-combination", name="Forbidden combination", summary="These settings are known to abort or to misbehave together.",
         severity="error", group=_RECIPE, source=f"{_SPEC}, Local overrides"),
    Rule(id="stale-measurement", name="Numbers of another launch",
         summary="args, env, mods or image changed and verified still describes the launch before.",
         severity="error", group=_RECIPE, source=f"{_DESIGN}, 5"),
    Rule(id="unreachable-pin", name="Pin is not on its branch", summary="The pinned commit cannot be reached from the branch that is followed.",
         severity="error", group=_PIN, source="cases B19, B25"),
    Rule(id="trailing-pin", name="Pin trails upstream", summary="Upstream's file has moved since the pinned commit.",
         severity="note", group=_PIN, source=f"{_SPEC}, Provenance"),
    Rule(id="config", name="Configuration is not valid", summary="The configuration file has a key or value that cannot be used.",
         severity="error", group=_CONFIG, source=f"{_DESIGN}, How the bot behaves"),
    Rule(id="malformed-surface", name="Malformed engine surface", summary="The engine's surface file does not have its shape.",
         severity="error", group=_SURFACE, source=f"{_SWEEP}, What it reads"),
    Rule(id="surface-loss", name="Recipes stop starting", summary="This change of the surface file makes published recipes stop.",
         severity="warning", group=_SURFACE, source=f"{_SWEEP}, The question"),
    Rule(id="surface-gain", name="Recipes newly start", summary="This change of the surface file lets published recipes start.",
         severity="note", group=_SURFACE, source=f"{_SWEEP}, The question"),
    Rule(id="record-duplicate-key", name="Key defined twice", summary="A keyed table defines one key twice.",
         severity="error", group=_RECORDS, source=f"{_SWEEP}, Where the results go"),
    Rule(id="record-cross-pull-duplicate", name="Key added by two pull requests",
         summary="Two open pull requests add the same key; git merges both cleanly.", severity="error", group=_RECORDS,
         source=f"{_SWEEP}, Where the results go"),
    Rule(id="record-dangling-reference", name="Dangling row reference", summary="A row points at a row id that does not exist here.",
         severity="error", group=_RECORDS, source=f"{_SWEEP}, Where the results go"),
    Rule(id="record-dangling-link", name="Dangling link", summary="A relative link leads to a file or heading that does not exist.",
         severity="error", group=_RECORDS, source=f"{_SWEEP}, Where the results go"),
    Rule(id="record-stale-anchor", name="Stale line anchor", summary="A path:line anchor no longer holds what the text says it holds.",
         severity="error", group=_RECORDS, source=f"{_SWEEP}, Where the results go"),
    Rule(id="record-foreign-count", name="Count that another file owns", summary="A stored count is a copy of a number that has another owner.",
         severity="error", group=_RECORDS, source=f"{_SWEEP}, Where the results go"),
    Rule(id="record-lost-row", name="Row lost in a merge", summary="A row that both parents have is missing from the merge.",
         severity="error", group=_RECORDS, source=f"{_SWEEP}, Where the results go"),
    Rule(id="record-malformed-table", name="Table cannot be read", summary="A declared table, column or row does not have its shape.",
         severity="error", group=_RECORDS, source=f"{_SWEEP}, Where the results go"),
)  # fmt: skip

RULES: dict[str, Rule] = {rule.id: rule for rule in _TABLE}
