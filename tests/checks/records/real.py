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
    TableRule(file=MODEL, key="ID", space="rows", pattern="MODEL-*"),
    TableRule(file=ENGINE, key="ID", space="rows"),
    TableRule(file=QUANTIZATION, key="ID", space="rows", pattern="QUANT-*"),
    TableRule(file=ROADMAP, key="Block", heading="Top-level portfolio", space="rows", pattern="ROAD-V1-*"),
    TableRule(file=ROADMAP, key="#", space="tracks"),
)
REFERENCES = tuple(
    ReferenceRule(file=file, space="rows", pattern=pattern)
    for file in (MODEL, ENGINE, QUANTIZATION, ROADMAP)
    for pattern in ("MODEL-*-*", "ENG-*", "KV-*", "QUANT-*", "ROAD-V1-*")
)
# The checklist of architectures came later: only the newest commit has its column.
CHECKLIST = ReferenceRule(file=MODEL, space="rows", column="Row", heading="Architecture-support checklist")
STATES = ("ACTIVE", "GATING", "PARTIAL", "READY", "SPIKE", "BLOCKED", "INVENTORIED", "DONE")
COUNTS = (
    CountRule(ROADMAP, "current pin has {n} static IDs", CountOwner(space="rows", file=MODEL)),
    CountRule(MODEL, "Total | {n}", CountOwner(space="rows", file=MODEL)),
    CountRule(ENGINE, "Total | {n}", CountOwner(space="rows", file=ENGINE)),
    *(
        CountRule(MODEL, f"{s} | {{n}}", CountOwner(space="rows", column="State", value=f"{s}*", file=MODEL))
        for s in STATES
    ),
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
