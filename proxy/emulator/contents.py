"""A read-only view of ``contents``: the calls, responses and texts of each entry, computed on first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from proxy.emulator.messages import ONEOF

Part = Mapping[str, Any]
DATA_FIELDS = ONEOF["Part"]
TOOL_ROLES = ("tool", "function")


@dataclass(frozen=True)
class Content:
    """One entry of ``contents`` with its position."""

    index: int
    role: str
    parts: Sequence[Part]

    @cached_property
    def calls(self) -> tuple[Part, ...]:
        """The ``functionCall`` values, in order."""
        return tuple(part["functionCall"] for part in self.parts if "functionCall" in part)

    @cached_property
    def responses(self) -> tuple[Part, ...]:
        """The ``functionResponse`` values, in order."""
        return tuple(part["functionResponse"] for part in self.parts if "functionResponse" in part)

    @cached_property
    def is_plain(self) -> bool:
        """True if the content has neither calls nor responses."""
        return not self.calls and not self.responses

    @cached_property
    def is_mixed(self) -> bool:
        """True if the content has a response and also other data."""
        return bool(self.responses) and len(self.responses) < sum(map(has_data, self.parts))

    @cached_property
    def text(self) -> str:
        """The joined text of the content's parts, without thoughts."""
        return "".join(part.get("text") or "" for part in self.parts if not part.get("thought"))

    @property
    def is_user_side(self) -> bool:
        """True unless the role is ``model``: for the user's contents, and for those with a tool role."""
        return self.role != "model"


def has_data(part: Part) -> bool:
    """Tell whether *part* has one of the fields of the ``data`` oneof."""
    return any(field in part for field in DATA_FIELDS)


def view_contents(request: Mapping[str, Any]) -> tuple[Content, ...]:
    """Return the contents of *request*. A single content without a role is the user's (semantic-kernel#13262)."""
    given = request.get("contents") or []
    alone = len(given) == 1
    return tuple(
        Content(index, content.get("role") or ("user" if alone else ""), content.get("parts") or ())
        for index, content in enumerate(given)
    )


def each_part(request: Mapping[str, Any]) -> Iterator[tuple[str, Part]]:
    """Yield every part with its path. The parts of the system instruction come first."""
    system = request.get("systemInstruction") or {}
    for j, part in enumerate(system.get("parts") or ()):
        yield f"system_instruction.parts[{j}]", part
    for i, content in enumerate(request.get("contents") or ()):
        for j, part in enumerate(content.get("parts") or ()):
            yield f"contents[{i}].parts[{j}]", part
