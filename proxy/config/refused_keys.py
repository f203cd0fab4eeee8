"""LiteLLM's keys that turnright refuses with a reason, and the rule for keys that are in no table.

A key that guards something must not be passed over in silence. A gateway that ignored such a key would let through what
the key is meant to stop. A key that asks for a feature that turnright has not is refused too, since calls would go
elsewhere or fail. A key that is set to nothing (``false``, ``null`` or empty) guards nothing and asks for nothing. A
list of what is allowed is an exception: an empty one allows nothing.

The names are those of the LiteLLM proxy, 1.105.3, and of its documentation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from proxy.config.faults import Location

_CONTENT = "checks what is said to a model; turnright has no such check"
_LOGIN = "decides who may call; turnright knows general_settings.master_key and general_settings.keys only"
_NETWORK = "limits who may reach the gateway; turnright has no such limit, a firewall or an ingress has"
_SCOPE = (
    "limits who may use a model; in turnright the models of keys and teams do: general_settings.keys[].models"
)
_UNPRICED = "refuses models without a price; write general_settings.on_unpriced: refuse"
_STORE_DOWN = "refuses requests while limits cannot be checked; write limits.on_store_down: refuse"
_TAGS = "chooses or refuses deployments by a request's tags; turnright does not read tags"
_BODY = "refuses requests by what they hold; turnright has no such rule"
_FILES = "limits files; turnright takes no files"
_PROMPTS = "puts a prompt from elsewhere into requests; turnright has instructions, written into this file or beside it"
_TOOLS = "runs tools for the model; turnright runs none"
_ROUTERS = "chooses a model by the request's content; turnright chooses by name"
_PATHS = "sends other paths on to a provider; turnright serves its own paths only"
_MOCK = "answers without a provider; use turnright emulate as the deployment's api_base"
_LOADING = "reads more configuration; put all of it into this file"
_METRICS = "asks for a key at /metrics, and turnright asks for none there; its port must not be reachable"
_POLICY = "makes decisions in code of yours; turnright loads no code"
_FILTERS = "sets the provider's own filters; give them in extra_body, under the provider's name for them"
ELSEWHERE = "sets it for every model; write it in each litellm_params"
WITHOUT = "remove it, and what needs it"
_CLIENTS = "lets clients choose where a call goes; turnright never does"
_OTHER_PROXY = "sends calls through another LiteLLM proxy; write its address as api_base"

_Reasons = Mapping[str, Mapping[str, str]]

_GUARDS: _Reasons = {
    "": {
        _CONTENT: "guardrails policies policy_attachments",
        _LOGIN: "access_groups user_api_key_cache",
    },
    "model_list[]": {_SCOPE: "access_groups team_id blocked"},
    "model_list[].litellm_params": {
        _CONTENT: "guardrails guardrail* guardrailConfig moderation*",
        _FILTERS: "safety_settings safetySettings",
        _TAGS: "tag_regex",
        _SCOPE: "blocked access_groups team_id team_ids teams",
    },
    "model_list[].model_info": {
        _CONTENT: "guardrail*",
        _SCOPE: "access_group* access_control* access_windows team_id team_ids teams team_public_model_name "
        "blocked blocked_* denied_* allowed_* *_whitelist *_blacklist",
    },
    "router_settings": {
        _CONTENT: "guardrail_list",
        _TAGS: "tag_routing_prefix",
        _SCOPE: "fallback_access_check",
        _POLICY: "fallback_budget_check",
    },
    "litellm_settings": {
        _CONTENT: "guardrails banned_keywords_list blocked_user_list llamaguard_* "
        "llm_guard_mode presidio_* openai_moderations_model_name google_moderation_confidence_threshold "
        "*_moderation_* apply_guardrail* azure_content_safety_params prompt_injection_params output_parse_pii "
        "guardrail_name_config_map *_in_guardrail",
        _FILTERS: "vertex_ai_safety_settings",
        _NETWORK: "user_url_allowed_hosts provider_url_destination_allowed_hosts",
        _METRICS: "require_auth_for_metrics_endpoint",
        _LOGIN: "scim_admin_group scim_upsert_user validate_end_user_id_in_db",
        _UNPRICED: "block_requests_for_models_without_pricing",
        _BODY: "require_managed_files",
        _SCOPE: "default_team_models public_model_groups public_model_groups_links access_groups team_id",
    },
    "general_settings": {
        _LOGIN: "custom_auth custom_auth_run_common_checks custom_sso enable_jwt_auth litellm_jwtauth "
        "enable_oauth2_auth enable_oauth2_proxy_auth oauth2_config_mappings custom_key_generate custom_key_update "
        "auth_strategy role_permissions role_mappings enforced_params enforce_user_param user_auth_table "
        "custom_team_metadata_validate team_metadata_validation_* require_* service_account_settings custom_key_policy "
        "enforce_rbac",
        _NETWORK: "allowed_ips user_url_allowed_hosts provider_url_destination_allowed_hosts "
        "disable_llm_api_endpoints disable_admin_endpoints",
        _SCOPE: "allowed_routes admin_only_routes admin_allowed_routes public_routes access_groups "
        "ui_access_restrictions team_id default_team_models",
        _STORE_DOWN: "fail_closed_rate_limit_enforcement fail_closed_budget_enforcement",
        _BODY: "reject_clientside_metadata_tags reject_metadata_tags enforced_* block_robots",
        _FILES: "allowed_file_extensions blocked_file_extensions",
    },
}

_MISSING: _Reasons = {
    "": {
        _PROMPTS: "prompts",
        _TOOLS: "search_tools sandbox_tools mcp_servers mcp_tools mcp_aliases mcp_semantic_tool_filter agents "
        "agent_list a2a_agents vector_store_registry",
        _PATHS: "pass_through_endpoints",
        _LOADING: "include worker_registry",
    },
    "model_list[].litellm_params": {
        _ROUTERS: "auto_router_* complexity_router_* adaptive_router_* quality_router_*",
        _MOCK: "mock_response mock_timeout mock_tool_calls mock_*",
        _PROMPTS: "prompt_id prompt_variables prompt_version",
        "chooses the provider's format; write provider/model instead": "custom_llm_provider",
        "signs in with OAuth; write api_key": "use_xai_oauth",
        _OTHER_PROXY: "use_litellm_proxy",
        _CLIENTS: "configurable_clientside_auth_params allow_client_*",
    },
    "model_list[].model_info": {_ROUTERS: "adaptive_router_*"},
    "router_settings": {
        _ROUTERS: "auto_router_* complexity_router_*",
        _TOOLS: "search_tools",
        _POLICY: "plugins",
    },
    "litellm_settings": {
        _PROMPTS: "global_prompt_* global_bitbucket_config global_gitlab_config",
        _TOOLS: "websearch_interception_params code_interpreter_interception_params mcp_* "
        "vector_store_registry",
        ELSEWHERE: "api_key api_base api_version headers organization vertex_project vertex_location *_api_key",
        _OTHER_PROXY: "use_litellm_proxy",
        _POLICY: "custom_provider_map post_call_rules pre_call_rules",
    },
    "general_settings": {
        _PATHS: "pass_through_endpoints",
        _TOOLS: "search_tools",
        _CLIENTS: "allow_client_side_credentials",
        _POLICY: "custom_ui_* plugins",
        "keeps keys in a vault; give them as os.environ/NAME": "key_management_system key_management_settings "
        "use_google_kms use_azure_key_vault use_aws_secret_manager",
    },
}


def _by_key(reasons: _Reasons) -> Mapping[str, Mapping[str, str]]:
    return {
        where: {key: reason for reason, keys in rows.items() for key in keys.split()}
        for where, rows in reasons.items()
    }


GUARDS = _by_key(_GUARDS)
"""The reasons to refuse keys that guard something, by section (``[]``: any position) and key or pattern."""

MISSING = _by_key(_MISSING)
"""The reasons for refusing keys of features that turnright has not, by section and key (or pattern)."""

GUARD_WORDS = (
    "auth",
    "allow",
    "block",
    "deny",
    "enforce",
    "restrict",
    "role",
    "guard",
    "require",
    "public",
    "budget",
    "limit",
    "permission",
    "whitelist",
    "blacklist",
    "access_control",
    "access_group",
    "forbid",
    "firewall",
    "jwt",
)
"""Parts of a key's name that hint at a guard.

