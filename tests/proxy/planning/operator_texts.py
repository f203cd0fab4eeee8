"""Instructions of an operator whose words occur nowhere else, so that a test can search for each of them."""

from __future__ import annotations

import json
from typing import Any

from proxy.core.combine_instructions import combine, part_of
from proxy.core.instructions import Instructions

WORDS = ("Zebulon", "quartz", "marmalade")
GATEWAY = f'{WORDS[0]} "speaks"\nof {WORDS[1]}'
MODEL = f"{WORDS[2]}, naïvely"


def _combined() -> Instructions:
    found = combine([part_of("gateway", GATEWAY), part_of("model", MODEL)])
    assert found is not None
    return found


OWN = _combined()
"""The texts of the gateway and of the model."""

SHOWN = f"[instructions of the operator: {OWN.bytes} bytes, {OWN.digest}]"
"""The text that a client sees in place of :data:`OWN`."""


def words_in(value: Any) -> list[str]:
    """Return the words of the instructions that *value* holds: bytes, or a JSON-ready value."""
    text = value.decode() if isinstance(value, bytes) else json.dumps(value)
    return [word for word in WORDS if word in text]
