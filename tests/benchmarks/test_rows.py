"""Tests of the benchmark that compares the CPU of each provider's requests with that of ``openai/``."""

from __future__ import annotations

from collections import deque
from typing import Any

import orjson
import pytest
from typing_extensions import override

from benchmarks.gateway.bodies import MARK
from benchmarks.gateway.row_models import (
    AGAIN,
    AGENT,
    BASE,
    REPAIRED,
    base_with,
    is_legal,
    row_body,
    row_config,
    row_models,
    rules_of,
)
from benchmarks.gateway.rows import Process, above, measure, noise
from benchmarks.startup import EVERY, LITELLM, PROVIDERS, config_for
from proxy.config import load_settings, resolve
from proxy.config.providers.listed_providers import listed_providers
from proxy.config.providers.provider_rows import ROWS
from proxy.upstream.transports import transport_of

URL = "http://127.0.0.1:9"


class Slowing(Process):
    """A process whose requests cost what their bodies say, on a machine that slows down with each request."""

    def __init__(self) -> None:
        self.sent: deque[bytes] = deque()

    @override
    def cost(self, parts: list[bytes]) -> float:
        """See the class."""
        self.sent.append(parts[0])
        return float(parts[0]) * (1 + len(self.sent) / 100)


def test_ratio_is_to_the_requests_beside_it() -> None:
    """A machine that slows down changes no ratio, and each row is compared with its own base."""
    requests = {"base": [b"2"], "other base": [b"10"], "same": [b"2"], "dearer": [b"3"], "cheaper": [b"5"]}
    bases = {"same": "base", "dearer": "base", "cheaper": "other base"}
    process = Slowing()

    ratios, costs = measure(process, requests, bases, rounds=4)

    assert {row: [round(value, 2) for value in values] for row, values in ratios.items()} == {
        "same": [1.0] * 4,
        "dearer": [1.5] * 4,
        "cheaper": [0.5] * 4,
    }
    assert {base: len(values) for base, values in costs.items()} == {"base": 8, "other base": 4}


def test_rows_alternate_with_their_base() -> None:
    """Each request of a row stands between two of its base, and the order of the rows changes."""
    process = Slowing()
    requests = {name: [str(number).encode()] for number, name in enumerate("abcdefg", 1)}

    measure(process, requests, dict.fromkeys("bcdefg", "a"), rounds=3)

    sent = [*process.sent][-3 * 13 :]
    rounds = [sent[at : at + 13] for at in range(0, len(sent), 13)]
    assert [one[::2] for one in rounds] == [[b"1"] * 7] * 3
    assert [sorted(one[1::2]) for one in rounds] == [[b"2", b"3", b"4", b"5", b"6", b"7"]] * 3
    assert len({tuple(one) for one in rounds}) > 1


def test_noise_shrinks_with_the_number_of_samples() -> None:
    """Sixteen times as many samples have a quarter of the noise, and equal samples have none."""
    few = [1.0 + number / 100 for number in range(-8, 9)]

    assert noise([1.0, 1.0, 1.0]) == 0
    assert noise(few * 16) == pytest.approx(noise(few) / 4, rel=0.2)


def test_figure_above_the_limit_is_a_fault() -> None:
    """A ratio of 1.1 is good, a greater one is a fault, and a missing one is none."""
    assert above({"a": {"small": 1.1, "agent": None}, "b": {"small": 1.12}}) == ["b, small: 1.120"]


def test_each_row_of_the_direct_transport_is_measured() -> None:
    """Each provider has a row that takes the direct transport, and Azure has one for each form of its addresses."""
    rows = row_models(URL)
    settings = load_settings(orjson.dumps(row_config(rows)), {}).settings

    assert {row["model"].partition("/")[0] for row in rows.values()} == {*ROWS, *listed_providers()}
    assert {transport_of(resolve(settings, name)[0]) for name in rows} == {"direct"}
    assert {row["api_base"] for name, row in rows.items() if name.startswith("azure/gpt-4o")} == {
        URL,
        f"{URL}/openai/v1",
    }
    assert rows[AGAIN] == rows[BASE]


def test_base_with_other_rules_follows_them() -> None:
    """The base of a row's repairs is ``openai/`` with the row's profile."""
    rows = row_models(URL)
    settings = load_settings(orjson.dumps(row_config(rows)), {}).settings

    for row in rows.values():
        [base] = resolve(settings, base_with(rules_of(row)))
        assert (base.model, base.profile) == (rows[BASE]["model"], rules_of(row))


@pytest.mark.parametrize("name", row_models(URL))
def test_agents_history_is_legal_at_each_row(name: str) -> None:
    """The request that is compared with ``openai/`` needs no repair, and all of its messages are marked."""
    row = row_models(URL)[name]
    body = row_body(AGENT, row)

    assert is_legal(row, body)
    assert all(MARK.encode() in orjson.dumps(message) for message in body["messages"])


def test_history_of_an_openai_client_needs_repairs_at_some_rows() -> None:
    """The other history is legal at ``openai/``, and not at rows with rules of their own."""
    rows = row_models(URL)
    legal = {name: is_legal(row, row_body(REPAIRED, row)) for name, row in rows.items()}

    assert legal[BASE]
    assert not legal["mistral/mistral-large-latest"]
    assert not legal["deepseek/deepseek-reasoner"]
    assert not legal["vllm/some-model"]


@pytest.mark.parametrize("name", [*PROVIDERS, EVERY, LITELLM])
def test_started_process_has_the_transport_of_its_row(name: str) -> None:
    """The processes whose start is measured have direct deployments alone, but for the row of litellm."""
    settings = load_settings(orjson.dumps(config_for(name, URL)), {}).settings
    models: Any = config_for(name, URL)["model_list"]

    transports = {transport_of(resolve(settings, entry["model_name"])[0]) for entry in models}

    assert transports == ({"litellm"} if name == LITELLM else {"direct"})
    assert len(models) == (len({*ROWS, *listed_providers()}) if name == EVERY else 1)
