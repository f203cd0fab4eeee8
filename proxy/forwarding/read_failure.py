"""Reads a failed attempt: finds its row in the failure table and the facts in the provider's error."""

from __future__ import annotations

import time
from functools import partial

from proxy.core.errors import ContextTooLong, ProxyError, UpstreamFault
from proxy.core.failures import Cause, error_weight
from proxy.core.offload import run_offloaded
from proxy.resilience.failure_table import INVALID, OVERFLOW, Row, find_row
from proxy.resilience.read_error import NO_ERROR_FACTS, ProviderError, read_error, refused_status
from proxy.resilience.request_words import RequestWords


def read_unsent(error: ProxyError) -> tuple[Row, ProviderError]:
    """Return the row and the facts of *error*, where no call was made."""
    if isinstance(error, ContextTooLong):
        return OVERFLOW, NO_ERROR_FACTS
    if isinstance(error, UpstreamFault):
        return INVALID, NO_ERROR_FACTS
    return find_row(Cause.CONVERSION, NO_ERROR_FACTS), NO_ERROR_FACTS


async def read_sent(
    error: ProxyError, request: RequestWords, body_size: int, cause: Cause | None = None
) -> tuple[Row, ProviderError]:
    """Return the row and the facts of *error*, after a call that sent the words of *request*.

    *cause* replaces the error's own cause. The words of the provider's error are looked up in *request*, to recognise
    text quoted from the client. A long request is searched in a worker thread. *body_size* is the size of the request
    body, in bytes.
    """
    if not isinstance(error, UpstreamFault) or isinstance(error, ContextTooLong):
        return read_unsent(error)
    wall = time.time()  # noqa: TID251 - an HTTP date is wall-clock time
    status = refused_status(error.upstream_status, error.evidence)
    read = partial(read_error, status, error.evidence, words=error.message, now=wall, request=request)
    if error.evidence.body:
        said = await run_offloaded(body_size + error_weight(error.evidence.body), read)
    else:
        said = read()
    return find_row(cause or error.cause, said), said
