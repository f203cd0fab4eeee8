"""Tests of the output of ``check``. No output of any kind holds a secret."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from proxy.config import ConfigurationError, Fault, load_settings, render_faults, render_settings, resolve
from proxy.config.schema.store import Store
from proxy.core.combine_instructions import digest_of
from proxy.core.hidden_text import MASK
from tests.proxy.config.samples import entry, load, text_of

SECRET_PARAMS = (
    "api_key",
    "azure_ad_token",
    "azure_password",
    "client_secret",
    "aws_access_key_id",
    "aws_secret_access_key",
    "aws_session_token",
    "aws_web_identity_token",
    "vertex_credentials",
    "vertex_ai_credentials",
)
SECRETS = st.text("abcdefghijklmnopqrstuvwxyz0123456789-_.", min_size=12, max_size=40).map("sk-{}".format)


def with_secret(secret: str) -> dict[str, Any]:
    """Return an entry of ``model_list`` with *secret* in every field that takes a secret."""
    params: dict[str, Any] = dict.fromkeys(SECRET_PARAMS, secret)
    headers = {"Authorization": f"Bearer {secret}", "X-Key": secret}
    facts = {"upstream_api_key": secret, "owner": {"Password": secret, "client_secret": [secret]}}
    return {**entry(**params, extra_headers=headers), "model_info": facts}


def test_rendered_settings_load_again() -> None:
    """The output loads as a configuration with the same settings, except for the secrets."""
    first = load(
        entry(api_key=MASK, timeout=1.5, allowed_openai_params=["guided_json"]),
        entry("gemini/*", "gemini/*"),
        sanitize={"mode": "off"},
        general_settings={"admin": {"port": 1}, "master_key": MASK},
    )

    assert load_settings(render_settings(first).encode(), {}).settings == first.settings


def test_rendered_settings_show_defaults_and_mask_secrets() -> None:
    """The output has every effective value, a fixed mask for each secret, and no unset keys."""
    rendered = yaml.safe_load(render_settings(load(with_secret("sk-hidden"))))

    params = rendered["model_list"][0]["litellm_params"]
    assert params == {
        "model": "gemini/gemini-2.5-flash",
        **dict.fromkeys(SECRET_PARAMS, MASK),
        "allowed_openai_params": [],
        "extra_headers": {"Authorization": MASK, "X-Key": MASK},
        "headers": {},
        "extra_body": {},
    }
    assert rendered["router_settings"]["timeout"] == 600
    assert "master_key" not in rendered["general_settings"]


@given(secret=SECRETS)
def test_output_of_a_valid_file_holds_no_secret(secret: str) -> None:
    """No output of a valid file holds a secret, given plainly or as a variable."""
    for given_as, environ in ((secret, {}), ("os.environ/KEY", {"KEY": secret})):
        loaded = load_settings(
            text_of(with_secret(given_as), general_settings={"master_key": given_as}),
            {**environ, "TURNRIGHT_MASTER_KEY": secret},
        )
        outputs = (
            render_settings(loaded),
            str(loaded.settings),
            repr(loaded),
            str(loaded.warnings),
            repr(resolve(loaded.settings, "gemini")),
        )
        assert not any(secret in output for output in outputs)


_WRAPPED = st.sampled_from(
    [
        lambda secret: f"{secret} \n",
        lambda secret: [secret],
        lambda secret: {"a": secret},
        lambda secret: f"https://user:{secret}@host/{secret}?key={secret}",
        lambda secret: f"https://host/?key={secret}",
        lambda secret: f"redis://:{secret}@host:6379/0",
    ]
)
_PLACES = st.sampled_from(
    [*SECRET_PARAMS, "api_base", "model", "timeout", "extra_headers", "allowed_openai_params"]
)


@given(secret=SECRETS, wrap=_WRAPPED, place=_PLACES)
def test_faults_hold_no_secret(secret: str, wrap: Any, place: str) -> None:
    """A fault does not quote a secret that has the wrong shape or is under the wrong key."""
    text = text_of(
        {**entry(**{place: wrap(secret)}), "transport": secret}, store={"url": wrap(secret)}, turns=secret
    )
    with pytest.raises(ConfigurationError) as caught:
        load_settings(text, {})

    error = caught.value
    assert not any(secret in output for output in (str(error), repr(error), render_faults(error)))


@given(
    secret=SECRETS,
    before=st.sampled_from(["*", "!", "&", "'", '"', "%", "@", "`", "[", "{", "|", "!!int ", "a: "]),
)
def test_syntax_faults_hold_no_secret(secret: str, before: str) -> None:
    """A syntax error hides the secret, although PyYAML's own messages quote names and tags."""
    with pytest.raises(ConfigurationError) as caught:
        load_settings(f"general_settings:\n  master_key: {before}{secret}\n".encode(), {})

    assert secret not in f"{caught.value}{caught.value!r}{render_faults(caught.value)}"


