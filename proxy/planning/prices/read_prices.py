"""Reads prices from fields in LiteLLM's spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Decimal
from types import MappingProxyType
from typing import Any

from proxy.planning.prices.rates import TIERS, UNITS_IN_DOLLAR, Ladder, Prices, Rates

_KINDS = MappingProxyType(
    {
        "input_cost_per_token": "uncached",
        "cache_read_input_token_cost": "cached",
        "input_cost_per_token_cache_hit": "cached",
        "cache_creation_input_token_cost": "written",
        "cache_creation_input_token_cost_above_1hr": "written_1h",
        "input_cost_per_audio_token": "audio",
        "output_cost_per_token": "output",
        "output_cost_per_reasoning_token": "reasoning",
        "output_cost_per_audio_token": "audio_output",
        "output_cost_per_image_token": "image_output",
    }
)
"""The kind of tokens by the beginning of the field's name."""

_FIELD = re.compile(rf"({'|'.join(_KINDS)})(?:_above_(\d{{1,6}})k_tokens)?(?:_({'|'.join(TIERS)}))?")

_PARENTS = MappingProxyType(
    {
        "written": "uncached",
        "written_1h": "written",
        "audio": "uncached",
        "reasoning": "output",
        "audio_output": "output",
        "image_output": "output",
    }
)
"""The kinds that cost more than their parent, or as much. A kind follows its parent in this order."""

_OF_OUTPUT = frozenset({"output", "reasoning", "audio_output", "image_output"})

_TIERED = "tiered_pricing"
_REQUEST = "input_cost_per_request"
_STANDARD = ""
_MOST = 10**7
"""The highest number that is read, of dollars and of tokens. Decimals such as ``1e999999`` would fill the memory."""

_Levels = dict[tuple[str, int], dict[str, int]]
"""Prices by kind, for each service tier and threshold. The threshold 0 stands for the prices of every prompt."""


def has_price(fields: Mapping[str, Any]) -> bool:
    """Return True where *fields* name a price of input or output tokens."""
    return bool(fields.get(_TIERED)) or any(
        _FIELD.fullmatch(name) and _units(value) is not None for name, value in fields.items()
    )


