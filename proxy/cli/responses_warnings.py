"""Warnings about models that are asked through the Responses API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from proxy.config import Settings
from proxy.core.deployment import Deployment
from proxy.upstream.dialects.responses_models import asks_responses, has_new_version, is_new_gpt
from proxy.upstream.transports import transport_of


def find_responses_warnings(settings: Settings, pools: Mapping[str, Sequence[Deployment]]) -> Iterator[str]:
    """Yield a warning for each deployment whose setting keeps it from the Responses API, or has no effect."""
    for pool in pools.values():
        for deployment in pool:
            place = settings.path_of_entry(deployment.position)
            is_direct = transport_of(deployment) == "direct"
            if deployment.mode == "responses" and not (is_direct and asks_responses(deployment)):
                yield (
                    f"{place}.model_info.mode: has no effect: only the direct transport, on OpenAI's wire, asks "
                    f"{deployment.model} through the Responses API"
                )
            elif is_direct and deployment.provider == "azure" and not has_new_version(deployment):
                yield from _old_version(place, deployment)


def _old_version(place: str, deployment: Deployment) -> Iterator[str]:
    """Warn about a dated version of Azure's API that has no responses."""
    if asks_responses(deployment):
        why = "is asked through the Responses API"
    elif is_new_gpt(deployment) and deployment.mode is None:
        why = "refuses functions in chats while it reasons, and takes them in the Responses API"
    else:
        return
    yield (
        f"{place}.litellm_params.api_version: is too old: {deployment.model} {why}, which Azure has from "
        "2025-03-01-preview on"
    )
