"""``router_settings``: retries, fallbacks and time limits, in LiteLLM's spelling where it has one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo

from proxy.config.faults import refusal
from proxy.config.references import from_environment
from proxy.config.schema.section import Section
from proxy.config.values import (
    CountOrZero,
    Flag,
    Seconds,
    SecondsOrZero,
    Text,
    empty_section,
    read_flag,
    read_off,
)


def _nothing_is_none(value: Any) -> Any:
    return () if value is None else value


FallbackChains = Annotated[tuple[Mapping[Text, tuple[Text, ...]], ...], BeforeValidator(_nothing_is_none)]
"""LiteLLM's shape: a list of mappings from a model's name to the models to try after it, in order."""

ANY_SOURCE = "*"
"""The key of a fallback chain for every model without a chain of its own."""


class Alias(Section):
    """A second name of a model. In the file, a text in place of the mapping is the model's name."""

    where: ClassVar[str] = "router_settings.model_group_alias.*"

    model: Text
    """The model that answers: a name of ``model_list``, or one that a wildcard matches. Required."""

    hidden: Flag = False
    """Leave the name out of ``/v1/models``. It is served all the same."""


def _as_alias(value: Any, info: ValidationInfo) -> Any:
    return {"model": from_environment(value, info)} if isinstance(value, str) else value


def _one_name(text: str) -> str:
    if "*" in text:
        raise refusal("must be one name, without a *")
    return text


Aliases = Annotated[
    Mapping[Annotated[Text, AfterValidator(_one_name)], Annotated[Alias, BeforeValidator(_as_alias)]],
    BeforeValidator(empty_section),
]
"""Second names of models, by name."""


class RouterSettings(Section):
    """Retries and fallbacks for deployments that fail or are slow."""

    where: ClassVar[str] = "router_settings"

    num_retries: CountOrZero = 2
    """Retries among a model's deployments after a retriable failure, before the first byte.

    Default 2, as in LiteLLM.
    """

    fallbacks: FallbackChains = ()
    """Models to try when a model has failed for good.

    Default none. All names of a chain must be configured, but its key may be ``*``.
    """

    default_fallbacks: Annotated[tuple[Text, ...], BeforeValidator(_nothing_is_none)] = ()
    """Models to try after a model that has no chain in ``fallbacks``. Default none."""

    context_window_fallbacks: FallbackChains = ()
    """Models to try when a request does not fit the window. Default none."""

    content_policy_fallbacks: FallbackChains = ()
    """Models to try when the provider's content filter refuses a request. Default none: the client gets the refusal."""

    model_group_alias: Aliases = Field(default_factory=dict)
    """Second names of models: a model's name, or ``{model, hidden}``. An alias hides a model of the same name."""

    cooldown_time: SecondsOrZero = 5.0
    """Seconds for which a failing deployment gets no requests. Default 5, as in LiteLLM. 0 switches cooldowns off."""

    timeout: Seconds = 600.0
    """The deadline of a request in seconds, for all attempts together. Default 600, for long reasoning answers."""

    connect_timeout: Seconds = 5.0
    """Seconds to open a connection to the provider, with DNS and TLS. Default 5. Bounded by ``timeout``."""

    first_byte_timeout: Seconds = 120.0
    """Seconds without a byte before a streamed answer begins. Default 120: reasoning models take long.

    Keep-alive bytes restart it. For an answer that is not streamed only ``timeout`` counts, since its first byte comes
    when the answer is complete.
    """

    idle_timeout: Seconds = 120.0
    """Seconds without a byte once an answer has begun, streamed or not. Default 120.

    Keep it above the provider's longest pause and below the load balancer's idle timeout.
    """

    self_correction: Annotated[
        Literal["off", "whole", "always"], BeforeValidator(from_environment), BeforeValidator(read_off)
    ] = "whole"
    """The answers whose tool calls are checked against the request's tools.

    Faulty calls are repaired where that is safe. Otherwise the model is asked once more. ``whole`` (default) checks
    answers that are not streamed. ``always`` also checks streams of requests with tools. Such a stream is held back
    until it is complete, so its first token comes late. ``off`` checks none.
    """

    learn: Annotated[
        Literal["true", "observe", "false"], BeforeValidator(from_environment), BeforeValidator(read_flag)
    ] = "true"
    """Make a repair in advance where the same repair has worked for the deployment before.

    Default ``true``. ``observe`` collects the evidence and makes no repair in advance. ``false`` collects none.
    """

    @property
    def failure_chains(self) -> FallbackChains:
        """The chains for a model that has failed. ``default_fallbacks`` are the last chain."""
        return (
            (*self.fallbacks, {ANY_SOURCE: self.default_fallbacks})
            if self.default_fallbacks
            else self.fallbacks
        )
