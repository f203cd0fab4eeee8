"""Changes single settings of a client's ``generationConfig``, with the client's spelling of their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from proxy.upstream.wires.gemini.settings import generation_config
from sanitizers import Profile
from sanitizers.native.gemini.spellings import key_of, snake_name

_THINKING = "thinkingConfig"
_AMOUNTS = ("thinkingBudget", "thinkingLevel")

_SETTINGS = MappingProxyType(
    {
        "frequency_penalty": ("frequencyPenalty",),
        "logprobs": ("responseLogprobs", "logprobs"),
        "max_completion_tokens": ("maxOutputTokens",),
        "max_tokens": ("maxOutputTokens",),
        "modalities": ("responseModalities",),
        "n": ("candidateCount",),
        "presence_penalty": ("presencePenalty",),
        "response_format": ("responseFormat", "responseJsonSchema", "responseMimeType", "responseSchema"),
        "seed": ("seed",),
        "stop": ("stopSequences",),
        "temperature": ("temperature",),
        "top_k": ("topK",),
        "top_logprobs": ("responseLogprobs", "logprobs"),
        "top_p": ("topP",),
    }
)
"""The settings that each chat parameter is written as."""


def changed_settings(
    came: Mapping[str, Any], names: Iterable[str], planned: Mapping[str, Any], profile: Profile, model: str
) -> dict[str, Any]:
    """Return the settings *came* with those of the chat parameters *names* as *planned*, a plan's parameters.

    What the client says about showing thoughts stays. Raises :class:`proxy.core.errors.InvalidRequest` for a value that
    *model* does not take.
    """
    changed = set(names)
    if changed & {"logprobs", "top_logprobs"}:
        changed |= {"logprobs", "top_logprobs"}
    wanted = {name: planned[name] for name in changed if planned.get(name) is not None}
    new = generation_config(wanted, profile, model)
    after = dict(came)
    is_snake = any("_" in name for name in came)
    if "reasoning_effort" in changed:
        thinking = new.pop(_THINKING, {})
        key = key_of(after, _THINKING)
        amount = {name: thinking[name] for name in _AMOUNTS if name in thinking}
        held = _with_settings(after.get(key) or {}, _AMOUNTS, amount, is_snake=is_snake)
        after.pop(key, None)
        if held:
            after[key if key in came else _spelled(_THINKING, is_snake=is_snake)] = held
    gone = [setting for name in changed for setting in _SETTINGS.get(name, ())]
    return _with_settings(after, gone, new, is_snake=is_snake)


def _with_settings(
    came: Mapping[str, Any], gone: Iterable[str], new: Mapping[str, Any], *, is_snake: bool
) -> dict[str, Any]:
    """Return *came* without the settings *gone*, and with *new* ones, in the places of those of the same name."""
    after = dict(came)
    for name in gone:
        if name not in new:
            after.pop(key_of(after, name), None)
    for name, value in new.items():
        key = key_of(after, name)
        after[key if key in after else _spelled(name, is_snake=is_snake)] = value
    return after


def _spelled(name: str, *, is_snake: bool) -> str:
    return snake_name(name) if is_snake else name
