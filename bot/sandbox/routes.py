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
    GitHubOperation("GET", "/app", "apps/get-authenticated", "app", api_app.get_app),
    GitHubOperation("GET", "/app/hook/config", "apps/get-webhook-config-for-app", "app", api_app.get_hook_config),
    GitHubOperation("PATCH", "/app/hook/config", "apps/update-webhook-config-for-app", "app", api_app.update_hook_config),
    GitHubOperation("GET", "/app/hook/deliveries", "apps/list-webhook-deliveries", "app", api_app.list_deliveries),
    GitHubOperation("GET", "/app/hook/deliveries/{delivery_id}", "apps/get-webhook-delivery", "app", api_app.get_delivery),
    GitHubOperation("POST", "/app/hook/deliveries/{delivery_id}/attempts", "apps/redeliver-webhook-delivery", "app", api_app.redeliver),
    GitHubOperation("GET", "/app/installations", "apps/list-installations", "app", api_app.list_installations),
    GitHubOperation("GET", "/app/installations/{installation_id}", "apps/get-installation", "app", api_app.get_installation),
    GitHubOperation("POST", "/app/installations/{installation_id}/access_tokens", "apps/create-installation-access-token", "app", auth.create_token),
    GitHubOperation("POST", "/app-manifests/{code}/conversions", "apps/create-from-manifest", "", api_app.convert_manifest),
    GitHubOperation("GET", "/installation/repositories", "apps/list-repos-accessible-to-installation", "", api_app.list_installation_repos),
    GitHubOperation("GET", "/user", "users/get-authenticated", "", api_app.get_user),
    GitHubOperation("GET", "/users/{username}", "users/get-by-username", "", api_app.get_user_by_name),
    GitHubOperation("GET", "/rate_limit", "rate-limit/get", "", api_app.get_rate_limit),
    GitHubOperation("GET", _R, "repos/get", "metadata:read", api_repos.get_repo),
    GitHubOperation("GET", _R + "/installation", "apps/get-repo-installation", "app", api_app.get_repo_installation),
    GitHubOperation("GET", _R + "/git/trees/{tree_sha}", "git/get-tree", "contents:read", api_git.get_tree),
    GitHubOperation("POST", _R + "/git/trees", "git/create-tree", "contents:write", api_git.create_tree),
    GitHubOperation("GET", _R + "/git/blobs/{file_sha}", "git/get-blob", "contents:read", api_git.get_blob),
    GitHubOperation("POST", _R + "/git/blobs", "git/create-blob", "contents:write", api_git.create_blob),
    GitHubOperation("GET", _R + "/git/commits/{commit_sha}", "git/get-commit", "contents:read", api_git.get_commit),
    GitHubOperation("POST", _R + "/git/commits", "git/create-commit", "contents:write", api_git.create_commit),
    GitHubOperation("GET", _R + "/git/ref/{ref}", "git/get-ref", "contents:read", api_git.get_ref),
    GitHubOperation("GET", _R + "/git/matching-refs/{ref}", "git/list-matching-refs", "contents:read", api_git.list_matching_refs),
    GitHubOperation("POST", _R + "/git/refs", "git/create-ref", "contents:write", api_git.create_ref),
    GitHubOperation("PATCH", _R + "/git/refs/{ref}", "git/update-ref", "contents:write", api_git.update_ref),
    GitHubOperation("DELETE", _R + "/git/refs/{ref}", "git/delete-ref", "contents:write", api_git.delete_ref),
    GitHubOperation("GET", _R + "/commits", "repos/list-commits", "contents:read", api_repos.list_commits),
    GitHubOperation("GET", _R + "/commits/{ref}/check-runs", "checks/list-for-ref", "checks:read", api_checks.list_runs),
    GitHubOperation("GET", _R + "/commits/{ref}/check-suites", "checks/list-suites-for-ref", "checks:read", api_checks.list_suites),
    GitHubOperation("GET", _R + "/commits/{commit_sha}/pulls", "repos/list-pull-requests-associated-with-commit", "pull_requests:read", api_pulls.list_for_commit),
    GitHubOperation("GET", _R + "/commits/{ref}", "repos/get-commit", "contents:read", api_repos.get_commit),
    GitHubOperation("GET", _R + "/compare/{basehead}", "repos/compare-commits-with-basehead", "contents:read", api_repos.compare),
    GitHubOperation("GET", _R + "/branches/{branch}/protection/required_status_checks", "repos/get-status-checks-protection", "administration:read", api_repos.get_required_checks),
    GitHubOperation("GET", _R + "/branches/{branch}/protection", "repos/get-branch-protection", "administration:read", api_repos.get_protection),
    GitHubOperation("GET", _R + "/branches/{branch}", "repos/get-branch", "contents:read", api_repos.get_branch),
    GitHubOperation("GET", _R + "/rules/branches/{branch}", "repos/get-branch-rules", "metadata:read", api_repos.list_rules),
    GitHubOperation("GET", _R + "/contents/{path}", "repos/get-content", "contents:read", api_repos.get_contents),
    GitHubOperation("PUT", _R + "/contents/{path}", "repos/create-or-update-file-contents", "contents:write", api_repos.put_contents),
    GitHubOperation("GET", _R + "/collaborators/{username}/permission", "repos/get-collaborator-permission-level", "metadata:read", api_repos.get_permission),
    GitHubOperation("GET", _R + "/pulls", "pulls/list", "pull_requests:read", api_pulls.list_pulls),
    GitHubOperation("POST", _R + "/pulls", "pulls/create", "pull_requests:write", api_pulls.create_pull),
    GitHubOperation("GET", _R + "/pulls/{pull_number}", "pulls/get", "pull_requests:read", api_pulls.get_pull),
    GitHubOperation("PATCH", _R + "/pulls/{pull_number}", "pulls/update", "pull_requests:write", api_pulls.update_pull),
    GitHubOperation("GET", _R + "/pulls/{pull_number}/files", "pulls/list-files", "pull_requests:read", api_pulls.list_files),
    GitHubOperation("GET", _R + "/pulls/{pull_number}/commits", "pulls/list-commits", "pull_requests:read", api_pulls.list_commits),
    GitHubOperation("PUT", _R + "/pulls/{pull_number}/merge", "pulls/merge", "contents:write", api_pulls.merge),
    GitHubOperation("POST", _R + "/pulls/{pull_number}/requested_reviewers", "pulls/request-reviewers", "pull_requests:write", api_pulls.request_reviewers),
    GitHubOperation("GET", _R + "/labels", "issues/list-labels-for-repo", "issues|pull_requests:read", api_issues.list_repo_labels),
    GitHubOperation("POST", _R + "/labels", "issues/create-label", "issues|pull_requests:write", api_issues.create_repo_label),
    GitHubOperation("GET", _R + "/labels/{name}", "issues/get-label", "issues|pull_requests:read", api_issues.get_repo_label),
    GitHubOperation("GET", _R + "/issues", "issues/list-for-repo", "issues:read", api_issues.list_issues),
    GitHubOperation("POST", _R + "/issues", "issues/create", "issues:write", api_issues.create_issue),
    GitHubOperation("GET", _R + "/issues/comments/{comment_id}", "issues/get-comment", "issues|pull_requests:read", api_issues.get_comment),
    GitHubOperation("PATCH", _R + "/issues/comments/{comment_id}", "issues/update-comment", "issues|pull_requests:write", api_issues.update_comment),
    GitHubOperation("DELETE", _R + "/issues/comments/{comment_id}", "issues/delete-comment", "issues|pull_requests:write", api_issues.delete_comment),
    GitHubOperation("GET", _R + "/issues/comments/{comment_id}/reactions", "reactions/list-for-issue-comment", "issues|pull_requests:read", api_issues.list_reactions),
    GitHubOperation("POST", _R + "/issues/comments/{comment_id}/reactions", "reactions/create-for-issue-comment", "issues|pull_requests:write", api_issues.create_reaction),
    GitHubOperation("GET", _R + "/issues/{issue_number}", "issues/get", "issues|pull_requests:read", api_issues.get_issue),
    GitHubOperation("PATCH", _R + "/issues/{issue_number}", "issues/update", "issues|pull_requests:write", api_issues.update_issue),
    GitHubOperation("GET", _R + "/issues/{issue_number}/comments", "issues/list-comments", "issues|pull_requests:read", api_issues.list_comments),
    GitHubOperation("POST", _R + "/issues/{issue_number}/comments", "issues/create-comment", "issues|pull_requests:write", api_issues.create_comment),
    GitHubOperation("GET", _R + "/issues/{issue_number}/labels", "issues/list-labels-on-issue", "issues|pull_requests:read", api_issues.list_labels),
    GitHubOperation("POST", _R + "/issues/{issue_number}/labels", "issues/add-labels", "issues|pull_requests:write", api_issues.add_labels),
    GitHubOperation("PUT", _R + "/issues/{issue_number}/labels", "issues/set-labels", "issues|pull_requests:write", api_issues.set_labels),
    GitHubOperation("DELETE", _R + "/issues/{issue_number}/labels/{name}", "issues/remove-label", "issues|pull_requests:write", api_issues.remove_label),
    GitHubOperation("POST", _R + "/issues/{issue_number}/assignees", "issues/add-assignees", "issues|pull_requests:write", api_issues.add_assignees),
    GitHubOperation("POST", _R + "/check-runs", "checks/create", "checks:write", api_checks.create_run),
    GitHubOperation("GET", _R + "/check-runs/{check_run_id}", "checks/get", "checks:read", api_checks.get_run),
    GitHubOperation("PATCH", _R + "/check-runs/{check_run_id}", "checks/update", "checks:write", api_checks.update_run),
    GitHubOperation("GET", _R + "/check-runs/{check_run_id}/annotations", "checks/list-annotations", "checks:read", api_checks.list_annotations),
    GitHubOperation("GET", _R + "/check-suites/{check_suite_id}", "checks/get-suite", "checks:read", api_checks.get_suite),
)  # fmt: skip

SLASHED = frozenset({"ref", "path", "branch", "basehead", "name", "tree_sha"})
"""Parts of a path that may hold slashes."""
