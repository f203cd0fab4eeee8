"""The parameters that OpenAI's own models refuse, by family, and the reasoning efforts that they take.

A refused name fails the whole request: ``400 Unsupported parameter: 'stop' is not supported with this model.`` So the
proxy drops the parameter and reports that. The rules apply to OpenAI's own service, Azure and GitHub. Other servers
with OpenAI's API may use the same model names with other rules.

Sources (2026-11): OpenAI's chat completions reference and reasoning guide. Microsoft's list for the same models
(learn.microsoft.com, "Azure OpenAI reasoning models"). Microsoft's list excludes temperature, top_p, both penalties,
logprobs, top_logprobs, logit_bias and max_tokens. Reports of users:

- ``stop``: smolagents#1671 (gpt-5-mini), dify#18971 (o4-mini), crewAI#2738 (o3, but not o3-mini)
- ``parallel_tool_calls``: llama_index#20865 (o1, o3-mini and o4-mini)
- ``max_tokens``: pokitoki#48
- ``minimal``: opencode#4451

Runs of litellm 1.105.3 showed the names that it withholds for each model. litellm's catalogue lists the efforts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from proxy.config.litellm_models import thinks
from proxy.core.deployment import Deployment

_SAMPLING = frozenset({"logprobs", "temperature", "top_logprobs", "top_p"})
"""Parameters that a model refuses while it reasons. ``temperature: 1`` is the default, and is taken."""

_EFFORT = frozenset({"reasoning_effort", "verbosity"})


@dataclass(frozen=True, slots=True)
class _Family:
    """A family of models, and the parameters that it refuses.

    *renames* is for models that take ``max_completion_tokens`` in place of ``max_tokens``. *reasons* is for models that
    reason. With *can_skip_reasoning*, a model does not reason when ``reasoning_effort`` is ``none``. With
    *skips_by_default*, a model does not reason when the parameter is missing either.
    """

    ids: re.Pattern[str]
    refused: frozenset[str]
    renames: bool = True
    reasons: bool = True
    can_skip_reasoning: bool = False
    skips_by_default: bool = False


def _family(ids: str, *refused: str, **traits: bool) -> _Family:
    return _Family(re.compile(ids), frozenset(refused), **traits)


_O_SERIES = ("frequency_penalty", "logit_bias", "parallel_tool_calls", "presence_penalty", "verbosity")
_GPT_5 = ("audio", "frequency_penalty", "logit_bias", "modalities", "prediction", "presence_penalty", "stop")

_FAMILIES = (
    _family(r"o3-mini|o[12](?!\d)", *_O_SERIES),
    _family(r"o\d", "stop", *_O_SERIES),
    _family(r"gpt-5-chat", *_EFFORT, renames=False, reasons=False),
    _family(
        r"gpt-5-search",
        *("n", "parallel_tool_calls", "prompt_cache_key", "reasoning_effort", "seed"),
        *_GPT_5,
    ),
    _family(r"gpt-5(?:-(?!\d)|-\d{4}|$)|gpt-\d+(?:\.\d+)?-(?:chat|codex|cyber|pro)", *_GPT_5),
    _family(r"gpt-5\.[124](?!\d)", *_GPT_5, can_skip_reasoning=True, skips_by_default=True),
    _family(r"gpt-(?:[5-9]|\d\d)", *_GPT_5, can_skip_reasoning=True),
    _family(r"gpt-3\.5|gpt-4|chatgpt-4", *_EFFORT, renames=False, reasons=False),
)
"""The families. The first whose pattern matches the start of the id applies. Unknown ids have no rules here."""

_EFFORTS = tuple(
    (re.compile(ids), tuple(efforts.split()))
    for ids, efforts in (
        (r"o\d", "low medium high"),
        (r"gpt-5-pro", "high"),
        (r"gpt-5-codex|gpt-5\.1-codex(?!-max)", "low medium high"),
        (r"gpt-5(?:-(?:mini|nano|\d{4})|$)", "minimal low medium high"),
        (r"gpt-5\.1(?:-\d{4}|$)", "none low medium high"),
        (r"gpt-5\.\d+-pro", "medium high xhigh"),
        (r"gpt-5\.\d+-codex", "low medium high xhigh"),
        (r"gpt-5\.[2-9](?!-chat|-cyber)", "none low medium high xhigh"),
        (r"gpt-6-(?:luna|sol)", "none low medium high xhigh max"),
        (r"gpt-6", "low medium high xhigh max"),
    )
)
"""The reasoning efforts of each model. The first pattern that matches the start of the id applies."""


def refused_by_openai(deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
    """Return the names in *parameters* that the deployment's model refuses.

    ``tools`` is never among these names. A model without tools must refuse the request itself, since an answer without
    tools would mislead. If the model renames ``max_tokens`` and ``max_completion_tokens`` is given too, ``max_tokens``
    is returned.
    """
    family = _family_of(deployment)
    if family is None:
        return frozenset()
    refused = set(family.refused)
    if family.reasons and not _skips_reasoning(family, parameters):
        refused |= _SAMPLING
        if parameters.get("temperature") == 1:
            refused.discard("temperature")
    if family.renames and "max_completion_tokens" in parameters:
        refused.add("max_tokens")
    return frozenset(refused & parameters.keys())


def renames_limit(deployment: Deployment) -> bool:
    """Tell whether the deployment's model takes ``max_completion_tokens`` in place of ``max_tokens``."""
    family = _family_of(deployment)
    return family is not None and family.renames


