"""Registering Apps and installing them. The key pair is made once a process: making one takes longer than a test."""

from __future__ import annotations

import functools
import re

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from sandbox import events
from sandbox.model import App, InstallationRecord, Repo
from sandbox.world import World

PERMISSIONS = {
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
    "metadata": "read",
    "administration": "read",
    "merge_queues": "read",
}
EVENTS = ("check_run", "check_suite", "issue_comment", "issues", "merge_group", "pull_request", "push")


@functools.cache
def key_pair() -> tuple[str, str]:
    """A private RSA key and its public half, in PEM."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.TraditionalOpenSSL
    private = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public.decode()


def register(
    world: World,
    name: str,
    owner: str,
    webhook_url: str,
    secret: str,
    permissions: dict[str, str] | None = None,
    events: list[str] | None = None,
) -> App:
    """A new App, with its bot account."""
    number, slug = world.new_id("app"), re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    private, public = key_pair()
    bot = world.account(f"{slug}[bot]", "Bot")
    granted = dict(PERMISSIONS if permissions is None else permissions)
    wanted = list(EVENTS if events is None else events)
    made = App(
        id=number, slug=slug, name=name, owner=world.account(owner, "Organization"), bot=bot, client_id=f"Iv23sandbox{number}", public_key=public, private_key=private, permissions=granted, events=wanted, created=world.clock(),
        webhook_url=webhook_url, secret=secret, client_secret=f"sandbox-client-secret-{number}",
    )  # fmt: skip
    world.apps[number] = made
    return made


def install(world: World, app: App, owner: str, repos: list[Repo] | None = None) -> InstallationRecord:
    """Install an App on an account, on all repositories or on some; sends the installation event."""
    made = InstallationRecord(
        id=world.new_id("installation"),
        app=app,
        account=world.account(owner, "Organization"),
        created=world.clock(),
        repositories=None if repos is None else {repo.id for repo in repos},
    )
    world.installations[made.id] = made
    events.installation_event(world, made, "created", world.account(owner))
    return made


def uninstall(world: World, item: InstallationRecord) -> None:
    """Remove an App from an account; sends the installation event."""
    del world.installations[item.id]
    world.tokens = {text: token for text, token in world.tokens.items() if token.installation is not item}
    events.installation_event(world, item, "deleted", item.account)


def suspend(world: World, item: InstallationRecord, *, suspended: bool) -> None:
    """Suspend an installation or let it work again; sends the installation event."""
    item.suspended = None
    events.installation_event(world, item, "suspend" if suspended else "unsuspend", item.account)
    item.suspended = world.clock() if suspended else None
