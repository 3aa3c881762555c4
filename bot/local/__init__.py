"""Repositories on this machine: a git checkout, a plain folder, a cache on disk for what was fetched at a commit;
and a process of its own for work that must end."""

from bot.local.bounded import Bounded
from bot.local.cache import DiskCache
from bot.local.checkout import GitCheckout
from bot.local.folder import Folder

__all__ = ["Bounded", "DiskCache", "Folder", "GitCheckout"]
