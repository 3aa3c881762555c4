"""Repositories on this machine: a git checkout, a plain folder, and a cache on disk for what was fetched at a commit."""

from bot.local.cache import DiskCache
from bot.local.checkout import GitCheckout
from bot.local.folder import Folder

__all__ = ["DiskCache", "Folder", "GitCheckout"]