An unlisted key with one of these parts is refused, unless it is set to nothing or stands in ``model_info``.
"""

_PERMITTING = ("allow", "public", "permission", "limit", "budget", "whitelist")
"""Parts of a key's name for which ``false``, 0 or an empty list is the strictest value."""

FREE = "model_list[].model_info"
"""The section whose unlisted keys are kept as facts about the model."""

_DEPENDS = "remove it only if nothing depends on it"
_MAY_GUARD = f"may guard something, and turnright does not know it: {_DEPENDS}"

_NOTHING: tuple[object, ...] = (False, "", 0)


def refused_reason(where: str, key: str) -> str | None:
    """Return the reason why *key* of the section *where* is refused, or None where neither table has the key."""
    for table, instead in (
        (GUARDS, _DEPENDS),
        (MISSING, WITHOUT),
    ):
        reason = find_row(table, where, key)
        if reason is not None:
            return f"{reason}: {instead}"
    return None


def find_row(table: Mapping[str, Mapping[str, str]], where: str, key: str) -> str | None:
    """Return the reason of *key* in the section *where* of *table*, by its name or by a matching pattern, or None."""
    rows = table.get(where, {})
    if key in rows:
        return rows[key]
    return next((row for name, row in rows.items() if "*" in name and fnmatchcase(key, name)), None)


