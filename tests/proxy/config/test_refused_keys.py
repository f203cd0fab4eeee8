"""Tests that LiteLLM's keys for guards (access, limits, safety) and for missing features are refused."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import load_settings
from proxy.config.ignored_keys import IGNORED
from proxy.config.refused_keys import GUARD_WORDS, GUARDS, MISSING, guard_words_in, is_nothing, refused_reason
from proxy.config.schema.settings import SECTIONS
from tests.proxy.config.samples import faults_in, file_with, path_in


def rows_of(table: Any) -> list[tuple[str, str, str]]:
    """Return the rows of *table*: the section, a key, and the reason."""
    return [
        (where, key.replace("*", "x"), reason)
        for where, rows in table.items()
        for key, reason in rows.items()
    ]


ROWS = [
    *((*row, "remove it only if nothing depends on it") for row in rows_of(GUARDS)),
    *((*row, "remove it, and what needs it") for row in rows_of(MISSING)),
]


GUARDED = {
    "": ("access_groups guardrails policies policy_attachments user_api_key_cache"),
    "model_list[]": ("access_groups blocked team_id"),
    "model_list[].litellm_params": (
        "access_groups team_id team_ids teams "
        "blocked guardrail* guardrailConfig guardrails moderation* safetySettings safety_settings tag_regex"
    ),
    "model_list[].model_info": (
        "access_group* access_control* access_windows allowed_* blocked blocked_* denied_* guardrail* team_id team_ids "
        "teams team_public_model_name *_blacklist *_whitelist"
    ),
    "router_settings": ("fallback_access_check fallback_budget_check guardrail_list tag_routing_prefix"),
    "litellm_settings": (
        "access_groups team_id validate_end_user_id_in_db "
        "*_in_guardrail *_moderation_* apply_guardrail* azure_content_safety_params banned_keywords_list "
        "block_requests_for_models_without_pricing blocked_user_list default_team_models "
        "google_moderation_confidence_threshold guardrail_name_config_map guardrails llamaguard_* "
        "llm_guard_mode openai_moderations_model_name output_parse_pii presidio_* prompt_injection_params "
        "provider_url_destination_allowed_hosts public_model_groups public_model_groups_links "
        "require_auth_for_metrics_endpoint require_managed_files scim_admin_group scim_upsert_user "
        "user_url_allowed_hosts vertex_ai_safety_settings"
    ),
    "general_settings": (
        "default_team_models disable_admin_endpoints disable_llm_api_endpoints team_id "
        "access_groups admin_allowed_routes admin_only_routes allowed_file_extensions allowed_ips "
        "allowed_routes auth_strategy block_robots blocked_file_extensions custom_auth "
        "custom_auth_run_common_checks custom_key_generate custom_key_policy custom_key_update custom_sso "
        "custom_team_metadata_validate enable_jwt_auth enable_oauth2_auth enable_oauth2_proxy_auth "
        "fail_closed_budget_enforcement fail_closed_rate_limit_enforcement enforce_rbac "
        "enforce_user_param enforced_* enforced_params "
        "litellm_jwtauth oauth2_config_mappings provider_url_destination_allowed_hosts public_routes "
        "reject_clientside_metadata_tags reject_metadata_tags require_* role_mappings role_permissions "
        "service_account_settings team_metadata_validation_* ui_access_restrictions user_auth_table "
        "user_url_allowed_hosts"
    ),
}
"""LiteLLM's keys that guard something.

A key may leave this list only once turnright has an equal guard.
"""


@pytest.mark.parametrize("where", GUARDED)
def test_no_guard_is_lost(where: str) -> None:
    """Each key in ``GUARDED`` is refused."""
    lost = [
        key for key in GUARDED[where].split() if not faults_in(file_with(where, key.replace("*", "x"), "x"))
    ]

    assert lost == []


@pytest.mark.parametrize(("where", "key", "reason", "instead"), ROWS)
@pytest.mark.parametrize("value", [True, "x", 1, ["x"], {"x": "y"}])
def test_each_row_is_refused_in_its_words(
    where: str, key: str, reason: str, instead: str, value: object
) -> None:
    """Each row is refused with its own reason, for any value."""
    assert faults_in(file_with(where, key, value)) == [(path_in(where, key), f"{reason}: {instead}")]


@pytest.mark.parametrize(("where", "key", "reason", "instead"), ROWS)
def test_each_row_that_is_set_to_nothing_is_ignored(where: str, key: str, reason: str, instead: str) -> None:
    """A refused key that is null is ignored with a warning."""
    [warning] = load_settings(file_with(where, key, None), {}).warnings

    assert warning == f"{where}.{key}: ignored; it is set to nothing".lstrip(".")
    assert reason not in warning
    assert instead not in warning


@pytest.mark.parametrize("where", [*GUARDS, *MISSING])
def test_keys_of_turnright_are_not_refused(where: str) -> None:
    """No key of turnright's own sections is refused."""
    section = SECTIONS.get(where)
    keys = () if section is None else section.model_fields

    assert [key for key in keys if refused_reason(where, key)] == []


