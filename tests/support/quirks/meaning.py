"""The meaning of a provider's answer, and its comparison with the answer that a client read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.support.contract.calls import arguments_of
from tests.support.contract.said import Call, Choice, Said

NamedCall = tuple[str, Any]
"""A call's name and its arguments: an object, or the text that a model wrote instead."""

Wire = Literal["openai", "gemini"]

GOOGLE = "openai/gemini-3.6-flash"
"""A Gemini model that is called at Google's OpenAI-compatible endpoint."""

OTHER = "openai/some-model"
"""A model of another OpenAI-compatible server."""

NATIVE = "gemini/gemini-3.6-flash"
"""A Gemini model on its own wire."""

UNTOLD: Mapping[str, Any] = {"untold": True}
"""Stands for any usage: the usage is not compared, and only the contract's checks apply."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The expected contents of an answer: the first choice's, and those of *others*.

    *fault* means that the answer is an error, before any content or as the stream's last event, and may be retried.
    *ids* are the ids that must reach the client unchanged. None stands for an id that may change. *signatures* are the
    thought signatures of the calls.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[NamedCall, ...] = ()
    finish: str = "stop"
    usage: Mapping[str, Any] | None = None
    fault: bool = False
    ids: tuple[str | None, ...] = ()
    signatures: tuple[str | None, ...] = ()
    others: tuple[Meaning, ...] = field(default=())
    """The contents of further choices, if the request asked for more than one."""

    @property
    def broken(self) -> bool:
        """True if the model itself wrote arguments that are no JSON object."""
        return any(not isinstance(arguments, dict) for _, arguments in self.calls)

    def differences(self, said: Said, *, usage_asked: bool = True, estimated: bool = False) -> list[str]:
        """Return the differences between *said*, the answer that the client read, and the meaning.

        *estimated* is true for a transport that estimates a missing usage, and adds details of its own.
        """
        if self.fault:
            return [] if said.error else ["a fault is told as an answer"]
        if said.error:
            return [f"an answer is told as an error: {said.error.get('message')}"]
        wanted = dict(enumerate((self, *self.others)))
        found = [f"choices are {sorted(said.choices)}"] if said.choices.keys() != wanted.keys() else []
        for index, choice in said.choices.items():
            if index in wanted:
                found += wanted[index]._differences(choice)
        usage, meant = said.usage, self.usage
        if estimated:
            usage, meant = _counts(usage), UNTOLD if meant in (None, UNTOLD) else _counts(meant)
        if usage_asked and meant is not UNTOLD and usage != meant:
            found.append(f"usage is {usage} and not {meant}")
        return found

    def _differences(self, choice: Choice) -> Iterator[str]:
        pairs = {
            "text": (choice.text, self.text),
            "reasoning": (choice.reasoning, self.reasoning),
            "finish": (choice.finish, self.finish),
            "calls": (
                _comparable([(call.name, _meant(call)) for call in choice.calls]),
                _comparable(self.calls),
            ),
        }
        for name, (is_, meant) in pairs.items():
            if is_ != meant:
                yield f"{name}: {is_!r} and not {meant!r}"
        for call, call_id in zip(choice.calls, self.ids, strict=False):
            if call_id is not None and call.id != call_id:
                yield f"id: {call.id!r} and not {call_id!r}"
        signatures = [call.signature for call in choice.calls]
        given = (*self.signatures, *([None] * len(signatures)))
        for found, sent in zip(signatures, given, strict=False):
            if found is not None and found != sent:  # the proxy may leave a signature out
                yield f"signature: {found!r} and not {sent!r}"


def _counts(usage: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return usage and {name: count for name, count in usage.items() if not name.endswith("_details")}


def _meant(call: Call) -> Any:
    arguments = arguments_of(call)
    return call.arguments if arguments is None else arguments


def _comparable(calls: Any) -> str:
    return json.dumps([[name, arguments] for name, arguments in calls], sort_keys=True)


@dataclass(frozen=True, slots=True)
class Row:
    """One example: a stream of *model* as *body*, and *whole* for the same answer without streaming, if any.

    *taken* are the call ids in the request's history.
    """

    name: str
    model: str
    body: bytes
    meaning: Meaning
    whole: bytes | None = None
    taken: tuple[str, ...] = ()
    source: str = ""

    @property
    def is_gemini(self) -> bool:
        """True if a Gemini model answers."""
        return self.model != OTHER
