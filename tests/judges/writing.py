"""Writes request bodies as the proxy does: parses and plans a request, then converts it by the wire or litellm.

litellm has no function that returns a body. So its bodies are sent to a local server that records and refuses them.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from aiohttp import web

from proxy.config import resolve
from proxy.core.errors import InvalidRequest, ProxyError
from proxy.core.failures import Evidence
from proxy.core.upstream_call import Timeouts
from proxy.forwarding.chat.plan_attempts import ChatAttemptPlanner
from proxy.forwarding.chat.repair_plan import repair_plan
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.planning.budgets.budget_facts import facts_of
from proxy.planning.plan import Plan, plan_request
from proxy.planning.plan_target import plan_target
from proxy.resilience.read_error import read_error
from proxy.state.learned_windows import LearnedWindows
from proxy.upstream.select_transport import SelectingUpstream
from proxy.upstream.transports import transport_of
from proxy.upstream.wires.table import wire_of
from tests.judges.inputs import History
from tests.judges.targets import Target
from tests.support.proxied import settings_of

_LIMITS = Timeouts(60, 60, 60, 60)
_NESTING = 128

Body = dict[str, Any]


class Writer:
    """Writes requests for one target.

    *url* is the address of the recording server, and *bodies* the bodies that arrived there.
    """

    def __init__(self, target: Target, url: str, bodies: list[Body]) -> None:
        base = f"{url}/v1beta" if target.model.startswith("gemini") else url
        self._settings = settings_of(model_list=[target.entry(base)])
        [self._deployment] = resolve(self._settings, "m")
        self._upstream = SelectingUpstream([self._deployment])
        self._bodies = bodies

    async def start(self) -> None:
        """Start the transport."""
        await self._upstream.start()

    async def close(self) -> None:
        """Close the transport."""
        await self._upstream.close()

    def plan(self, history: History, *, stream: bool) -> Plan:
        """Return the plan for a history. Raises :class:`InvalidRequest` where the proxy refuses the history."""
        request = json.dumps(history.request(stream=stream)).encode()
        chat = parse_chat_request(request, max_nesting=_NESTING, mends=True)
        deployment, settings = self._deployment, self._settings
        facts = facts_of(deployment, settings.budget, LearnedWindows().lessons_of(deployment, 0.0))
        return plan_request(
            chat, plan_target(deployment, settings.sanitize, self._upstream.unsupported), facts=facts
        )

    async def repair(self, plan: Plan, words: str) -> Plan | None:
        """Return the repaired plan after a refusal with *words*, or None where *words* lead to no repair."""
        body = json.dumps({"error": {"message": words, "type": "BadRequestError", "code": 400}}).encode()
        return await repair_plan(plan, read_error(400, Evidence(body=body), now=0.0))

    async def write(self, plan: Plan, *, stream: bool) -> Body:
        """Return the body that a plan is sent as. Raises :class:`InvalidRequest` where it cannot be written."""
        call = ChatAttemptPlanner.call_of(plan, _LIMITS)
        if transport_of(self._deployment) == "direct":
            written: Body = json.loads(wire_of(self._deployment).write_request(call, stream=stream))
            return written
        self._bodies.clear()
        try:
            if stream:
                async for _ in self._upstream.stream(call):
                    pass
            else:
                await self._upstream.complete(call)
        except InvalidRequest:
            raise
        except ProxyError:
            pass  # the server's refusal
        return self._bodies[-1]


@asynccontextmanager
async def writing(target: Target) -> AsyncIterator[Writer]:
    """Run a server that records request bodies, and yield a writer for *target* that sends litellm's bodies to it."""
    bodies: list[Body] = []

    async def receive(request: web.Request) -> web.Response:
        bodies.append(await request.json())
        return web.json_response({"error": {"message": "No.", "type": "x", "code": 418}}, status=418)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", receive)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    writer = Writer(target, f"http://127.0.0.1:{runner.addresses[0][1]}", bodies)
    try:
        await writer.start()
        yield writer
    finally:
        with suppress(ProxyError):
            await writer.close()
        await runner.cleanup()
