"""The fields of the `bumps:` section of `.github/recipediff.yml`."""

from __future__ import annotations

from recipediff.parse.schema.shapes import Field, ListOf, Number, Record, Text

_DAY = Text(values=("mon", "tue", "wed", "thu", "fri", "sat", "sun"), wants="mon, tue, wed, thu, fri, sat or sun")
_ID_GLOB = Text(r"^[^\s/]+$", "a recipe id, or a pattern such as deepseek-*")
_GROUP_NAME = Text(
    r"^[A-Za-z0-9_](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9_-]))*$", "letters, digits, dots, dashes and underscores"
)
_LABEL = Text(r"^[^\x00-\x1f,]{1,50}$", "a label of at most 50 characters, without a comma")
_LOGIN = Text(r"^[A-Za-z0-9](?:-?[A-Za-z0-9])*$", "an account name, without @")
_REVIEWER = Text(
    r"^[A-Za-z0-9](?:-?[A-Za-z0-9])*(?:/[A-Za-z0-9][A-Za-z0-9_-]*)?$",
    "an account name, or a team as owner/team, without @",
)

_GROUP = Record(
    (
        Field(name="name", shape=_GROUP_NAME, doc="The name of the group; its branch is called after it.", required=True,
              add="`name:` for the branch", examples=("deepseek",)),
        Field(name="recipes", shape=ListOf(_ID_GLOB, "a list of recipe ids or patterns"),
              doc="The recipes that move together, by id or pattern.", required=True, add="`recipes:` with their ids",
              examples=("deepseek-*",)),
    ),
    wants="a mapping with name and recipes",
)  # fmt: skip

BUMPS = Record(
    (
        Field(name="open", shape=Text(values=("automatic", "asked", "never"), wants="automatic, asked or never"),
              doc="`automatic`: a bump is opened when upstream moves. `asked`: only where somebody ticks its box in the overview. "
              "`never`: nothing is opened, changed or closed. Default: automatic.", also=("enabled", "mode")),
        Field(name="days", shape=ListOf(_DAY, "a list of days"),
              doc="The days (UTC) on which bumps may be opened; open ones are kept up to date on any day. Default: every day.",
              also=("schedule", "day"), examples=("mon",)),
        Field(name="cooldown", shape=Number(0, whole=False, wants="a number of days, 0 or more"),
              doc="Days that upstream's newest change must be old before a bump is opened for it. Default: 1.",
              also=("minimum-release-age", "wait"), examples=(1,)),
        Field(name="max-open", shape=Number(0, wants="a whole number, 0 or more"), doc="At most so many bumps are open at a time. Default: 5.",
              also=("max_open", "limit", "open-pull-requests-limit"), examples=(5,)),
        Field(name="max-per-day", shape=Number(0, wants="a whole number, 0 or more"),
              doc="At most so many bumps are opened within 24 hours. Default: 3.", also=("max_per_day", "per-day"), examples=(3,)),
        Field(name="groups", shape=ListOf(_GROUP, "a list of groups"), doc="Recipes that move in one pull request. Default: none.",
              also=("group",)),
        Field(name="quiet", shape=Text(values=("gather", "skip"), wants="gather or skip"),
              doc="Moves that change nothing a pinned launch uses. `gather`: one pull request for all of them. `skip`: none. "
              "Default: gather."),
        Field(name="quiet-every", shape=Text(values=("day", "week", "month"), wants="day, week or month"),
              doc="How often the pull request of quiet moves may be opened. Default: month.", also=("quiet_every",)),
        Field(name="ignore", shape=ListOf(_ID_GLOB, "a list of recipe ids or patterns"),
              doc="Recipes for which no bump is opened, by id or pattern. Default: none.", also=("exclude",)),
        Field(name="labels", shape=ListOf(_LABEL, "a list of labels"), doc="The labels of a bump. Default: recipediff.", also=("label",)),
        Field(name="reviewers", shape=ListOf(_REVIEWER, "a list of accounts or teams"),
              doc="Who is asked to review a bump: accounts, and teams as owner/team. Default: nobody.", also=("reviewer",)),
        Field(name="assignees", shape=ListOf(_LOGIN, "a list of accounts"), doc="Who a bump is assigned to. Default: nobody.",
              also=("assignee",)),
        Field(name="automerge", shape=Text(values=("never", "quiet"), wants="never or quiet"),
              doc="`quiet`: the pull request of quiet moves is merged once its check is green and nobody else has committed to it. "
              "Default: never.", also=("auto-merge",)),
        Field(name="overview", shape=Text(values=("issue", "never"), wants="issue or never"),
              doc="`issue`: one issue lists every recipe with its pin, its bump and what is held back. Default: issue.",
              also=("dashboard",)),
    ),
    wants="a mapping: open, days, cooldown, max-open, max-per-day, groups, quiet, …",
)  # fmt: skip
