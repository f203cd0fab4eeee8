"""The upper bound of a request's tokens is never below their estimate, and for usual requests not far above it."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.budget import estimate as estimate_module
from sanitizers.budget import upper_bound as upper_bound_module
from sanitizers.budget.estimate import SAMPLE, Estimator, count_text
from sanitizers.budget.families import FAMILIES, O200K, Family
from sanitizers.budget.upper_bound import TextBound, text_bound, upper_bound
from tests.support.builders import assistant, call, image, tool, user
from tests.support.strategies.arbitrary import any_histories
from tests.support.strategies.hostile import junk, odd_requests
from tests.support.strategies.legal import legal_histories

families = st.sampled_from(FAMILIES)
requests = odd_requests() | st.dictionaries(
    st.sampled_from(["messages", "tools", "response_format"]), st.lists(junk, max_size=3) | junk
)
CLASSES = "aA1.\n\t яاा漢→✅\u1200😀\ud800\x00"


def bounds(family: Family, messages: Any, tools: Any = None, response_format: Any = None) -> tuple[int, int]:
    """Return the estimate and the upper bound of a request's tokens."""
    estimate = Estimator(family).request_tokens(messages, tools, response_format)
    return estimate, upper_bound(family, messages, tools, response_format)


@given(families, st.text(CLASSES, max_size=30), st.integers(1, 40))
def test_no_text_exceeds_its_bound(family: Family, text: str, times: int) -> None:
    """The text repeats a random pattern of characters from ``CLASSES``, which has one of each kind."""
    per_text, per_byte = text_bound(family)
    size = len((text * times).encode("utf-8", "surrogatepass"))
    assert count_text(text * times, family) <= per_text + per_byte * size + 1e-6


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_bound_is_nearly_reached(family: Family) -> None:
    """Some text comes within a tenth of the bound per byte, or that bound is below 1.05 tokens."""
    patterns = [a + b for a in CLASSES for b in CLASSES] + ["aB9+"]
    worst = max(
        count_text(pattern * 500, family) / len((pattern * 500).encode("utf-8", "surrogatepass"))
        for pattern in patterns
    )
    assert 1.0 <= text_bound(family).per_byte < max(1.05, worst / 0.9)


@given(families, st.sampled_from(CLASSES), st.sampled_from(CLASSES), st.integers(0, 3))
def test_large_texts_are_bounded_as_they_are_estimated(
    family: Family, dense: str, cheap: str, at: int
) -> None:
    """The estimate of a large text counts samples. Its bound holds wherever the dense part of the text is."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (estimate_module, upper_bound_module):
            for name, value in (("WHOLE", 64), ("STRETCH", 64), ("SAMPLE", 8)):
                patch.setattr(module, name, value, raising=False)
        pieces = [cheap * 64] * 4
        pieces[at] = dense * 64
        text = "".join(pieces)
        bounded = upper_bound_module._bounded(text_bound(family))
        assert count_text(text, family) <= bounded(text)


def test_each_sample_of_a_large_text_has_the_cost_of_a_beginning() -> None:
    """An empty text costs no tokens."""
    bounded = upper_bound_module._bounded(TextBound(1.0, 2.0))
    assert bounded("") == 0
    assert bounded("a") == pytest.approx(3)
    assert bounded("a" * 3 * SAMPLE) == pytest.approx(4 + 6 * SAMPLE)


@given(families, any_histories() | legal_histories())
def test_the_bound_is_never_below_the_estimate(family: Family, history: Any) -> None:
    """The histories hold media and calls."""
    estimate, bound = bounds(family, history)
    assert estimate <= bound


@given(families, requests)
def test_no_json_value_in_a_request_raises_or_exceeds_the_bound(
    family: Family, request: dict[str, Any]
) -> None:
    """A request may hold values of the wrong kind in any place, also lone surrogates and huge numbers."""
    messages = request.get("messages")
    estimate, bound = bounds(
        family,
        messages if isinstance(messages, list) else [messages],
        request.get("tools"),
        request.get("response_format"),
    )
    assert 0 <= estimate <= bound


@given(families, junk, junk)
def test_the_bound_is_never_below_the_estimate_of_any_tools_and_format(
    family: Family, tools: Any, form: Any
) -> None:
    """The tools and the format are any JSON values."""
    estimate, bound = bounds(family, [], tools, {"json_schema": form})
    assert estimate <= bound


def test_the_bound_holds_for_numbers_that_grow_when_written_out() -> None:
    """A number of four characters in the client's request, such as ``1e15``, may have eighteen when written out."""
    estimate, bound = bounds(O200K, [tool("c1", [1e15, -9e15] * 100)], [{"default": 1e15}])
    assert estimate <= bound


def test_the_bound_of_prose_and_code_is_less_than_five_times_the_estimate() -> None:
    """The history has user, assistant and tool messages."""
    words = [
        "def", "return", "self.value", "(request)", "reads", "the", "next", "message", "from", "queue", "=", "42\n    "
    ]  # fmt: skip
    text = " ".join(random.Random(1).choices(words, k=2_000))
    history = [user(text), assistant(text, [call("c1", "f", '{"path": "/src/a.py"}')]), tool("c1", text)]
    estimate, bound = bounds(O200K, [*history, user([image()])])
    assert estimate < bound < 5 * estimate


def test_the_bound_of_an_empty_request_is_the_providers_overhead() -> None:
    """OpenAI's overhead is three tokens."""
    assert bounds(O200K, []) == (3, 3)
