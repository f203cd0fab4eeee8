"""The deployments of Gemini's own API, and the reasoning of its models.

Reasoning is a budget of tokens for 2.5, and a level from Gemini 3 on.
"""

from __future__ import annotations

from proxy.core.deployment import Deployment
from sanitizers import Profile

PROVIDER = "gemini"
"""The provider of all servers with this API, Google's own and others by ``api_base``."""

_MINIMAL_LEVEL = ("gemini-3-flash", "gemini-3.1-flash", "gemini-3.5-flash", "gemini-3.6-flash")
"""Prefixes of the models that know the level ``minimal``.

Pro models and, from 3.7 on, all others refuse it: "'minimal' is not a supported thinking level for this model."
(kiss-translator#1048).
"""

_TWO_LEVELS = "gemini-3-pro"
"""The prefix of models that know only ``low`` and ``high`` (ai.google.dev/gemini-api/docs/thinking)."""

_ALWAYS_THINKS = "gemini-2.5-pro"
"""The prefix of models whose thinking cannot be turned off (ai.google.dev/gemini-api/docs/thinking)."""


def thinks(profile: Profile, model: str) -> bool:
    """Tell whether *model* takes a ``thinkingConfig``."""
    return profile.call_ids or (
        model.startswith("gemini-2.5") and "image" not in model and "tts" not in model
    )


def knows_minimal(model: str) -> bool:
    """Tell whether a model of Gemini 3 or later knows the level ``minimal``."""
    return model.startswith(_MINIMAL_LEVEL)


def always_thinks(model: str) -> bool:
    """Tell whether the thinking of a Gemini 2.5 model cannot be turned off."""
    return model.startswith(_ALWAYS_THINKS)


def efforts_of_gemini(profile: Profile, model: str, *, direct: bool) -> tuple[str, ...] | None:
    """Return the reasoning efforts that *model* takes. None if the model takes no effort.

    For a model that takes no effort, the transport reports the parameter as unsupported. The direct transport has
    budgets for more efforts than litellm. For Gemini 2.5, litellm refuses ``xhigh`` and ``max`` with a 400 (run on
    1.105.3).
    """
    if not thinks(profile, model):
        return None
    if profile.call_ids:
        levels = ("low", "high") if model.startswith(_TWO_LEVELS) else ("low", "medium", "high")
        return ("none", *(("minimal",) if knows_minimal(model) else ()), *levels)
    least = () if always_thinks(model) else ("none",)
    return (*least, "minimal", "low", "medium", "high", *(("xhigh", "max") if direct else ()))


def has_contents(deployment: Deployment) -> bool:
    """Tell whether the provider of *deployment* has Gemini's own API, however it is asked."""
    return deployment.provider == PROVIDER
