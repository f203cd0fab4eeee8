"""Tests of the client's own bytes as a part of a request."""

from __future__ import annotations

import orjson
import pytest

from proxy.upstream.wires.raw_values import has_no_duplicate_keys


@pytest.mark.parametrize(
    ("raw", "unique"),
    [
        (b'[ {"a" : "b:c", "d":1} ]', True),
        (b'[{"a":1,"a":2}]', False),
        (b'[{"a":{"b":1,"b":1}}]', False),
        (b'["\\u003a"]', False),
    ],
)
def test_value_with_a_repeated_key_is_found(raw: bytes, unique: bool) -> None:
    """An escaped colon is refused too, since it would change the count."""
    assert has_no_duplicate_keys(raw, orjson.dumps(orjson.loads(raw))) is unique
