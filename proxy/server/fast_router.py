"""Finds a request's handler by a dictionary look-up, in place of aiohttp's router.

For every request aiohttp (3.14.5) searches its routes, makes a match object and adds the application to it. It then
calls a middleware that looks up the application. Here there is one application, and nearly all of its paths are fixed.
So the match and the chain of middlewares are built once for each path. A dictionary finds them by the raw path. The
paths of Gemini's API hold the model, and one pattern finds these. All other requests go to aiohttp's own router.

aiohttp answers ``Expect: 100-continue`` before any handler runs, even without a valid key. So the header is removed
before aiohttp's router sees it. On fixed paths, the reader of the body answers the header
(:mod:`proxy.ingress.routes.read_body`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus
from typing import TypeAlias

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler

from proxy.core.close_unread import close_unread
from proxy.forwarding.whole_answer import WholeAnswer
from proxy.ingress.middlewares import MIDDLEWARES
from proxy.ingress.routes.gemini_paths import PLAIN, plain_resources

Found: TypeAlias = tuple[web.UrlMappingMatchInfo, Handler]
Handle = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


def route_fast(app: web.Application, route_slow: Handle) -> Handle:
    """Return the request handler of *app*, whose routes must all be added before.

    *route_slow* is aiohttp's own handler.
    """
    known: dict[tuple[str, str], Found] = {}
    find_method = _find_methods(app)
    for route in app.router.routes():
        if isinstance(route.resource, web.PlainResource):
            match = web.UrlMappingMatchInfo({}, route)
            match.add_app(app)
            match.freeze()
            known[route.method, route.resource.canonical] = match, _wrap(route.handler)

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        found = known.get((request.method, request.rel_url.raw_path)) or find_method(request)
        if found is None or not isinstance(request, web.Request):
            response = await route_slow(_without_expect(request))
        else:
            request._match_info, handler = found  # this field has no public name
            response = await handler(request)
        # The body of a request with a whole answer was read. So most requests skip the checks.
        if response.__class__ is not WholeAnswer and (
            not request.content.is_eof() or response.status == HTTPStatus.UNAUTHORIZED
        ):
            await close_unread(request)
        return response

    return handle


def _find_methods(app: web.Application) -> Callable[[web.BaseRequest], Found | None]:
    """Return a function that finds a method of Gemini's API by a plain path, or returns None."""
    by_resource: dict[str, tuple[web.AbstractRoute, Handler]] = {
        route.resource.canonical: (route, _wrap(route.handler))
        for route in app.router.routes()
        if route.resource is not None and route.method == hdrs.METH_POST
    }
    methods = {
        name: by_resource[resource] for name, resource in plain_resources().items() if resource in by_resource
    }

    def find(request: web.BaseRequest) -> Found | None:
        matched = PLAIN.fullmatch(request.rel_url.raw_path) if request.method == hdrs.METH_POST else None
        if matched is None or "%" in matched[0]:
            return None
        before, model, name = matched.groups()
        held = methods.get(name)
        if held is None:
            return None
        match = web.UrlMappingMatchInfo({"before": before, "model": model}, held[0])
        match.add_app(app)
        match.freeze()
        return match, held[1]

    return find


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
