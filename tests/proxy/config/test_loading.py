"""Tests of loading: every key, all faults at once, and one type of exception for any input."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from proxy.config import ConfigurationError, load_settings, resolve
from proxy.config.schema.credentials import Credentials
from proxy.config.schema.general import Media
from proxy.config.schema.observability import Logs
from proxy.config.schema.section import Section
from proxy.config.schema.settings import SECTIONS
from proxy.planning.plan_target import profile_of
from tests.proxy.config.samples import entry, faults_in, faults_of, load
from tests.support.proxied import settings_of

SHARED = dict.fromkeys(Credentials.model_fields, "http://h")
"""A value for each credential; every credential accepts a URL."""

CONTRACT = b"""
model_list:
  - model_name: gemini
    litellm_params:
      model: gemini/gemini-3.6-flash
      api_key: os.environ/GEMINI_API_KEY
      api_base: http://127.0.0.1:9090/v1beta/
      stream: true
      order: 1
      weight: 2
      rpm: 100
      tpm: 200000
      max_tokens: 1024
      max_completion_tokens: 1025
      temperature: 0.5
      top_p: 0.75
      top_k: 40
      frequency_penalty: 0.25
      presence_penalty: 0.5
      seed: 7
      n: 1
      stop: [END]
      logit_bias: {"50256": -100}
      logprobs: true
      top_logprobs: 2
      user: us
      service_tier: flex
      verbosity: low
      reasoning_effort: high
      thinking: {type: enabled, budget_tokens: 4096}
      response_format: {type: json_object}
      tool_choice: auto
      parallel_tool_calls: false
      modalities: [text]
      prompt_cache_key: pk
      safety_identifier: si
      store: false
      dimensions: 256
      num_ctx: 8192
      keep_alive: 5m
      repeat_penalty: 1.1
      repetition_penalty: 1.2
      min_p: 0.05
      min_tokens: 8
      top_a: 0.1
      thinking_budget: 2048
      enable_thinking: true
      web_search_options: {search_context_size: low}
      extra_body: {provider: {order: [a]}}
      headers: {X-Old: green}
      timeout: 300
      allowed_openai_params: [guided_json]
    model_info: {max_input_tokens: 1048576, max_output_tokens: 65536, rpm: 101, tpm: 200001}
    rpm: 102
    tpm: 200002
    transport: auto
    profile: gemini-3-strict
    provider_state: true
    provider_objects: true
    count_tokens: provider
    instructions: Be brief.
  - model_name: azure
    litellm_params:
      model: azure/gpt
      api_key: k
      api_version: 2024-06-01
      organization: o
      litellm_credential_name: shared
      base_url: https://mine.openai.azure.com
      region_name: eu
      azure_ad_token: at
      azure_scope: sc
      azure_username: un
      azure_password: pw
      tenant_id: te
      client_id: ci
      client_secret: cs
      aws_access_key_id: i
      aws_secret_access_key: s
      aws_session_token: t
      aws_region_name: eu-central-1
      aws_profile_name: pr
      aws_role_name: ro
      aws_session_name: sn
      aws_external_id: ex
      aws_web_identity_token: wt
      aws_sts_endpoint: https://sts.example
      aws_bedrock_runtime_endpoint: https://bedrock.example
      watsonx_region_name: wr
      vertex_ai_project: p2
      vertex_ai_location: l2
      vertex_ai_credentials: '{}'
      vertex_project: p
      vertex_location: l
      vertex_credentials: '{"type": "service_account"}'
      extra_headers: {X-Team: blue}
credential_list:
  - credential_name: shared
    credential_values: {CREDENTIALS}
    credential_info: {description: ours}
router_settings:
  num_retries: 3
  fallbacks: []
  context_window_fallbacks: []
  default_fallbacks: [gemini]
  content_policy_fallbacks: []
  model_group_alias: {quick: {model: gemini, hidden: true}}
  cooldown_time: 6
  timeout: 601
  connect_timeout: 7
  first_byte_timeout: 121
  idle_timeout: 122
  self_correction: off
  learn: observe
