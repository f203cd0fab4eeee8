"""The models and requests by which the rows of the direct transport are measured: one or more models for each provider.

A provider whose requests depend on the model has several. Azure has a model for each form of its addresses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from benchmarks.gateway.bodies import MARK, Body, bodies, request
from benchmarks.sanitize import History
from sanitizers import find_violations
from sanitizers.profile_names import profile_for
from tests.behaviours.transports_agree.targets import (
    IN_PROCESS,
    OTHER_WIRE,
    PREFIXES,
    models_of,
    parameters_of,
)

BASE, AGAIN = "openai/", "openai/ again"
"""The row that all others are compared with, and the same deployment by another name, which shows the noise."""

_LIMITS = {"max_input_tokens": 1_048_576, "max_output_tokens": 65_536}

Parameters = Mapping[str, Any]


def row_models(url: str) -> dict[str, Parameters]:
    """Return the ``litellm_params`` of each row at the provider *url*, by the row's name. The base comes first."""
    openai = parameters_of("openai/m-openai", url)
    rows: dict[str, Parameters] = {BASE: openai, AGAIN: openai}
    for prefix in sorted({*PREFIXES, *IN_PROCESS, *OTHER_WIRE} - {"openai"}):
        for model in models_of(prefix):
            rows[model] = parameters_of(model, url)
    rows["azure/gpt-4o at /openai/v1"] = {**rows["azure/gpt-4o"], "api_base": f"{url}/openai/v1"}
    return rows


def rules_of(parameters: Parameters) -> str:
    """Return the name of the profile whose rules the row's histories must follow."""
    return profile_for(parameters["model"]).name


def base_with(rules: str) -> str:
    """Return the name of the row that is ``openai/`` with the profile *rules*."""
    return f"{BASE} with the rules of {rules}"


def row_config(rows: Mapping[str, Parameters]) -> dict[str, object]:
    """Return a configuration that serves each row by its name, and ``openai/`` with the rules of each."""
    entries = [_entry(name, parameters) for name, parameters in rows.items()]
    for rules in sorted({rules_of(parameters) for parameters in rows.values()}):
        entries.append(_entry(base_with(rules), rows[BASE]) | {"profile": rules})
    return {"model_list": entries, "general_settings": {"drain_delay": 0, "drain_grace": 1}}


def _entry(name: str, parameters: Parameters) -> dict[str, object]:
    return {"model_name": name, "litellm_params": dict(parameters), "model_info": _LIMITS}


SMALL, AGENT, REPAIRED = "small", "agent", "repaired"
"""The requests: a small one, an agent's that the row takes as it is, and one whose history some rows must repair."""


def row_body(size: str, parameters: Parameters) -> Body:
    """Return the request of *size* for a row.

    Only a model that demands its reasoning back gets a history with it. Only a model that takes one call in a turn gets
    a history with its parallel calls apart.
    """
    if size != AGENT:
        return _bodies()["10k" if size == REPAIRED else size]
    body = _agent()
    if is_legal(parameters, body):
        return body
    reasoned = request(with_reasoning(body["messages"]))
    return reasoned if is_legal(parameters, reasoned) else request(with_calls_apart(body["messages"]))


@cache
def _bodies() -> dict[str, Body]:
    return bodies()


@cache
def _agent() -> Body:
    return request(legal_everywhere(_bodies()["10k"]["messages"]))


def legal_everywhere(history: Iterable[Mapping[str, Any]]) -> History:
    """Return an agent's *history* in a form that the strictest rows take.

    Calls have ids of nine characters, as Mistral's have. Words of the model stand between results and the user.
    """
    out: History = []
    for message in history:
        if message["role"] == "user" and out[-1]["role"] == "tool":
            out.append({"role": "assistant", "content": f"{MARK} I have read it."})
        changed = dict(message)
        if "tool_call_id" in changed:
            changed["tool_call_id"] = _nine(changed["tool_call_id"])
        if "tool_calls" in changed:
            changed["tool_calls"] = [{**call, "id": _nine(call["id"])} for call in changed["tool_calls"]]
        out.append(changed)
    return out


def with_reasoning(history: Iterable[Mapping[str, Any]]) -> History:
    """Return *history* with reasoning in each message of the model."""
    return [
        {**message, "reasoning_content": f"{MARK} I thought so."}
        if message["role"] == "assistant"
        else dict(message)
        for message in history
    ]


def with_calls_apart(history: Iterable[Mapping[str, Any]]) -> History:
    """Return *history* with one call in each message of the model, and its result behind it."""
    given = [dict(message) for message in history]
    results = {message["tool_call_id"]: message for message in given if message["role"] == "tool"}
    out: History = []
    for message in given:
        calls = message.get("tool_calls", [])
        if message["role"] == "tool":
            continue
        if not calls:
            out.append(message)
        for place, call in enumerate(calls):
            said = message if place == 0 else {"role": "assistant", "content": f"{MARK} And this."}
            out += [{**said, "tool_calls": [call]}, results[call["id"]]]
    return out


def _nine(call_id: str) -> str:
    return f"c{call_id[-7:]:0>8}"


def is_legal(parameters: Parameters, body: Body) -> bool:
    """Tell whether the row takes the history of *body* without a repair."""
    return not find_violations(list(body["messages"]), profile_for(parameters["model"]))
