"""Models' repositories at Hugging Face, or at any endpoint that speaks its API."""

from recipediff.adapters.hub.models import HubModels

__all__ = ["HubModels"]