general_settings:
  master_key: os.environ/TURNRIGHT_MASTER_KEY
  allow_unauthenticated_access: false
  allowed_hosts: [Box.example., my_box]
  allowed_origins: ["https://App.example:443", "http://localhost:3000"]
  admin: {host: 127.0.0.1, port: 0}
  max_body_mib: 33
  logs: {format: readable, level: warning}
  media: {fetch: true, max_mib: 21, timeout: 11}
  max_nesting: 101
  max_in_flight: 513
  max_in_flight_mib: 100
  drain_delay: 0
  drain_grace: 31.5
  tracing: {enabled: false, propagate: false}
  ui: false
  inspector: {requests: 50, bodies: true, mib: 4}
  gen_ai_metrics: true
  on_unpriced: refuse
  keys:
    - {name: team-a, key: os.environ/GEMINI_API_KEY, team: blue, instructions: {file: team-a.md},
       models: [gemini, "az*"], rpm_limit: 60, tpm_limit: 200000, max_parallel_requests: 8,
       max_budget: 25.000000001, budget_duration: 1mo,
       expires: 2027-01-31T01:00:00+01:00}
    - {name: hashed, key_hash: "sha256:9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08"}
  teams: [{name: blue, instructions: Be kind., models: [gemini], rpm_limit: 61, tpm_limit: 200001,
           max_parallel_requests: 9, max_budget: "200", budget_duration: 7d}]
  instructions: os.environ/POLICY
  instructions_overflow: truncate
sanitize:   {mode: off, on_violation: send, merge_same_role: true}
budget:     {preset: off, margin: 0.2, reserve: 2048, high: 0.9, low: 0.4, hard: 0.97, cap: 5000, last_turns: 20,
             unknown_window: 16384, exclude_tools: [read_skill], notice: false, on_no_room: refuse}
turns:      {mode: off, max_rounds: 26, max_rounds_multi_agent: 0, warn_at: 1, max_delegation_rounds: 11,
             max_calls_per_turn: 12, max_repeats: 6, hint_after_errors: 3, tell_model: true,
             delegation_tools: [ask_*], final_tools: [done],
             per_model: [{model: gemini, mode: enforce, max_rounds: 1, max_rounds_multi_agent: 2,
                          max_delegation_rounds: 3, max_calls_per_turn: 4, max_repeats: 2}],
             per_key: [{key: team-a, mode: warn, max_rounds: 5, max_rounds_multi_agent: 6, max_delegation_rounds: 7,
                        max_calls_per_turn: 8, max_repeats: 0}]}
compaction: {enabled: true, model: gemini, trigger: 0.6, keep_messages: 4, memory_tokens: 5000, reflect_after: 6,
             max_share: 0.2,
             per_model: [{model: gemini, enabled: false, summary_model: gemini, trigger: 0.5, keep_messages: 2,
                          memory_tokens: 1000, reflect_after: 3, max_share: 0.3}],
             per_key: [{key: team-a, enabled: true, summary_model: gemini, trigger: 1, keep_messages: 3,
                        memory_tokens: 16000, reflect_after: 20, max_share: 1}]}
