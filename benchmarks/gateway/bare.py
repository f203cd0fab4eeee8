"""A proxy on aiohttp that only forwards bytes. No proxy on the same stack can cost less."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping

from aiohttp import ClientSession, TCPConnector, web

_SESSION = web.AppKey("session", ClientSession)
_HOP_BY_HOP = frozenset({"connection", "content-length", "host", "keep-alive", "transfer-encoding"})


def _forwarded(headers: Mapping[str, str]) -> dict[str, str]:
    pairs = headers.items()
    return {name: value for name, value in pairs if name.lower() not in _HOP_BY_HOP}


def application(provider: str) -> web.Application:
    """Return the application that forwards all requests to *provider*, an address without a path."""

    async def forward(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        session = request.app[_SESSION]
        async with session.request(
            request.method, provider + request.path_qs, data=body, headers=_forwarded(request.headers)
        ) as answer:
            headers = _forwarded(answer.headers)
            if answer.content_type != "text/event-stream":
                return web.Response(status=answer.status, headers=headers, body=await answer.read())
            response = web.StreamResponse(status=answer.status, headers=headers)
            await response.prepare(request)
            async for data in answer.content.iter_any():
                await response.write(data)
            await response.write_eof()
            return response

    async def session(app: web.Application) -> AsyncIterator[None]:
        async with ClientSession(connector=TCPConnector(limit=0), auto_decompress=False) as opened:
            app[_SESSION] = opened
            yield

    app = web.Application(client_max_size=64 * 2**20)
    app.cleanup_ctx.append(session)
    app.router.add_route("*", "/{path:.*}", forward)
    return app


if __name__ == "__main__":
    web.run_app(
        application(sys.argv[2]), host="127.0.0.1", port=int(sys.argv[1]), access_log=None, print=None
    )
