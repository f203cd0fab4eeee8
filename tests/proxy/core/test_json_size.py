"""Tests that the estimated memory of a decoded body is never too low and not far too high."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from math import inf
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from proxy.core import json_size
from proxy.core.json_size import estimate_decoded
from tests.support.builders import assistant, call, tool, user

COUNT = 2_000
MIB = 2**20


def filled(piece: str, count: int = COUNT) -> bytes:
    """Return a JSON list of *count* times *piece*."""
    return f"[{','.join([piece] * count)}]".encode()


def numbered(form: str) -> bytes:
    """Return a JSON list of *form* with ``#`` replaced by different numbers."""
    return f"[{','.join(form.replace('#', str(number)) for number in range(1_000, 1_000 + COUNT))}]".encode()


HOSTILE = {
    "empty objects": filled("{}"),
    "empty lists": filled("[]"),
    "lists of one": filled("[1]"),
    "lists of lists": filled("[[]]"),
    "nested lists": filled("[" * 50 + "]" * 50, 40),
    "nested objects": filled('{"a":' * 50 + "1" + "}" * 50, 40),
    "objects of one": filled('{"":1}'),
    "objects of two": filled('{"a":[],"b":{}}'),
    "objects of six": filled('{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}'),
    "new keys": numbered('{"#":0}'),
    "many keys": ("{" + ",".join(f'"{number}":0' for number in range(21_900)) + "}").encode(),
    "eleven keys": filled("{" + ",".join(f'"{number}":0' for number in range(11)) + "}"),
    "numbers": filled("999"),
    "negative numbers": filled("-6"),
    "small numbers": filled("1"),
    "fractions": filled("1.5"),
    "long numbers": filled("1152921504606846977"),
    "words": filled("true"),
    "empty texts": filled('""'),
    "short texts": numbered('"#"'),
    "texts with commas": filled('",,,"'),
    "texts that end in a line": filled('"a\\n"'),
    "texts that end in a backslash": filled('"a\\\\"'),
    "keys that end in a backslash": filled('{"a\\\\":"b\\n"}'),
    "texts of one quote": filled('"\\""'),
    "blanks": filled(' {\n\t"a" :\r\n[ ] } '),
    "blank numbers": filled(" 1000 "),
    "Latin-1": filled('"é"'),
    "Chinese": filled('"漢"'),
    "emoji": filled('"😀"'),
    "emoji in long texts": filled(json.dumps("a" * 500 + "😀", ensure_ascii=False)),
    "escaped emoji": filled(json.dumps("a" * 500 + "😀")),
    "escaped Chinese": filled(json.dumps("a" * 500 + "漢")),
    "escaped Latin-1": filled(json.dumps("a" * 500 + "é")),
    "one text": json.dumps("a" * 100_000).encode(),
    "one wide text": json.dumps("a" * 100_000 + "漢", ensure_ascii=False).encode(),
}


