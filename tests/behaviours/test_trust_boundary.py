"""Tests that a client's body never decides where a request, or a key, is sent.

The names that control litellm are read from the pinned release when the test runs. Further names are listed by hand in
this module. A new name in the release or in the allow-list therefore fails a test, until somebody has looked at it.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from proxy.ingress.openai_chat.parameters import PARAMETERS
from proxy.upstream.litellm.arguments import build_arguments
from proxy.upstream.litellm.environment import quiet_litellm
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.conftest import OUR_KEY, TRANSPORTS, settings_on
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.support.builders import assistant, call, image, text, tool, user
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

pytestmark = LITELLM_NOISE

_TYPED = """
    api_base base_url api_version deployment_id engine custom_llm_provider model_list model_alias_map
    user_config region_name organization litellm_credential_name use_litellm_proxy base_model hf_model_name
    aws_bedrock_runtime_endpoint sagemaker_base_url deployment_url s3_endpoint_url use_psc_endpoint_format
    nvcf_function_id use_ssl use_chat_completions_api configurable_clientside_auth_params
    provider_affinity_header api_key azure_ad_token azure_ad_token_provider azure_username azure_password
    azure_scope tenant_id client_id client_secret aws_access_key_id aws_secret_access_key aws_session_token
    aws_session_name aws_session_tags aws_region_name aws_profile_name aws_role_name aws_web_identity_token
    aws_sts_endpoint aws_external_id vertex_credentials vertex_project vertex_location vertex_ai_project
    vertex_ai_location vertex_ai_credentials gemini_api_key watsonx_token zen_api_key oci_key use_xai_oauth
    openai_service_account_id predibase_tenant_id bucket_name mongodb_connection_string extra_headers headers
    default_headers provider_specific_header extra_body extra_query client shared_session ssl_verify timeout
    request_timeout stream_timeout force_timeout follow_redirects max_retries num_retries retry_policy
    retry_strategy fallbacks context_window_fallback_dict max_fallbacks cooldown_time keepalive_seconds rust
    _skip_mcp_handler mock_response mock_tool_calls mock_timeout mock_delay metadata litellm_metadata callbacks
    success_callback failure_callback input_callback logger_fn litellm_logging_obj litellm_call_id
    litellm_trace_id litellm_session_id session_id no-log verbose turn_off_message_logging
    litellm_disabled_callbacks litellm_request_debug proxy_server_request secret_fields langfuse_host
    langfuse_secret_key langsmith_api_key langsmith_base_url wandb_api_key weave_project_id slack_webhook_url
    guardrails tags tag_regex prompt_id prompt_variables prompt_version prompt_label custom_prompt_dict roles
    bos_token eos_token initial_prompt_value final_prompt_value litellm_system_prompt user_continue_message
    assistant_continue_message ensure_alternating_roles merge_reasoning_content_in_choices
    supports_system_message disable_add_transform_inline_image_block enable_prompt_caching cached_content
    cache_control_injection_points cache caching cache_key ttl preset_cache_key allowed_openai_params
    additional_drop_params drop_params model_info id text_completion acompletion atext_completion fake_stream
    max_agentic_loops complexity_router_config mcp_servers input_cost_per_token output_cost_per_token
    tiered_pricing max_budget budget_duration tpm rpm itpm otpm weight order
"""
TYPED = frozenset(_TYPED.split())
"""The names listed by hand, with members of each family of names that control litellm."""

_SIGNATURE = """
    api_key api_version base_url deployment_id enable_json_schema_validation extra_headers
    include_server_side_tool_invocations kwargs messages model model_list shared_session thinking timeout
    web_search_options
"""
SIGNATURE_FOR_US = frozenset(_SIGNATURE.split())
"""Named arguments of `acompletion` that no client sets. The deployment decides `model` and `messages`."""

OVERLAPS: frozenset[str] = frozenset()
"""Names that a client may set and that litellm also reads for itself. Look at each name before you add it."""

_OURS = """
    model messages stream stream_options api_key api_base timeout max_retries drop_params _skip_mcp_handler
    allowed_openai_params extra_headers extra_body api_version
