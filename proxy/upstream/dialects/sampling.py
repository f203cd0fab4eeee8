"""Fits sampling parameters, limits and stop sequences to the dialect: ranges, lengths and names."""

from __future__ import annotations

import re

from proxy.core.errors import InvalidRequest
from proxy.upstream.dialects.dialect import Range
from proxy.upstream.dialects.fitting import Fitting

_EMAIL = re.compile(r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$")
_TELEPHONE = re.compile(r"\+?[\d\s()-]{7,}$")


def fit_limits(fitting: Fitting) -> None:
    """Send the answer's token limit under the parameter names that the dialect takes.

    If the dialect takes only one of two limits, ``max_completion_tokens`` counts.

    Raises :class:`InvalidRequest` for more answers than the model gives. ``n`` is not reduced, since the client would
    get fewer answers than it asked for.
    """
    old, new = fitting.value("max_tokens"), fitting.value("max_completion_tokens")
    rule = fitting.dialect.limit
    if old is not None and new is not None and rule != "any":
        fitting.drop("max_tokens", "two_limits")
    if new is not None and rule == "max_tokens":
        fitting.replace("max_completion_tokens", new, "other_name", to="max_tokens")
    if (least := fitting.dialect.least_output) is not None:
        for name in ("max_tokens", "max_completion_tokens"):
            if (limit := fitting.value(name)) is not None and limit < least:
                fitting.replace(name, least, "out_of_range")
    count, most = fitting.value("n"), fitting.dialect.answers
    if count is not None and most is not None and count > most:
        raise InvalidRequest(f"'n' must be {most} at most: this model gives no more answers.", param="n")


def fit_sampling(fitting: Fitting) -> None:
    """Bring sampling parameters into the dialect's ranges, and drop those that another setting excludes."""
    dialect = fitting.dialect
    _clamp(fitting, "temperature", dialect.temperature)
    _clamp(fitting, "top_p", dialect.top_p)
    _clamp(fitting, "frequency_penalty", dialect.penalties)
    _clamp(fitting, "presence_penalty", dialect.penalties)
    both = fitting.value("temperature") is not None and fitting.value("top_p") is not None
    if dialect.one_sampler and both:
        # "`temperature` and `top_p` cannot both be specified for this model." (litellm#15097)
        fitting.drop("top_p", "temperature_given")
    if fitting.value("top_logprobs") is not None and not fitting.value("logprobs"):
        fitting.drop(
            "top_logprobs", "no_logprobs"
        )  # OpenAI's reference: "must be set to true if this is used"
    seed = fitting.value("seed")
    if seed is not None and dialect.small_seeds and not -(2**31) <= seed < 2**31:
        # Reduced modulo 2**31, the same seed still gives the same answer.
        fitting.replace("seed", seed % 2**31, "out_of_range")
    top_k = fitting.value("top_k")
    if top_k is not None and dialect.top_k != "top_k":
        fitting.replace("top_k", top_k, "other_name", to=dialect.top_k)
    user = fitting.value("user")
    if user is not None and dialect.opaque_users and (_EMAIL.match(user) or _TELEPHONE.match(user)):
        fitting.drop("user", "personal")


def fit_stops(fitting: Fitting) -> None:
    """Fit the form and number of the stop sequences to the dialect.

    Blank sequences are dropped first, then those beyond the largest number.
    """
    given = fitting.value("stop")
    if given is None:
        return
    dialect = fitting.dialect
    stops = [given] if isinstance(given, str) else given
    full = [at for at, stop in enumerate(stops) if (stop if dialect.blank_stops else stop.strip())]
    kept = full if dialect.stops is None else full[: dialect.stops]
    if not kept:
        fitting.drop("stop", "blank")
        return
    if len(kept) < len(stops):
        stays, not_blank = frozenset(kept), frozenset(full)
        for at in range(len(stops)):
            if at not in stays:
                fitting.record_change("dropped", "too_many" if at in not_blank else "blank", f"stop[{at}]")
        fitting.set_value("stop", [stops[at] for at in kept])
    elif dialect.stop_lists and isinstance(given, str):
        fitting.replace("stop", stops, "as_list")


def _clamp(fitting: Fitting, name: str, legal: Range | None) -> None:
    value = fitting.value(name)
    if value is None or legal is None:
        return
    least, most = legal
    nearest = min(max(value, least), most)
    if nearest != value:
        fitting.replace(name, nearest, "out_of_range")
