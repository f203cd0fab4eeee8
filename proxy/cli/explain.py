"""``turnright explain``: prints the changes that the proxy would make to a request."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import orjson

from proxy.cli.configuration import UNUSABLE, read_configuration
from proxy.cli.print_result import can_encode, print_result, takes_colours
from proxy.cli.show_explanation import show_explanation
from proxy.config import ConfigurationError, Settings, load_settings, render_faults
from proxy.config.pools import choose_pool
from proxy.core.chat_request import ChatRequest
from proxy.core.errors import InvalidRequest
from proxy.core.source import ANTHROPIC_MESSAGES, GEMINI_NATIVE, OPENAI_RESPONSES
from proxy.ingress.anthropic_messages.fields import read_fields
from proxy.ingress.anthropic_messages.read_request import to_chat
from proxy.ingress.gemini_native.read_request import read_request as read_contents
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.ingress.openai_responses.read_request import read_request
from proxy.inspector.convert_items import number_messages
from proxy.inspector.inspect_request import inspect_request
from proxy.inspector.read_query import format_of, with_model
from proxy.inspector.targets import withheld_unasked
from proxy.planning.budgets.budget_facts import facts_of
from proxy.planning.compact.policies import CompactionPolicies
from proxy.planning.describe_dry_run import describe_dry_run
from proxy.planning.dry_run import DryRun, DryRunInput, run_dry
from proxy.planning.instruction_policies import InstructionPolicies
from proxy.planning.plan_target import plan_target
from proxy.planning.turn_policies import TurnPolicies
from proxy.state.lessons import no_lessons

CHANGED = 1
_STATUS = {"unchanged": 0, "refused": UNUSABLE}

_ADDED_FIELDS = ("before", "steps", "after", "would", "budget")
"""Fields of the inspector's answer that this command adds to the answer of ``/v1/explain``."""


def run_explain(options: argparse.Namespace) -> int:
    """Print the changes that the proxy would make to a request, and return the exit status.

    The status is 0 if the request is sent unchanged. It is 1 if something is changed, or would be in mode ``repair``.
    It is 2 if the request is refused, or if the request or the configuration cannot be used.
    """
    body = _read(options.file)
    if body is None:
        return UNUSABLE
    if options.model is not None and any("\ud800" <= one <= "\udfff" for one in options.model):
        print("turnright: --model: it is not valid UTF-8", file=sys.stderr)
        return UNUSABLE
    try:
        body = _with_model(body, options.model)
        settings = _settings(options.config, body)
        if settings is None:
            return UNUSABLE
        request = _parse(
            body, max_nesting=settings.general_settings.max_nesting, mends=settings.sanitize.mode == "repair"
        )
        run = plan_without_sending(request, settings)
    except ConfigurationError as error:
        print(render_faults(error), end="", file=sys.stderr)
        return UNUSABLE
    except InvalidRequest as error:
        place = f" ({error.param})" if error.param else ""
        print(f"turnright: {error.message}{place}", file=sys.stderr)
        return UNUSABLE
    inspected = inspect_request(
        request, run, {"model": request.model}, compact=options.json, for_operator=True
    )
    explanation = {**describe_dry_run(run), **{name: inspected[name] for name in _ADDED_FIELDS}}
    if options.json:
        shown = orjson.dumps(explanation, option=orjson.OPT_INDENT_2).decode()
        if not can_encode(shown):  # print_result's escapes for unprintable characters are not JSON
            shown = json.dumps(explanation, indent=2)
    else:
        lines = show_explanation(explanation, colours=takes_colours())
        shown = "\n".join([*lines, *_notes(run, settings, has_file=options.config is not None)])
    return print_result(shown, _STATUS.get(run.verdict, CHANGED))


def plan_without_sending(request: ChatRequest, settings: Settings) -> DryRun:
    """Return the dry run of *request* for the first deployment of its model.

    Raises :class:`InvalidRequest` where *settings* have no such model.
    """
    deployment = choose_pool(request.model, settings)[0]
    target = plan_target(deployment, settings.sanitize, withheld_unasked)
    facts = facts_of(deployment, settings.budget, no_lessons(deployment))
    policy = TurnPolicies(settings.turns, settings.routes.aliases).find(request.model, deployment.label, "")
    instructions = InstructionPolicies(settings).find(deployment, "")
    return run_dry(DryRunInput(request, target, facts, policy=policy, instructions=instructions))


def _notes(run: DryRun, settings: Settings, *, has_file: bool) -> list[str]:
    """Return notes on what a running proxy may do besides, which this command cannot know.

    *has_file* is True where the settings are those of a file, so that a proxy may run with them.
    """
    notes = []
    general = settings.general_settings
    special = [*(key.instructions for key in general.keys), *(team.instructions for team in general.teams)]
    if any(text is not None for text in special):
        notes.append("instructions: those of the master key; a key or a team may have its own")
    if run.mode == "repair":
        policies = CompactionPolicies(settings.compaction, settings.routes.aliases)
        if policies.find(run.request.model, run.deployment.label, "") is not None:
            notes.append("memory: not looked up; POST /v1/explain of the running proxy shows the one in use")
        if has_file and settings.router_settings.learn == "true":
            notes.append(
                "learned repairs: not looked up; POST /v1/explain of the running proxy shows those in use"
            )
    return ["", *notes] if notes else []


def _read(file: str) -> bytes | None:
    """Return the request. If it cannot be read, print why and return None."""
    if file == "-" and sys.stdin is None:
        print("turnright: standard input: it is closed", file=sys.stderr)
        return None
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        print(f"turnright: {file}: {error.strerror}", file=sys.stderr)
        return None


def _parse(body: bytes, *, max_nesting: int, mends: bool) -> ChatRequest:
    """Return the request in *body*. One of the Responses API has no stored conversation here."""
    named = format_of(body)
    if named == ANTHROPIC_MESSAGES:
        fields = read_fields(body, max_nesting=max_nesting, mends=mends, wants_answer=False)
        return number_messages(to_chat(fields).chat)
    if named == OPENAI_RESPONSES:
        return number_messages(read_request(body, max_nesting=max_nesting, mends=mends))
    if named == GEMINI_NATIVE:
        return number_messages(read_contents(body, max_nesting=max_nesting, mends=mends))
    return parse_chat_request(body, max_nesting=max_nesting, mends=mends)


def _with_model(body: bytes, model: str | None) -> bytes:
    """Return *body* as a chat request for *model*. A bare JSON list is taken as the messages of a request."""
    if model is not None:
        return with_model(body, model)
    body = body.strip()
    return b'{"messages":' + body + b"}" if body[:1] == b"[" else body


def _settings(path: str | None, body: bytes) -> Settings | None:
    """Return the settings of the file *path*. Without a path, return settings that contain the request's model."""
    if path is not None:
        loaded = read_configuration(path)
        return None if loaded is None else loaded.settings
    model = _parse(body, max_nesting=250, mends=True).model
    route = model
    if "/" not in model:
        route = f"gemini/{model}" if model.startswith("gemini") else f"openai/{model}"
    entry = {"model_name": model, "litellm_params": {"model": route}}
    return load_settings(orjson.dumps({"model_list": [entry]}), {}).settings
