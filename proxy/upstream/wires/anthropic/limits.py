"""The limit of an answer for a request that names none, since Anthropic requires one."""

from __future__ import annotations

from proxy.config.litellm_models import most_output_tokens
from proxy.core.deployment import Deployment
from proxy.upstream.dialects.claude_models import claude_of

_UNKNOWN = 8_192
"""The limit for a model that neither the settings nor the tables know. DeepSeek's chat model takes no more."""

_LEAST = 1_024
_BYTES_PER_TOKEN = 3


def answer_limit(deployment: Deployment, history_bytes: int) -> int:
    """Return the most tokens of an answer of the deployment's model.

    Older models refuse a request whose prompt and limit together exceed the window ("input length and `max_tokens`
    exceed context limit"). So their limit leaves room for a history of *history_bytes*.
    """
    claude = claude_of(deployment.model_id)
    most = deployment.max_output_tokens or most_output_tokens(f"anthropic/{deployment.model_id}")
    if most is None:
        most = _UNKNOWN if claude is None else claude.most_output(deployment.model_id)
    if claude is None or claude.shared_window is None:
        return most
    room = claude.shared_window - history_bytes // _BYTES_PER_TOKEN
    return min(most, max(room, _LEAST))
