"""A gateway that translates each message into Gemini's format as it stands, and repairs nothing.

Its figure shows how many histories hold without any repair, as the baseline for the other gateways.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from typing import Any

from aiohttp import ClientSession, web

from benchmarks.conformance.plain_translation import translate

_SESSION = web.AppKey("session", ClientSession)


def application(api_base: str, model: str) -> web.Application:
    """Return the gateway that calls *model* at *api_base*, an address that ends with the version of Gemini's API."""

    async def forward(request: web.Request) -> web.StreamResponse:
        try:
            body = translate(await request.json())
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            return _answer({"error": {"message": f"cannot be translated: {error!r}"}}, 500)
        url = f"{api_base}/models/{model}:generateContent"
        async with request.app[_SESSION].post(url, json=body) as answered:
            found = await answered.json()
        return _answer(found if "error" in found else _completion(found), answered.status)

    async def models(_: web.Request) -> web.Response:
        return _answer({"object": "list", "data": []}, 200)

    async def session(app: web.Application) -> AsyncIterator[None]:
        async with ClientSession() as opened:
            app[_SESSION] = opened
            yield

    app = web.Application(client_max_size=64 * 2**20)
    app.cleanup_ctx.append(session)
    app.router.add_post("/v1/chat/completions", forward)
    app.router.add_get("/v1/models", models)
    return app


def _answer(body: dict[str, Any], status: int) -> web.Response:
    return web.json_response(body, status=status)


def _completion(found: dict[str, Any]) -> dict[str, Any]:
    parts = found["candidates"][0].get("content", {}).get("parts", ())
    message = {"role": "assistant", "content": "".join(part.get("text", "") for part in parts)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice]}


if __name__ == "__main__":
    web.run_app(
        application(sys.argv[2], sys.argv[3]),
        host="127.0.0.1",
        port=int(sys.argv[1]),
        access_log=None,
        print=None,
    )
