"""Random lists of random messages: known roles, colliding ids, contents of every known shape.

Damaged histories stay close to legal histories, but these lists do not. These lists find cases that nobody thought of.
"""

from typing import Any

from hypothesis import strategies as st

from tests.support.builders import call, image, text
from tests.support.strategies.damages import BAD_ARGUMENTS
from tests.support.strategies.legal import History
from tests.support.strategies.texts import FLAVOURS, Numbers

ROLES = ("user", "assistant", "tool", "system", "developer", "function")
IDS: tuple[Any, ...] = ("c1", "c2", "c3", "", None)
NAMES: tuple[Any, ...] = ("f", "g", "")
ARGUMENTS: tuple[Any, ...] = ("{}", '{"a": 1}', *BAD_ARGUMENTS)
ABSENT = object()

_ids = st.integers(0, len(IDS) - 1)
_calls = st.lists(
    st.tuples(_ids, st.integers(0, len(NAMES) - 1), st.integers(0, len(ARGUMENTS) - 1)), max_size=3
)
_messages = st.tuples(
    st.integers(0, len(ROLES) - 1),
    st.integers(0, 13),  # the shape of the content
    st.integers(0, len(FLAVOURS) - 1),
    _ids,
    st.one_of(st.none(), _calls),
    st.integers(0, 7),  # extras
)


def any_histories(*, max_messages: int = 12) -> st.SearchStrategy[History]:
    """Draw one to `max_messages` messages in any order. Most of these lists are illegal."""
    return st.lists(_messages, min_size=1, max_size=max_messages).map(_built)


def _built(plans: list[tuple[int, int, int, int, list[tuple[int, int, int]] | None, int]]) -> History:
    numbers = Numbers()
    return [_message(*plan, numbers) for plan in plans]


def _message(
    role: int,
    shape: int,
    flavour: int,
    call_id: int,
    calls: list[tuple[int, int, int]] | None,
    extra: int,
    numbers: Numbers,
) -> dict[str, Any]:
    message: dict[str, Any] = {"role": ROLES[role]}
    content = _content(ROLES[role], shape, flavour, numbers)
    if content is not ABSENT:
        message["content"] = content
    if message["role"] == "assistant":
        if calls is not None:
            message["tool_calls"] = [call(IDS[id], NAMES[name], ARGUMENTS[form]) for id, name, form in calls]
        if extra == 7:
            message["function_call"] = {"name": "f", "arguments": "{}"}
        elif extra == 6:
            message["tool_calls"] = None
    elif message["role"] == "tool" and extra != 7:
        message["tool_call_id"] = IDS[call_id]
    elif message["role"] == "function" and extra != 7:
        message["name"] = "f"
    if extra == 5:
        message["x_unknown"] = [1]
    return message


def _content(role: str, shape: int, flavour: int, numbers: Numbers) -> Any:
    """Return the content of a message in the form number *shape*. About half of the forms hold text."""
    if shape <= 4:
        return numbers.text(flavour)
    shapes: dict[int, Any] = {5: None, 6: "", 7: " ", 8: [], 9: ABSENT, 10: [text("")], 11: [image()]}
    if shape in shapes:
        return shapes[shape]
    if shape == 12 and role == "tool":
        return {"answer": 1}
    return [text(numbers.text(flavour)), text(numbers.text())]
