"""The limit of a deployment's prompts in tokens: the context window, less the reserve for the answer.

- window: the operator's ``model_info``, else litellm's table, else the model family's, else unknown. An overflow error
  that taught a smaller window overrides it.
- reserve: the client's ``max_tokens``, at most a quarter of the window. It is rounded up to steps, so a client that
  varies ``max_tokens`` does not move the cuts.
- limit: the window less the reserve where input and output share it. Otherwise the window, which holds input only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from proxy.core.deployment import Deployment
from proxy.planning.windows import window_of
from proxy.state.lessons import Learned
from sanitizers.budget import CutPolicy

Source = Literal["configured", "catalogue", "family", "learned", "guessed", "assumed", "unknown"]

_SOFT: frozenset[Source] = frozenset({"assumed", "guessed", "unknown"})

_USUAL_RESERVE = 8_192
"""Tokens reserved for an answer whose length the client does not set. A model with shorter answers reserves less."""

_LARGEST_SHARE = 4
_STEPS = (1_024, 4_096, 8_192, 16_384, 32_768, 65_536)


@dataclass(frozen=True, slots=True)
class Limit:
    """A deployment's limit in tokens. An unknown value is None."""

    window: int | None
    reserve: int
    tokens: int | None
    """The most tokens of a prompt."""

    shared: bool
    """True where the answer's tokens count against the window as well."""

    source: Source

    @property
    def is_firm(self) -> bool:
        """True where a request may be refused by this limit before anything is sent."""
        return self.source not in _SOFT


def limit_of(
    deployment: Deployment,
    asked: int | None,
    policy: CutPolicy,
    learned: Learned | None,
    reserve: int | None = None,
) -> Limit:
    """Return the limit for one request. *asked* is the client's limit of output tokens.

    *learned* is the window that was learned from the deployment's own errors, if any. *reserve* is the operator's
    setting, and replaces the computed reserve.
    """
    return _limit(deployment, asked, policy.unknown_window, learned, reserve)


@lru_cache(maxsize=1024)
def _limit(
    deployment: Deployment,
    asked: int | None,
    unknown_window: int | None,
    learned: Learned | None,
    reserve: int | None,
) -> Limit:
    known = window_of(deployment)
    window = known.max_input_tokens
    source: Source = known.source
    if learned is not None and (window is None or learned.window < window):
        window, source = learned.window, "guessed" if learned.guessed else "learned"
    if window is None:
        window, source = unknown_window, "assumed" if unknown_window else "unknown"
    if reserve is None:
        reserve = _reserve(asked, known.max_output_tokens, window)
    if window is None:
        return Limit(None, reserve, None, known.shared, source)
    return Limit(window, reserve, window - reserve if known.shared else window, known.shared, source)


def asked_output(parameters: Mapping[str, Any]) -> int | None:
    """Return the client's limit of output tokens, or None where the client sets no limit."""
    given = parameters.get("max_completion_tokens") or parameters.get("max_tokens")
    return given if isinstance(given, int) else None


def _reserve(asked: int | None, longest: int | None, window: int | None) -> int:
    wanted = asked or min(longest or _USUAL_RESERVE, _USUAL_RESERVE)
    wanted = next((step for step in _STEPS if wanted <= step), wanted)
    return wanted if window is None else min(wanted, window // _LARGEST_SHARE)