"""
OURS = frozenset(_OURS.split())
"""The arguments that `build_arguments` sets by itself."""


@pytest.fixture(scope="module")
def control_names() -> frozenset[str]:
    """Return every name that controls the pinned litellm rather than the model."""
    quiet_litellm()
    from litellm.litellm_core_utils.get_litellm_params import OPTIONAL_KWARGS_KEYS
    from litellm.types.utils import all_litellm_params

    return TYPED | SIGNATURE_FOR_US | frozenset(all_litellm_params) | frozenset(OPTIONAL_KWARGS_KEYS)


def test_allow_list_has_no_control_name(control_names: frozenset[str]) -> None:
    """The allow-list holds a name that litellm reads for itself only if it is in OVERLAPS."""
    assert PARAMETERS.keys() & control_names == OVERLAPS


def test_every_argument_of_litellm_is_sorted() -> None:
    """Each named argument of the pinned `acompletion` is either a client's or the proxy's.

    A new argument fails the test.
    """
    quiet_litellm()
    import litellm

    assert inspect.signature(litellm.acompletion).parameters.keys() - PARAMETERS.keys() == SIGNATURE_FOR_US


def hostile(names: frozenset[str], value: Any) -> dict[str, Any]:
    """Build a request that sets all these names to a value."""
    kept = names - {"model", "messages", "kwargs"} - PARAMETERS.keys()
    return {**dict.fromkeys(sorted(kept), value), **chat()}


@pytest.mark.parametrize(
    "value", ["http://attacker.test", {"model": "x", "api_base": "http://attacker.test"}]
)
async def test_hostile_names_reach_no_argument(
    proxy: Proxied, upstream: ScriptedUpstream, control_names: frozenset[str], value: Any
) -> None:
    """Of a body with every control name, only the history reaches litellm's arguments."""
    reply = await proxy.post(hostile(control_names, value))
    arguments = build_arguments(upstream.calls[0], stream=True)

    assert reply.status == 200
    assert arguments.keys() <= OURS
    assert "attacker" not in repr(arguments)
    assert arguments["api_key"] == "no-key"


async def test_arguments_of_a_chat_are_a_closed_set(upstream: ScriptedUpstream) -> None:
    """With every parameter and every setting in use, the arguments are the allow-list's and the proxy's."""
    entry = {
        "model": "openai/gpt-4.1",
        "api_key": OUR_KEY,
        "api_base": "http://127.0.0.1:1/v1",
        "api_version": "2026-01",
        "extra_headers": {"x-team": "blue"},
        "allowed_openai_params": ["guided_json"],
    }
    values: dict[str, Any] = {
        **dict.fromkeys(PARAMETERS, "x"),
        **dict.fromkeys(("frequency_penalty", "presence_penalty", "temperature", "top_p"), 0.5),
        **dict.fromkeys(("max_completion_tokens", "max_tokens", "n", "seed", "top_k", "top_logprobs"), 1),
        **dict.fromkeys(("logprobs", "parallel_tool_calls", "store", "stream"), True),
        **{name: {} for name in ("audio", "logit_bias", "prediction")},
        "reasoning_effort": "low",
        "response_format": {"type": "text"},
        "tool_choice": "auto",
        "stream_options": {"include_usage": True, "api_base": "http://attacker.test"},
        "functions": [{"name": "f"}],
        "modalities": ["text"],
        "tools": [{"type": "function", "function": {"name": "f"}}],
    }
    async with proxied(settings_of({MODEL: entry}), upstream) as proxy:
        reply = await proxy.post(chat(**values, guided_json={}, foo=1))
    arguments = build_arguments(upstream.calls[0], stream=True)

    assert reply.status == 200
    assert arguments.keys() == (OURS | PARAMETERS.keys())
    assert arguments["extra_body"] == {"guided_json": {}}
    assert arguments["stream_options"] == {"include_usage": True}
    assert arguments["api_base"] == entry["api_base"]
    assert "attacker" not in repr(arguments)


@dataclass(slots=True)
class Attacker:
    """A server that must get no request."""

    url: str = ""
    requests: list[str] = field(default_factory=list)


@pytest.fixture
async def attacker() -> AsyncIterator[Attacker]:
    """Serve an attacker that records each request, and answers as a provider would."""
    found = Attacker()

    async def note(request: web.Request) -> web.Response:
        found.requests.append(f"{request.method} {request.path} {dict(request.headers)}")
        return web.json_response({"choices": [{"message": {"content": "stolen"}}]})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", note)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield found
    await runner.cleanup()


