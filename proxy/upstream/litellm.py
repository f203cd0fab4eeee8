"""litellm behind the :class:`~proxy.upstream.Upstream` protocol: the only module that imports it.

Every argument of ``acompletion`` is built here from values that are ours; nothing of a client's body becomes an
argument name. litellm's own retries, fallbacks and callbacks are off: it makes exactly one call.

Known limits of this transport, which it hides and nobody behind it can tell apart: README, "What an answer looks like"
(run on 1.105.3).
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import sys
from collections.abc import AsyncGenerator, Mapping
from functools import lru_cache
from typing import Any

import httpx
from pydantic import SecretStr

from proxy.config import Deployment
from proxy.errors import ProxyError
from proxy.upstream import Answer, Chunk, UpstreamCall
from proxy.upstream.litellm_environment import quiet_litellm
from proxy.upstream.litellm_errors import to_proxy_error
from proxy.upstream.litellm_messages import litellm_messages
from proxy.upstream.masking import secrets_of
from proxy.upstream.patience import Patience

_NO_KEY = "no-key"
"""Sent where no key is configured: litellm refuses to call without one, local servers ignore it."""


class LiteLLMUpstream:
    """Calls providers through ``litellm.acompletion``."""

    def __init__(self) -> None:
        self._litellm: Any = None
        self._starting = asyncio.Lock()

    async def start(self) -> None:
        """Import litellm (2 to 5 s of CPU) in a thread, so that the process answers its probes meanwhile."""
        if self._litellm is not None:
            return
        async with self._starting:
            if self._litellm is None:
                self._litellm = await asyncio.to_thread(_import_litellm)

    async def close(self) -> None:
        """Close the HTTP clients that litellm caches."""
        if self._litellm is not None:
            await self._litellm.close_litellm_async_clients()

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the parameters that litellm's table does not list for the provider.

        Names that the deployment allows are never among them.
        """
        supported = self._supported(deployment.model)
        if supported is None:
            return frozenset()
        return frozenset(parameters.keys() - supported - deployment.allowed_openai_params - _ALWAYS)

    async def complete(self, call: UpstreamCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.complete`."""
        patience = Patience(call.timeouts, stream=False)
        try:
            response = await patience.wait(self._litellm.acompletion(**build_arguments(call, stream=False)))
        except Exception as error:  # noqa: BLE001 - whatever litellm raises becomes one of our errors here
            raise self._translated(error, call) from None
        answer: Answer = response.model_dump(exclude_none=True)
        return answer

    async def stream(self, call: UpstreamCall) -> AsyncGenerator[Chunk, None]:
        """See :meth:`proxy.upstream.Upstream.stream`.

        Gemini streams are lazy in litellm: the request goes out with the first chunk that is asked for. The
        stream is closed in any case, since one that is merely dropped goes on generating, and costing.
        """
        chunks: Any = None
        patience = Patience(call.timeouts, stream=True)
        try:
            chunks = await patience.wait(self._litellm.acompletion(**build_arguments(call, stream=True)))
            while (given := await patience.wait(anext(chunks, None))) is not None:
                chunk: Chunk = given.model_dump(exclude_none=True)
                patience.hear(chunk)
                yield chunk
        except Exception as error:  # noqa: BLE001 - as above
            raise self._translated(error, call) from None
        finally:
            if chunks is not None:
                await chunks.aclose()

    def _supported(self, model: str) -> frozenset[str] | None:
        return _supported_parameters(self._litellm, model)

    def _translated(self, error: Exception, call: UpstreamCall) -> ProxyError:
        if isinstance(error, ProxyError):
            return error
        return to_proxy_error(error, secrets=secrets_of(call.deployment))


_ALWAYS = frozenset({"tools", "tool_choice", "functions", "function_call"})
"""Never withheld: a model without tools must say so itself, rather than get a request with its tools gone."""


@lru_cache(maxsize=1024)
def _supported_parameters(litellm: Any, model: str) -> frozenset[str] | None:
    provider, _, name = model.partition("/")
    try:
        listed = litellm.get_supported_openai_params(model=name or provider, custom_llm_provider=provider)
    except Exception:  # noqa: BLE001 - an unknown provider has no table; then nothing is withheld
        return None
    return None if listed is None else frozenset(listed)


def build_arguments(call: UpstreamCall, *, stream: bool) -> dict[str, Any]:
    """Return the keyword arguments of one ``acompletion``: ours, and the allow-listed parameters.

    ``max_retries=0`` because the OpenAI path retries twice by default; ``_skip_mcp_handler`` because a bare
    install fails on tools without it in some releases; ``drop_params`` as a second net under
    :meth:`LiteLLMUpstream.unsupported`. ``timeout`` is the same for all calls to a deployment: litellm makes a new
    HTTP client, with connections of its own, for every value that it has not seen. What is left of a request's time
    is :class:`Patience`'s to keep.
    """
    deployment = call.deployment
    arguments: dict[str, Any] = dict(call.parameters)
    if call.extra_body:
        arguments["extra_body"] = dict(call.extra_body)
    if deployment.allowed_openai_params:
        arguments["allowed_openai_params"] = sorted(deployment.allowed_openai_params)
    if call.ask_usage and stream:
        arguments["stream_options"] = {"include_usage": True}
    if deployment.extra_headers:
        arguments["extra_headers"] = {
            name: value.get_secret_value() for name, value in deployment.extra_headers.items()
        }
    for name, value in deployment.credentials.items():
        arguments[name] = value.get_secret_value() if isinstance(value, SecretStr) else value
    arguments.update(
        model=deployment.model,
        messages=litellm_messages(call.messages, call.rules),
        stream=stream,
        api_key=deployment.api_key.get_secret_value() if deployment.api_key else _NO_KEY,
        timeout=httpx.Timeout(deployment.timeout_s, connect=call.timeouts.connect_s),
        max_retries=0,
        drop_params=True,
        _skip_mcp_handler=True,
    )
    if deployment.api_base:
        arguments["api_base"] = deployment.api_base
    return arguments


def _import_litellm() -> Any:
    first = "litellm" not in sys.modules
    quiet_litellm()
    litellm: Any = importlib.import_module("litellm")
    quiet_litellm()  # importing it sets its loggers up again
    litellm.suppress_debug_info = True
    litellm.disable_hf_tokenizer_download = True
    litellm.telemetry = False
    litellm.callbacks = []
    litellm.modify_params = False
    if first:
        gc.freeze()  # its 300,000 objects stay; looking at them stops everything for 0.3 s, every few hundred requests
    return litellm
