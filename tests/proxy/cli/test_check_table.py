"""Tests of the table of a configuration's effects on requests."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.cli.check_table import check_lines
from proxy.planning.preview import preview_of
from tests.proxy.config.samples import entry, settings_of


def lines(*entries: dict[str, Any], **sections: Any) -> list[str]:
    """Return the table of a configuration, as lines."""
    settings = settings_of(*entries, **sections)
    return list(check_lines(settings, preview_of(settings)))


def value_of(name: str, *entries: dict[str, Any], **sections: Any) -> str:
    """Return the value in the table's first row with the name *name*."""
    found = [line[16:] for line in lines(*entries, **sections) if line.startswith(f"    {name:<12}")]
    return found[0]


def test_entry_for_any_provider_goes_where_the_requested_model_is() -> None:
    """The entry ``*`` has no address, transport or key before a client names the model."""
    anything = entry("*", "*")

    assert value_of("transport", anything) == "by the requested model, to its provider's address"
    assert value_of("key", anything) == "the provider's own"
    assert value_of("transport", anything | {"transport": "litellm"}) == (
        "litellm (configured), to the requested model's provider"
    )


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (entry("m", "groq/x"), "direct (auto: groq is spoken directly), to api.groq.com"),
        (
            entry("m", "openai/gpt-5.3-codex"),
            "direct (auto: openai is spoken directly), to api.openai.com, by the Responses API",
        ),
        (
            entry("m", "openai/gpt-5.5"),
            "direct (auto: openai is spoken directly), to api.openai.com, by the Responses API where a chat has tools "
            "and the model reasons",
        ),
        (entry("m", "groq/x") | {"transport": "direct"}, "direct (configured), to api.groq.com"),
        (
            entry("m", "groq/x") | {"transport": "litellm"},
            "litellm (configured), to api.groq.com",
        ),
        (
            entry("m", "azure/x", api_base="https://res.test", api_key="k"),
            "litellm (auto: the direct transport needs litellm_params.api_version), to res.test",
        ),
        (
            entry("m", "perplexity/preset/pro-search"),
            "litellm (auto: the model is asked through the Responses API), to api.perplexity.ai",
        ),
        (
            entry("perplexity/*", "perplexity/*"),
            "direct (auto: perplexity is spoken directly), to api.perplexity.ai",
        ),
    ],
)
def test_reason_for_a_transport_is_shown(given: dict[str, Any], shown: str) -> None:
    """The reason names the setting that would change the transport, if there is one."""
    assert value_of("transport", given) == shown


def test_table_of_a_whole_file() -> None:
    """The table has the general settings first, then each model with its deployments."""
    shown = lines(
        entry("mine", "gemini/gemini-3.6-flash", api_key="sk-hidden", rpm=60, tpm=500_000),
        entry("mine", "openai/my-own", api_base="http://llm:8000/v1", timeout=30) | {"profile": "mistral"},
        entry("claude", "anthropic/claude-sonnet-4-5", api_key="sk-hidden", input_cost_per_token=3e-6),
        router_settings={
            "fallbacks": [{"mine": ["claude"]}],
            "context_window_fallbacks": [{"claude": ["mine"]}],
        },
        general_settings={"keys": [{"name": "team-a", "key": "sk-hidden"}], "master_key": "sk-hidden-too"},
        turns={"mode": "enforce", "max_rounds": 0},
    )

    assert "hidden" not in "\n".join(shown)
    assert shown == [
        "What happens to a request.",
        "",
        "    access      a key is required: the master key, team-a",
        "    browsers    no CORS headers are sent",
        "    sanitize    repair: histories are repaired, and every change is reported",
        "    attempts    at most 3 for one model, within 600 s; a failing deployment is skipped for 5 s",
        "    tool calls  checked against the request's tools in whole answers",
        "    restart     after SIGTERM new requests are served for 5 s, and those in flight have 30 s more",
        "",
        "mine",
        "    if it fails claude",
        "    turns       enforce: any number of rounds, 50 with delegation (10 that delegate), "
        "loops from 5 repeats, 10 calls in an answer",
        "",
        "  gemini/gemini-3.6-flash (1 of 2)",
        "    transport   direct (auto: gemini is spoken directly), to generativelanguage.googleapis.com",
        "    key         set",
        "    time        600 s for an attempt; 5 s to connect; 120 s of silence before a stream begins, 120 s after",
        "    limits      60 requests a minute and 500,000 tokens a minute; more go to other deployments",
        "    prices      from litellm's table",
        "    profile     gemini-3-strict, by the model's name and route",
        "    tool names  [A-Za-z_][A-Za-z0-9_.:-]*, 64 characters; others are renamed",
        "    media       images (heic, heif, jpeg, png, webp), application, audio, text, video; "
        "addresses are refused; in tool results: accepted",
        "    window      1,048,576 tokens, from litellm's table; answers of 65,536 at most",
        "    prompt      1,048,576 tokens (the answer has its own limit); 15 % are reserved for errors of the estimate",
        "    cuts        balanced: above 890,880 tokens down to 445,440; refused above 996,147",
        "",
        "  openai/my-own (2 of 2)",
        "    transport   direct (auto: openai is spoken directly), to llm:8000",
        "    key         not set",
        "    time        30 s for an attempt; 5 s to connect; 120 s of silence before a stream begins, 120 s after",
        "    prices      unknown: requests are counted, and charged to no key",
        "    profile     mistral, configured",
        "    tool names  [a-zA-Z0-9_-]+, 64 characters; others are renamed",
        "    media       images (gif, jpeg, png, webp); addresses are passed on; in tool results: moved behind them",
        "    window      unknown until the provider refuses a request for its length",
        "    cuts        balanced: nothing",
        "",
        "claude",
        "    if too long mine",
        "    turns       enforce: any number of rounds, 50 with delegation (10 that delegate), "
        "loops from 5 repeats, 10 calls in an answer",
        "",
        "  anthropic/claude-sonnet-4-5",
        "    transport   direct (auto: anthropic is spoken directly), to api.anthropic.com",
        "    key         set",
        "    time        600 s for an attempt; 5 s to connect; 120 s of silence before a stream begins, 120 s after",
        "    prices      from model_info",
        "    profile     anthropic, by the model's name and route",
        "    tool names  [a-zA-Z0-9_-]+, 64 characters; others are renamed",
        "    media       images (gif, jpeg, png, webp); addresses are passed on; in tool results: accepted",
        "    window      200,000 tokens, from litellm's table; answers of 64,000 at most",
        "    prompt      191,808 tokens (less 8,192 for the answer); 15 % are reserved for errors of the estimate",
        "    cuts        balanced: above 162,816 tokens down to 81,408; refused above 182,217",
    ]


