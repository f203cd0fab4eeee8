"""Texts within JSON values that are sent to a provider and shown to nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import override

MASK = "********"


class HiddenText(str):
    """A text that came from an environment variable and may be a secret.

    Its ``repr`` is a mask; JSON encoders write the text.
    """

    __slots__ = ()

    @override
    def __repr__(self) -> str:
        """Return the mask."""
        return repr(MASK)


def hide(value: Any) -> Any:
    """Return *value*, a JSON value, with each :class:`HiddenText` in it replaced by a mask."""
    if isinstance(value, HiddenText):
        return MASK
    if isinstance(value, Mapping):
        return {key: hide(item) for key, item in value.items()}
    return [hide(item) for item in value] if isinstance(value, list) else value


def hidden_in(value: Any) -> Iterator[str]:
    """Yield the hidden texts of *value*, a JSON value."""
    if isinstance(value, HiddenText):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from hidden_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from hidden_in(item)
