"""The operations that this GitHub answers: one row each, in the order in which paths are tried."""

from __future__ import annotations

from sandbox import auth
from sandbox.api import app as api_app
from sandbox.api import checks as api_checks
from sandbox.api import git as api_git
from sandbox.api import issues as api_issues
from sandbox.api import pulls as api_pulls
from sandbox.api import repos as api_repos
from sandbox.routing import Route

_R = "/repos/{owner}/{repo}"

ROUTES: tuple[Route, ...] = (
    # method, path, operation, needs, handler
    Route("GET", "/app", "apps/get-authenticated", "app", api_app.get_app),
    Route("GET", "/app/hook/config", "apps/get-webhook-config-for-app", "app", api_app.get_hook_config),
    Route("PATCH", "/app/hook/config", "apps/update-webhook-config-for-app", "app", api_app.update_hook_config),
    Route("GET", "/app/hook/deliveries", "apps/list-webhook-deliveries", "app", api_app.list_deliveries),
    Route("GET", "/app/hook/deliveries/{delivery_id}", "apps/get-webhook-delivery", "app", api_app.get_delivery),
    Route("POST", "/app/hook/deliveries/{delivery_id}/attempts", "apps/redeliver-webhook-delivery", "app", api_app.redeliver),
    Route("GET", "/app/installations", "apps/list-installations", "app", api_app.list_installations),
    Route("GET", "/app/installations/{installation_id}", "apps/get-installation", "app", api_app.get_installation),
    Route("POST", "/app/installations/{installation_id}/access_tokens", "apps/create-installation-access-token", "app", auth.create_token),
    Route("POST", "/app-manifests/{code}/conversions", "apps/create-from-manifest", "", api_app.convert_manifest),
    Route("GET", "/installation/repositories", "apps/list-repos-accessible-to-installation", "", api_app.list_installation_repos),
    Route("GET", "/user", "users/get-authenticated", "", api_app.get_user),
    Route("GET", "/users/{username}", "users/get-by-username", "", api_app.get_user_by_name),
    Route("GET", "/rate_limit", "rate-limit/get", "", api_app.get_rate_limit),
    Route("GET", _R, "repos/get", "metadata:read", api_repos.get_repo),
    Route("GET", _R + "/installation", "apps/get-repo-installation", "app", api_app.get_repo_installation),
    Route("GET", _R + "/git/trees/{tree_sha}", "git/get-tree", "contents:read", api_git.get_tree),
    Route("POST", _R + "/git/trees", "git/create-tree", "contents:write", api_git.create_tree),
    Route("GET", _R + "/git/blobs/{file_sha}", "git/get-blob", "contents:read", api_git.get_blob),
    Route("POST", _R + "/git/blobs", "git/create-blob", "contents:write", api_git.create_blob),
    Route("GET", _R + "/git/commits/{commit_sha}", "git/get-commit", "contents:read", api_git.get_commit),
    Route("POST", _R + "/git/commits", "git/create-commit", "contents:write", api_git.create_commit),
    Route("GET", _R + "/git/ref/{ref}", "git/get-ref", "contents:read", api_git.get_ref),
    Route("GET", _R + "/git/matching-refs/{ref}", "git/list-matching-refs", "contents:read", api_git.list_matching_refs),
    Route("POST", _R + "/git/refs", "git/create-ref", "contents:write", api_git.create_ref),
    Route("PATCH", _R + "/git/refs/{ref}", "git/update-ref", "contents:write", api_git.update_ref),
    Route("DELETE", _R + "/git/refs/{ref}", "git/delete-ref", "contents:write", api_git.delete_ref),
    Route("GET", _R + "/commits", "repos/list-commits", "contents:read", api_repos.list_commits),
    Route("GET", _R + "/commits/{ref}/check-runs", "checks/list-for-ref", "checks:read", api_checks.list_runs),
    Route("GET", _R + "/commits/{ref}/check-suites", "checks/list-suites-for-ref", "checks:read", api_checks.list_suites),
    Route("GET", _R + "/commits/{commit_sha}/pulls", "repos/list-pull-requests-associated-with-commit", "pull_requests:read", api_pulls.list_for_commit),
    Route("GET", _R + "/commits/{ref}", "repos/get-commit", "contents:read", api_repos.get_commit),
    Route("GET", _R + "/compare/{basehead}", "repos/compare-commits-with-basehead", "contents:read", api_repos.compare),
    Route("GET", _R + "/branches/{branch}/protection/required_status_checks", "repos/get-status-checks-protection", "administration:read", api_repos.get_required_checks),
    Route("GET", _R + "/branches/{branch}/protection", "repos/get-branch-protection", "administration:read", api_repos.get_protection),
    Route("GET", _R + "/branches/{branch}", "repos/get-branch", "contents:read", api_repos.get_branch),
    Route("GET", _R + "/rules/branches/{branch}", "repos/get-branch-rules", "metadata:read", api_repos.list_rules),
    Route("GET", _R + "/contents/{path}", "repos/get-content", "contents:read", api_repos.get_contents),
    Route("PUT", _R + "/contents/{path}", "repos/create-or-update-file-contents", "contents:write", api_repos.put_contents),
    Route("GET", _R + "/collaborators/{username}/permission", "repos/get-collaborator-permission-level", "metadata:read", api_repos.get_permission),
    Route("GET", _R + "/pulls", "pulls/list", "pull_requests:read", api_pulls.list_pulls),
    Route("POST", _R + "/pulls", "pulls/create", "pull_requests:write", api_pulls.create_pull),
    Route("GET", _R + "/pulls/{pull_number}", "pulls/get", "pull_requests:read", api_pulls.get_pull),
    Route("PATCH", _R + "/pulls/{pull_number}", "pulls/update", "pull_requests:write", api_pulls.update_pull),
    Route("GET", _R + "/pulls/{pull_number}/files", "pulls/list-files", "pull_requests:read", api_pulls.list_files),
    Route("GET", _R + "/pulls/{pull_number}/commits", "pulls/list-commits", "pull_requests:read", api_pulls.list_commits),
    Route("PUT", _R + "/pulls/{pull_number}/merge", "pulls/merge", "contents:write", api_pulls.merge),
    Route("POST", _R + "/pulls/{pull_number}/requested_reviewers", "pulls/request-reviewers", "pull_requests:write", api_pulls.request_reviewers),
    Route("GET", _R + "/labels", "issues/list-labels-for-repo", "issues|pull_requests:read", api_issues.list_repo_labels),
    Route("POST", _R + "/labels", "issues/create-label", "issues|pull_requests:write", api_issues.create_repo_label),
    Route("GET", _R + "/labels/{name}", "issues/get-label", "issues|pull_requests:read", api_issues.get_repo_label),
    Route("GET", _R + "/issues", "issues/list-for-repo", "issues:read", api_issues.list_issues),
    Route("POST", _R + "/issues", "issues/create", "issues:write", api_issues.create_issue),
    Route("GET", _R + "/issues/comments/{comment_id}", "issues/get-comment", "issues|pull_requests:read", api_issues.get_comment),
    Route("PATCH", _R + "/issues/comments/{comment_id}", "issues/update-comment", "issues|pull_requests:write", api_issues.update_comment),
    Route("DELETE", _R + "/issues/comments/{comment_id}", "issues/delete-comment", "issues|pull_requests:write", api_issues.delete_comment),
    Route("GET", _R + "/issues/comments/{comment_id}/reactions", "reactions/list-for-issue-comment", "issues|pull_requests:read", api_issues.list_reactions),
    Route("POST", _R + "/issues/comments/{comment_id}/reactions", "reactions/create-for-issue-comment", "issues|pull_requests:write", api_issues.create_reaction),
    Route("GET", _R + "/issues/{issue_number}", "issues/get", "issues|pull_requests:read", api_issues.get_issue),
    Route("PATCH", _R + "/issues/{issue_number}", "issues/update", "issues|pull_requests:write", api_issues.update_issue),
    Route("GET", _R + "/issues/{issue_number}/comments", "issues/list-comments", "issues|pull_requests:read", api_issues.list_comments),
    Route("POST", _R + "/issues/{issue_number}/comments", "issues/create-comment", "issues|pull_requests:write", api_issues.create_comment),
    Route("GET", _R + "/issues/{issue_number}/labels", "issues/list-labels-on-issue", "issues|pull_requests:read", api_issues.list_labels),
    Route("POST", _R + "/issues/{issue_number}/labels", "issues/add-labels", "issues|pull_requests:write", api_issues.add_labels),
    Route("PUT", _R + "/issues/{issue_number}/labels", "issues/set-labels", "issues|pull_requests:write", api_issues.set_labels),
    Route("DELETE", _R + "/issues/{issue_number}/labels/{name}", "issues/remove-label", "issues|pull_requests:write", api_issues.remove_label),
    Route("POST", _R + "/issues/{issue_number}/assignees", "issues/add-assignees", "issues|pull_requests:write", api_issues.add_assignees),
    Route("POST", _R + "/check-runs", "checks/create", "checks:write", api_checks.create_run),
    Route("GET", _R + "/check-runs/{check_run_id}", "checks/get", "checks:read", api_checks.get_run),
    Route("PATCH", _R + "/check-runs/{check_run_id}", "checks/update", "checks:write", api_checks.update_run),
    Route("GET", _R + "/check-runs/{check_run_id}/annotations", "checks/list-annotations", "checks:read", api_checks.list_annotations),
    Route("GET", _R + "/check-suites/{check_suite_id}", "checks/get-suite", "checks:read", api_checks.get_suite),
)  # fmt: skip

SLASHED = frozenset({"ref", "path", "branch", "basehead", "name", "tree_sha"})
"""Parts of a path that may hold slashes."""