@pytest.mark.parametrize(
    ("name", "sections", "shown"),
    [
        ("access", {}, "no key is required; only loopback can be served"),
        (
            "access",
            {"general_settings": {"allow_unauthenticated_access": True}},
            "no key is required, on any address",
        ),
        (
            "sanitize",
            {"sanitize": {"mode": "observe"}},
            "observe: histories are sent unchanged; the changes that repair would make are reported",
        ),
        ("tool calls", {"sanitize": {"mode": "observe"}}, "not checked"),
        ("tool calls", {"router_settings": {"self_correction": "off"}}, "not checked"),
        (
            "tool calls",
            {"router_settings": {"self_correction": "always"}},
            "checked against the request's tools in every answer",
        ),
        ("turns", {"turns": {"mode": "off"}}, "not counted"),
        (
            "turns",
            {"turns": {"max_repeats": 0, "max_delegation_rounds": 0, "max_rounds_multi_agent": 0}},
            "warn: 25 rounds, any number with delegation",
        ),
        (
            "compaction",
            {"compaction": {"enabled": True, "model": "gemini", "memory_tokens": 5_000}},
            "from 70 % of the prompt's limit; gemini summarizes all but the last 10 messages, to a memory of at most "
            "5,000 tokens",
        ),
        ("cuts", {"budget": {"preset": "off"}}, "off: nothing"),
        ("cuts", {"sanitize": {"mode": "off"}}, "balanced: nothing"),
        (
            "cuts",
            {"budget": {"preset": "codex", "last_turns": 4}},
            "codex: every tool result to 10,240 characters at once; all but the last 4 turns; "
            "above 890,880 tokens down to 445,440; refused above 996,147",
        ),
    ],
)
def test_each_setting_is_described(name: str, sections: dict[str, Any], shown: str) -> None:
    """Each setting is described by its effect on a request."""
    assert value_of(name, entry(model="gemini/gemini-3.6-flash"), **sections) == shown


@pytest.mark.parametrize(
    "sections",
    [
        {},
        {"compaction": {"enabled": True, "model": "m"}, "sanitize": {"mode": "observe"}},
        {"compaction": {"enabled": True, "model": "m", "per_model": [{"model": "m", "enabled": False}]}},
    ],
)
def test_model_without_compaction_has_no_line_for_it(sections: dict[str, Any]) -> None:
    """There is no line where compaction is off, and where the mode repairs nothing."""
    assert not any("compaction" in line for line in lines(entry("m"), **sections))


def test_wildcard_shows_no_value_that_depends_on_the_model() -> None:
    """A wildcard's table shows no window, and says that the rest depends on the requested model."""
    shown = lines(entry("openai/*", "openai/*"))

    assert shown[-1] == "    the rest    depends on the requested model"
    assert not any(line.startswith("    window") for line in shown)


def test_assumed_window_of_an_unknown_model_is_shown() -> None:
    """The window that a preset assumes for an unknown model is shown."""
    shown = value_of("window", entry(model="openai/my-own"), budget={"preset": "lango"})

    assert shown == "65,536 tokens, assumed, since it is unknown"


@pytest.mark.parametrize(
    ("general", "shown"),
    [
        ({}, "pages of no other site are served; Host must be an address, localhost, a container's host"),
        (
            {"allowed_hosts": ["nas"], "allowed_origins": ["https://app.example"]},
            "pages of https://app.example are served; Host must be an address, localhost, a container's host, nas",
        ),
        ({"master_key": "m"}, "no CORS headers are sent"),
        ({"master_key": "m", "allowed_origins": ["https://a"]}, "pages of https://a can read answers"),
        ({"allow_unauthenticated_access": True}, "no CORS headers are sent"),
    ],
)
def test_served_web_pages_are_listed(general: dict[str, Any], shown: str) -> None:
    """The table lists the web pages that are served and, without a key, the accepted host names."""
    assert value_of("browsers", entry(), general_settings=general) == shown


def test_names_chains_and_shares_are_shown() -> None:
    """The table shows aliases, fallbacks, orders and weights."""
    shown = lines(
        entry("a", order=1, weight=0.7),
        entry("b"),
        router_settings={
            "model_group_alias": {"x": "a", "y": {"model": "a", "hidden": True}},
            "default_fallbacks": ["b"],
            "content_policy_fallbacks": [{"a": ["b"]}],
        },
    )

    assert [
        line for line in shown if line.startswith(("    also", "    if ", "    order", "    weight"))
    ] == [
        "    also called x, y",
        "    if it fails b",
        "    if filtered b",
        "    order       1; a higher one is asked only where this one cannot answer",
        "    weight      0.7 in the shares of the requests",
    ]
