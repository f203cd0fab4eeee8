"""Writes sampling, limits and the format of the answer as ``generationConfig``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proxy.core.errors import InvalidRequest
from proxy.upstream.dialects.gemini_models import thinks
from proxy.upstream.wires.gemini.formats import answer_format
from proxy.upstream.wires.gemini.thinking import thinking_config
from sanitizers import Profile

_SAME = MappingProxyType(
    {
        "temperature": "temperature",
        "top_k": "topK",
        "top_p": "topP",
        "presence_penalty": "presencePenalty",
        "frequency_penalty": "frequencyPenalty",
    }
)
"""Parameters of which only the name changes."""

PENALTIES = frozenset({"frequency_penalty", "presence_penalty"})
"""Parameters that Gemini 3 and later do not take. litellm leaves them out too."""

_MAX_STOPS = 5
"""The most stop sequences (ai.google.dev/api/generate-content#GenerationConfig).

litellm cuts to four without an error.
"""


def generation_config(parameters: Mapping[str, Any], profile: Profile, model: str) -> dict[str, Any]:
    """Return the ``generationConfig`` for *parameters*, whose types were checked. Empty if nothing is set.

    Raises :class:`InvalidRequest`, with the parameter's name, for a value that this model does not take.
    """
    config = {
        name: parameters[given]
        for given, name in _SAME.items()
        if parameters.get(given) is not None and not (profile.call_ids and given in PENALTIES)
    }
    limit = parameters.get("max_completion_tokens") or parameters.get("max_tokens")
    if limit is not None:
        config["maxOutputTokens"] = limit
    if (given := parameters.get("stop")) and (stops := _stops(given)):
        config["stopSequences"] = stops
    if (count := parameters.get("n") or 1) > 1:
        if profile.call_ids:
            raise InvalidRequest("'n' must be 1: this model gives one answer.", param="n")
        config["candidateCount"] = count
    if (seed := parameters.get("seed")) is not None:
        # The seed is an int32 on this wire. Reduced modulo 2**31, a larger seed still gives the same answer.
        config["seed"] = seed if -(2**31) <= seed < 2**31 else seed % 2**31
    if parameters.get("logprobs"):
        config["responseLogprobs"] = True
        if parameters.get("top_logprobs") is not None:
            config["logprobs"] = parameters["top_logprobs"]
    if modalities := parameters.get("modalities"):
        if set(modalities) != {"text"}:
            words = "'modalities' may hold 'text' alone: media in answers is not carried for this model."
            raise InvalidRequest(words, param="modalities")
        config["responseModalities"] = ["TEXT"]
    if (form := parameters.get("response_format")) is not None:
        config |= answer_format(form)
    effort = parameters.get("reasoning_effort")
    if effort is not None and thinks(profile, model):
        thinking = thinking_config(effort, profile, model)
        if thinking:
            config["thinkingConfig"] = thinking
    return config


def _stops(given: str | list[str]) -> list[str]:
    stops = [given] if isinstance(given, str) else given
    stops = [stop for stop in stops if stop]
    if len(stops) > _MAX_STOPS:
        raise InvalidRequest(f"'stop' may hold {_MAX_STOPS} sequences for this model.", param="stop")
    return stops
