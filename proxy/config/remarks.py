"""Warnings at start: settings that are valid but probably a mistake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from proxy.config.environment import OWN_VARIABLES
from proxy.config.forward_proxy_warnings import forward_proxy_warnings
from proxy.config.instruction_sizes import cut_warnings
from proxy.config.places import Places
from proxy.config.references import ENVIRONMENT_PREFIX
from proxy.config.schema.general import GeneralSettings
from proxy.config.schema.settings import Settings

_PHASES = ("connect_timeout", "first_byte_timeout", "idle_timeout")


def remarks(settings: Settings, environ: Mapping[str, str], places: Places) -> tuple[str, ...]:
    """Return the warnings about *settings*. The warnings name keys as the operator wrote them."""
    return (
        *_hidden_timeouts(settings, places),
        *_unsent(settings, places),
        *_doubtful_keys(settings.general_settings),
        *_unused_variables(settings, environ),
        *cut_warnings(settings, places),
        *forward_proxy_warnings(settings, places),
    )


def _hidden_timeouts(settings: Settings, places: Places) -> Iterator[str]:
    router = settings.router_settings
    total = places.written("router_settings.timeout")
    for phase in _PHASES:
        if phase in router.model_fields_set and getattr(router, phase) > router.timeout:
            yield f"{places.written(f'router_settings.{phase}')}: is above {total}, which ends the request first"
    for position, entry in enumerate(settings.model_list):
        timeout = entry.litellm_params.timeout
        if timeout is not None and timeout > router.timeout:
            path = places.written(f"model_list[{position}].litellm_params.timeout")
            yield f"{path}: is above {total}, which ends the request first"


def _unsent(settings: Settings, places: Places) -> Iterator[str]:
    for position, entry in enumerate(settings.model_list):
        params = entry.litellm_params
        for name in params.fields() if params.model.startswith("gemini") else ():
            path = places.written(f"model_list[{position}].litellm_params.{name}")
            yield f"{path}: is not sent, since Gemini has no such field"


def _doubtful_keys(general: GeneralSettings) -> Iterator[str]:
    if general.asks_for_keys and general.allow_unauthenticated_access:
        yield "general_settings.allow_unauthenticated_access: has no effect beside a key"
    if general.allowed_hosts and (general.asks_for_keys or general.allow_unauthenticated_access):
        beside = "a key" if general.asks_for_keys else "allow_unauthenticated_access"
        yield f"general_settings.allowed_hosts: has no effect beside {beside}"


def _unused_variables(settings: Settings, environ: Mapping[str, str]) -> Iterator[str]:
    for variable, section, key in OWN_VARIABLES:
        if environ.get(variable) and key not in getattr(settings, section).model_fields_set:
            yield (
                f"{variable} is set and not used: the file has no {section}.{key}; "
                f"add {key}: {ENVIRONMENT_PREFIX}{variable}"
            )