limits:     {on_store_down: open, burst: 0.5}
sessions:   {enabled: true, turns: 20, retention: 12h, max_mib: 128, max_mib_per_key: 32}
store:      {url: "sqlite:///state.db", memory_mib: 33, max_mib: 512, prefix: "blue:1", secret: os.environ/STORE_SECRET}
""".replace(b"{CREDENTIALS}", yaml.safe_dump(SHARED, default_flow_style=True, width=10_000).strip().encode())
ENVIRON = {
    "GEMINI_API_KEY": "gk",
    "TURNRIGHT_MASTER_KEY": "mk",
    "STORE_SECRET": "0123456789abcdef",
    "POLICY": "Be good.",
}


SECRETS = {"master_key", "keys", "secret", "teams", "instructions"}
NORMALIZED: dict[str, dict[str, Any]] = {
    "router_settings": {"self_correction": "off"},
    "general_settings": {
        "allowed_hosts": ["box.example", "my_box"],
        "allowed_origins": ["https://app.example", "http://localhost:3000"],
    },
    "sanitize": {"mode": "off"},
    "budget": {"preset": "off"},
    "turns": {"mode": "off"},
    "compaction": {},
    "limits": {},
    "sessions": {"retention": 43_200.0},
    "store": {},
}
"""Values that loading changes, by section. YAML reads ``off`` as false."""


def test_every_value_of_the_contract_arrives() -> None:
    """``CONTRACT``, a file with every key, loads, and the settings have its values."""
    settings = load_settings(CONTRACT, ENVIRON, read_file=lambda *_: b"Be exact.").settings

    gemini, azure = settings.model_list
    assert gemini.model_name == "gemini"
    assert gemini.litellm_params.model == "gemini/gemini-3.6-flash"
    assert gemini.litellm_params.api_key is not None
    assert gemini.litellm_params.api_key.get_secret_value() == "gk"
    assert gemini.litellm_params.api_base == "http://127.0.0.1:9090/v1beta"
    assert gemini.litellm_params.timeout == 300
    assert gemini.litellm_params.allowed_openai_params == ("guided_json",)
    assert gemini.model_info.model_dump() == {
        "max_input_tokens": 1048576,
        "max_output_tokens": 65536,
        "rpm": 101,
        "tpm": 200001,
    }
    [deployment] = resolve(settings, "gemini")
    assert (deployment.rpm, deployment.tpm) == (100, 200000)
    assert gemini.transport == "auto"
    assert azure.litellm_params.api_version == "2024-06-01"
    assert azure.litellm_params.extra_headers["X-Team"].get_secret_value() == "blue"
    assert settings.general_settings.master_key is not None
    assert settings.general_settings.master_key.get_secret_value() == "mk"
    key, hashed = settings.general_settings.keys
    [team] = settings.general_settings.teams
    assert key.key is not None
    assert (key.name, key.key.get_secret_value(), key.team) == ("team-a", "gk", "blue")
    assert (key.rpm_limit, key.tpm_limit, key.max_parallel_requests) == (60, 200000, 8)
    assert (key.budget_nano, key.budget_duration) == (25_000_000_001, "1mo")
    assert (team.budget_nano, team.budget_duration) == (200 * 10**9, "7d")
    assert (key.models, team.models) == (("gemini", "az*"), ("gemini",))
    assert key.expires_at == datetime(2027, 1, 31, tzinfo=UTC).timestamp()
    assert hashed.digest == hashlib.sha256(b"test").hexdigest()
    texts = (settings.general_settings, gemini, settings.general_settings.teams[0], key)
    assert [each.instructions.text for each in texts if each.instructions] == [
        "Be good.",
        "Be brief.",
        "Be kind.",
        "Be exact.",
    ]
    written = yaml.safe_load(CONTRACT)
    for section, differing in NORMALIZED.items():
        arrived = getattr(settings, section).model_dump(mode="json", exclude=SECRETS)
        expected = {**written[section], **differing}
        assert arrived == {key: value for key, value in expected.items() if key not in SECRETS}, section


def test_the_contract_sets_every_key() -> None:
    """The example ``CONTRACT`` sets every key, so that a new key must be tested too."""
    seen: defaultdict[str, set[str]] = defaultdict(set)

    def visit(value: Any) -> None:
        if isinstance(value, Section):
            seen[value.where] |= value.model_fields_set
            value = tuple(getattr(value, name) for name in type(value).model_fields)
        inner_values = value.values() if isinstance(value, Mapping) else value
        for inner in inner_values if isinstance(value, tuple | Mapping) else ():
            visit(inner)

    visit(load_settings(CONTRACT, ENVIRON, read_file=lambda *_: b"Be exact.").settings)

    assert seen == {where: set(section.model_fields) for where, section in SECTIONS.items()}


def test_model_list_alone_gets_the_defaults() -> None:
    """A file with only a model list gets the default values of the other sections."""
    loaded = load()

    assert loaded.warnings == ()
    assert loaded.settings.sanitize.mode == "repair"
    assert loaded.settings.sanitize.on_violation == "refuse"
    assert loaded.settings.budget.preset == "balanced"
    assert loaded.settings.turns.mode == "warn"
    assert loaded.settings.router_settings.timeout == 600
    assert loaded.settings.router_settings.self_correction == "whole"
    assert loaded.settings.general_settings.admin is None
    assert loaded.settings.general_settings.logs == Logs(format="auto", level="info")
    assert loaded.settings.general_settings.media == Media(fetch=False, max_mib=20, timeout=10)
    assert loaded.settings.store.model_dump() == {
        "url": "memory://",
        "memory_mib": 32,
        "max_mib": 1024,
        "prefix": "tr",
        "secret": None,
    }


def test_all_faults_come_at_once() -> None:
    """One run reports the faults of YAML, fields, names and cross checks."""
    text = b"""