@pytest.fixture(autouse=True)
def looks_for_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the estimate search small bodies for escapes as well."""
    monkeypatch.setattr(json_size, "UNSCANNED", 0)


def held(value: Any) -> int:
    """Return the memory of *value* and its contents, rounded as the allocator does."""
    size = -(-sys.getsizeof(value) // 16) * 16
    if isinstance(value, dict):
        return size + sum(held(key) + held(inner) for key, inner in value.items())
    if isinstance(value, list):
        return size + sum(map(held, value))
    return size


def decoded(body: bytes) -> int:
    """Return the memory of the decoded *body*, after it was written once, which caches texts as UTF-8."""
    value = orjson.loads(body)
    orjson.dumps(value)
    return held(value)


@pytest.mark.parametrize("body", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_bodies_take_no_more_than_estimated(body: bytes) -> None:
    """Bodies with the most memory for each byte take no more than estimated.

    The estimate is at most four times too high.
    """
    assert decoded(body) <= estimate_decoded(body) <= 4 * decoded(body) + 1_000


TEXTS = st.text(st.sampled_from('ab,:{}[]"\\\n\t é漢😀'), max_size=30)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(TEXTS, inner, max_size=12),
    max_leaves=30,
)


@given(value=VALUES, ascii_only=st.booleans(), indent=st.sampled_from([None, 0, 2]), copies=st.integers(1, 8))
@example(value=[""], ascii_only=False, indent=None, copies=1)
def test_no_body_takes_more_than_estimated(
    value: Any, ascii_only: bool, indent: int | None, copies: int
) -> None:
    """No body takes more memory than estimated, for any values and any notation."""
    body = json.dumps([value] * copies, ensure_ascii=ascii_only, indent=indent).encode()
    assert decoded(body) <= estimate_decoded(body)


@given(value=VALUES, ascii_only=st.booleans(), chunk=st.integers(1, 40))
def test_exact_counts_hold_as_well(value: Any, ascii_only: bool, chunk: int) -> None:
    """Exact counts are right and the estimate holds, wherever the body is cut into chunks."""
    body = json.dumps(value, ensure_ascii=ascii_only).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_size, "_DENSE", -1)
        patch.setattr(json_size, "_CHUNK", chunk)
        assert decoded(body) <= estimate_decoded(body)
        exact, _ = json_size._count_exactly(body, inf)
    assert exact.strings == len(strings_of(value))
    assert exact.objects == sum(isinstance(inner, dict) for inner in walk(value))
    assert exact.arrays == sum(isinstance(inner, list) for inner in walk(value))


def walk(value: Any) -> Iterator[Any]:
    """Yield *value* and all values in it, keys too."""
    yield value
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    for one in inner:
        yield from walk(one)


def strings_of(value: Any) -> list[str]:
    """Return the strings in *value*."""
    return [inner for inner in walk(value) if isinstance(inner, str)]


CODE = 'def f(a, b):\n    return {"sum": [a + b, "ok"]}  # {}, [1, 2]\n' * 20
HISTORY = [
    message
    for number in range(100)
    for message in (
        user(CODE),
        assistant(None, call(f"call_{number}", json.dumps({"path": "a.py", "text": CODE}))),
        tool(f"call_{number}", CODE),
    )
]


@pytest.mark.parametrize(
    ("messages", "times"),
    [
        (HISTORY, 4.0),
        ([user("What a day it was, when all was said: everything, and more. " * 5_000)], 3.0),
        (
            [
                user(
                    [
                        {
                            "type": "image_url",
                            "image_url": {"url": "data:image/png;base64," + "iVBORw0K" * 40_000},
                        }
                    ]
                )
            ],
            1.1,
        ),
        ([user("漢字かな交じり文。" * 5_000)], 3.1),
    ],
    ids=["code", "prose", "image", "Chinese"],
)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_usual_bodies_are_not_taken_for_hostile_ones(
    messages: list[dict[str, Any]], times: float, ascii_only: bool
) -> None:
    """The estimate for usual bodies is low, since brackets and commas within texts hardly count."""
    body = json.dumps({"model": "m", "messages": messages}, ensure_ascii=ascii_only).encode()
    assert estimate_decoded(body) <= times * len(body)


def test_one_emoji_does_not_make_all_texts_wide() -> None:
    """One emoji does not raise the estimate for other texts, since wide texts are counted separately."""
    text = "What a day it was. " * 5_000
    body = json.dumps({"messages": [user(text), user("😀")] * 30}, ensure_ascii=False).encode()
    assert estimate_decoded(body) < 1.6 * len(body)


def test_counting_ends_above_the_given_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The count stops once the estimate exceeds the given limit, since the body is refused anyway."""
    body = filled('""', 1_000_000)
    enough = 10 * MIB
    cut: list[int] = []
    weigh = json_size._weigh

    def noting(counts: json_size._Counts, head: int) -> int:
        cut.append(counts.strings)
        return weigh(counts, head)

    monkeypatch.setattr(json_size, "_weigh", noting)

    assert estimate_decoded(body, enough) > enough
    assert len(cut) < 60 < 4 * len(body) // json_size._CHUNK


def test_small_bodies_are_not_searched_for_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small bodies are not searched for escapes, since the search would double the cost."""
    monkeypatch.undo()
    small = HOSTILE["escaped emoji"][:MIB]
    large = HOSTILE["escaped emoji"] * 2

    assert estimate_decoded(small) < 2 * len(small)
    assert estimate_decoded(large) >= 5 * len(large)