def merge_fields(own: Mapping[str, Any], row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return *own*, the operator's fields, filled up with the fields of *row* that *own* does not name.

    Prices by ranges of the prompt exclude prices for every prompt. The operator's kind of the two wins.
    """
    if not own:
        return row
    if _TIERED in own:
        row = {name: value for name, value in row.items() if not _FIELD.fullmatch(name)}
    elif "input_cost_per_token" in own:
        row = {name: value for name, value in row.items() if name != _TIERED}
    return {**row, **own}


def read_prices(
    fields: Mapping[str, Any], *, embeds: bool = False, configured: bool = False
) -> Prices | None:
    """Return the prices that *fields* name, or None where the price of input or output tokens is missing.

    *embeds* is true for a model of embeddings, which needs no price of output. *configured* is true where the operator
    named a price. A value that is no number, or below 0, is no price.
    """
    levels = _read_levels(fields)
    standard = _standard_levels(levels)
    if embeds and 0 in standard:
        standard[0].setdefault("output", 0)
    if not {"uncached", "output"} <= standard.get(0, {}).keys():
        return None
    tiers = {tier: known for tier in TIERS if (known := _tier_levels(standard, levels, tier))}
    return Prices(
        standard=_ladder(standard),
        tiers=MappingProxyType({tier: _ladder(known) for tier, known in tiers.items()}),
        request=_units(fields.get(_REQUEST)) or 0,
        source="configured" if configured else "catalogue",
    )


def _read_levels(fields: Mapping[str, Any]) -> _Levels:
    """Return the prices that *fields* name, by their service tier and threshold."""
    levels: _Levels = {}
    for threshold, one in _ranges(fields.get(_TIERED)):
        for name, value in one.items():
            if name in _KINDS and (units := _units(value)) is not None:
                levels.setdefault((_STANDARD, threshold), {})[_KINDS[name]] = units
    for name, value in fields.items():
        found = _FIELD.fullmatch(name)
        if found and (units := _units(value)) is not None:
            kind, thousands, tier = found.groups()
            level = levels.setdefault((tier or _STANDARD, 1000 * int(thousands or 0)), {})
            level.setdefault(_KINDS[kind], units)
    return levels


def _ranges(tiered: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield each range of ``tiered_pricing`` with the number of tokens above which it begins.

    One range holds for all tokens of a request (litellm#34729). The first begins at the first token, and the last has
    no end.
    """
    if not isinstance(tiered, Sequence) or isinstance(tiered, str):
        return
    starts: dict[int, Mapping[str, Any]] = {}
    for one in tiered:
        bounds = one.get("range") if isinstance(one, Mapping) else None
        if isinstance(bounds, Sequence) and bounds and (start := _number(bounds[0])) is not None:
            starts.setdefault(int(start), one)
    for place, begin in enumerate(sorted(starts)):
        yield (begin if place else 0), starts[begin]


def _standard_levels(levels: _Levels) -> dict[int, dict[str, int]]:
    """Return the standard prices by threshold, the lowest first. Each level has the prices of those below it."""
    found: dict[int, dict[str, int]] = {}
    known: dict[str, int] = {}
    for threshold in sorted(threshold for tier, threshold in levels if tier == _STANDARD):
        known = found[threshold] = _step(known, levels[_STANDARD, threshold])
    return found


def _step(known: Mapping[str, int], given: Mapping[str, int]) -> dict[str, int]:
    """Return the prices above a threshold: those that are *given* for it, and the *known* ones of smaller prompts.

    A known price is at least the new price of its parent. Gemini 2.5 Pro has a price for reasoning, and above 200,000
    tokens only a price for output, which is higher.
    """
    new = {**known, **given}
    for kind, parent in _PARENTS.items():
        if kind in known and kind not in given and new.get(parent) != known.get(parent):
            new[kind] = max(new[kind], new[parent])
    return new


def _tier_levels(
    standard: Mapping[int, Mapping[str, int]], levels: _Levels, tier: str
) -> dict[int, dict[str, int]]:
    """Return the prices of *tier* by threshold. Empty where the tier has no price of its own.

    A price that the tier lacks is the standard price times the tier's factor. The factor is the tier's price of input
    by the standard one, and for tokens of the answer the same of output.
    """
    own = {threshold: given for (one, threshold), given in levels.items() if one == tier}
    if not own:
        return {}
    base = own.get(0, {})
    found: dict[int, dict[str, int]] = {}
    for threshold in sorted({*standard, *own}):
        below = max(one for one in standard if one <= threshold)
        scaled: dict[str, int] = {}
        for kind, price in standard[below].items():
            parent = "output" if kind in _OF_OUTPUT else "uncached"
            usual = standard[0][parent]
            scaled[kind] = price if not usual else -(-price * base.get(parent, usual) // usual)
        found[threshold] = scaled | own.get(threshold, {})
    return found


def _ladder(known: Mapping[int, Mapping[str, int]]) -> Ladder:
    """Return prices by threshold as rates. The threshold 0 is among them."""
    steps = [(threshold, _rates(prices)) for threshold, prices in sorted(known.items(), reverse=True)]
    return Ladder(steps[-1][1], tuple(steps[:-1]))


def _rates(known: Mapping[str, int]) -> Rates:
    """Return *known* prices with those that are missing. A missing price is the one of its parent.

    A price of 0 for writes to a cache stands for no surcharge: such tokens cost as much as others.
    """
    uncached, output = known["uncached"], known["output"]
    written = known.get("written") or uncached
    return Rates(
        uncached=uncached,
        cached=known.get("cached", uncached),
        written=written,
        written_1h=known.get("written_1h") or written,
        audio=known.get("audio", uncached),
        output=output,
        reasoning=known.get("reasoning", output),
        audio_output=known.get("audio_output", output),
        image_output=known.get("image_output", output),
    )


def _units(dollars: Any) -> int | None:
    """Return a price in units of 10⁻²⁴ dollars, rounded up, or None where *dollars* is no price."""
    number = _number(dollars)
    return None if number is None else int((number * UNITS_IN_DOLLAR).to_integral_value(ROUND_CEILING))


def _number(value: Any) -> Decimal | None:
    """Return *value* as a decimal from 0 to ten million, or None.

    A float becomes the shortest text that stands for it.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    number = value if isinstance(value, Decimal) else Decimal(repr(value))
    return number if number.is_finite() and 0 <= number <= _MOST else None
