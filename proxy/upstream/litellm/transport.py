"""The litellm transport, with the methods of :class:`proxy.upstream.Transport`.

An import contract allows ``import litellm`` only in this module. litellm's own retries, fallbacks and callbacks are
off, so that it makes exactly one call.

Known limits of this transport are in ``docs/endpoints.md`` (run on 1.105.3).
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from functools import lru_cache, partial
from typing import Any

from proxy.config.sdk_credentials import SDK_PROVIDERS
from proxy.core.deployment import Deployment
from proxy.core.errors import ProxyError
from proxy.core.failures import error_weight
from proxy.core.offload import run_offloaded
from proxy.core.upstream_call import Answer, Chunk, TextCall, UpstreamCall
from proxy.upstream.dialects import dialect_for, withheld_names
from proxy.upstream.litellm.arguments import WITHOUT_STREAMS, build_arguments, build_embedding_arguments
from proxy.upstream.litellm.clients import limit_errors, prepare_clients, refuse_cookies
from proxy.upstream.litellm.environment import quiet_litellm, skip_logging
from proxy.upstream.litellm.errors import kept_body, to_proxy_error
from proxy.upstream.litellm.loop import CrossLoopStream, LoopThread
from proxy.upstream.masking import secrets_of
from proxy.upstream.timeouts import CallTimer
from proxy.upstream.whole_as_chunks import whole_as_chunks

_SECOND_LOOP_WEIGHT = 2**18
"""Weight of a call above which the second event loop converts it.

