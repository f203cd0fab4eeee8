"""Tests of the use of one attempt."""

from __future__ import annotations

from dataclasses import replace

from proxy.config.pools import resolve
from proxy.core.charge import Charge
from tests.support.proxied import settings_of


def test_tokens_are_those_of_the_prompt_and_of_the_answer() -> None:
    [deployment] = resolve(settings_of({"m": "openai/gpt-4.1"}), "m")
    charge = Charge(deployment, 5, 7, 3, "exact")

    assert charge.tokens == 10
    assert replace(charge, tokens_out=0).tokens == 7
