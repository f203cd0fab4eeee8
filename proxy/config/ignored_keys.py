"""LiteLLM's keys that turnright ignores: a file that holds them loads, with one warning for each.

A key is listed only if its missing effect is harmless or plainly visible: bookkeeping, caches, alerts, prices. Keys
that guard something are in :mod:`proxy.config.refused_keys`. The names are those of the LiteLLM proxy, 1.105.3, and of
its documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

from proxy.config.refused_keys import guard_words_in

_SPEND = (
    "spend limits belong to keys and teams: max_budget in general_settings.keys and general_settings.teams"
)
_ACCOUNTS = "spend is in the metrics and in the store; there is no log of spend"
_OF_KEYS = (
    "limits belong to keys, teams and deployments; general_settings.max_in_flight bounds what is in flight"
)
_OF_DEPLOYMENTS = "the limits of a deployment are rpm and tpm"
_LOGGING = "turnright writes its own logs and metrics"
_CACHE = "answers are not cached"
_DATABASE = "there is no database; keys and models come from this file"
_ALERTS = "alerts belong to Prometheus; see deploy/prometheus"
_ROUTING = "deployments of one name are one pool"
_CHECKS = "the request is checked against the model's profile in any case"
_DROPPED = "parameters that a provider does not know are always dropped, and counted"
_RETRIES = "retries follow router_settings and one table of errors"
_SHARED_STATE = "state lives where store.url says"
_PRICES = "prices are read for tokens and for whole requests alone"
_TLS = "certificates are always verified, with the authorities of the system or of SSL_CERT_FILE"
_USERS = "there are no accounts; keys and teams are in general_settings.keys and general_settings.teams"
_UI = "there is no admin interface"
_NOT_SERVED = "turnright does not serve that API"

_Reasons = Mapping[str, Mapping[str, str]]

_BY_REASON: _Reasons = {
    "": {
        _LOGGING: "callback_settings",
        _NOT_SERVED: "finetune_settings files_settings assistant_settings",
    },
    "model_list[].litellm_params": {
        _OF_DEPLOYMENTS: "itpm otpm rpm_limit tpm_limit max_parallel_requests default_api_key_tpm_limit "
        "default_api_key_rpm_limit",
        _NOT_SERVED: "s3_* aws_batch_role_arn gcs_bucket_name bucket_name max_file_size_mb",
        _RETRIES: "max_retries num_retries cooldown_time timeout_by_* stream_timeout_by_*",
        "fallbacks stand in router_settings": "fallbacks context_window_fallbacks content_policy_fallbacks",
        _TLS: "ssl_verify ssl_certificate",
        "the server's own chat template is used": "roles initial_prompt_value final_prompt_value bos_token eos_token "
        "custom_prompt_dict",
        "a history keeps its own cache marks, and gets no others": "cache_control_injection_points",
        "it belongs beside litellm_params": "model_info",
        "the role's session gets no tags": "aws_session_tags",
        "reasoning stays apart from the answer's text": "merge_reasoning_content_in_choices",
        "router_settings.first_byte_timeout and idle_timeout bound a stream": "stream_timeout",
        _PRICES: "*_cost_per_* *_token_cost *_token_cost_* cost_per_second",
        _SPEND: "max_budget budget_duration",
        _DROPPED: "drop_params additional_drop_params",
        _ROUTING: "tags",
        "LiteLLM's own logs have it, and no provider gets it": "metadata litellm_metadata",
        "a field for the provider's body goes into extra_body": "reasoning_format reasoning_budget models speed typ_p "
        "search_options allowed_token_ids document_image_limit",
        "it belongs into model_info": "mode",
        "the SDK's usual credential chain decides": "aws_auth_type",
        _DATABASE: "use_in_pass_through",
        "a client's words choose no connection": "provider_affinity_header",
        "the model's profile and model_info say it": "supports_* context_window",
        "write max_tokens, which each provider gets in its own word": "max_new_tokens",
    },
    "model_list[].model_info": {
        _OF_DEPLOYMENTS: "rate_limit* rpm_limit tpm_limit",
        _SPEND: "max_budget budget_duration",
    },
    "router_settings": {
        "num_retries counts the further tries of a request": "max_retries",
        "no model has several deployments to choose from by tag": "enable_tag_filtering tag_filtering_match_any",
        _ROUTING: "routing_strategy routing_strategy_args routing_groups weights model_group_affinity_config "
        "default_priority polling_interval",
        _SHARED_STATE: "redis_host redis_port redis_password redis_url redis_db client_ttl",
        _CACHE: "cache_responses cache_kwargs caching_groups",
        _CHECKS: "enable_pre_call_checks optional_pre_call_checks",
        _RETRIES: "allowed_fails allowed_fails_policy retry_after retry_policy model_group_retry_policy "
        "disable_cooldowns max_fallbacks stream_timeout",
        _LOGGING: "set_verbose debug_level alerting_config",
        _OF_KEYS: "default_max_parallel_requests",
        _SPEND: "provider_budget_config",
    },
    "litellm_settings": {
        _DROPPED: "drop_params modify_params",
        _TLS: "ssl_verify ssl_certificate ssl_security_level ssl_ecdh_curve",
        "write azure_ad_token, or tenant_id with client_id and client_secret": "enable_azure_ad_token_refresh",
        "images come from public addresses only": "user_url_validation",
        _USERS: "key_alias_pattern enable_key_alias_format_validation enable_redis_auth_cache "
        "log_auth_failure_key_identity",
        _UI: "max_ui_session_budget public_agent_groups public_mcp_* public_skills_index",
        _LOGGING: "set_verbose json_logs callbacks success_callback failure_callback input_callback service_callback "
        "audit_log_callbacks telemetry turn_off_message_logging log_raw_request_response redact_user_api_key_info "
        "redact_messages_in_exceptions suppress_debug_info langfuse_default_tags store_audit_logs "
        "custom_prometheus_metadata_labels custom_prometheus_tags prometheus_* disable_streaming_logging "
        "add_user_information_to_llm_headers return_response_headers allow_dynamic_callback_disabling "
        "default_key_max_budget_alert_emails datadog_* langfuse_* s3_*callback_params",
        _CACHE: "cache cache_params default_in_memory_ttl default_redis_ttl enable_caching_on_provider_specific_"
        "optional_params",
        _RETRIES: "allowed_fails num_retries_per_request max_fallbacks",
        _OF_KEYS: "priority_reservation priority_reservation_settings",
        _SPEND: "max_budget budget_duration max_internal_user_budget internal_user_budget_duration max_user_budget "
        "max_end_user_budget default_internal_user_params default_team_settings default_team_params "
        "upperbound_key_generate_params default_key_generate_params key_generation_settings tag_budget_config "
        "disable_end_user_cost_tracking cost_discount_config cost_margin_config budget_reset_time budget_rollover "
        "budget_exceeded_* default_max_internal_user_budget default_soft_budget max_end_user_budget_id",
        _ROUTING: "model_group_settings enable_loadbalancing_on_batch_endpoints",
        _CHECKS: "enable_json_schema_validation enable_preview_features",
    },
    "general_settings": {
        _DATABASE: "database_url database_type database_args database_connection_pool_limit "
        "database_connection_timeout database_connect_timeout database_socket_timeout "
        "allow_requests_on_db_unavailable disable_prisma_schema_update store_model_in_db "
        "store_prompts_in_spend_logs use_redis_transaction_buffer proxy_batch_write_at "
        "proxy_batch_polling_interval proxy_budget_rescheduler_min_time proxy_budget_rescheduler_max_time",
        _ALERTS: "alerting alert_types alerting_threshold alerting_args alert_to_webhook_url",
        _SHARED_STATE: "coordination_redis",
        _ACCOUNTS: "disable_spend_logs disable_spend_updates disable_adding_master_key_hash_to_db "
        "disable_reset_budget maximum_* disable_budget_reservation",
        _OF_KEYS: "max_parallel_requests global_max_parallel_requests rpm_limit tpm_limit "
        "max_in_flight_requests_per_worker max_queued_requests_per_worker "
        "admission_queue_* "
        "token_rate_limit_type disable_retry_on_max_parallel_request_limit_error",
        "clients send the key as Authorization: Bearer": "litellm_key_header_name",
        "clients are told apart by the connection's address": "use_x_forwarded_for trusted_proxy_ranges",
        "images come from public addresses only": "user_url_validation",
        _NOT_SERVED: "mcp_* max_file_size_mb max_batch_file_size_mb track_unmanaged_batch_cost "
        "*_batch_input_file_rate_limiting* pass_through_request_timeout passthrough_*",
        "a fallback must be among the models of the key in any case": "enforce_fallback_model_access",
        "the id of a stored response is unknown to other keys in any case": "allow_unmanaged_response_ids "
        "disable_responses_id_security",
        _USERS: "allow_user_auth max_internal_user_budget "
        "internal_user_budget_duration default_internal_user_params key_generation_settings "
        "disable_master_key_hashing upperbound_key_generate_params max_failed_login_attempts_* failed_login_* "
        "password_policy_* apply_user_budget_to_team_keys use_team_public_model_name allow_cli_sso_* default_team_* "
        "disable_custom_api_keys disable_key_generate_* disable_password_login_* team_metadata_schema",
        "tools are passed on in any case": "pass_through_function_calls enable_function_calling",
        "headers of clients are not passed on": "forward_openai_org_id forward_client_headers_to_llm_api "
        "forward_llm_provider_auth_headers user_header_name user_header_mappings",
        _LOGGING: "otel disable_master_key_return disable_error_logs health_check_details",
        "readiness does not call providers": "background_health_checks "
        "health_check_interval use_background_health_checks",
        "the body's limit is max_body_mib": "max_request_size_mb max_response_size_mb",
        "models are named in model_list": "completion_model infer_model_from_keys",
        _UI: "enable_public_model_hub allow_public_health_readiness_details "
        "ui_access_mode ui_username ui_password docs_url redoc_url",
    },
}

IGNORED: Mapping[str, Mapping[str, str]] = {
    where: {key: reason for reason, keys in rows.items() for key in keys.split()}
    for where, rows in _BY_REASON.items()
}
"""The reason in the warning, by section (``[]`` for any position) and by key (or pattern with ``*``)."""


def ignored_reason(where: str, key: str) -> str | None:
    """Return the reason why *key* of the section *where* is ignored, or None where the table has no such key.

    A pattern does not match a key with a word of ``GUARD_WORDS`` that the pattern itself does not hold.
    """
    rows = IGNORED.get(where, {})
    if key in rows:
        return rows[key]
    words = guard_words_in(key)
    return next(
        (
            reason
            for name, reason in rows.items()
            if "*" in name and fnmatchcase(key, name) and words <= guard_words_in(name)
        ),
        None,
    )