def is_nothing(key: str, value: object) -> bool:
    """Return True where *value* switches the guard or the feature *key* off.

    ``false`` or an empty list under a name that allows something is a guard itself, since it allows nothing.
    """
    if value is None:
        return True
    if any(word in key.lower() for word in _PERMITTING) and not key.startswith(("enable", "disable")):
        return False
    return value in _NOTHING or (isinstance(value, dict | list) and not value)


def guard_words_in(key: str) -> frozenset[str]:
    """Return the words of :data:`GUARD_WORDS` that the name *key* holds. Case is ignored, and ``-`` equals ``_``."""
    spelled = key.lower().replace("-", "_")
    return frozenset(word for word in GUARD_WORDS if word in spelled)


def guard_reason(where: str, key: str) -> str | None:
    """Return the reason to refuse *key*, which is in no table, if its name hints at a guard, or None.

    In ``model_info`` any unlisted key is allowed, so there the result is None.
    """
    return _MAY_GUARD if where != FREE and guard_words_in(key) else None


def guards_below(where: str, value: object, place: tuple[str | int, ...]) -> Iterator[tuple[Location, str]]:
    """Yield the place of each possible guard within *value*, which belongs to an unlisted key, and its reason.

    A key that :data:`GUARDS` lists for any section counts, since the value may belong to any. Within ``model_info``
    only its own list counts. *place* is that of *value*.
    """
    if isinstance(value, list):
        for position, item in enumerate(value):
            yield from guards_below(where, item, (*place, position))
    elif isinstance(value, dict):
        for key, item in value.items():
            name = str(key)
            reason = _row_below(where, name) or guard_reason(where, name)
            if reason is None:
                yield from guards_below(where, item, (*place, name))
            elif not is_nothing(name, item):
                yield (*place, name), reason


def _row_below(where: str, key: str) -> str | None:
    for section in (where,) if where == FREE else (name for name in GUARDS if name != FREE):
        reason = find_row(GUARDS, section, key)
        if reason is not None:
            return f"{reason}: {_DEPENDS}"
    return None
