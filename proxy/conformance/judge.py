"""Judges a gateway: compares a case with the requests that arrived at the emulator."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from proxy.conformance.case import Case
from proxy.conformance.gemini_request import Carried, read_carried

_ACCEPTED = 200
_REFUSED = 400
"""The lowest status of a refusal."""


class Verdict(StrEnum):
    """The outcome of one case."""

    HOLDS = "holds"
    """The provider accepted the history, with all texts, results and media."""

    LOST = "lost"
    """The provider accepted a request that lacks a text, a result or media of the history."""

    PROVIDER_REFUSED = "provider_refused"
    """The provider refused what the gateway sent."""

    GATEWAY_REFUSED = "gateway_refused"
    """The gateway answered with an error, and no request with the case's marker arrived."""

    NOT_SENT = "not_sent"
    """The gateway answered without an error, and no request with the case's marker arrived."""

    NO_ANSWER = "no_answer"
    """The gateway gave no answer, and no request with the case's marker arrived."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request that arrived at the emulator: its decoded body, and the emulator's status and error text."""

    body: Any
    status: int | None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The gateway's status and error text. The status is None where no answer came."""

    status: int | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The judgement of one case. *detail* is the error's text, or a list of what was missing, or empty."""

    id: str
    rule: str | None
    target: str
    source: str
    verdict: Verdict
    detail: str
    status: int | None
    """The status that the gateway answered with."""

    arrivals: int
    """The number of requests that arrived for the case. A gateway may send one again."""

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON-ready values."""
        return asdict(self)


def judge_case(case: Case, reply: Reply, arrivals: Sequence[Arrival]) -> Outcome:
    """Return the outcome of *case*. *arrivals* are the requests with the case's marker, in their order.

    If several requests arrived, the last accepted one counts, since a gateway may repair a request after a refusal.
    """
    verdict, detail = _judge(case, reply, arrivals)
    return Outcome(case.id, case.rule, case.target, case.source, verdict, detail, reply.status, len(arrivals))


def _judge(case: Case, reply: Reply, arrivals: Sequence[Arrival]) -> tuple[Verdict, str]:
    if not arrivals:
        if reply.status is None:
            return Verdict.NO_ANSWER, reply.text
        return (Verdict.GATEWAY_REFUSED if reply.status >= _REFUSED else Verdict.NOT_SENT), reply.text
    accepted = [arrival for arrival in arrivals if arrival.status == _ACCEPTED]
    if not accepted:
        return Verdict.PROVIDER_REFUSED, arrivals[-1].message or ""
    lost = list(missing(case, read_carried(accepted[-1].body)))
    return (Verdict.LOST, "; ".join(lost)) if lost else (Verdict.HOLDS, "")


def missing(case: Case, carried: Carried) -> Iterator[str]:
    """Yield a phrase for each text and result of *case* that *carried* lacks, and one for all missing media.

    An arrived text counts for one expected text only. So two equal results must arrive twice. The longest texts are
    searched first, since a short text may be a piece of a long one.
    """
    texts = [_plain(text) for text in carried.texts]
    for text in sorted(case.texts, key=len, reverse=True):
        if not _take_text(_plain(text), texts):
            yield f"the text {_quoted(text)}"
    nodes = [list(_nodes(result)) for result in carried.results]
    for result in sorted(case.results, key=len, reverse=True):
        if not any(_take_result(result, held) for held in nodes):
            yield f"the result {_quoted(result)}"
    if carried.media < case.media:
        yield f"{case.media - carried.media} of {case.media} media"


def _take_text(text: str, left: list[Any]) -> bool:
    """Remove *text* from the first of the texts *left* that contains it. Return False where no text contains it."""
    for index, held in enumerate(left):
        if isinstance(held, str) and text in held:
            left[index] = held.replace(text, "\0", 1)
            return True
    return False


def _take_result(result: str, nodes: list[Any]) -> bool:
    """Remove *result* from *nodes*, as a JSON object or as a text. Return False where it is not there."""
    value = _json_object(result)
    if value is not None and value in nodes:
        nodes.remove(value)
        return True
    return _take_text(_plain(result), nodes)


def _nodes(value: Any) -> Iterator[Any]:
    """Yield every text and every JSON object in *value*, at any depth.

    The whitespace of texts is made single spaces.
    """
    if isinstance(value, str):
        yield _plain(value)
    elif isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _nodes(item)
    elif isinstance(value, list):
        for item in value:
            yield from _nodes(item)


def _json_object(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _plain(text: str) -> str:
    return " ".join(text.split())


def _quoted(text: str) -> str:
    shown = _plain(text)
    return f'"{shown if len(shown) <= 60 else shown[:59] + "…"}"'
