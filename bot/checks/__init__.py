"""The checks: pure functions from a snapshot to an evaluation. `bot.checks.registry` has the one visible table."""
