"""The checks: pure functions from a snapshot to an evaluation. `recipediff.checks.registry` has the one visible table."""
