"""``router_settings``: retries, fallbacks and time limits, in LiteLLM's spelling where it has one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator

from proxy.config.schema.section import Section
from proxy.config.values import CountOrZero, Seconds, SecondsOrZero, Text, from_environment, read_off

FallbackChains = tuple[Mapping[Text, tuple[Text, ...]], ...]
"""LiteLLM's shape: a list of mappings from a model's name to the models to try after it, in order."""


class RouterSettings(Section):
    """Retries and fallbacks for deployments that fail or are slow."""

    where: ClassVar[str] = "router_settings"

    num_retries: CountOrZero = 2
    """Retries on the same pool after a retriable failure, before the first byte. Default 2, as in LiteLLM."""

    fallbacks: FallbackChains = ()
    """Models to try when a model has failed for good. Default none. Both sides must be configured names."""

    context_window_fallbacks: FallbackChains = ()
    """Models to try when a request does not fit the window. Default none."""

    cooldown_time: SecondsOrZero = 5.0
    """Seconds for which a failing deployment gets no requests. Default 5, as in LiteLLM. 0 switches it off."""

    timeout: Seconds = 600.0
    """The deadline of a request in seconds, for all attempts together. Default 600, for long reasoning answers."""

    connect_timeout: Seconds = 5.0
    """Seconds to open a connection to the provider, with DNS and TLS. Default 5. Bounded by ``timeout``."""

    first_byte_timeout: Seconds = 120.0
    """Seconds without a byte before a streamed answer begins. Default 120: reasoning models take long.

    Keep-alive bytes restart it. For an answer that is not streamed only ``timeout`` counts, since its first byte
    comes when all of it is written.
    """

    idle_timeout: Seconds = 120.0
    """Seconds without a byte once an answer has begun, streamed or not. Default 120.

    Keep it above the provider's longest pause and below the load balancer's idle timeout.
    """

    self_correction: Annotated[
        Literal["off", "whole", "always"], BeforeValidator(from_environment), BeforeValidator(read_off)
    ] = "whole"
    """The answers whose tool calls are checked against the request's tools.

    Faulty calls are mended where that is safe, and otherwise asked for once more. ``whole`` (default) checks answers
    that are not streamed. ``always`` also checks streams of requests with tools, which are held back until they are
    complete. That costs the time to the first token. ``off`` checks none.
    """