def redirecting(attacker: Attacker) -> dict[str, Any]:
    """Build the fields that were seen to redirect a call, its key, or its answer."""
    url = f"{attacker.url}/v1"
    return {
        "api_base": url,
        "base_url": url,
        "api_key": "sk-theirs",
        "api_version": "1",
        "azure_ad_token": "theirs",
        "client": url,
        "custom_llm_provider": "openai",
        "default_headers": {"x-goog-api-key": "theirs", "Host": "attacker.test"},
        "deployment_id": "theirs",
        "extra_body": {"contents": [{"parts": [{"text": "theirs"}]}], "messages": [user("theirs")]},
        "extra_headers": {
            "Authorization": "Bearer theirs",
            "x-goog-api-key": "theirs",
            "Host": "attacker.test",
        },
        "extra_query": {"key": "theirs"},
        "fallbacks": [{"model": "openai/x", "api_base": url}],
        "context_window_fallback_dict": {"gpt-4.1": "openai/x"},
        "headers": {"Authorization": "Bearer theirs"},
        "litellm_metadata": {"user_api_key": "theirs"},
        "metadata": {"user_api_key": "theirs"},
        "mock_response": "stolen",
        "mock_tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        "model_list": [{"model_name": "gpt-4.1", "litellm_params": {"model": "openai/x", "api_base": url}}],
        "num_retries": 3,
        "organization": "theirs",
        "provider_specific_header": {"extra_headers": {"Authorization": "Bearer theirs"}},
        "user_config": {"model_list": []},
        "web_search_options": {},
        "thinking": {"type": "enabled", "budget_tokens": 1},
        "foo": "theirs",
        "guided_json": {"theirs": 1},
    }


@TRANSPORTS
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("fails", [False, True], ids=["answers", "fails"])
async def test_openai_call_stays_ours(
    real: Proxied, openai: OpenAIEmulator, attacker: Attacker, stream: bool, fails: bool
) -> None:
    """OpenAI gets one call with the proxy's key and the client's history. The attacker gets nothing."""
    if fails:
        openai.faults.append({"status": 500})
    body = {**redirecting(attacker), **chat("Mine.", model="openai", stream=stream, temperature=0.5)}
    sent = {"Authorization": "Bearer sk-client", "x-client": "theirs", "x-litellm-api-base": attacker.url}
    reply = await real.post(body, headers=sent)

    assert reply.status == (500 if fails else 200)
    assert attacker.requests == []
    assert b"stolen" not in reply.raw
    [request] = openai.requests
    assert request.headers["Authorization"] == f"Bearer {OUR_KEY}"
    assert request.body == {
        "model": "gpt-4.1",
        "messages": [user("Mine.")],
        "temperature": 0.5,
        **({"stream": True, "stream_options": {"include_usage": True}} if stream else {}),
    }
    assert "theirs" not in f"{dict(request.headers)} {request.raw!r}"
    assert attacker.url not in f"{dict(request.headers)}"


@TRANSPORTS
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_gemini_call_stays_ours(
    real: Proxied, gemini: GeminiEmulator, attacker: Attacker, stream: bool
) -> None:
    """Gemini gets the client's history, and none of the hostile fields. The attacker gets nothing."""
    body = {**redirecting(attacker), **chat("Mine.", model="gemini", stream=stream)}
    reply = await real.post(body)

    assert reply.status == 200
    assert attacker.requests == []
    assert b"stolen" not in reply.raw
    [entry] = await gemini.journal()
    assert entry["body"]["contents"] == [{"role": "user", "parts": [{"text": "Mine."}]}]
    assert entry["body"].keys() <= {"contents", "generationConfig"}
    assert "theirs" not in json.dumps(entry)


WEATHER = {"type": "function", "function": {"name": "get_weather", "description": "It."}}
SERVER_TOOLS: dict[str, Any] = {"googleSearch": {}, "codeExecution": {}, "url_context": {}}