model_list:
  - model_name: a
    litellm_params: {model: gemini/*, api_key: "k\\n", timeout: 0, modle: x}
  - model_name: b
    litellm_params: {model: b, api_key: os.environ/ABSENT}
sanitize: {mode: repiar, mode: repair}
general_settings: {master_key: mk, keys: [{name: team-a, key: k1}, {name: team-a, key: mk}]}
turns: {mode: on, max_rounds: -1, max_repeats: 1, per_model: [{model: c}, {model: b, max_rounds: x}, {model: b}],
        per_key: [{key: team-b}]}
litellm_settings: {num_retries: -1, allow_parms: true}
extra: 1
"""
    assert dict(faults_in(text, strict=True)) == {
        "sanitize.mode": "is given twice (lines 7 and 7)",
        "litellm_settings.allow_parms": "may guard something, and turnright does not know it: remove it only if "
        "nothing depends on it",
        "model_list[0].litellm_params.api_key": "holds white space or a character that no key has; a key read from a "
        "file often ends in a newline",
        "model_list[0].litellm_params.timeout": "must be above 0",
        "model_list[0].litellm_params.modle": "is not a key of turnright; did you mean model?",
        "model_list[1].litellm_params.model": "must be provider/model, as in gemini/gemini-2.5-flash: litellm's table "
        "has no such model",
        "model_list[1].litellm_params.api_key": "the environment variable ABSENT is not set",
        "litellm_settings.num_retries": "must be at least 0",
        "general_settings.keys[1].name": "is the name of another key",
        "general_settings.keys[1].key": "is the same as another key",
        "turns.mode": "must be warn, enforce or off",
        "turns.max_repeats": "must be 0, or at least 2: a call that was made once repeats nothing",
        "turns.per_model[0].model": "names no model of model_list",
        "turns.per_model[1].max_rounds": "must be a whole number",
        "turns.per_model[2].model": "is there twice",
        "turns.per_key[0].key": "names no key of general_settings.keys",
        "turns.max_rounds": "must be at least 0",
        "extra": "is not a key of turnright",
        "model_list[0].litellm_params.model": "has a *, and its model_name has none to fill it in with",
    }


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param(b"", ("model_list", "is missing"), id="empty"),
        pytest.param(b"- a", ("", "must be a mapping of sections at the top"), id="list"),
        pytest.param(b"words", ("", "must be a mapping of sections at the top"), id="text"),
        pytest.param(b"model_list: []", ("model_list", "must have at least one entry"), id="no model"),
        pytest.param(b"model_list: 3", ("model_list", "must be a list"), id="no list"),
        pytest.param(
            b"model_list: [3]", ("model_list[0]", "must be a mapping of keys to values"), id="no entry"
        ),
        pytest.param(
            b"model_list: [{model_name: a, litellm_params: }]",
            ("model_list[0].litellm_params", "must be a mapping of keys to values"),
            id="no params",
        ),
    ],
)
def test_a_file_of_the_wrong_shape_is_one_fault(text: bytes, fault: tuple[str, str]) -> None:
    """A file of the wrong shape gives one clear fault."""
    assert faults_in(text) == [fault]


def test_an_empty_section_is_a_section_without_keys() -> None:
    """A section with nothing below it, which YAML reads as null, has its defaults."""
    sections = ("router_settings", "general_settings", "sanitize", "budget", "turns", "compaction", "store")

    assert load(**dict.fromkeys(sections)).settings == load().settings


def test_error_has_no_cause_that_quotes_the_file() -> None:
    """The error has no cause or context, since errors of pydantic and PyYAML quote the file."""
    for text in (b"model_list: [", b"model_list: [{model_name: 3}]"):
        with pytest.raises(ConfigurationError) as caught:
            load_settings(text, {})
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None


_KEYS = st.one_of(
    st.sampled_from(sorted({key for section in SECTIONS.values() for key in section.model_fields})),
    st.sampled_from(["litellm_settings", "rpm", "drop_params", "request_timeout", "os.environ/X"]),
    st.text(max_size=8),
    st.integers(),
    st.booleans(),
    st.none(),
)
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, -1, 0]),
    st.floats(),
    st.text(max_size=12),
    st.dates(),
    st.binary(max_size=4),
    st.sampled_from(
        ["gemini/*", "*", "off", "os.environ/", "os.environ/X", "http://[", "http://h:99999", "redis://"]
    ),
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)
_SECTIONS = st.dictionaries(st.sampled_from([*SECTIONS[""].model_fields, "litellm_settings"]), _VALUES)
_ENTRIES = st.lists(
    st.fixed_dictionaries({}, optional=dict.fromkeys(SECTIONS["model_list[]"].model_fields, _VALUES)),
    max_size=2,
)


@pytest.mark.long
@given(
    raw=st.one_of(
        _VALUES, _SECTIONS, st.fixed_dictionaries({"model_list": _ENTRIES}, optional={"turns": _VALUES})
    )
)
def test_any_value_loads_or_is_a_configuration_error(raw: Any) -> None:
    """Any YAML value loads, or raises ConfigurationError with one-line faults."""
    text = yaml.safe_dump(raw, allow_unicode=True).encode("utf-8", "surrogatepass")

    for path, fault in faults_in(text, {"X": ""}):
        assert fault
        assert f"{path}{fault}".isprintable()


@given(
    text=st.binary(max_size=60)
    | st.text(alphabet="{}[]:-&*!|>'\"#%@`,? \nab<=1.0", max_size=60).map(str.encode)
)
def test_any_bytes_load_or_are_a_configuration_error(text: bytes) -> None:
    """Random bytes raise ConfigurationError and nothing else."""
    assert faults_in(text)


@given(
    environ=st.dictionaries(
        st.sampled_from(["GEMINI_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"]), st.text()
    )
)
def test_any_environment_loads_or_is_a_configuration_error(environ: dict[str, str]) -> None:
    """Any environment loads, or raises ConfigurationError and nothing else."""
    faults_in(None, environ)


def test_deployment_may_name_its_profile() -> None:
    """A deployment may name its profile, for a server behind ``openai/`` with other rules.

    An unknown profile is a fault.
    """
    entry = {"model_name": "m", "litellm_params": {"model": "openai/ours"}, "profile": "chat-template"}
    [deployment] = resolve(settings_of(model_list=[entry]), "m")
    assert profile_of(deployment, settings_of().sanitize).name == "chat-template"

    with pytest.raises(ConfigurationError) as refused:
        settings_of(model_list=[{**entry, "profile": "chatty"}])
    assert "must be one of openai, gemini-1" in str(refused.value)


def test_an_empty_section_of_litellm_is_no_fault() -> None:
    """An empty section of LiteLLM, null or an empty mapping, is no fault."""
    empty: tuple[Any, ...] = (None, {})
    for section in ("litellm_settings", "general_settings", "router_settings"):
        for nothing in empty:
            assert load(**{section: nothing}).settings == load().settings


def test_each_fault_and_warning_has_its_line() -> None:
    """A fault or warning has its key's line, or the line of the nearest parent for a missing key."""
    text = b"""
model_list:
  - model_name: a
    litellm_params: {model: gemini/a, api_key: os.environ/ABSENT}
  - litellm_params:
      model: gemini/b
      timeout: 0
      itpm: 5
general_settings:
  master_key: k
  allowed_ips: [10.0.0.1]
litellm_settings:
  request_timeout: x
"""
    with pytest.raises(ConfigurationError) as caught:
        load_settings(text, {})

    assert [(fault.line, fault.path) for fault in caught.value.faults] == [
        (11, "general_settings.allowed_ips"),
        (5, "model_list[1].model_name"),
        (7, "model_list[1].litellm_params.timeout"),
        (13, "litellm_settings.request_timeout"),
    ]
    assert [(line, warning.partition(":")[0]) for warning, line in caught.value.warnings] == [
        (8, "model_list[].litellm_params.itpm"),
        (3, "model_list[0]"),
    ]


def test_a_place_is_the_file_s_where_an_entry_before_it_is_left_out() -> None:
    """The paths of faults and warnings count all entries of the file, including an entry that is left out."""
    left_out = entry("a", api_key="os.environ/ABSENT")
    faults = faults_of(left_out, entry("b", "gemini/*"))
    loaded = load(left_out, entry("b", timeout=9), router_settings={"timeout": 5})

    assert [path for path, _ in faults] == ["model_list[1].litellm_params.model"]
    assert loaded.warnings[-1].startswith("model_list[1].litellm_params.timeout: is above")
