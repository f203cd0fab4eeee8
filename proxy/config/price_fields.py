"""The operator's prices in LiteLLM's spelling: their names, their values, and their faults.

A price stands under ``model_info``. LiteLLM also takes prices under ``litellm_params``, so a price there is read as if
it stood under ``model_info``. Where both name the same price, ``model_info`` wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, NamedTuple

from proxy.config.faults import Fault, Location, path_of, unknown_key
from proxy.config.money import decimal_of

PRICE_NAMES = (
    "input_cost_per_token",
    "output_cost_per_token",
    "cache_read_input_token_cost",
    "cache_creation_input_token_cost",
    "cache_creation_input_token_cost_above_1hr",
    "output_cost_per_reasoning_token",
    "input_cost_per_audio_token",
    "output_cost_per_audio_token",
    "output_cost_per_image_token",
    "input_cost_per_request",
    "tiered_pricing",
)
"""The names of prices. Those of tokens may end in ``_above_Nk_tokens``, and then in ``_priority`` or ``_flex``."""

_TIERED = "tiered_pricing"
_REQUEST = "input_cost_per_request"
_OF_TOKENS = PRICE_NAMES[:-2]
_NAME = re.compile(rf"(?:{'|'.join(_OF_TOKENS)})(?:_above_[1-9][0-9]{{0,5}}k_tokens)?(?:_priority|_flex)?")
_RANGE = "range"
_IN_TIERS = frozenset({*_OF_TOKENS, _RANGE})

_USUAL_PER_TOKEN = Decimal("0.01")
"""Dollars for one token above which a price is probably that of a million tokens."""

_MOST = Decimal(1000)
"""The most dollars for one token, or for one request."""


_FREE = "model_info"
_PARAMS = "litellm_params"


class FoldedPrices(NamedTuple):
    """A parsed file whose prices all stand under ``model_info``.

    *origins* maps the place of each price that was moved to its place in the file.
    """

    raw: dict[object, object]
    origins: dict[Location, Location]
    warnings: tuple[str, ...]


def is_price(name: object) -> bool:
    """Return True where *name* is the name of a price that is read."""
    return isinstance(name, str) and (name in (_TIERED, _REQUEST) or _NAME.fullmatch(name) is not None)


def fold_prices(raw: Mapping[object, object]) -> FoldedPrices:
    """Return *raw*, a parsed file, with the prices of ``litellm_params`` under ``model_info``. *raw* is not changed."""
    listed = raw.get("model_list")
    if not isinstance(listed, list):
        return FoldedPrices(dict(raw), {}, ())
    entries: list[object] = []
    origins: dict[Location, Location] = {}
    warnings: list[str] = []
    for position, entry in enumerate(listed):
        params = entry.get(_PARAMS) if isinstance(entry, dict) else None
        facts = entry.get(_FREE) if isinstance(entry, dict) else None
        if (
            not isinstance(params, dict)
            or not isinstance(facts, dict | None)
            or not any(map(is_price, params))
        ):
            entries.append(entry)
            continue
        merged = dict(facts or {})
        for name, value in params.items():
            if not is_price(name):
                continue
            place = ("model_list", position, _PARAMS, str(name))
            if merged.get(name) is None:
                merged[name] = value
                origins["model_list", position, _FREE, str(name)] = place
            elif merged[name] != value:
                warnings.append(
                    f"{path_of(place)}: overridden by {path_of(('model_list', position, _FREE, name))}"
                )
        kept = {name: value for name, value in params.items() if not is_price(name)}
        entries.append({**entry, _PARAMS: kept, _FREE: merged})
    return FoldedPrices({**raw, "model_list": entries}, origins, tuple(warnings))


def warn_of_prices(priced: FoldedPrices) -> tuple[str, ...]:
    """Return a warning for each price of one token that is probably the price of a million.

    Such a price is no fault: people who test their limits write one. It charges too much, so that nothing is overspent.
    """
    warnings: list[str] = []
    listed = priced.raw.get("model_list")
    for position, entry in enumerate(listed if isinstance(listed, list) else ()):
        facts = entry.get(_FREE) if isinstance(entry, dict) else None
        for name, value in facts.items() if isinstance(facts, dict) else ():
            number = decimal_of(value) if isinstance(name, str) and _NAME.fullmatch(name) else None
            if number is not None and _USUAL_PER_TOKEN < number <= _MOST:
                place = ("model_list", position, _FREE, name)
                path = path_of(priced.origins.get(place, place))
                warnings.append(
                    f"{path}: is {number} dollars for one token; divide the price of a million by 1000000"
                )
    return tuple(warnings)


def check_prices(raw: Mapping[object, object]) -> Iterator[Fault]:
    """Yield a fault for each price under ``model_info`` in *raw*, a parsed file, that is not a price for one token."""
    listed = raw.get("model_list")
    for position, entry in enumerate(listed if isinstance(listed, list) else ()):
        facts = entry.get(_FREE) if isinstance(entry, dict) else None
        for name, value in facts.items() if isinstance(facts, dict) else ():
            place = ("model_list", position, _FREE, name)
            if value is None or not is_price(name):
                continue
            if name == _TIERED:
                yield from _check_tiers(value, place)
            elif (fault := _fault_of(name, value)) is not None:
                yield Fault(path_of(place), fault)


def read_prices(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the prices among *facts*, those of a valid ``model_info``, as decimals.

    ``tiered_pricing`` becomes a tuple of mappings, whose ``range`` is a pair of numbers of tokens. The second number is
    None where the range has no end.
    """
    found: dict[str, Any] = {}
    for name, value in facts.items():
        if value is None or not is_price(name):
            continue
        found[name] = tuple(map(_tier, value)) if name == _TIERED else decimal_of(value)
    return MappingProxyType(found)


