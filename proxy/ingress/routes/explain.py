"""``POST /v1/explain``: shows how a request would be changed, without sending it upstream.

``?format=openai_responses`` reads a request of the Responses API, ``?format=anthropic_messages`` one of the Messages
API, and ``?format=gemini_native`` one of Gemini's API. Its numbers are then those of the request's items, of its own
messages, or of its contents. A request of Gemini's API has its model in ``?model=``, or as a field of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from aiohttp import web

from proxy.core.chat_request import ChatRequest
from proxy.core.errors import InvalidRequest
from proxy.core.json_text import write_json
from proxy.core.offload import parse_weight, run_offloaded
from proxy.core.source import ANTHROPIC_MESSAGES, GEMINI_NATIVE, OPENAI_CHAT, OPENAI_RESPONSES
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.json_response import written_response
from proxy.ingress.client_places import renamed_errors
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.ingress.openai_responses.errors import rename_param
from proxy.ingress.routes.dry_run_input import make_dry_run_input
from proxy.ingress.routes.gemini import open_request as gemini
from proxy.ingress.routes.messages import open_request as messages
from proxy.ingress.routes.read_body import read_body
from proxy.ingress.routes.responses import open_request as responses
from proxy.planning.describe_dry_run import describe_dry_run
from proxy.planning.dry_run import DryRun, run_dry
from proxy.planning.guard_turns import MAX_ROUNDS
from proxy.planning.plan import planning_weight

_FORMATS = (OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC_MESSAGES, GEMINI_NATIVE)


async def explain(request: web.Request) -> web.Response:
    """Answer with a dry run: the body that would be sent, the changes, and the verdict (such as ``repaired``).

    The text of the operator's instructions is shown to the master key alone.
    """
    named = request.query.get("format", OPENAI_CHAT)
    if named not in _FORMATS:
        raise InvalidRequest(f"'format' must be one of {', '.join(_FORMATS)}.", param="format")
    if named == OPENAI_CHAT:
        return await _explain(request, await _read_chat(request), describe_dry_run)
    if named == ANTHROPIC_MESSAGES:
        read = await messages.open_request(request, wants_answer=False)
        with renamed_errors(read):
            return await _explain(request, read.chat, partial(_describe_messages, read))
    if named == GEMINI_NATIVE:
        contents = await gemini.open_request(request, request.query.get("model", ""))
        if not contents.fields.model:
            raise InvalidRequest("'model' is required: as '?model=', or as a field.", param="model")
        with renamed_errors(contents):
            return await _explain(request, contents.chat, partial(_describe_contents, contents))
    opened = await responses.open_request(request)
    with responses.renamed_errors(opened):
        return await _explain(request, opened.chat, partial(_describe_items, opened))


async def _read_chat(request: web.Request) -> ChatRequest:
    gateway, record = request[GATEWAY], request[RECORD]
    settings = gateway.settings
    body = await read_body(request, gateway, record)
    nesting, mends = settings.general_settings.max_nesting, settings.sanitize.mode == "repair"
    weight = parse_weight(body)
    parse = partial(parse_chat_request, body, max_nesting=nesting, mends=mends, weight=weight)
    return await run_offloaded(weight, parse)


async def _explain(
    request: web.Request, chat: ChatRequest, describe: Callable[[DryRun], dict[str, Any]]
) -> web.Response:
    gateway, record = request[GATEWAY], request[RECORD]
    given = await make_dry_run_input(chat, gateway, record, request.headers.get(MAX_ROUNDS))
    is_operator = gateway.settings.general_settings.is_operator(record.key)

    def write() -> bytes:
        run = run_dry(given)
        return write_json(describe(run if is_operator else run.for_client()))

    return written_response(await run_offloaded(planning_weight(chat, given.target), write))


def _describe_messages(opened: messages.OpenedRequest, run: DryRun) -> dict[str, Any]:
    """Return *run* as JSON-ready values, with the client's own places."""
    return opened.places.renumber_explanation(describe_dry_run(run), len(run.read_changes))


def _describe_contents(opened: gemini.OpenedRequest, run: DryRun) -> dict[str, Any]:
    """Return *run* as JSON-ready values, with the places of the client's contents."""
    return opened.places.renumber_explanation(describe_dry_run(run), len(run.read_changes))


def _describe_items(opened: responses.OpenedRequest, run: DryRun) -> dict[str, Any]:
    """Return *run* as JSON-ready values, with the numbers of the request's items."""
    described = opened.indexes.renumber_explanation(describe_dry_run(run), len(run.read_changes))
    refusal = described["refusal"]
    if refusal is not None:
        param = rename_param(refusal["param"], opened.converted.projection.spans, opened.resolved.earlier)
        described["refusal"] = {**refusal, "param": param}
    return described
