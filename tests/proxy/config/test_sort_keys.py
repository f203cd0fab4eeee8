"""Tests that keys of LiteLLM's sections are accepted, ignored or refused."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import load_settings
from proxy.config.sort_keys import sort_keys
from tests.proxy.config.samples import entry, faults_in, faults_of, file_with, load, path_in

LITELLM = [
    "model_list[]",
    "model_list[].litellm_params",
    "router_settings",
    "litellm_settings",
    "general_settings",
]


@pytest.mark.parametrize("where", LITELLM)
def test_an_unlisted_key_of_litellm_s_sections_is_ignored(where: str) -> None:
    """An unlisted key in a section of LiteLLM is ignored with a warning, as LiteLLM ignores unknown keys."""
    loaded = load_settings(file_with(where, "zzz", {"a": 1}), {})

    [warning] = loaded.warnings
    assert warning.startswith(f"{where}.zzz: ignored; turnright does not know it")
    assert ("extra_body" in warning) == (where == "model_list[].litellm_params")
    assert loaded.settings == load().settings


@pytest.mark.parametrize("where", ["sanitize", "budget", "turns", "store", "compaction"])
def test_an_unlisted_key_of_our_own_sections_is_a_fault(where: str) -> None:
    """An unknown key in turnright's own sections is a fault, since it must be a misspelling."""
    assert faults_in(file_with(where, "zzz", 1)) == [(f"{where}.zzz", "is not a key of turnright")]


def test_an_unlisted_key_at_the_top_is_a_fault() -> None:
    """An unknown key at the top is a fault, since a misspelled section would be ignored."""
    assert faults_of(turn={"mode": "off"}) == [("turn", "is not a key of turnright; did you mean turns?")]


@pytest.mark.parametrize("key", ["x-defaults", "_defaults", ".defaults"])
def test_a_place_for_anchors_is_ignored(key: str) -> None:
    """A top-level key such as ``x-defaults``, which holds YAML anchors, is ignored with a warning."""
    text = f"{key}: &all {{timeout: 7}}\nmodel_list: [{{model_name: a, litellm_params: {{<<: *all, model: gpt-4o}}}}]"
    loaded = load_settings(text.encode(), {})

    assert loaded.settings.model_list[0].litellm_params.timeout == 7
    assert loaded.warnings == (f"{key}: ignored; it is not a section",)


@pytest.mark.parametrize(
    ("where", "key", "meant"),
    [
        ("model_list[]", "model_nam", "model_name"),
        ("model_list[]", "litelm_params", "litellm_params"),
        ("model_list[]", "profil", "profile"),
        ("model_list[].litellm_params", "api_kye", "api_key"),
        ("model_list[].litellm_params", "api-base", "api_base"),
        ("model_list[].litellm_params", "temprature", "temperature"),
        ("model_list[].litellm_params", "aws_regin_name", "aws_region_name"),
        ("model_list[].model_info", "max_input_token", "max_input_tokens"),
        ("router_settings", "num_retires", "num_retries"),
        ("router_settings", "fallback", "fallbacks"),
        ("litellm_settings", "request_timeouts", "request_timeout"),
        ("litellm_settings", "contex_window_fallbacks", "context_window_fallbacks"),
        ("general_settings", "masterkey", "master_key"),
        ("general_settings", "master_keys", "master_key"),
        ("general_settings", "key", "keys"),
        ("general_settings", "allowed_host", "allowed_hosts"),
        ("general_settings", "max_inflight", "max_in_flight"),
    ],
)
def test_a_misspelled_key_of_ours_is_a_fault(where: str, key: str, meant: str) -> None:
    """A misspelled key of turnright is a fault even in a section of LiteLLM."""
    faults = faults_in(file_with(where, key, "x"))

    assert (path_in(where, key), f"is not a key of turnright; did you mean {meant}?") in faults


@pytest.mark.parametrize("value", [None, False, "", []])
def test_a_possible_guard_that_is_set_to_nothing_is_ignored(value: object) -> None:
    """An unknown key with a guard's word is ignored if it is empty or false."""
    assert load(general_settings={"enforce_zzz": value}).warnings == (
        "general_settings.enforce_zzz: ignored; turnright does not know it",
    )


@pytest.mark.parametrize("value", [False, 0, []])
def test_an_empty_allowance_is_a_possible_guard(value: object) -> None:
    """An unknown key with ``allow`` is refused even if it is empty or false, since ``allow_x: false`` forbids x."""
    [(path, text)] = faults_of(general_settings={"allow_zzz": value})

    assert path == "general_settings.allow_zzz"
    assert text.startswith("may guard something")


@pytest.mark.parametrize(
    "key",
    [
        *("mode", "supports_vision", "my_note", "author", "role", "token_limit", "context_limit"),
        *("requires_gpu", "public_name", "max_context_tokens", "input_tokens", "max_tokens", "authorized_by"),
    ],
)
def test_free_facts_of_a_model_are_kept_without_a_warning(key: str) -> None:
    """An unlisted key in ``model_info`` is kept and gives no warning, whatever its name hints at."""
    loaded = load({**entry(), "model_info": {key: "x"}})

    assert loaded.warnings == ()
    assert loaded.settings.model_list[0].model_info.model_extra == {key: "x"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(
            ("min_tokens", 1),
            ("top_a", 0.5),
            ("thinking_budget", 1),
            ("mode", "chat"),
            ("aws_auth_type", "iam"),
        ),
        *(("reasoning_format", "hidden"), ("reasoning_budget", 1), ("models", ["a"]), ("speed", "fast")),
        *(
            ("search_options", {"a": 1}),
            ("allowed_token_ids", [1]),
            ("document_image_limit", 2),
            ("typ_p", 1),
        ),
    ],
)
def test_a_real_parameter_of_a_provider_is_no_misspelling_and_no_guard(key: str, value: Any) -> None:
    """A provider's parameter is no fault, even if its name is like another key's or contains a guard's word."""
    assert faults_of(entry("a", "hosted_vllm/m", **{key: value})) == []


def test_parameters_for_every_entry_are_faults_where_they_would_count() -> None:
    """``default_litellm_params`` is refused where it sets a parameter that turnright knows, and otherwise ignored."""
    assert faults_of(router_settings={"default_litellm_params": {"temperature": 0, "tags": ["a"]}}) == [
        (
            "router_settings.default_litellm_params.temperature",
            "sets it for every model; write it in each litellm_params: remove it, and what needs it",
        )
    ]
    assert load(router_settings={"default_litellm_params": {"max_retries": 0, "timeout": None}}).warnings == (
        "router_settings.default_litellm_params: ignored; it sets nothing that turnright knows",
    )


@pytest.mark.parametrize("section", [None, 3, "x", [1], [None], {}])
@pytest.mark.parametrize("where", ["model_list", "router_settings", "litellm_settings", "general_settings"])
def test_a_section_of_any_shape_is_left_to_validation(where: str, section: Any) -> None:
    """A section of the wrong shape is left unchanged for validation."""
    assert sort_keys({where: section}).raw == {where: section}


def test_a_warning_is_one_line() -> None:
    """A warning is one line, even if the key has a line break."""
    [warning] = load(general_settings={"two\nlines": 1}).warnings

    assert warning == 'general_settings."two\\nlines": ignored; turnright does not know it'


def test_the_file_is_not_changed() -> None:
    """The caller's mapping is not changed."""
    raw: dict[object, object] = {"model_list": [entry(itpm=1)], "general_settings": {"alerting": ["slack"]}}
    sort_keys(raw)

    assert raw == {"model_list": [entry(itpm=1)], "general_settings": {"alerting": ["slack"]}}
