"""Builds the keyword arguments of litellm's calls: the proxy's own and the allow-listed parameters.

A field of a client's body becomes an argument only if its name is allow-listed, or allowed by the deployment. Inputs
for embeddings that litellm would misread are refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import httpx
from pydantic import SecretStr

from proxy.config.addresses import OPENAI_SERVERS
from proxy.config.reserved_params import is_reserved
from proxy.config.sdk_credentials import SDK_PROVIDERS
from proxy.core.deployment import Deployment
from proxy.core.errors import InvalidRequest
from proxy.core.text_request import Inputs, separate_inputs
from proxy.core.upstream_call import TextCall, UpstreamCall
from proxy.upstream.dialects import dialect_for
from proxy.upstream.litellm.messages import litellm_messages
from proxy.upstream.litellm.tools import litellm_tools, without_extras

_NO_KEY = "no-key"
"""The stand-in for a missing key, sent unless other credentials serve instead.

litellm refuses to call without a key, and local servers ignore it.
"""

_INSTEAD_OF_KEYS = frozenset({"azure_password", "client_secret"})
"""Credentials with which litellm gets a token for Azure. litellm gets this token only if it has no key."""

WITHOUT_STREAMS = frozenset({"cohere", "cohere_chat"})
"""Providers that are asked for whole answers, which are then cut into chunks.

litellm loses the tool calls, the finish reason and the usage of these providers' streams (1.105.3).
"""

_TAKES_TOKENS = OPENAI_SERVERS | {"azure", "openai"}
"""Providers whose embeddings take token ids as input.

Others take only texts, and litellm fails on token ids (1.105.3).
"""

_TAKES_FORMAT = frozenset({"openai"})
"""Providers that get the client's ``encoding_format``.

For other providers, :mod:`proxy.forwarding.text.embedding` applies the format to the answer.
"""

_WITHOUT_EXTRA_BODY = frozenset({"anthropic", "bedrock", "ollama", "ollama_chat"})
"""Providers for which litellm would send ``extra_body`` as a field of that name (1.105.3).

litellm passes unknown arguments on as fields of the body, so the fields become arguments. For Ollama, litellm moves the
fields to where Ollama looks: ``num_ctx`` into the options, ``keep_alive`` to the top level.
"""

_REGION_ARGUMENTS = {
    "bedrock": "aws_region_name",
    "sagemaker": "aws_region_name",
    "vertex_ai": "vertex_location",
}
"""litellm's argument for the region of a provider. litellm reads ``region_name`` for no call (1.105.3)."""

_PASSED_ON = OPENAI_SERVERS | {"openai"}
"""Providers that get parameters as they are, ``stream_options`` among them. For others litellm reads that option."""

_GOOGLE = frozenset({"gemini", "vertex_ai"})
_REFERENCE = re.compile(r"files/|gs://|data:[^,]*;base64,")
"""Starts of a text that litellm takes for a file or media when it calls Google (1.105.3).

litellm would look up the file with the proxy's key.
"""


def build_arguments(call: UpstreamCall, *, stream: bool) -> dict[str, Any]:
    """Return the keyword arguments of one ``acompletion``: the proxy's own and the allow-listed parameters.

    ``max_retries`` is 0, because litellm's OpenAI path retries twice by default. ``_skip_mcp_handler`` is set, because
    some releases otherwise fail on tools in a bare install. ``drop_params`` makes litellm drop parameters that
    :meth:`LiteLLMUpstream.unsupported` missed. ``timeout`` is the same for all calls to a deployment. litellm makes a
    new HTTP client, with its own connections, for each new value. :class:`CallTimer` limits the call to the time that
    is left for its request.
    """
    deployment = call.deployment
    arguments: dict[str, Any] = dict(call.parameters)
    for name in ("tools", "functions"):
        if arguments.get(name):
            rewritten = call.rules.name.startswith("gemini")
            arguments[name] = litellm_tools(arguments[name], rewritten=rewritten)
            if name == "tools" and deployment.provider in WITHOUT_STREAMS:
                arguments[name] = without_extras(arguments[name])
    extra_body = dict(call.extra_body)
    if "top_k" in arguments and deployment.provider in OPENAI_SERVERS:
        extra_body["top_k"] = arguments.pop("top_k")  # the SDK has no such argument
    dialect = dialect_for(deployment, "litellm")
    if dialect.names and deployment.provider in _PASSED_ON:
        # litellm writes a service's own names on the service's own route alone.
        for name, own in dialect.names:
            if name in arguments and name not in deployment.allowed_openai_params:
                extra_body[own] = arguments.pop(name)
    if deployment.provider in _WITHOUT_EXTRA_BODY:
        # litellm would read a reserved name itself, so such a field stays where the provider can refuse it.
        arguments |= {name: extra_body.pop(name) for name in tuple(extra_body) if not is_reserved(name)}
    if extra_body:
        arguments["extra_body"] = extra_body
    carried = dialect.carried & arguments.keys()
    if allowed := deployment.allowed_openai_params | carried:
        arguments["allowed_openai_params"] = sorted(allowed)
    if call.ask_usage and stream and (dialect.stream_usage or deployment.provider not in _PASSED_ON):
        arguments["stream_options"] = {"include_usage": True}
    arguments.update(
        messages=litellm_messages(call.messages, call.rules), stream=stream, _skip_mcp_handler=True
    )
    return arguments | _own_arguments(call)


