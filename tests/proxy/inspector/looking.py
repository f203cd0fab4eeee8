"""Helpers that inspect histories without a running proxy."""

from __future__ import annotations

from typing import Any

import orjson

from proxy.config import Settings, load_settings
from proxy.core.chat_request import ChatRequest
from proxy.core.deployment import Deployment
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.inspector.inspect_request import inspect_request
from proxy.inspector.read_query import Query, read_query
from proxy.inspector.targets import deployments_by_profile, withheld_unasked
from proxy.observability.recent_requests import RecentRequest
from proxy.planning.budgets.budget_facts import facts_of
from proxy.planning.dry_run import DryRun, DryRunInput, run_dry
from proxy.planning.plan_target import plan_target
from proxy.state.lessons import no_lessons
from proxy.state.repairs.repair_key import LearnedRepair
from sanitizers.turns import TurnPolicy


def settings(**sections: Any) -> Settings:
    """Return settings with one model and the further *sections*."""
    entry = {"model_name": "mine", "litellm_params": {"model": "gemini/gemini-3.6-flash"}}
    return load_settings(orjson.dumps({"model_list": [entry], **sections}), {}).settings


def parse(messages: list[Any], **fields: Any) -> ChatRequest:
    """Return a parsed chat request with *messages* and *fields*."""
    body = orjson.dumps({"model": "mine", "messages": messages, **fields})
    return parse_chat_request(body, max_nesting=100, mends=True)


def query(body: bytes) -> Query:
    """Return the page's request in *body*, whose request is a chat. The model is ``usual`` where none is named."""
    read = read_query(body, max_nesting=100, mends=True, default="usual")
    assert isinstance(read, Query)
    return read


def run(
    chat: ChatRequest,
    profile: str,
    policy: TurnPolicy | None = None,
    deployment: Deployment | None = None,
    learned: tuple[LearnedRepair, ...] = (),
    **sections: Any,
) -> DryRun:
    """Return the dry run of *chat* for a profile, or for *deployment* if one is given, with *learned* repairs."""
    asked, loaded = deployment or deployments_by_profile()[profile], settings(**sections)
    target = plan_target(asked, loaded.sanitize, withheld_unasked)
    facts = facts_of(asked, loaded.budget, no_lessons(asked))
    return run_dry(DryRunInput(chat, target, facts, policy=policy, learned=learned))


def look(
    messages: list[Any], profile: str = "gemini-3-strict", *, compact: bool = False, **sections: Any
) -> dict[str, Any]:
    """Return the inspector's result for a history and a profile, written as JSON and read again."""
    chat = parse(messages)
    shown = inspect_request(chat, run(chat, profile, **sections), {"profile": profile}, compact=compact)
    read: dict[str, Any] = orjson.loads(orjson.dumps(shown))
    return read


def ended_request(name: str, **fields: Any) -> RecentRequest:
    """Return a request that has ended, as the inspector stores it."""
    given: dict[str, Any] = {
        "request_id": name,
        "ended": 0.0,
        "route": "/v1/chat/completions",
        "model": "m",
        "deployment": "openai/m",
        "position": 0,
        "status": 200,
        "outcome": "ok",
        "stream": False,
        "messages": 3,
        "changes": "",
        "rounds": "1/25",
        "max_rounds": None,
        "duration": 0.5,
        "overhead": 0.002,
        "attempts": 1,
        "input_tokens": 10,
        "output_tokens": 2,
        "estimate": 12,
        "exact": True,
        "key": "",
        "kept": None,
        **fields,
    }
    return RecentRequest(**given)
