"""``turnright explain``: the dry run in the terminal."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from proxy.budgets.knowledge import Knowledge
from proxy.cli.configuration import UNUSABLE, read_configuration
from proxy.config import ConfigurationError, Deployment, Settings, load_settings, render_faults
from proxy.dialects import STEP as PARAMETERS
from proxy.dialects import withheld_names
from proxy.errors import InvalidRequest
from proxy.explain import explain_request
from proxy.plan import choose_pool
from proxy.turn_policies import TurnPolicies
from proxy.upstream.transports import transport_of
from proxy.wire import parse_chat_request

_BESIDE_MESSAGES = ("tools_withheld", "delegation_withheld", "delegation_guidance")
"""What the turn guard changes in the tools."""


def run_explain(options: argparse.Namespace) -> int:
    """Print what would become of a request; 2 where the request or the configuration cannot be used."""
    try:
        body = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
    except OSError as error:
        print(f"turnright: {options.file}: {error.strerror}", file=sys.stderr)
        return UNUSABLE
    try:
        body = _with_model(body, options.model)
        settings = _settings(options.config, body)
        if settings is None:
            return UNUSABLE
        request = parse_chat_request(
            body, max_nesting=settings.general_settings.max_nesting, mends=settings.sanitize.mode == "repair"
        )
        policy = TurnPolicies(settings.turns).find(
            request.model, choose_pool(request.model, settings)[0].label, ""
        )
        explanation = explain_request(request, settings, _withheld, Knowledge(), 0.0, policy)
    except ConfigurationError as error:
        print(render_faults(error), end="", file=sys.stderr)
        return UNUSABLE
    except InvalidRequest as error:
        place = f" ({error.param})" if error.param else ""
        print(f"turnright: {error.message}{place}", file=sys.stderr)
        return UNUSABLE
    if options.json:
        print(orjson.dumps(explanation, option=orjson.OPT_INDENT_2).decode())
    else:
        print(render_explanation(explanation))
    return 0


def _withheld(deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
    """Return what is never sent, as far as that is known without loading a transport."""
    withheld = withheld_names(deployment, transport_of(deployment), parameters)
    return withheld - deployment.allowed_openai_params


def _with_model(body: bytes, model: str | None) -> bytes:
    """Return *body* as a chat request for *model*; a bare list is taken for its messages."""
    try:
        request = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body  # parsing it properly tells what is wrong
    if isinstance(request, list):
        request = {"messages": request}
    if model is not None and isinstance(request, dict):
        request = {**request, "model": model}
    try:
        return orjson.dumps(request)
    except orjson.JSONEncodeError:  # orjson reads deeper than it writes
        return body


def _settings(path: str | None, body: bytes) -> Settings | None:
    """Return the file's settings, or without one settings in which the request's model exists."""
    if path is not None:
        loaded = read_configuration(path)
        return None if loaded is None else loaded.settings
    model = parse_chat_request(body, max_nesting=250).model
    route = model
    if "/" not in model:
        route = f"gemini/{model}" if model.startswith("gemini") else f"openai/{model}"
    entry = {"model_name": model, "litellm_params": {"model": route}}
    return load_settings(orjson.dumps({"model_list": [entry]}), {}).settings


def _budget_table(budget: dict[str, Any]) -> list[str]:
    """Return the budget as a table: each part, before and after, and what it is held against."""
    limit = "unknown" if budget["limit"] is None else f"{budget['limit']:,}"
    lines = [f"tokens (limit {limit}, window from: {budget['window_source']}):"]
    lines.append(f"  {'':<14}{'came in':>10}{'goes out':>10}")
    before, after = budget["parts"]["before"], budget["parts"]["after"]
    for name in ("system", "tools", "first_goal", "older_rounds", "current_round"):
        lines.append(f"  {name.replace('_', ' '):<14}{before[name]:>10,}{after[name]:>10,}")
    lines.append(f"  {'in all':<14}{budget['estimate']:>10,}{budget['sent']:>10,}")
    for reason, cut in budget["removed"].items():
        lines.append(f"  {reason}: {cut['messages']} messages, {cut['tokens']:,} tokens")
    if budget.get("rounds_left") is not None and budget["limit"]:
        lines.append(f"  {budget['used_percent']} % of the limit is used")
        lines.append(f"  a round has {budget['round_mean']:,} so far; {budget['rounds_left']:,} more fit")
    return lines


def _place_of(change: dict[str, Any]) -> str:
    """Return where a change was made: in a message, or in a parameter beside them."""
    if change["step"] == PARAMETERS or change["reason"] in _BESIDE_MESSAGES:
        return ""
    if change["step"] != "tools" or change["reason"] == "call_name":
        return f"messages[{change['index']}]"
    if change["reason"] in ("tool_choice", "function_call"):
        return str(change["reason"])
    return f"tools[{change['index']}]"


def _turn_lines(turns: dict[str, Any] | None) -> list[str]:
    if turns is None:
        return []
    of = f" of {turns['limit']}" if turns["limit"] else ""
    told = [f"{turns['rounds']}{of} since the user last spoke"]
    if turns["delegation_rounds"]:
        told.append(f"{turns['delegation_rounds']} that delegate")
    if turns["warns"]:
        told.append("warning")
    if turns["loop_period"]:
        told.append(f"a loop of {turns['loop_period']}")
    if turns["wrap_up"]:
        told.append(f"wrap-up: {turns['wrap_up']}")
    return [f"rounds    {', '.join(told)} ({turns['mode']})"]


def render_explanation(explanation: dict[str, Any]) -> str:
    """Return an explanation as lines for a reader."""
    lines = [
        f"model     {explanation['model']} -> {explanation['deployment']}",
        f"profile   {explanation['profile']}",
        f"mode      {explanation['mode']}",
        f"verdict   {explanation['verdict']}",
        *_turn_lines(explanation["turns"]),
    ]
    if explanation["refusal"]:
        refusal = explanation["refusal"]
        lines += ["", f"refused   {refusal['message']}", f"          {refusal['param']} ({refusal['rule']})"]
    for title, key in (("found", "found"), ("still wrong", "violations")):
        if explanation[key]:
            lines += ["", f"{title}:"]
            lines += [f"  messages[{v['index']}]  {v['rule']}: {v['words']}" for v in explanation[key]]
    if explanation["changes"]:
        lines += ["", f"changes ({explanation['summary']}):"]
        for change in explanation["changes"]:
            detail = f"  {change['detail']}" if change["detail"] else ""
            where, what = _place_of(change), f"{change['kind']} {change['reason']}"
            lines.append(f"  {change['step']:<12} {where:<14} {what}{detail}")
    if explanation["budget"]:
        lines += ["", *_budget_table(explanation["budget"])]
    if explanation["dropped_parameters"]:
        lines += ["", f"parameters that are not sent: {', '.join(explanation['dropped_parameters'])}"]
    return "\n".join(lines)
