"""Turns litellm's exceptions into the proxy's errors, by their causes and not by their class.

The class and status of litellm's exceptions are misleading. A history that litellm could not convert, a 502 and a
refused connection all come as ``APIConnectionError`` with status 500. A 403 comes as ``BadRequestError``. The text may
hold a traceback, file paths and addresses (run on 1.105.3).

The chain of causes is reliable. An HTTP answer leaves an ``httpx.HTTPStatusError``, a broken connection leaves a
transport error, and a local failure leaves neither. A local failure inside litellm's readers happened after an answer
had come. Such a failure is the provider's fault and not the client's.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Iterator

import aiohttp
import httpx

from proxy.core.errors import (
    ConversionFailed,
    ProxyError,
    UpstreamFault,
    UpstreamTimeout,
    UpstreamUnreachable,
)
from proxy.core.failures import Cause
from proxy.upstream.faults import fault_of_answer
from proxy.upstream.litellm.clients import ERROR_BODY
from proxy.upstream.litellm.credential_faults import find_missing_credentials, is_sdk_unreachable
from proxy.upstream.wires.openai.refusals import read_error

_READERS = frozenset(
    {
        "chunk_creator",
        "chunk_parser",
        "convert_to_model_response_object",
        "process_response",
        "transform_embedding_response",
        "transform_response",
    }
)
"""litellm's functions that read an answer or a chunk. Some providers' functions have a leading underscore."""


def to_proxy_error(error: BaseException, *, secrets: tuple[str, ...]) -> ProxyError:
    """Return the error that the client gets for *error*, raised by a litellm call.

    *secrets* are texts that must not appear in the returned error's message: the deployment's keys and address.
    """
    chain = list(_causes(error))
    for cause in chain:
        if isinstance(cause, httpx.HTTPStatusError):
            answer = cause.response
            kept = kept_body(error)
            body = _body(answer, chain) if kept is None else kept
            return fault_of_answer(answer.status_code, answer.headers, read_error(body), secrets, body)
    missing = find_missing_credentials(chain, secrets)
    if missing is not None:
        return missing
    if any(
        isinstance(cause, (TimeoutError, asyncio.TimeoutError, httpx.TimeoutException)) for cause in chain
    ):
        return UpstreamTimeout("The provider did not answer in time.")
    if any(isinstance(cause, (httpx.TransportError, aiohttp.ClientError, OSError)) for cause in chain):
        failed_at = Cause.CONNECTION_LOST if _may_be_sent(chain) else Cause.UNREACHABLE
        words = "The provider could not be reached, or the connection to it broke."
        return UpstreamUnreachable(words, cause=failed_at)
    if any(map(is_sdk_unreachable, chain)):
        return UpstreamUnreachable("The address that gives the proxy its credentials could not be reached.")
    names = {type(cause).__name__ for cause in chain}
    if "Timeout" in names:
        return UpstreamTimeout("The provider did not answer in time.")
    if names & {"OpenAIError", "VertexAIError", "BaseLLMException", "JSONDecodeError"} or _was_reading(chain):
        return UpstreamFault("The provider answered with something that is not a chat completion.")
    return ConversionFailed("The request could not be converted for this provider; nothing was sent.")


def kept_body(error: BaseException) -> bytes | None:
    """Return the body of the answer that caused *error*, as it came.

    The result is None if litellm's client kept no body.
    """
    answers = (cause.response for cause in _causes(error) if isinstance(cause, httpx.HTTPStatusError))
    kept = (answer.extensions.get(ERROR_BODY) for answer in answers)
    return next((body for body in kept if isinstance(body, bytes)), None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield *error* and all its causes, the nearest first, each once."""
    seen: set[int] = set()
    todo: list[BaseException | None] = [error]
    while todo:
        cause = todo.pop(0)
        if cause is None or id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        todo += [getattr(cause, "original_exception", None), cause.__cause__, cause.__context__]


def _may_be_sent(chain: list[BaseException]) -> bool:
    """Tell whether a part of the request may have been sent before the connection failed.

    litellm's transport turns every socket error into a ``ConnectError``, also a reset. aiohttp's own error in the
    chain is reliable.
    """
    if any(isinstance(cause, aiohttp.ClientError) for cause in chain):
        return not any(isinstance(cause, aiohttp.ClientConnectorError) for cause in chain)
    return not any(isinstance(cause, httpx.ConnectError) for cause in chain)


def _was_reading(chain: list[BaseException]) -> bool:
    """Tell whether litellm failed while it read an answer."""
    return any(
        frame.f_code.co_name.lstrip("_") in _READERS
        for cause in chain
        for frame, _ in traceback.walk_tb(cause.__traceback__)
    )


def _body(response: httpx.Response, chain: list[BaseException]) -> bytes:
    """Return the answer's body. For a stream, litellm has put the body into an exception's ``message``."""
    try:
        if response.content:
            return response.content
    except httpx.ResponseNotRead:
        pass
    messages = [getattr(cause, "message", None) for cause in chain]
    return next((text for text in messages if isinstance(text, bytes)), b"")
