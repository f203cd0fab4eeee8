"""Finds the prices of a deployment: the operator's own, filled up from litellm's table."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import Any

import msgspec

from proxy.config.litellm_table import litellm_rows
from proxy.core.deployment import Deployment
from proxy.planning.model_spellings import spellings_of
from proxy.planning.prices.rates import Prices
from proxy.planning.prices.read_prices import has_price, merge_fields, read_prices

_DECODER = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal)
"""Numbers of a row are read as decimals, since a float is not the price that the file says."""


@lru_cache(maxsize=1024)
def find_prices(deployment: Deployment) -> Prices | None:
    """Return the prices of *deployment*, or None where a price of its input or output is not known.

    The operator's ``model_info`` comes first. The row of litellm's table fills the fields that ``model_info`` does not
    name. The row is the first with a price among the spellings of the model's name.
    """
    row = next((row for row in map(_row, spellings_of(deployment)) if has_price(row)), {})
    own = deployment.price_info
    embeds = deployment.embeds or row.get("mode") == "embedding"
    return read_prices(merge_fields(own, row), embeds=embeds, configured=has_price(own))


def _row(name: str) -> dict[str, Any]:
    raw = litellm_rows().get(name)
    if raw is None:
        return {}
    try:
        return _DECODER.decode(raw)
    except (msgspec.DecodeError, ArithmeticError):  # the table is a file of another project
        return {}
