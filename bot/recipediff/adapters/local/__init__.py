"""Repositories on this machine: a git checkout, a plain folder, a cache on disk for what was fetched at a commit;
and a process of its own for work that must end."""

from recipediff.adapters.local.cache import DiskCache
from recipediff.adapters.local.checkout import GitCheckout
from recipediff.adapters.local.folder import Folder
from recipediff.adapters.local.isolation import IsolatedProcess

__all__ = ["DiskCache", "Folder", "GitCheckout", "IsolatedProcess"]
