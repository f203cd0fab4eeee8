"""Request parameters that a client may never send to a provider's SDK, even where the operator allows them.

``allowed_openai_params`` passes a client's own parameters on. litellm reads its routing, its credentials and its
transport from the same arguments. With ``api_base`` a client could send the operator's key to its own address
(CVE-2024-6587). The names are litellm's (1.105.3: ``types.utils.all_litellm_params`` and the proxy's banned body
parameters), by purpose. ``model`` and ``messages`` are among them, since the request itself sets them.
"""

from __future__ import annotations

_DESTINATION = """
    api_base base_url api_version deployment_id engine custom_llm_provider model_list model_alias_map user_config
    region_name organization use_litellm_proxy base_model hf_model_name deployment_url use_psc_endpoint_format
    use_ssl use_chat_completions_api configurable_clientside_auth_params provider_affinity_header model messages
    nvcf_function_id contents systeminstruction system_instruction toolconfig tool_config
"""
_CREDENTIALS = """
    api_key tenant_id client_id client_secret gemini_api_key zen_api_key bucket_name mongodb_connection_string
    use_xai_oauth
"""
_TRANSPORT = """
    extra_headers headers default_headers provider_specific_header extra_body extra_query client shared_session
    ssl_verify timeout request_timeout stream_timeout force_timeout follow_redirects max_retries num_retries
    retry_policy retry_strategy fallbacks context_window_fallback_dict max_fallbacks cooldown_time keepalive_seconds
    rust
"""
_LOGGING = """
    metadata callbacks success_callback failure_callback input_callback logger_fn no_log verbose
    turn_off_message_logging proxy_server_request secret_fields wandb_api_key weave_project_id slack_webhook_url
    guardrails
"""
_OWN_BEHAVIOUR = """
    allowed_openai_params additional_drop_params drop_params model_info fake_stream acompletion atext_completion
    text_completion cache caching cache_key mcp_servers prompt_id prompt_variables custom_prompt_dict max_budget
    budget_duration
"""
_FAMILIES = """
    _ aws_ azure_ vertex_ watsonx_ oci_ gigachat_ anthropic_ databricks_ s3_ gcs_ valkey_ milvus_ sagemaker_
    predibase_ openai_identity_ openai_service_ litellm_ mock_ auto_router_ complexity_router_ quality_router_
    adaptive_router_ langfuse_ langsmith_ arize_ dd_ newrelic_ posthog_ braintrust_ humanloop_ lunary_ signoz_
"""
_NAMES = frozenset(f"{_DESTINATION}{_CREDENTIALS}{_TRANSPORT}{_LOGGING}{_OWN_BEHAVIOUR}".split())
_PREFIXES = tuple(_FAMILIES.split())


def is_reserved(name: str) -> bool:
    """Return True where *name* controls the SDK's call and not the model. Case is ignored, and ``-`` equals ``_``."""
    spelled = name.lower().replace("-", "_")
    return spelled in _NAMES or spelled.startswith(_PREFIXES)