@TRANSPORTS
@pytest.mark.parametrize(
    "fields",
    [
        {"tools": [{**WEATHER, **SERVER_TOOLS}]},
        {"functions": [{"name": "get_weather", "description": "It.", **SERVER_TOOLS}]},
    ],
    ids=["tools", "functions"],
)
async def test_no_tool_of_the_providers_own(
    real: Proxied, gemini: GeminiEmulator, fields: dict[str, Any]
) -> None:
    """A function with the fields of Gemini's own tools arrives as a plain function."""
    reply = await real.post(chat(model="gemini", **fields))

    assert reply.status == 200
    [entry] = await gemini.journal()
    [sent] = entry["body"]["tools"]
    [(kind, declarations)] = sent.items()
    assert kind in ("function_declarations", "functionDeclarations")  # Gemini takes both spellings
    assert [declared["name"] for declared in declarations] == ["get_weather"]


@TRANSPORTS
async def test_history_makes_nobody_fetch(real: Proxied, gemini: GeminiEmulator, attacker: Attacker) -> None:
    """Fields of a history that make litellm fetch, cache or call tools do not reach Gemini."""
    fields = {
        "cache_control": {"type": "ephemeral"},
        "images": [{"image_url": {"url": f"{attacker.url}/x.png"}}],
        "provider_specific_fields": {"server_side_tool_invocations": [{"theirs": 1}]},
        "api_base": attacker.url,
        "theirs": True,
    }
    asked = call("c1", "get_weather", '{"a": 1}', provider_specific_fields={"theirs": 1})
    history = [
        user([text("Mine.", cache_control={"type": "ephemeral"})], **fields),
        assistant("Yes.", [asked], **fields),
        tool("c1", "sunny", **fields),
        user("And?"),
    ]
    reply = await real.post({"model": "gemini", "messages": history, "tools": [WEATHER]})

    assert reply.status == 200
    assert attacker.requests == []
    [entry] = await gemini.journal()
    assert entry["path"].endswith(":generateContent")
    assert "theirs" not in json.dumps(entry)
    assert "cache" not in json.dumps(entry)


@TRANSPORTS
@pytest.mark.parametrize("url", ["{}/x.png", "file:///etc/passwd", "gs://bucket/x.png"])
async def test_no_media_is_fetched_for_gemini(
    real: Proxied, gemini: GeminiEmulator, attacker: Attacker, url: str
) -> None:
    """A target that cannot fetch media, such as Gemini here, gets no address of an image.

    The client gets a 400, and nobody is asked for the media.
    """
    history = [user([text("Look."), image(url.format(attacker.url))])]
    reply = await real.post({"model": "gemini", "messages": history})

    assert (reply.status, reply.error["code"]) == (400, "illegal_history")
    assert reply.error["param"].startswith("messages[0].content[1]")
    assert attacker.requests == []
    assert await gemini.journal() == []


async def test_unknown_parameters_are_dropped_and_counted(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A parameter outside the allow-list is dropped and counted."""
    await proxy.post(chat(foo=1, guided_json={}, temperature=0.5))
    await proxy.post(chat(foo=None))

    assert [dict(sent.parameters) for sent in upstream.calls] == [{"temperature": 0.5}, {}]
    assert [dict(sent.extra_body) for sent in upstream.calls] == [{}, {}]
    assert await proxy.count("dropped_parameters_total", model=MODEL) == 2


async def test_parameters_that_a_provider_lacks_are_dropped_and_counted(settings: Any) -> None:
    """A known parameter that the provider does not accept is dropped and counted as well."""
    upstream = ScriptedUpstream(unsupported=["logit_bias"])
    async with proxied(settings, upstream) as proxy:
        await proxy.post(chat(logit_bias={"1": 1}, seed=1))
        assert await proxy.count("dropped_parameters_total", model=MODEL) == 1

    assert dict(upstream.calls[0].parameters) == {"seed": 1}


@TRANSPORTS
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_allowed_parameters_arrive(openai: OpenAIEmulator, transport: str, stream: bool) -> None:
    """A parameter that the deployment allows reaches the provider's body unchanged. Other parameters do not."""
    entry = {
        "model": "openai/gpt-4.1",
        "api_base": openai.base_url,
        "api_key": OUR_KEY,
        "allowed_openai_params": ["guided_json", "top_k"],
    }
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    settings = settings_on(transport, {"openai": entry})
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        body = chat(model="openai", stream=stream, guided_json=schema, top_k=5, min_p=0.1)
        reply = await proxy.post(body)

    assert reply.status == 200
    sent = openai.requests[0].body
    assert (sent["guided_json"], sent["top_k"]) == (schema, 5)
    assert "min_p" not in sent
