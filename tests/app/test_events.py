"""What each event asks for; and that nothing which is not as GitHub sends it is more than ignored."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recipediff.app.events import BUTTON, PLANNERS, Me, Plan, plan
from recipediff.reports.check_run import RECHECK
from tests.shared import SHARED, needs_shared

ME = Me(29310, "recipediff")
HEAD, BASE = "1" * 40, "2" * 40
REPO = {"full_name": "org/recipes"}
EXAMPLES = SHARED / "corpus/webhooks/payload-examples/api.github.com"


def pull(action: str = "opened", **more: Any) -> dict[str, Any]:
    return {
        "action": action,
        "installation": {"id": 7},
        "repository": REPO,
        "pull_request": {
            "number": 3,
            "updated_at": "2026-11-30T12:00:00Z",
            "comments": 0,
            "draft": False,
            "user": {"login": "octocat"},
            "head": {"sha": HEAD, "ref": "topic", "repo": {"full_name": "mallory/recipes"}},
            "base": {"sha": BASE, "ref": "main", "repo": REPO},
        },
    } | more


def check(kind: str, action: str, *, app: int = ME.app_id, branch: str | None = "topic", **more: Any) -> dict[str, Any]:
    about = {"head_sha": HEAD, "app": {"id": app}, "head_branch": branch, "check_suite": {"head_branch": branch}}
    return {"action": action, "installation": {"id": 7}, "repository": REPO, kind: about} | more


def push(*paths: str, ref: str = "refs/heads/main", repo: str = "org/recipes", **more: Any) -> dict[str, Any]:
    commits = [{"added": [], "removed": [], "modified": list(paths)}]
    about = {"ref": ref, "after": HEAD, "commits": commits, "deleted": False, "forced": False}
    return about | {"installation": {"id": 7}, "repository": {"full_name": repo}} | more


def comment(body: str, **user: Any) -> dict[str, Any]:
    return {
        "action": "created",
        "installation": {"id": 7},
        "repository": REPO,
        "issue": {"number": 3, "pull_request": {}},
        "comment": {"id": 99, "body": body, "user": {"login": "ada", "type": "User"} | user},
    }


def keys(found: Plan) -> list[str]:
    return [asked.key for asked in found.asked]


@pytest.mark.parametrize("action", ["opened", "reopened", "synchronize", "ready_for_review"])
def test_a_pull_request_that_may_have_another_verdict_is_reviewed(action: str) -> None:
    asked, *more = plan("pull_request", pull(action), ME).asked
    assert asked.key == "review:org/recipes#3"
    # One that comes back is a neighbour again, though it has not changed.
    assert [each.key for each in more] == (["records:org/recipes@main"] if action == "reopened" else [])
    assert (asked.data["head"], asked.data["base"], asked.data["base_ref"]) == (HEAD, BASE, "main")
    assert (asked.data["installation"], asked.data["number"], asked.data["action"]) == (7, 3, action)
    assert asked.data["head_repo"] == "mallory/recipes"
    assert asked.order == 1796040000.0
    json.dumps(dict(asked.data))


def test_only_an_edit_of_the_base_is_reviewed() -> None:
    moved = pull("edited", changes={"base": {"ref": {"from": "dev"}, "sha": {"from": HEAD}}})
    around = ["records:org/recipes@main", "records:org/recipes@dev"]
    assert keys(plan("pull_request", moved, ME)) == ["review:org/recipes#3", *around]
    renamed = plan("pull_request", pull("edited", changes={"title": {"from": "x"}}), ME)
    assert (renamed.asked, renamed.ignored) == ((), "a pull request that was edited has the same verdict")


def test_a_later_push_has_a_later_order() -> None:
    later = pull("synchronize")
    later["pull_request"]["updated_at"] = "2026-11-30T12:00:01Z"
    (one,), (two,) = plan("pull_request", pull(), ME).asked, plan("pull_request", later, ME).asked
    assert one.order < two.order


def test_a_deleted_fork_is_no_fault() -> None:
    gone = pull()
    gone["pull_request"]["head"]["repo"] = None
    (asked,) = plan("pull_request", gone, ME).asked
    assert asked.data["head_repo"] == ""


def test_a_closed_pull_request_has_its_repository_looked_at() -> None:
    found = plan("pull_request", pull("closed"), ME)
    assert keys(found) == ["reconcile:org/recipes", "records:org/recipes@main"]
    assert found.asked[1].data["base_ref"] == "main"


def test_without_an_installation_nobody_could_act() -> None:
    foreign = {key: value for key, value in pull().items() if key != "installation"}
    assert plan("pull_request", foreign, ME).ignored == "not delivered through an installation of the App"


def test_a_merge_group_is_reviewed_before_anything_else() -> None:
    group = {"head_sha": HEAD, "base_sha": BASE, "base_ref": "refs/heads/main", "head_ref": "refs/heads/q"}
    body = {"action": "checks_requested", "installation": {"id": 7}, "repository": REPO, "merge_group": group}
    (asked,) = plan("merge_group", body, ME).asked
    assert (asked.key, asked.data["base"], asked.data["base_ref"]) == (f"group:org/recipes@{HEAD}", BASE, "main")
    assert asked.priority > plan("pull_request", pull(), ME).asked[0].priority
    assert plan("merge_group", {**body, "action": "destroyed"}, ME).asked == ()


@pytest.mark.parametrize(
    ("kind", "action", "more"),
    [
        ("check_run", "rerequested", {}),
        ("check_run", "requested_action", {"requested_action": {"identifier": "recheck"}}),
        ("check_suite", "rerequested", {}),
    ],
)
def test_our_own_check_is_rechecked_by_its_head(kind: str, action: str, more: dict[str, Any]) -> None:
    assert keys(plan(kind, check(kind, action, **more), ME)) == [f"recheck:org/recipes@{HEAD}"]
    assert plan(kind, check(kind, action, app=1, **more), ME).ignored == "another App's check"


def test_our_button_is_the_one_that_the_check_run_shows() -> None:
    assert RECHECK.identifier == BUTTON


def test_another_button_is_not_ours() -> None:
    body = check("check_run", "requested_action", requested_action={"identifier": "format-all"})
    assert plan("check_run", body, ME).ignored == "not one of our buttons"


def test_the_check_of_a_merge_group_is_rechecked_as_one() -> None:
    branch = f"gh-readonly-queue/release/1.0/pr-12-{BASE}"
    (asked,) = plan("check_run", check("check_run", "rerequested", branch=branch), ME).asked
    assert (asked.key, asked.data["base"], asked.data["base_ref"]) == (f"group:org/recipes@{HEAD}", BASE, "release/1.0")


def test_a_fork_has_no_branch_in_its_check() -> None:
    assert plan("check_run", check("check_run", "rerequested", branch=None), ME).asked


@pytest.mark.parametrize("path", ["recipes/a.yaml", ".github/recipediff.yml", "recipes/tested.json"])
def test_a_push_that_may_change_the_rules_reconciles_what_waits_on_that_branch(path: str) -> None:
    (asked,) = plan("push", push("src/a.py", path), ME).asked
    assert (asked.key, asked.data["base_ref"]) == ("reconcile:org/recipes@main", "main")
    assert asked.delay > 0
    assert asked.priority < 0


def test_a_push_that_changes_no_rule_asks_for_nothing() -> None:
    ignored = plan("push", push("bot/core/x.py"), ME).ignored
    assert ignored == "touches no recipe, no configuration and no keyed table"
    assert plan("push", push("recipes/a.yaml", ref="refs/tags/v1"), ME).ignored == "not a push to a branch"
    assert plan("push", push("recipes/a.yaml", deleted=True), ME).asked == ()


@pytest.mark.parametrize("more", [{"forced": True}, {"commits": []}, {"commits": None}, {"commits": "?"}])
def test_a_push_that_does_not_say_what_it_changes_may_change_anything(more: dict[str, Any]) -> None:
    wanted = ["reconcile:org/recipes@main", "records:org/recipes@main"]
    assert keys(plan("push", push("src/a.py") | more, ME)) == wanted


def test_a_push_that_may_change_a_keyed_table_has_the_others_looked_at() -> None:
    (asked,) = plan("push", push("docs/rows.MD"), ME).asked
    assert (asked.key, asked.data["base_ref"]) == ("records:org/recipes@main", "main")
    assert asked.priority < 0


def test_a_push_to_an_upstream_is_watched() -> None:
    assert keys(plan("push", push("run.sh", repo="eugr/spark-vllm-docker"), ME)) == ["watch:eugr/spark-vllm-docker"]


@pytest.mark.parametrize(
    "body", ["@recipediff recheck", "  @RecipeDiff help\nplease", "@recipediff", "@recipediff: help"]
)
def test_a_comment_to_the_bot_is_a_command(body: str) -> None:
    (asked,) = plan("issue_comment", comment(body), ME).asked
    assert asked.key == "command:org/recipes#99"
    assert (asked.data["user"], asked.data["number"], asked.data["comment"]) == ("ada", 3, 99)
    assert "\n" not in str(asked.data["text"])


@pytest.mark.parametrize(
    "body", ["hello @recipediff recheck", "@recipediff-fork recheck", "@recipediffs", "recheck", ""]
)
def test_talk_is_not_a_command(body: str) -> None:
    assert plan("issue_comment", comment(body), ME).ignored == "not addressed to the bot"


def test_the_bots_name_is_the_apps() -> None:
    assert plan("issue_comment", comment("@my-bot help"), Me(1, "my-bot")).asked
    assert plan("issue_comment", comment("@recipediff help"), Me(1, "my-bot")).asked == ()


def test_bots_edits_and_issues_command_nothing() -> None:
    assert plan("issue_comment", comment("@recipediff help", type="Bot"), ME).ignored == "bots give no commands"
    assert plan("issue_comment", comment("@recipediff help") | {"action": "edited"}, ME).asked == ()
    issue = comment("@recipediff help") | {"issue": {"number": 3}}
    assert plan("issue_comment", issue, ME).ignored == "not on a pull request"


def test_new_repositories_are_reconciled() -> None:
    for event, action in (("installation", "created"), ("installation_repositories", "added")):
        assert keys(plan(event, {"action": action, "installation": {"id": 7}}, ME)) == ["installation:7"]
    for event, action in (("installation", "deleted"), ("installation_repositories", "removed")):
        assert plan(event, {"action": action, "installation": {"id": 7}}, ME).asked == ()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("pull_request.head.sha", "main"),
        ("pull_request.head.sha", None),
        ("pull_request.number", True),
        ("pull_request.number", -1),
        ("pull_request.number", 2**60),
        ("pull_request.base.ref", "a\nb"),
        ("pull_request.base.ref", "x" * 300),
        ("repository.full_name", "../../etc"),
        ("repository.full_name", "a/b/c"),
        ("repository.full_name", "a/b?c"),
        ("installation.id", "7"),
        ("pull_request", []),
        ("action", None),
    ],
)
def test_what_is_malformed_is_ignored_and_named(path: str, value: object) -> None:
    body = copy.deepcopy(pull())
    *way, last = path.split(".")
    place: Any = body
    for name in way:
        place = place[name]
    place[last] = value
    found = plan("pull_request", body, ME)
    assert found.asked == ()
    assert found.ignored.startswith("malformed: ")
    assert path.split(".")[0] in found.ignored


def examples() -> Iterator[tuple[str, str, Any]]:
    for path in sorted(EXAMPLES.glob("*/*.json")) if EXAMPLES.is_dir() else ():
        yield path.parent.name, path.name, json.loads(path.read_bytes())


@needs_shared
def test_githubs_own_examples_are_acted_on_or_ignored_for_a_reason() -> None:
    acted: dict[str, str] = {}
    count = 0
    for event, name, body in examples():
        about = body.get(event)
        app = about.get("app") if isinstance(about, dict) else None
        found = plan(event, body, Me(app["id"] if app else 1))
        count += 1
        assert bool(found.asked) != bool(found.ignored), (event, name)
        assert not found.ignored.startswith("malformed"), (event, name, found.ignored)
        if found.asked:
            acted[f"{event}/{name.split('.')[0]}"] = found.asked[0].key.partition(":")[0]
    assert count > 250
    assert acted == {
        "check_run/rerequested": "recheck",
        "check_suite/rerequested": "recheck",
        "installation/created": "installation",
        "installation/new_permissions_accepted": "installation",
        "installation/unsuspend": "installation",
        "installation_repositories/added": "installation",
        "merge_group/checks_requested": "group",
        "pull_request/closed": "reconcile",
        "pull_request/opened": "review",
        "pull_request/ready_for_review": "review",
        "pull_request/reopened": "review",
        "pull_request/synchronize": "review",
        "push/with-new-branch": "records",
        "push/with-no-username-committer": "records",
    }


OWN = [
    ("pull_request", pull()),
    ("check_run", check("check_run", "rerequested")),
    ("check_suite", check("check_suite", "rerequested")),
    ("push", push("recipes/a.yaml")),
    ("issue_comment", comment("@recipediff help")),
    ("installation", {"action": "created", "installation": {"id": 7}}),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)


def paths(body: object, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    if isinstance(body, dict):
        for key, value in body.items():
            yield from paths(value, (*at, key))
    elif isinstance(body, list):
        for index, value in enumerate(body):
            yield from paths(value, (*at, index))


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_no_mutation_makes_it_fail(data: st.DataObject) -> None:
    event, body = data.draw(st.sampled_from(OWN))
    body = copy.deepcopy(body)
    for _ in range(data.draw(st.integers(1, 3))):
        way = data.draw(st.sampled_from(list(paths(body))))
        value = data.draw(JSON)
        if not way:
            body = value
            break
        place: Any = body
        for step in way[:-1]:
            place = place[step]
        if data.draw(st.booleans()) and isinstance(place, dict):
            del place[way[-1]]
        else:
            place[way[-1]] = value
    for kind in {event, data.draw(st.sampled_from(sorted(PLANNERS)))}:
        found = plan(kind, body, ME)
        assert bool(found.asked) != bool(found.ignored)
        for asked in found.asked:
            assert len(asked.key) <= 512
            assert all(isinstance(each, str | int | float | bool) for each in asked.data.values())
            json.dumps(dict(asked.data), allow_nan=False).encode()
