"""Inputs of embeddings are accepted in OpenAI's four forms."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import InvalidRequest
from proxy.core.text_request import check_inputs, separate_inputs

texts = st.text(max_size=3)
tokens = st.lists(st.integers(min_value=0), min_size=1, max_size=3)
inputs = st.one_of(
    texts, st.lists(texts, min_size=1, max_size=3), tokens, st.lists(tokens, min_size=1, max_size=3)
)


@given(inputs)
def test_each_form_of_an_input_is_accepted_and_separated(value: Any) -> None:
    """An input may be a text, a list of texts, a list of tokens, or a list of lists of tokens."""
    check_inputs("input", value)
    separate = separate_inputs(value)
    single = isinstance(value, str) or isinstance(value[0], int)

    assert list(separate) == ([value] if single else value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=8,
)


@given(json_values)
def test_any_other_input_is_refused_with_its_place(value: Any) -> None:
    """Any other input raises only :class:`InvalidRequest`, with a place that begins with ``input``."""
    try:
        check_inputs("input", value)
    except InvalidRequest as error:
        place = error.param or ""
    else:
        place = "input" if len({type(one) for one in separate_inputs(value)}) == 1 else ""
    assert place.startswith("input")