def build_embedding_arguments(call: TextCall) -> dict[str, Any]:
    """Return the keyword arguments of one ``aembedding``: the proxy's own and the allow-listed parameters.

    ``dimensions`` is allowed by name. Otherwise litellm drops it for all models not called ``text-embedding-3``.
    OpenAI's own provider always gets a format. Without a format, OpenAI's SDK asks for base64 and decodes the answer.
    Raises :class:`InvalidRequest`, with the input's name or index in ``param``, for an input that would not be embedded
    as it is.
    """
    deployment = call.deployment
    inputs = separate_inputs(call.parameters["input"])
    if deployment.provider not in _TAKES_TOKENS:
        _refuse_tokens(inputs)
    if deployment.provider in _GOOGLE:
        _refuse_references(inputs)
    arguments = dict(call.parameters)
    encoding = arguments.pop("encoding_format", "float")
    if deployment.provider in _TAKES_FORMAT:
        arguments["encoding_format"] = encoding
    if call.extra_body:
        arguments["extra_body"] = dict(call.extra_body)
    arguments["allowed_openai_params"] = sorted(deployment.allowed_openai_params | {"dimensions"})
    return arguments | _own_arguments(call)


def _own_arguments(call: UpstreamCall | TextCall) -> dict[str, Any]:
    """Return the arguments for the address, the key, the trace and the timeout of a call."""
    deployment = call.deployment
    arguments: dict[str, Any] = {
        name: value.get_secret_value() if isinstance(value, SecretStr) else value
        for name, value in deployment.credentials.items()
    }
    region = _REGION_ARGUMENTS.get(deployment.provider)
    if region is not None and "region_name" in arguments:
        arguments.setdefault(region, arguments.pop("region_name"))
    headers = {} if call.trace is None else dict(call.trace.headers)
    headers |= {name: value.get_secret_value() for name, value in deployment.extra_headers.items()}
    if headers:
        arguments["extra_headers"] = headers
    if deployment.api_base:
        arguments["api_base"] = deployment.api_base
    if deployment.api_key is not None:
        arguments["api_key"] = deployment.api_key.get_secret_value()
    elif _takes_stand_in(deployment):
        arguments["api_key"] = _NO_KEY
    arguments.update(
        model=deployment.model,
        timeout=httpx.Timeout(deployment.timeout_s, connect=call.timeouts.connect_s),
        max_retries=0,
        drop_params=True,
    )
    return arguments


def _takes_stand_in(deployment: Deployment) -> bool:
    """Tell whether the stand-in key may be sent, which must not replace the deployment's own credentials.

    litellm takes any key for an API key of Bedrock.
    """
    return deployment.provider not in SDK_PROVIDERS and _INSTEAD_OF_KEYS.isdisjoint(deployment.credentials)


def _refuse_tokens(inputs: Inputs) -> None:
    if not all(isinstance(text, str) for text in inputs):
        raise InvalidRequest(
            "This model takes texts and no tokens: 'input' must be a string or an array of strings.",
            param="input",
        )


def _refuse_references(inputs: Sequence[Any]) -> None:
    for at, text in enumerate(inputs):
        if _REFERENCE.match(text):
            raise InvalidRequest(
                f"'input[{at}]' begins like a reference to a file, and would not be embedded as a text.",
                param=f"input[{at}]",
            )
