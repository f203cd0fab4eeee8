"""``POST /v1/explain``: shows how a chat request would be changed, without sending it upstream."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial

from aiohttp import web

from proxy.config.pools import choose_pool
from proxy.core.json_text import write_json
from proxy.core.offload import parse_weight, run_offloaded
from proxy.forwarding.chat.answer_signatures import load_signatures
from proxy.forwarding.chat.find_learned import with_learned
from proxy.forwarding.chat.find_memory import with_memory
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.json_response import written_response
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.ingress.routes.read_body import read_body
from proxy.planning.budgets.budget_facts import facts_of
from proxy.planning.describe_dry_run import describe_dry_run
from proxy.planning.dry_run import DryRunInput, run_dry
from proxy.planning.guard_turns import MAX_ROUNDS, read_max_rounds
from proxy.planning.plan import planning_weight
from proxy.planning.plan_target import plan_target
from proxy.planning.signatures.restoring import signature_keys
from proxy.state.kept_signatures import StoredSignature


async def explain(request: web.Request) -> web.Response:
    """Answer with a dry run: the body that would be sent, the changes, and the verdict (such as ``repaired``).

    The text of the operator's instructions is shown to the master key alone.
    """
    gateway, record = request[GATEWAY], request[RECORD]
    settings = gateway.settings
    body = await read_body(request, gateway, record)
    nesting, mends = settings.general_settings.max_nesting, settings.sanitize.mode == "repair"
    weight = parse_weight(body)
    parse = partial(parse_chat_request, body, max_nesting=nesting, mends=mends, weight=weight)
    chat = await run_offloaded(weight, parse)
    record.asked = chat.model
    deployment = choose_pool(chat.model, settings)[0]
    record.model = deployment.label
    asked = read_max_rounds(request.headers.get(MAX_ROUNDS))
    policy = gateway.turns.find(chat.model, record.model, record.key)
    await gateway.upstream.start()
    now = asyncio.get_running_loop().time()
    kept: Mapping[str, StoredSignature] = {}
    target = plan_target(deployment, settings.sanitize, gateway.upstream.unsupported)
    if target.profile.signs_calls:
        find = partial(signature_keys, chat.messages, chat.outline)
        kept = await load_signatures(gateway.store, record.key, await run_offloaded(chat.weight, find))
    lessons = gateway.learned_windows.peek(deployment, now, record.key)
    facts = facts_of(deployment, settings.budget, lessons)
    instructions = gateway.instructions.find(deployment, record.key)
    given = DryRunInput(chat, target, facts, kept, policy, asked, instructions=instructions)
    given = await with_learned(given, gateway, record.key)
    given = await with_memory(given, gateway, record.model, record.key)
    is_operator = settings.general_settings.is_operator(record.key)

    def describe() -> bytes:
        run = run_dry(given)
        return write_json(describe_dry_run(run if is_operator else run.for_client()))

    return written_response(await run_offloaded(planning_weight(chat, target), describe))