def test_a_store_s_password_is_masked() -> None:
    """The address of a store shows its host, and neither credentials nor query."""
    settings = load().settings.model_copy(
        update={"store": Store.model_construct(url="redis://u:p@h:1/0?password=q")}
    )
    loaded = type(load())(settings)

    assert yaml.safe_load(render_settings(loaded))["store"]["url"] == f"redis://{MASK}@h:1/0?{MASK}"
    assert "p@h" not in f"{settings}{settings!r}"


def test_faults_are_rendered_a_line_each() -> None:
    """Each fault is one line, and a fault of the whole file has no path."""
    error = ConfigurationError([Fault("a.b", "is empty"), Fault("", "is not UTF-8")])

    assert render_faults(error) == "turnright: a.b: is empty\nturnright: is not UTF-8\n"


def test_faults_and_warnings_come_in_the_file_s_order() -> None:
    """Faults and warnings are sorted by line, and each names the file and its line. Those without a line come first."""
    error = ConfigurationError(
        [Fault("a.b", "is empty", 7), Fault("", "is not UTF-8")], [("c: ignored", 3), ("d: is set", None)]
    )

    assert render_faults(error, "x.yaml").splitlines() == [
        "x.yaml: is not UTF-8",
        "turnright: warning: d: is set",
        "turnright: warning: x.yaml:3: c: ignored",
        "x.yaml:7: a.b: is empty",
    ]


def test_free_facts_are_shown() -> None:
    """Free values of ``model_info`` are shown, except under names of secrets."""
    facts = {"mode": "chat", "note": ["x", {"api_key": "sk-hidden", "n": 1}]}
    rendered = yaml.safe_load(render_settings(load({**entry(), "model_info": facts})))

    assert rendered["model_list"][0]["model_info"] == {
        "mode": "chat",
        "note": ["x", {"api_key": MASK, "n": 1}],
    }


def test_a_key_s_limits_are_shown_and_its_hash_is_masked() -> None:
    """Amounts and moments are shown as the file has them. A hash tells whether a guessed key is right."""
    key = {
        "name": "ci",
        "key_hash": f"sha256:{'9f' * 32}",
        "models": ["gemini"],
        "max_budget": 25.5,
        "budget_duration": "1mo",
        "expires": "2027-01-31T00:00:00Z",
    }
    shown = render_settings(load(general_settings={"keys": [key]}))

    assert yaml.safe_load(shown)["general_settings"]["keys"] == [{**key, "key_hash": MASK}]
    assert "9f9f" not in shown


def test_instructions_are_shown_by_length_and_digest() -> None:
    """The operator's texts may be read by fewer people than the settings."""
    text = "Be kind to https://example.test."
    loaded = load(
        {**entry(), "instructions": text},
        general_settings={
            "instructions": text,
            "teams": [{"name": "t", "instructions": text}],
            "keys": [{"name": "k", "key": "sk-k", "instructions": text}],
        },
    )
    rendered = render_settings(loaded)
    shown = yaml.safe_load(rendered)

    assert "kind" not in rendered
    assert shown["general_settings"]["instructions"] == {"bytes": 32, "digest": digest_of(text)}
    assert shown["general_settings"]["instructions"] == shown["model_list"][0]["instructions"]