Converting such a call on the main loop would make other requests wait.
"""


class LiteLLMUpstream:
    """Calls providers through ``litellm.acompletion`` and ``litellm.aembedding``."""

    def __init__(self) -> None:
        self._litellm: Any = None
        self._starting = asyncio.Lock()
        self._thread = LoopThread()

    async def start(self) -> None:
        """Import litellm in a worker thread, so that the process answers probes meanwhile.

        The import takes 2 to 5 s of CPU.
        """
        if self._litellm is not None:
            return
        async with self._starting:
            if self._litellm is None:
                self._litellm = await asyncio.to_thread(_import_litellm)

    async def close(self) -> None:
        """Close the HTTP clients that litellm caches."""
        if self._litellm is not None:
            await self._thread.close(self._litellm.in_memory_llm_clients_cache.cache_dict)
            await self._litellm.close_litellm_async_clients()

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that litellm's table lacks for the provider, or that litellm loses.

        litellm silently drops every parameter outside its table, even ``tools``. Names that the deployment allows are
        not returned.
        """
        lost = withheld_names(deployment, "litellm", parameters)
        supported = _supported_parameters(self._litellm, deployment.model)
        if supported is not None:
            lost |= parameters.keys() - supported - dialect_for(deployment, "litellm").carried
        return lost - deployment.allowed_openai_params

    async def complete(self, call: UpstreamCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.complete`."""
        build = partial(build_arguments, call, stream=False)
        response = await self._ask(call, build, self._litellm.acompletion)
        answer: Answer = response.model_dump(exclude_none=True)
        return answer

    async def stream(self, call: UpstreamCall) -> AsyncGenerator[Chunk, None]:
        """See :meth:`proxy.upstream.Upstream.stream`.

        litellm's Gemini streams send the request when the first chunk is asked for. The stream is always closed,
        since a dropped stream goes on generating at the operator's cost.
        """
        if call.deployment.provider in WITHOUT_STREAMS:
            for part in whole_as_chunks(await self.complete(call)):
                yield part
            return
        chunks: Any = None
        timer = CallTimer(call.timeouts, stream=True)
        try:
            arguments = await run_offloaded(call.weight, partial(build_arguments, call, stream=True))
            asking = self._litellm.acompletion(**arguments)
            if _on_second_loop(call):
                chunks = CrossLoopStream(self._thread, await timer.wait(self._thread.run(asking)))
            else:
                chunks = await timer.wait(asking)
            while (given := await timer.wait(anext(chunks, None))) is not None:
                chunk: Chunk = given.model_dump(exclude_none=True)
                timer.note_chunk(chunk)
                yield chunk
        except Exception as error:  # noqa: BLE001 - as above
            raise await self._to_proxy_error(error, call) from None
        finally:
            if chunks is not None:
                await chunks.aclose()

    def unsupported_embedding(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the names in *parameters* that litellm refuses or drops for the provider's embeddings."""
        taken = frozenset({"encoding_format", "input"}) | deployment.allowed_openai_params
        asked = parameters.keys() - taken
        return frozenset(
            name for name in asked if not _takes_with_embeddings(self._litellm, deployment.model, name)
        )

    async def embed(self, call: TextCall) -> Answer:
        """See :meth:`proxy.upstream.Upstream.embed`."""
        build = partial(build_embedding_arguments, call)
        response = await self._ask(call, build, self._litellm.aembedding)
        answer: Answer = response.model_dump(exclude_none=True, warnings=False)  # base64 is no list of floats
        return answer

    async def _ask(
        self,
        call: UpstreamCall | TextCall,
        build: Callable[[], dict[str, Any]],
        ask: Callable[..., Coroutine[Any, Any, Any]],
    ) -> Any:
        """Return litellm's whole answer. *build* makes the arguments of *ask*, a function of litellm."""
        timer = CallTimer(call.timeouts, stream=False)
        try:
            asking = ask(**await run_offloaded(call.weight, build))
            return await timer.wait(self._thread.run(asking) if _on_second_loop(call) else asking)
        except Exception as error:  # noqa: BLE001 - all of litellm's exceptions become the proxy's errors here
            raise await self._to_proxy_error(error, call) from None

    async def _to_proxy_error(self, error: Exception, call: UpstreamCall | TextCall) -> ProxyError:
        _raise_swallowed_cancellation(error)
        if isinstance(error, ProxyError):
            return error
        translate = partial(to_proxy_error, error, secrets=secrets_of(call.deployment))
        return await run_offloaded(error_weight(kept_body(error) or b""), translate)


def _raise_swallowed_cancellation(error: Exception) -> None:
    """Raise :class:`asyncio.CancelledError` if this task was cancelled, although litellm raised *error*.

    litellm swallows a cancellation that arrives while it reports a failed call to its hooks (1.105.3). The proxy would
    then call the provider again for a client that has left.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError from error


def _on_second_loop(call: UpstreamCall | TextCall) -> bool:
    """Tell whether *call* would block the main loop: it is large, or an SDK looks for credentials, which blocks.

    boto3 waits up to 2 s for the metadata address that gives a machine its role.
    """
    return call.weight > _SECOND_LOOP_WEIGHT or call.deployment.provider in SDK_PROVIDERS


@lru_cache(maxsize=1024)
def _supported_parameters(litellm: Any, model: str) -> frozenset[str] | None:
    provider, _, name = model.partition("/")
    try:
        listed = litellm.get_supported_openai_params(model=name or provider, custom_llm_provider=provider)
    except Exception:  # noqa: BLE001 - an unknown provider has no table
        return None
    return None if listed is None else frozenset(listed)


_SAMPLES: Mapping[str, Any] = {"dimensions": 256, "user": "x"}


@lru_cache(maxsize=1024)
def _takes_with_embeddings(litellm: Any, model: str, name: str) -> bool:
    """Tell whether litellm passes a parameter on for embeddings.

    litellm has no list of these parameters, so a sample value is tried.
    """
    provider, _, model_id = model.partition("/")
    try:
        mapped = litellm.utils.get_optional_params_embeddings(
            model=model_id or provider,
            custom_llm_provider=provider if model_id else "openai",
            allowed_openai_params=["dimensions"],
            **{name: _SAMPLES[name]},
        )
    except Exception:  # noqa: BLE001 - any error: not supported
        return False
    return _SAMPLES[name] in mapped.values()


def _import_litellm() -> Any:
    first = "litellm" not in sys.modules
    quiet_litellm()
    litellm: Any = importlib.import_module("litellm")
    quiet_litellm()  # the import sets its loggers up again
    skip_logging()
    litellm.suppress_debug_info = True
    litellm.disable_hf_tokenizer_download = True
    litellm.telemetry = False
    litellm.callbacks = []
    litellm.modify_params = False
    litellm.DEFAULT_MAX_RETRIES = 0  # for embeddings, which take 0 for none given (1.105.3)
    litellm.disable_stop_sequence_limit = True  # it cuts to four without an error: proxy.upstream.dialects
    of_sdk = importlib.import_module("litellm.llms.openai.common_utils").BaseOpenAILLM
    prepare_clients(of_sdk, "_get_async_http_client", refuse_cookies, limit_errors)
    handler = importlib.import_module("litellm.llms.custom_httpx.http_handler").AsyncHTTPHandler
    prepare_clients(handler, "create_client", limit_errors)
    if first:
        gc.freeze()  # its 300,000 objects stay, and each scan of them would stop the process for 0.3 s
    return litellm
