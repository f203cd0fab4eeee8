r"""A lone surrogate in an item, such as ``\ud83d``, is replaced. Anything else is left to the parser."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.ingress.mend_surrogates import mend_surrogates

CUT = "cut \ud83d"


def body(**fields: Any) -> bytes:
    """Return a request's body, in which a lone surrogate is an escape."""
    return json.dumps({"model": "m", **fields}).encode()


@pytest.mark.parametrize(
    ("given", "mended", "places"),
    [
        (CUT, "cut \ufffd", (0,)),
        ([{"output": "a"}, {"output": CUT}], [{"output": "a"}, {"output": "cut \ufffd"}], (1,)),
        ([{"output": "😀 \ud83d"}], [{"output": "😀 \ufffd"}], (0,)),
    ],
)
def test_an_item_with_a_half_character_is_mended(given: Any, mended: Any, places: tuple[int, ...]) -> None:
    """The items' places are returned, and whole characters stay."""
    found = mend_surrogates(body(input=given), "input")

    assert found is not None
    assert json.loads(found[0])["input"] == mended
    assert found[1] == places


@pytest.mark.parametrize(
    "given",
    [
        body(input="whole"),
        body(input="whole", user=CUT),
        body(input=CUT, user=CUT),
        body(input=CUT)[:-1],
        b'["\\ud83d"]',
        body(user=CUT),
        b'"\\ud83d"' * 3,
        b"[" * 100_000 + b"\\ud83d",
    ],
)
def test_another_body_is_not_mended(given: bytes) -> None:
    """A parameter is not guessed, and a body that is no JSON stays one."""
    assert mend_surrogates(given, "input") is None
