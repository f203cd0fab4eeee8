"""Tests of the estimated memory of a request, and of the refusal of a request that needs too much."""

from __future__ import annotations

import json

import pytest

from proxy.core.errors import BodyTooLarge
from proxy.resilience.memory_need import DIRECT_TIMES, LARGEST_TIMES, MIB, SMALL, bytes_in_flight, need_of
from tests.support.builders import user

MOST = 4


def body_of(size: int, text: str) -> bytes:
    """Return a chat request of about *size* bytes, in messages of *text*."""
    messages = [user(text)] * (size // (len(json.dumps(text, ensure_ascii=False).encode()) + 40))
    return json.dumps({"model": "m", "messages": messages}, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "body",
    [
        body_of(MOST * MIB - 9_000, "She said: well, then, let us go (all of us) & see. " * 20),
        body_of(MOST * MIB - 9_000, "def f(a, b):\n    return [a, {b: 1}]\n" * 20),
        body_of(MOST * MIB - 9_000, "iVBORw0KGgo" * 90_000),
        body_of(MOST * MIB - 9_000, "漢字かな交じり文。" * 100),
        body_of(MOST * MIB - 9_000, "So it is. " * 10_000) + b" " * 1_000,
        body_of(2 * MIB, "So it is. 😀 " * 100),
    ],
    ids=["prose", "code", "images", "Chinese", "spaces", "emoji"],
)
def test_usual_bodies_pass(body: bytes) -> None:
    """Bodies of up to the largest allowed size stay below the bound on memory."""
    assert len(body) <= MOST * MIB
    assert len(body) < need_of(body, MOST) <= DIRECT_TIMES * MOST * MIB


@pytest.mark.long
@pytest.mark.parametrize("piece", ["{}", "[]", '{"a":1}', '""', "999", '"😀"', "[[[[[[[[]]]]]]]]"])
def test_hostile_bodies_are_refused(piece: str) -> None:
    """The refusal names the setting and both numbers, and no text of the body."""
    body = ("[" + ",".join([piece] * (MOST * MIB // (len(piece.encode()) + 1) - 1)) + "]").encode()

    with pytest.raises(
        BodyTooLarge, match=r"would take \d+ MiB .* limit is 32 MiB, 8 times general_settings.max_body_mib"
    ):
        need_of(body, MOST)


def test_small_bodies_are_not_examined() -> None:
    """The need of a small body is computed from its size alone."""
    assert need_of(b"{" * SMALL, 1) == DIRECT_TIMES * SMALL
    assert need_of(b" " * (SMALL + 1), 1) < DIRECT_TIMES * SMALL


@pytest.mark.parametrize(
    "piece", ["{}", "[]", "[[]]", '{"":{}}', '{"a":[]}', '""', "0", '"😀"', "[[[[[[]]]]]]"]
)
def test_no_body_exceeds_the_largest_estimate(piece: str) -> None:
    """``LARGEST_TIMES`` bounds a body's need before the body is examined."""
    body = ("[" + ",".join([piece] * (2**18 // len(piece))) + "]").encode()

    assert need_of(body, 10**6) <= LARGEST_TIMES * len(body)


@pytest.mark.parametrize(
    ("mib", "limit", "expected"), [(None, 512 * MIB, 128 * MIB), (7, 512 * MIB, 7 * MIB)]
)
def test_bytes_in_flight_are_set_or_a_quarter_of_the_limit(
    mib: int | None, limit: int, expected: int
) -> None:
    """A configured number of bytes wins over a quarter of the limit."""
    assert bytes_in_flight(mib, limit) == expected
