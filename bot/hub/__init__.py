"""Models' repositories at Hugging Face, or at any endpoint that speaks its API."""

from bot.hub.models import HubModels

__all__ = ["HubModels"]
