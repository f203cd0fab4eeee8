"""A request's way to its handler, made once for each path instead of once for each request.

aiohttp (3.14.5) searches its table of paths for every request, makes an object of what it found, adds the application
to it and asks a middleware of its own which application that is. Here there is one application, and nearly all of its
paths are fixed: they are looked up by what came in, byte for byte. Any other request goes the long way.

aiohttp answers ``Expect: 100-continue`` before any handler runs, key or not. The long way never sees that header here:
the body is asked for where it is going to be read (:mod:`proxy.ingress.routes.read_body`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from proxy.core.close_unread import close_unread
from proxy.forwarding.whole_answer import WholeAnswer
from proxy.ingress.middlewares import MIDDLEWARES

Handle = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


def shorten(app: web.Application, long_way: Handle) -> Handle:
    """Return what answers the requests of *app*, whose table of paths is complete; *long_way* is aiohttp's own."""
    known: dict[tuple[str, str], tuple[web.UrlMappingMatchInfo, Handler]] = {}
    for route in app.router.routes():
        if isinstance(route.resource, web.PlainResource):
            match = web.UrlMappingMatchInfo({}, route)
            match.add_app(app)
            match.freeze()
            known[route.method, route.resource.canonical] = match, _wrap(route.handler)

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        found = known.get((request.method, request.rel_url.raw_path))
        if found is None or not isinstance(request, web.Request):
            response = await long_way(_without_expect(request))
        else:
            request._match_info, handler = found  # its place has no public name
            response = await handler(request)
        # An answer in one piece has had its body: most requests are asked nothing here.
        if response.__class__ is not WholeAnswer and (
            not request.content.is_eof() or response.status == HTTPStatus.UNAUTHORIZED
        ):
            await close_unread(request)
        return response

    return handle


def _without_expect(request: web.BaseRequest) -> web.BaseRequest:
    if hdrs.EXPECT not in request.headers:
        return request
    headers = request.headers.copy()
    del headers[hdrs.EXPECT]
    return request.clone(headers=headers)


def _wrap(handler: Handler) -> Handler:
    for middleware in reversed(MIDDLEWARES):
        handler = partial(middleware, handler=handler)
    return handler
