"""``router_settings``: retries, fallbacks and time limits, in LiteLLM's spelling where it has one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator

from proxy.config.schema.section import Section
from proxy.config.values import CountOrZero, Seconds, SecondsOrZero, Text, from_environment, off_is_a_word

FallbackChains = tuple[Mapping[Text, tuple[Text, ...]], ...]
"""LiteLLM's shape: a list of mappings from a model's name to the names to try after it, in order."""


class RouterSettings(Section):
    """How a request gets to an answer when a deployment fails or is slow."""

    where: ClassVar[str] = "router_settings"

    num_retries: CountOrZero = 2
    """Further attempts on the same pool after a retriable failure, before the first byte. Default 2, LiteLLM's."""

    fallbacks: FallbackChains = ()
    """Models to try when one has failed for good. Default none. Both sides must be configured names."""

    context_window_fallbacks: FallbackChains = ()
    """Models to try when a request does not fit the window. Default none."""

    cooldown_time: SecondsOrZero = 5.0
    """Seconds for which a failing deployment is left alone. Default 5, LiteLLM's; 0 switches it off."""

    timeout: Seconds = 600.0
    """The total deadline of a request in seconds, all attempts together. Default 600: long reasoning answers."""

    connect_timeout: Seconds = 5.0
    """Seconds to open a connection to the provider, the look-up of its name and TLS included. Default 5: a slower one
    is down. Bounded by ``timeout``."""

    first_byte_timeout: Seconds = 120.0
    """Seconds without a byte before a streamed answer begins. Default 120: reasoning models think before they speak.
    Keep-alive bytes begin it anew. An answer that is not streamed begins when all of it is written, so that for it
    ``timeout`` alone counts."""

    idle_timeout: Seconds = 120.0
    """Seconds without a byte once an answer has begun, streamed or not. Default 120; keep it above the
    provider's longest pause and below the load balancer's idle timeout."""

    self_correction: Annotated[
        Literal["off", "whole", "always"], BeforeValidator(from_environment), BeforeValidator(off_is_a_word)
    ] = "whole"
    """When tool calls are checked against the request's tools, mended where that is safe, and else asked for once more:
    ``whole`` (default) in answers that are not streamed, ``always`` in streams as well, where a request declares tools;
    those are then held back until they are complete, which costs the time to the first token. ``off``: never."""
