"""How the keyed tables of a real project (vllm.cpp's matrices and roadmap) are declared; the tables stay where they are."""

from __future__ import annotations

from recipediff.checks.records import CountOwner, CountRule, RecordsConfig, ReferenceRule, TableRule
from tests.shared import SHARED

RECORDS = SHARED / "corpus" / "vllm.cpp" / "records"
MODEL = ".agents/model-matrix.md"
ENGINE = ".agents/engine-matrix.md"
QUANTIZATION = ".agents/quantization-matrix.md"
ROADMAP = ".agents/roadmap_v1.md"

TABLES = (
    TableRule(MODEL, "ID", space="rows", pattern="MODEL-*"),
    TableRule(ENGINE, "ID", space="rows"),
    TableRule(QUANTIZATION, "ID", space="rows", pattern="QUANT-*"),
    TableRule(ROADMAP, "Block", heading="Top-level portfolio", space="rows", pattern="ROAD-V1-*"),
    TableRule(ROADMAP, "#", space="tracks"),
)
REFERENCES = tuple(
    ReferenceRule(file, "rows", pattern=pattern)
    for file in (MODEL, ENGINE, QUANTIZATION, ROADMAP)
    for pattern in ("MODEL-*-*", "ENG-*", "KV-*", "QUANT-*", "ROAD-V1-*")
)
# The checklist of architectures came later: only the newest commit has its column.
CHECKLIST = ReferenceRule(MODEL, "rows", column="Row", heading="Architecture-support checklist")
STATES = ("ACTIVE", "GATING", "PARTIAL", "READY", "SPIKE", "BLOCKED", "INVENTORIED", "DONE")
COUNTS = (
    CountRule(ROADMAP, "current pin has {n} static IDs", CountOwner("rows", file=MODEL)),
    CountRule(MODEL, "Total | {n}", CountOwner("rows", file=MODEL)),
    CountRule(ENGINE, "Total | {n}", CountOwner("rows", file=ENGINE)),
    *(CountRule(MODEL, f"{s} | {{n}}", CountOwner("rows", column="State", value=f"{s}*", file=MODEL)) for s in STATES),
)

KEYS = RecordsConfig(tables=TABLES, references=REFERENCES)
NEWEST = RecordsConfig(
    tables=TABLES,
    references=(*REFERENCES, CHECKLIST),
    counts=COUNTS,
    links=True,
    files=(MODEL, ENGINE, QUANTIZATION, ROADMAP),
)


def files(commit: str) -> dict[str, bytes]:
    """The tables at a commit."""
    folder = RECORDS / commit
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.md"))}


def paths(commit: str) -> frozenset[str]:
    """Every path at a commit."""
    return frozenset((RECORDS / commit / "paths.txt").read_text().split("\n")) - {""}