def _tier(given: Mapping[str, Any]) -> Mapping[str, Any]:
    prices = {
        name: decimal_of(value) for name, value in given.items() if name != _RANGE and value is not None
    }
    start, end = _bounds(given[_RANGE]) or (Decimal(0), None)
    return MappingProxyType({**prices, _RANGE: (int(start), None if end is None else int(end))})


def _fault_of(name: str, value: object) -> str | None:
    number = decimal_of(value)
    if number is None:
        return "must be a number of dollars"
    if number < 0:
        return "must be at least 0"
    if number > _MOST:
        return f"must be at most {_MOST} dollars for one {'request' if name == _REQUEST else 'token'}"
    return None


def _check_tiers(tiers: object, place: tuple[object, ...]) -> Iterator[Fault]:
    if not isinstance(tiers, list) or not tiers:
        yield Fault(path_of(place), "must be a list of ranges with prices")
        return
    end: Decimal | None = Decimal(0)
    for position, tier in enumerate(tiers):
        at = (*place, position)
        if not isinstance(tier, dict):
            yield Fault(path_of(at), "must be a mapping of keys to values")
            continue
        for name, value in tier.items():
            if name not in _IN_TIERS:
                yield Fault(path_of((*at, name)), unknown_key(str(name), _IN_TIERS))
            elif name != _RANGE and value is not None and (fault := _fault_of(str(name), value)) is not None:
                yield Fault(path_of((*at, name)), fault)
        bounds = _bounds(tier.get(_RANGE))
        if bounds is None:
            yield Fault(path_of((*at, _RANGE)), "must be two numbers of tokens, the lower one first")
        elif bounds[0] != end:
            yield Fault(
                path_of((*at, _RANGE)), "must begin where the range before it ends, and the first one at 0"
            )
        end = None if bounds is None else bounds[1]


def _bounds(given: object) -> tuple[Decimal, Decimal | None] | None:
    if not isinstance(given, list) or len(given) not in (1, 2):
        return None
    start, end = decimal_of(given[0]), decimal_of(given[1]) if len(given) == 2 else None
    if start is None or (len(given) == 2 and given[1] is not None and end is None):
        return None
    return (start, end) if end is None or start < end else None
