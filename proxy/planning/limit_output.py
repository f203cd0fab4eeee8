"""Lowers an answer's token limit to what the model can write, for clients of Anthropic's and Google's APIs.

Claude Code asks for 64,000 tokens of a known Claude, and for 32,000 of any other model. A provider refuses a limit over
the model's own ("max_tokens: 64000 > 8192, which is the maximum allowed"), and Claude Code does not recover from that
(2.1.197, run in 2026-11). Clients of Gemini's own API know its models too, and not the one behind an alias. Clients of
other formats name a limit for the model that they know.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proxy.core.deployment import Deployment
from proxy.planning.windows import window_of
from proxy.upstream.dialects.fitting import STEP
from sanitizers import Change

_NAME = "max_tokens"


def limit_output(
    parameters: Mapping[str, Any], deployment: Deployment
) -> tuple[Mapping[str, Any], tuple[Change, ...]]:
    """Return *parameters* with a limit that *deployment* takes, and the change.

    Without a change, *parameters* itself is returned. An unknown maximum changes nothing.
    """
    asked = parameters.get(_NAME)
    if asked is None or _NAME in deployment.allowed_openai_params:
        return parameters, ()
    most = window_of(deployment).max_output_tokens
    if most is None or asked <= most:
        return parameters, ()
    return MappingProxyType({**parameters, _NAME: most}), (
        Change(STEP, "replaced", 0, "out_of_range", _NAME),
    )
