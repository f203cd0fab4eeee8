"""What a client can get wrong about a plain request, told with the place of it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import InvalidRequest
from proxy.core.text_request import check_inputs, separate_inputs

tokens = st.lists(st.integers(min_value=0), min_size=1)
inputs = st.one_of(st.text(), st.lists(st.text(), min_size=1), tokens, st.lists(tokens, min_size=1))


@given(inputs)
def test_every_input_of_openais_is_taken(value: Any) -> None:
    """The four forms are taken, and each is as many texts as it says."""
    check_inputs("input", value)
    separate = separate_inputs(value)
    single = isinstance(value, str) or isinstance(value[0], int)

    assert list(separate) == ([value] if single else value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=8,
)


@given(json_values)
def test_anything_is_taken_or_refused(value: Any) -> None:
    """Nothing but the error with a place comes of anything else."""
    try:
        check_inputs("input", value)
    except InvalidRequest as error:
        place = error.param or ""
    else:
        place = "input" if len({type(one) for one in separate_inputs(value)}) == 1 else ""
    assert place.startswith("input")
