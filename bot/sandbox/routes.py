"""The operations that this GitHub answers: one row each, in the order in which paths are tried."""

from __future__ import annotations

from sandbox import auth
from sandbox.api import app as api_app
from sandbox.api import checks as api_checks
from sandbox.api import git as api_git
from sandbox.api import issues as api_issues
from sandbox.api import pulls as api_pulls
from sandbox.api import repos as api_repos
from sandbox.routing import GitHubOperation

_R = "/repos/{owner}/{repo}"

ROUTES: tuple[GitHubOperation, ...] = (
    # method, path, operation, needs, handler
    GitHubOperation(method="GET", path="/app", operation="apps/get-authenticated", needs="app", handler=api_app.get_app),
    GitHubOperation(method="GET", path="/app/hook/config", operation="apps/get-webhook-config-for-app", needs="app", handler=api_app.get_hook_config),
    GitHubOperation(method="PATCH", path="/app/hook/config", operation="apps/update-webhook-config-for-app", needs="app", handler=api_app.update_hook_config),
    GitHubOperation(method="GET", path="/app/hook/deliveries", operation="apps/list-webhook-deliveries", needs="app", handler=api_app.list_deliveries),
    GitHubOperation(method="GET", path="/app/hook/deliveries/{delivery_id}", operation="apps/get-webhook-delivery", needs="app", handler=api_app.get_delivery),
    GitHubOperation(method="POST", path="/app/hook/deliveries/{delivery_id}/attempts", operation="apps/redeliver-webhook-delivery", needs="app", handler=api_app.redeliver),
    GitHubOperation(method="GET", path="/app/installations", operation="apps/list-installations", needs="app", handler=api_app.list_installations),
    GitHubOperation(method="GET", path="/app/installations/{installation_id}", operation="apps/get-installation", needs="app", handler=api_app.get_installation),
    GitHubOperation(method="POST", path="/app/installations/{installation_id}/access_tokens", operation="apps/create-installation-access-token", needs="app", handler=auth.create_token),
    GitHubOperation(method="POST", path="/app-manifests/{code}/conversions", operation="apps/create-from-manifest", needs="", handler=api_app.convert_manifest),
    GitHubOperation(method="GET", path="/installation/repositories", operation="apps/list-repos-accessible-to-installation", needs="", handler=api_app.list_installation_repos),
    GitHubOperation(method="GET", path="/user", operation="users/get-authenticated", needs="", handler=api_app.get_user),
    GitHubOperation(method="GET", path="/users/{username}", operation="users/get-by-username", needs="", handler=api_app.get_user_by_name),
    GitHubOperation(method="GET", path="/rate_limit", operation="rate-limit/get", needs="", handler=api_app.get_rate_limit),
    GitHubOperation(method="GET", path=_R, operation="repos/get", needs="metadata:read", handler=api_repos.get_repo),
    GitHubOperation(method="GET", path=_R + "/installation", operation="apps/get-repo-installation", needs="app", handler=api_app.get_repo_installation),
    GitHubOperation(method="GET", path=_R + "/git/trees/{tree_sha}", operation="git/get-tree", needs="contents:read", handler=api_git.get_tree),
    GitHubOperation(method="POST", path=_R + "/git/trees", operation="git/create-tree", needs="contents:write", handler=api_git.create_tree),
    GitHubOperation(method="GET", path=_R + "/git/blobs/{file_sha}", operation="git/get-blob", needs="contents:read", handler=api_git.get_blob),
    GitHubOperation(method="POST", path=_R + "/git/blobs", operation="git/create-blob", needs="contents:write", handler=api_git.create_blob),
    GitHubOperation(method="GET", path=_R + "/git/commits/{commit_sha}", operation="git/get-commit", needs="contents:read", handler=api_git.get_commit),
    GitHubOperation(method="POST", path=_R + "/git/commits", operation="git/create-commit", needs="contents:write", handler=api_git.create_commit),
    GitHubOperation(method="GET", path=_R + "/git/ref/{ref}", operation="git/get-ref", needs="contents:read", handler=api_git.get_ref),
    GitHubOperation(method="GET", path=_R + "/git/matching-refs/{ref}", operation="git/list-matching-refs", needs="contents:read", handler=api_git.list_matching_refs),
    GitHubOperation(method="POST", path=_R + "/git/refs", operation="git/create-ref", needs="contents:write", handler=api_git.create_ref),
    GitHubOperation(method="PATCH", path=_R + "/git/refs/{ref}", operation="git/update-ref", needs="contents:write", handler=api_git.update_ref),
    GitHubOperation(method="DELETE", path=_R + "/git/refs/{ref}", operation="git/delete-ref", needs="contents:write", handler=api_git.delete_ref),
    GitHubOperation(method="GET", path=_R + "/commits", operation="repos/list-commits", needs="contents:read", handler=api_repos.list_commits),
    GitHubOperation(method="GET", path=_R + "/commits/{ref}/check-runs", operation="checks/list-for-ref", needs="checks:read", handler=api_checks.list_runs),
    GitHubOperation(method="GET", path=_R + "/commits/{ref}/check-suites", operation="checks/list-suites-for-ref", needs="checks:read", handler=api_checks.list_suites),
    GitHubOperation(method="GET", path=_R + "/commits/{commit_sha}/pulls", operation="repos/list-pull-requests-associated-with-commit", needs="pull_requests:read", handler=api_pulls.list_for_commit),
    GitHubOperation(method="GET", path=_R + "/commits/{ref}", operation="repos/get-commit", needs="contents:read", handler=api_repos.get_commit),
    GitHubOperation(method="GET", path=_R + "/compare/{basehead}", operation="repos/compare-commits-with-basehead", needs="contents:read", handler=api_repos.compare),
    GitHubOperation(method="GET", path=_R + "/branches/{branch}/protection/required_status_checks", operation="repos/get-status-checks-protection", needs="administration:read", handler=api_repos.get_required_checks),
    GitHubOperation(method="GET", path=_R + "/branches/{branch}/protection", operation="repos/get-branch-protection", needs="administration:read", handler=api_repos.get_protection),
    GitHubOperation(method="GET", path=_R + "/branches/{branch}", operation="repos/get-branch", needs="contents:read", handler=api_repos.get_branch),
    GitHubOperation(method="GET", path=_R + "/rules/branches/{branch}", operation="repos/get-branch-rules", needs="metadata:read", handler=api_repos.list_rules),
    GitHubOperation(method="GET", path=_R + "/contents/{path}", operation="repos/get-content", needs="contents:read", handler=api_repos.get_contents),
    GitHubOperation(method="PUT", path=_R + "/contents/{path}", operation="repos/create-or-update-file-contents", needs="contents:write", handler=api_repos.put_contents),
    GitHubOperation(method="GET", path=_R + "/collaborators/{username}/permission", operation="repos/get-collaborator-permission-level", needs="metadata:read", handler=api_repos.get_permission),
    GitHubOperation(method="GET", path=_R + "/pulls", operation="pulls/list", needs="pull_requests:read", handler=api_pulls.list_pulls),
    GitHubOperation(method="POST", path=_R + "/pulls", operation="pulls/create", needs="pull_requests:write", handler=api_pulls.create_pull),
    GitHubOperation(method="GET", path=_R + "/pulls/{pull_number}", operation="pulls/get", needs="pull_requests:read", handler=api_pulls.get_pull),
    GitHubOperation(method="PATCH", path=_R + "/pulls/{pull_number}", operation="pulls/update", needs="pull_requests:write", handler=api_pulls.update_pull),
    GitHubOperation(method="GET", path=_R + "/pulls/{pull_number}/files", operation="pulls/list-files", needs="pull_requests:read", handler=api_pulls.list_files),
    GitHubOperation(method="GET", path=_R + "/pulls/{pull_number}/commits", operation="pulls/list-commits", needs="pull_requests:read", handler=api_pulls.list_commits),
    GitHubOperation(method="PUT", path=_R + "/pulls/{pull_number}/merge", operation="pulls/merge", needs="contents:write", handler=api_pulls.merge),
    GitHubOperation(method="POST", path=_R + "/pulls/{pull_number}/requested_reviewers", operation="pulls/request-reviewers", needs="pull_requests:write", handler=api_pulls.request_reviewers),
    GitHubOperation(method="GET", path=_R + "/labels", operation="issues/list-labels-for-repo", needs="issues|pull_requests:read", handler=api_issues.list_repo_labels),
    GitHubOperation(method="POST", path=_R + "/labels", operation="issues/create-label", needs="issues|pull_requests:write", handler=api_issues.create_repo_label),
    GitHubOperation(method="GET", path=_R + "/labels/{name}", operation="issues/get-label", needs="issues|pull_requests:read", handler=api_issues.get_repo_label),
    GitHubOperation(method="GET", path=_R + "/issues", operation="issues/list-for-repo", needs="issues:read", handler=api_issues.list_issues),
    GitHubOperation(method="POST", path=_R + "/issues", operation="issues/create", needs="issues:write", handler=api_issues.create_issue),
    GitHubOperation(method="GET", path=_R + "/issues/comments/{comment_id}", operation="issues/get-comment", needs="issues|pull_requests:read", handler=api_issues.get_comment),
    GitHubOperation(method="PATCH", path=_R + "/issues/comments/{comment_id}", operation="issues/update-comment", needs="issues|pull_requests:write", handler=api_issues.update_comment),
    GitHubOperation(method="DELETE", path=_R + "/issues/comments/{comment_id}", operation="issues/delete-comment", needs="issues|pull_requests:write", handler=api_issues.delete_comment),
    GitHubOperation(method="GET", path=_R + "/issues/comments/{comment_id}/reactions", operation="reactions/list-for-issue-comment", needs="issues|pull_requests:read", handler=api_issues.list_reactions),
    GitHubOperation(method="POST", path=_R + "/issues/comments/{comment_id}/reactions", operation="reactions/create-for-issue-comment", needs="issues|pull_requests:write", handler=api_issues.create_reaction),
    GitHubOperation(method="GET", path=_R + "/issues/{issue_number}", operation="issues/get", needs="issues|pull_requests:read", handler=api_issues.get_issue),
    GitHubOperation(method="PATCH", path=_R + "/issues/{issue_number}", operation="issues/update", needs="issues|pull_requests:write", handler=api_issues.update_issue),
    GitHubOperation(method="GET", path=_R + "/issues/{issue_number}/comments", operation="issues/list-comments", needs="issues|pull_requests:read", handler=api_issues.list_comments),
    GitHubOperation(method="POST", path=_R + "/issues/{issue_number}/comments", operation="issues/create-comment", needs="issues|pull_requests:write", handler=api_issues.create_comment),
    GitHubOperation(method="GET", path=_R + "/issues/{issue_number}/labels", operation="issues/list-labels-on-issue", needs="issues|pull_requests:read", handler=api_issues.list_labels),
    GitHubOperation(method="POST", path=_R + "/issues/{issue_number}/labels", operation="issues/add-labels", needs="issues|pull_requests:write", handler=api_issues.add_labels),
    GitHubOperation(method="PUT", path=_R + "/issues/{issue_number}/labels", operation="issues/set-labels", needs="issues|pull_requests:write", handler=api_issues.set_labels),
    GitHubOperation(method="DELETE", path=_R + "/issues/{issue_number}/labels/{name}", operation="issues/remove-label", needs="issues|pull_requests:write", handler=api_issues.remove_label),
    GitHubOperation(method="POST", path=_R + "/issues/{issue_number}/assignees", operation="issues/add-assignees", needs="issues|pull_requests:write", handler=api_issues.add_assignees),
    GitHubOperation(method="POST", path=_R + "/check-runs", operation="checks/create", needs="checks:write", handler=api_checks.create_run),
    GitHubOperation(method="GET", path=_R + "/check-runs/{check_run_id}", operation="checks/get", needs="checks:read", handler=api_checks.get_run),
    GitHubOperation(method="PATCH", path=_R + "/check-runs/{check_run_id}", operation="checks/update", needs="checks:write", handler=api_checks.update_run),
    GitHubOperation(method="GET", path=_R + "/check-runs/{check_run_id}/annotations", operation="checks/list-annotations", needs="checks:read", handler=api_checks.list_annotations),
    GitHubOperation(method="GET", path=_R + "/check-suites/{check_suite_id}", operation="checks/get-suite", needs="checks:read", handler=api_checks.get_suite),
)  # fmt: skip

SLASHED = frozenset({"ref", "path", "branch", "basehead", "name", "tree_sha"})
"""Parts of a path that may hold slashes."""
