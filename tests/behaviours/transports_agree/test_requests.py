"""Tests that both transports send each provider the same request, except for the differences in the table.

``make test`` sends a third of the requests to each model, and ``make test-deep`` all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_rows import ROWS
from tests.behaviours.transports_agree.differences import ABSENT, TABLE, Places, expected, stands_for
from tests.behaviours.transports_agree.requests import REQUESTS, STREAMED
from tests.behaviours.transports_agree.sending import TRANSPORTS, Arrival, sending
from tests.behaviours.transports_agree.targets import IN_PROCESS, OTHER_WIRE, PREFIXES, models_of
from tests.support.covering_cases import share_of
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = [*LITELLM_NOISE, pytest.mark.usefixtures("litellm")]

CASES = [(request, False) for request in REQUESTS] + [(request, True) for request in STREAMED]
"""Each request, and whether a stream is wanted."""

Case = tuple[str, str, bool]
"""A model, a request, and whether a stream is wanted."""


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_both_transports_send_the_same_request(prefix: str) -> None:
    """URL, headers and body are equal, except for the differences in the table."""
    found: dict[Case, Places] = {}
    meant: dict[Case, Places] = {}
    async with sending(models_of(prefix)[0]) as sender:
        for number, model in enumerate(models_of(prefix), PREFIXES.index(prefix)):
            settings = {transport: sender.settings_of(model, transport) for transport in TRANSPORTS}
            for request, stream in share_of(CASES, number):
                arrived = [
                    await sender.send(settings[transport], transport, REQUESTS[request], stream=stream)
                    for transport in ("litellm", "direct")
                ]
                case = model, request, stream
                found[case] = compared(*arrived)
                both_refuse = all("refused" in one for one in arrived)
                meant[case] = {} if both_refuse else expected(model, request, stream=stream)

    assert {case: places for case, places in found.items() if places != meant[case]} == {
        case: places for case, places in meant.items() if places != found[case]
    }


def test_every_row_of_the_providers_is_compared() -> None:
    """Litellm cannot call vLLM over HTTP by that name, and calls Ollama on another wire."""
    assert {*PREFIXES, *IN_PROCESS, *OTHER_WIRE} == {*ROWS, *listed_providers()}


def test_every_row_of_the_table_concerns_a_case() -> None:
    """A row that concerns no case would never be missed."""
    cases = [(model, *case) for prefix in PREFIXES for model in models_of(prefix) for case in CASES]
    names = {name for row in TABLE for name in row.models.split()}

    assert names <= {*PREFIXES, *(model for prefix in PREFIXES for model in models_of(prefix))}
    assert [
        (row.reason, name)
        for row in TABLE
        for name in row.models.split()
        if not any(
            stands_for(name, model) and row.concerns(model, request, stream=stream)
            for model, request, stream in cases
        )
    ] == []


def compared(litellm: Arrival, direct: Arrival) -> Places:
    """Return the paths at which two arrivals differ. A request that did not arrive is compared by that alone."""
    ended = {"failed", "refused"} & {*litellm, *direct}
    if ended:
        litellm, direct = (
            {name: arrival.get(name, ABSENT) for name in ended} for arrival in (litellm, direct)
        )
    return dict(differences(litellm, direct))


def differences(one: Any, other: Any, path: str = "") -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Yield the paths at which two JSON values differ, with both values."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in {**one, **other}:
            inner = f"{path}.{name}" if path else name
            yield from differences(one.get(name, ABSENT), other.get(name, ABSENT), inner)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for at, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{path}[{at}]")
    elif one != other or type(one) is not type(other):
        yield path, (one, other)