@pytest.mark.parametrize(
    ("key", "value", "nothing"),
    [
        ("guardrails", None, True),
        ("guardrails", [], True),
        ("guardrails", {}, True),
        ("enable_jwt_auth", False, True),
        ("custom_auth", "", True),
        ("block_robots", 0, True),
        ("enable_public_routes", False, True),
        ("allowed_ips", None, True),
        ("allowed_ips", [], False),
        ("public_routes", [], False),
        ("allow_everybody", False, False),
        ("fallback_limit", 0, False),
        ("custom_auth", "x", False),
        ("enable_jwt_auth", True, False),
        ("enable_jwt_auth", "false", False),
    ],
)
def test_a_guard_may_be_set_to_nothing(key: str, value: object, nothing: bool) -> None:
    """A guard's key that is empty or false counts as not set, unless the key allows or limits something."""
    assert is_nothing(key, value) is nothing


@pytest.mark.parametrize("word", GUARD_WORDS)
@pytest.mark.parametrize(
    "where",
    [
        "model_list[]",
        *(where for where in IGNORED if where not in ("", "model_list[]", "model_list[].model_info")),
    ],
)
def test_an_unlisted_key_with_a_guard_word_is_refused(where: str, word: str) -> None:
    """An unlisted key whose name contains a guard's word is refused."""
    key = f"zz_{word}_zz"

    assert guard_words_in(key.upper().replace("_", "-")) >= {word}
    assert faults_in(file_with(where, key, True)) == [
        (
            path_in(where, key),
            "may guard something, and turnright does not know it: remove it only if nothing depends on it",
        )
    ]


@pytest.mark.parametrize(
    ("where", "key"),
    [
        ("general_settings", "maximum_allowed_ips"),
        ("general_settings", "ip_whitelist"),
        ("general_settings", "access-control"),
        ("general_settings", "JWT"),
        ("model_list[].litellm_params", "user_whitelist"),
        ("model_list[]", "access_control"),
    ],
)
def test_a_guard_by_its_name_is_refused_whatever_pattern_covers_it(where: str, key: str) -> None:
    """A key with a guard's word is refused, even where a pattern of ignored keys would cover it."""
    [(path, text)] = faults_in(file_with(where, key, ["x"]))

    assert (path, text[:10]) == (path_in(where, key), "may guard ")


@pytest.mark.parametrize(
    ("where", "key", "value", "below"),
    [
        ("litellm_settings", "security", {"allowed_ips": ["1.2.3.4"]}, ".allowed_ips"),
        ("litellm_settings", "zzz", {"team_id": "t"}, ".team_id"),
        ("general_settings", "zzz", [{"a": {"deny": ["Bash"]}}], "[0].a.deny"),
        ("model_list[]", "zzz", {"guardrails": ["x"]}, ".guardrails"),
        ("model_list[].litellm_params", "litellm_metadata", {"guardrails": ["x"]}, ".guardrails"),
        ("model_list[].litellm_params", "metadata", {"guardrails": ["x"]}, ".guardrails"),
        ("model_list[].model_info", "zzz", {"access_groups": ["x"]}, ".access_groups"),
        ("router_settings", "default_litellm_params", {"guardrails": ["x"]}, ".guardrails"),
    ],
)
def test_a_guard_within_an_unlisted_key_is_refused(where: str, key: str, value: Any, below: str) -> None:
    """A guard's key within a mapping that no table knows is refused with the path of that key."""
    assert [path for path, _ in faults_in(file_with(where, key, value))] == [path_in(where, key) + below]


def test_a_guard_within_an_unlisted_key_has_the_words_of_its_own_row() -> None:
    """A guard's key within an unlisted mapping is refused with the reason of LiteLLM's own section for the key."""
    [(_, text)] = faults_in(file_with("litellm_settings", "security", {"allowed_ips": ["1.2.3.4"]}))

    assert text.startswith(GUARDS["general_settings"]["allowed_ips"])


@pytest.mark.parametrize("value", [{"allowed_x": None}, {"team_id": ""}, [1, "allow", None], {1: {"a": 2}}])
def test_an_unlisted_mapping_without_a_guard_is_ignored(value: Any) -> None:
    """A mapping that no table knows is ignored where it holds no guard, or only empty ones."""
    [warning] = load_settings(file_with("general_settings", "zzz", value), {}).warnings

    assert warning == "general_settings.zzz: ignored; turnright does not know it"
