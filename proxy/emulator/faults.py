"""Scripted faults and answers: their values, their validation, and the queues that requests consume.

A fault describes the failure of the next requests. A fault without an effect lets its requests pass. A request takes
the first waiting fault that fits its model.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Generic, TypeVar

from proxy.emulator.answers import Script
from proxy.emulator.models import model_id
from proxy.emulator.proto import is_too_deep, read_message

MAX_QUEUED = 1000
MAX_SECONDS = 3600.0


class InvalidControl(ValueError):
    """The body of a control call cannot be used, or its queue is full. The text says why."""


@dataclass(frozen=True)
class Fault:
    """The failure of one request, or of the next ``times`` requests."""

    model: str | None = None
    times: int = 1
    status: int | None = None
    message: str | None = None
    reason: str | None = None
    retry_delay_seconds: float | None = None
    quota_id: str | None = None
    delay_seconds: float = 0.0
    cut_after_chunks: int | None = None
    end_after_chunks: int | None = None
    chunk_delay_seconds: float = 0.0
    finish_reason: str | None = None
    finish_message: str | None = None
    empty_candidate: bool = False
    garbage: bool = False
    reset: bool = False

    @property
    def script(self) -> Script | None:
        """The answer that replaces the one that the emulator would compose, or None."""
        if self.finish_reason is not None:
            return Script((), self.finish_reason, self.finish_message)
        return Script() if self.empty_candidate else None

    def as_json(self) -> dict[str, Any]:
        """Return the fields that were set, and ``times``."""
        default = asdict(Fault())
        return {k: v for k, v in asdict(self).items() if k == "times" or v != default[k]}


NO_FAULT = Fault()

Check = tuple[Callable[[Any], bool], str]


def _integer(lowest: int, highest: int) -> Check:
    return (
        lambda v: isinstance(v, int) and not isinstance(v, bool) and lowest <= v <= highest,
        f"must be a whole number from {lowest} to {highest}",
    )


_TEXT: Check = (lambda v: isinstance(v, str) and bool(v), "must be a text that is not empty")
_FLAG: Check = (lambda v: isinstance(v, bool), "must be true or false")
_SECONDS: Check = (
    lambda v: isinstance(v, int | float) and not isinstance(v, bool) and 0 <= v <= MAX_SECONDS,
    f"must be a number of seconds from 0 to {MAX_SECONDS:g}",
)
FAULT_FIELDS: dict[str, Check] = {
    "model": _TEXT,
    "times": _integer(1, 1_000_000),
    "status": _integer(400, 599),
    "message": _TEXT,
    "reason": _TEXT,
    "retry_delay_seconds": _SECONDS,
    "quota_id": _TEXT,
    "delay_seconds": _SECONDS,
    "cut_after_chunks": _integer(0, 1_000_000),
    "end_after_chunks": _integer(0, 1_000_000),
    "chunk_delay_seconds": _SECONDS,
    "finish_reason": _TEXT,
    "finish_message": _TEXT,
    "empty_candidate": _FLAG,
    "garbage": _FLAG,
    "reset": _FLAG,
}
EXCLUSIVE = (
    ("status", "finish_reason", "empty_candidate", "garbage", "reset"),
    ("status", "garbage", "reset", "cut_after_chunks", "end_after_chunks"),
)
"""A fault has at most one field of each group."""
NEEDS = {
    "message": "status",
    "reason": "status",
    "retry_delay_seconds": "status",
    "quota_id": "status",
    "finish_message": "finish_reason",
}


def parse_faults(body: Any) -> tuple[Fault, ...]:
    """Return the faults of ``{"faults": [{...}, ...]}``.

    Raises ``InvalidControl`` with the path of the faulty field for any other body.
    """
    return tuple(_fault(given, f"faults[{i}]") for i, given in enumerate(_items(body, "faults")))


def _fault(given: Mapping[str, Any], path: str) -> Fault:
    for name, value in given.items():
        if name not in FAULT_FIELDS:
            raise InvalidControl(f"{path}.{name}: unknown field; known are {', '.join(FAULT_FIELDS)}")
        fits, text = FAULT_FIELDS[name]
        if not fits(value):
            raise InvalidControl(f"{path}.{name}: {text}")
    for group in EXCLUSIVE:
        chosen = [name for name in group if given.get(name) not in (None, False)]
        if len(chosen) > 1:
            raise InvalidControl(f"{path}: {chosen[0]} and {chosen[1]} exclude each other")
    for name, needed in NEEDS.items():
        if name in given and needed not in given:
            raise InvalidControl(f"{path}.{name}: needs {needed}")
    fault = Fault(**given)
    return replace(fault, model=model_id(fault.model)) if fault.model else fault


def parse_answers(body: Any) -> tuple[Script, ...]:
    """Return the scripted answers of ``{"answers": [{"parts": [...], "finishReason"?: ...}]}``.

    Parts are Gemini's own, in camelCase or snake_case. Raises ``InvalidControl`` with the path of the faulty field.
    """
    return tuple(_script(given, f"answers[{i}]") for i, given in enumerate(_items(body, "answers")))


def _script(given: Mapping[str, Any], path: str) -> Script:
    known = {"parts": list, "finishReason": str, "finishMessage": str}
    for name, value in given.items():
        if name not in known or not isinstance(value, known[name]):
            raise InvalidControl(
                f"{path}.{name}: known are parts (a list), finishReason, finishMessage (texts)"
            )
    if "parts" not in given:
        raise InvalidControl(f"{path}.parts: is missing")
    if is_too_deep(given):
        raise InvalidControl(f"{path}.parts: too deep")
    content, faults = read_message("Content", {"parts": given["parts"]})
    if faults:
        raise InvalidControl(f"{path}: {faults[0].description}")
    reason = given.get("finishReason", "STOP")
    return Script(tuple(content["parts"]), reason, given.get("finishMessage"))


def _items(body: Any, name: str) -> list[Mapping[str, Any]]:
    if not isinstance(body, Mapping) or set(body) != {name} or not isinstance(body[name], list):
        raise InvalidControl(f'the body must be {{"{name}": [...]}}')
    for i, item in enumerate(body[name]):
        if not isinstance(item, Mapping):
            raise InvalidControl(f"{name}[{i}]: must be an object")
    return list(body[name])


Item = TypeVar("Item")


class Queue(Generic[Item]):
    """A bounded queue that control calls fill and requests empty."""

    def __init__(self) -> None:
        self.items: deque[Item] = deque()

    def extend(self, items: tuple[Item, ...]) -> None:
        """Append *items*. Raises ``InvalidControl`` if the queue would hold more than ``MAX_QUEUED``."""
        if len(self.items) + len(items) > MAX_QUEUED:
            raise InvalidControl(f"the queue would hold more than {MAX_QUEUED} entries")
        self.items.extend(items)

    def take(self) -> Item | None:
        """Remove and return the first item, or return ``None``."""
        return self.items.popleft() if self.items else None


class FaultQueue(Queue[Fault]):
    """The faults that wait for requests."""

    def take_for(self, model: str) -> Fault:
        """Return the first waiting fault that fits *model*, and count one use of it.

        Without one, return ``NO_FAULT``.
        """
        for index, fault in enumerate(self.items):
            if fault.model in (None, model):
                if fault.times > 1:
                    self.items[index] = replace(fault, times=fault.times - 1)
                else:
                    del self.items[index]
                return fault
        return NO_FAULT
