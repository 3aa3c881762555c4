"""Speed and memory, section by section: `make bench`, or `python -m tools.bench [SECTION…]`.

Each section is a module of `tests/bench` with a `main` that prints its figures and gives 0 where its bars are met. It runs
in a process of its own, so that the peak memory it prints is its own.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys

SECTIONS: dict[str, str] = {
    "core": "tests.bench.core",
    "records": "tests.bench.records",
    "inbox": "tests.bench.inbox",
    "intake": "tests.bench.intake",
    "review": "tests.bench.review",
}
"""Name to module, in the order in which they run."""


def run(names: list[str]) -> bool:
    """Run these sections. True where each is there and meets its bars."""
    fine = True
    for name in names:
        print(f"== {name}", flush=True)
        if importlib.util.find_spec(SECTIONS[name]) is None:
            print(f"there is no module {SECTIONS[name]}")
            fine = False
            continue
        fine = subprocess.run([sys.executable, "-m", SECTIONS[name]], check=False).returncode == 0 and fine
    print("every bar is met" if fine else "NOT every bar is met")
    return fine


def main(arguments: list[str] | None = None) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("section", nargs="*", help=f"of {', '.join(SECTIONS)}; all without one")
    names = parser.parse_args(arguments).section or list(SECTIONS)
    unknown = [name for name in names if name not in SECTIONS]
    if unknown:
        parser.error(f"there is no section {unknown[0]}; there are {', '.join(SECTIONS)}")
    return 0 if run(names) else 1


if __name__ == "__main__":
    sys.exit(main())