def reasons(deployment: Deployment, parameters: Mapping[str, Any]) -> bool:
    """Tell whether the deployment's model reasons before it answers a request with *parameters*.

    litellm's table tells it of models at other addresses and of other providers.
    """
    family = _family_of(deployment)
    if family is None:
        return _is_listed_thinker(deployment)
    return family.reasons and not _skips_reasoning(family, parameters)


@lru_cache(maxsize=1024)
def _is_listed_thinker(deployment: Deployment) -> bool:
    name = deployment.model_id
    return thinks(f"{deployment.provider}/{name}") or (deployment.provider == "openai" and thinks(name))


def efforts_of_openai(model: str) -> tuple[str, ...] | None:
    """Return the reasoning efforts that one of OpenAI's models takes, or None if they are unknown."""
    name = _plain_name(model)
    return next((efforts for ids, efforts in _EFFORTS if ids.match(name)), None)


def is_openai(deployment: Deployment) -> bool:
    """Tell whether OpenAI's own service answers, at its main or a regional address (``eu.api.openai.com``)."""
    if deployment.provider != "openai":
        return False
    host = urlsplit(deployment.api_base).hostname if deployment.api_base else "api.openai.com"
    return host is not None and (host == "api.openai.com" or host.endswith(".api.openai.com"))


_AZURE_FAMILIES: Mapping[str, str] = MappingProxyType({"gpt5_series/": "gpt-5", "o_series/": "o4-mini"})
"""A model of each family that the name of a deployment at Azure may begin with, in litellm's spelling."""


def azure_name(model: str) -> str:
    """Return Azure's name of a deployment. It has no family."""
    for mark in _AZURE_FAMILIES:
        model = model.removeprefix(mark)
    return model


def _plain_name(model: str) -> str:
    """Return the name of *model*, or one of its family where the name of a deployment at Azure says only that."""
    name = model.removeprefix("ft:")
    return next((known for mark, known in _AZURE_FAMILIES.items() if name.startswith(mark)), name)


_SAME_MODELS = frozenset({"azure", "github"})
"""Further services that run OpenAI's models. GitHub names some of them ``openai/NAME``, and has others' models too."""


@lru_cache(maxsize=1024)
def _family_of(deployment: Deployment) -> _Family | None:
    if not is_openai(deployment) and deployment.provider not in _SAME_MODELS:
        return None
    model = _plain_name(deployment.model_id.removeprefix("openai/"))
    return next((family for family in _FAMILIES if family.ids.match(model)), None)


def _skips_reasoning(family: _Family, parameters: Mapping[str, Any]) -> bool:
    """Tell whether a reasoning model answers this request without reasoning."""
    effort = parameters.get("reasoning_effort")
    return family.can_skip_reasoning and (effort == "none" or (effort is None and family.skips_by_default))
