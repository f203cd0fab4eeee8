"""Splits the parts of one content by the messages that they belong to."""

from __future__ import annotations

from sanitizers.native.gemini.parts import Data, Part
from sanitizers.work_limit import metered

Placed = tuple[Part, Data, str]
"""A part with its data and its place."""

_ROLES = {"functionCall": "assistant", "functionResponse": "tool"}


def split_parts(placed: list[Placed], side: str) -> list[tuple[str, list[Placed]]]:
    """Return the parts of one content by the role of the message that they belong to, in their order.

    Responses come before the user's texts of the same content, since a result must follow its call directly. A content
    without parts is one empty message.
    """
    split: list[tuple[str, list[Placed]]] = []
    for one in metered(placed):
        role = _ROLES.get(one[1].kind, side)
        if role == "tool" and split and split[-1][0] == "user":
            split.insert(len(split) - 1, (role, [one]))
        elif role != "tool" and split and split[-1][0] == role:
            split[-1][1].append(one)
        else:
            split.append((role, [one]))
    return split or [(side, [])]
