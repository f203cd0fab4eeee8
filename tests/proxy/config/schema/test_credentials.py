"""Tests of addresses, keys and credentials in the model list and the other sections."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import SecretStr

from proxy.config import render_settings
from proxy.config.pools import resolve
from proxy.config.schema.credentials import ARGUMENTS, Credentials
from tests.proxy.config.samples import entry, faults_of, load, settings_of

ENVIRON = {"KEY": "sk-from-environment", "EMPTY": "", "BLANK": " "}
LIKE_REFERENCES = [
    "$KEY",
    "env/KEY",
    "env:KEY",
    "${KEY:-x}",
    "${KEY",
    "$(KEY)",
    "%KEY%",
    "{{ KEY }}",
    "process.env.KEY",
]


def plain(value: Any) -> Any:
    """Return the text of a secret, and any other value unchanged."""
    return value.get_secret_value() if isinstance(value, SecretStr) else value


def key_of(given: object) -> Any:
    """Return the resolved provider key of an entry whose ``api_key`` is *given*."""
    (found,) = resolve(load(entry("a", api_key=given), environ=ENVIRON).settings, "a")
    return plain(found.api_key)


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ("os.environ/KEY", "sk-from-environment"),
        ("${KEY}", "sk-from-environment"),
        ("sk-plain", "sk-plain"),
        ("", None),
        (" ", None),
        (None, None),
        ("os.environ/EMPTY", None),
        ("${EMPTY}", None),
        ("os.environ/BLANK", None),
    ],
)
def test_a_provider_s_key_is_resolved(given: object, key: str | None) -> None:
    """References to variables are resolved; an empty key means no key, as self-hosted servers need."""
    assert key_of(given) == key


@pytest.mark.parametrize("given", ["$KEY", "env/KEY", "${KEY:-x}"])
def test_other_forms_of_a_reference_are_the_key_itself(given: str) -> None:
    """A text in another form of a reference is taken as the provider's key itself."""
    assert key_of(given) == given


@pytest.mark.parametrize("given", ["os.environ/", "os.environ/two words", "sk\n", "sk sk"])
def test_a_key_that_no_header_takes_is_a_fault(given: str) -> None:
    """A broken reference, or a key with white space in it, is a fault whose text does not show the key."""
    [(path, text)] = faults_of(entry("a", api_key=given))

    assert path == "model_list[0].litellm_params.api_key"
    assert "sk" not in text


@pytest.mark.parametrize("section", ["master_key", "key"])
class TestGatewayKeys:
    """Tests of clients' keys: ``master_key`` and ``keys``."""

    def load(self, section: str, given: object) -> Any:
        """Return the key, or the faults."""
        general: dict[str, Any] = (
            {"master_key": given} if section == "master_key" else {"keys": [{"name": "a", "key": given}]}
        )
        if faults := faults_of(environ=ENVIRON, general_settings=general):
            return faults
        settings = load(environ=ENVIRON, general_settings=general).settings.general_settings
        return plain(settings.master_key if section == "master_key" else settings.keys[0].key)

    @pytest.mark.parametrize("given", ["os.environ/KEY", "${KEY}"])
    def test_a_reference_is_resolved(self, section: str, given: str) -> None:
        """A client's key that refers to a variable is resolved, never taken literally."""
        assert self.load(section, given) == "sk-from-environment"

    @pytest.mark.parametrize(
        "given",
        [
            *LIKE_REFERENCES,
            "",
            " ",
            None,
            "os.environ/ABSENT",
            "${ABSENT}",
            "os.environ/EMPTY",
            "${EMPTY}",
            "os.environ/BLANK",
            "os.environ/",
        ],
    )
    def test_what_is_no_key_is_a_fault(self, section: str, given: object) -> None:
        """Empty keys and unresolved references are faults, since anyone could guess such a key."""
        [(path, text)] = self.load(section, given)

        assert path in ("general_settings.master_key", "general_settings.keys[0].key")
        assert "sk-from-environment" not in text


@pytest.mark.parametrize(
    ("given", "good"),
    [
        ("memory://", True),
        ("os.environ/STORE", True),
        ("${STORE}", True),
        *((each, False) for each in LIKE_REFERENCES),
        ("", False),
        ("os.environ/ABSENT", False),
        ("${ABSENT}", False),
        ("os.environ/EMPTY", False),
    ],
)
def test_a_store_s_url_is_resolved_or_a_fault(given: str, good: bool) -> None:
    """A store's URL that refers to a variable is resolved, or is a fault."""
    environ = {**ENVIRON, "STORE": "memory://"}
    faults = faults_of(environ=environ, store={"url": given})

    assert [path for path, _ in faults] == ([] if good else ["store.url"])


@pytest.mark.parametrize("name", ARGUMENTS)
def test_each_credential_reaches_the_call(name: str) -> None:
    """Each credential of an entry is in the resolved deployment under its own name."""
    given = "https://h" if name in ("aws_sts_endpoint", "aws_bedrock_runtime_endpoint") else "x"
    (found,) = resolve(settings_of(entry("a", "bedrock/x", **{name: given})), "a")

    assert {key: plain(value) for key, value in found.credentials.items()} == {name: given}


def test_named_credentials_fill_in_what_the_entry_does_not_say() -> None:
    """A value that an entry lacks comes from its named credentials; the entry's own value wins."""
    credentials = [
        {
            "credential_name": "shared",
            "credential_values": {"api_key": "k1", "api_base": "http://h/v1", "aws_region_name": "eu"},
            "credential_info": {"description": "ours"},
        }
    ]
    (found,) = resolve(
        settings_of(
            entry("a", litellm_credential_name="shared", aws_region_name="us"), credential_list=credentials
        ),
        "a",
    )

    assert (plain(found.api_key), found.api_base) == ("k1", "http://h/v1")
    assert found.credentials == {"aws_region_name": "us"}


def test_an_unknown_credential_is_a_fault() -> None:
    """An unknown setting in named credentials is a fault that suggests the right name."""
    credentials = [{"credential_name": "c", "credential_values": {"api_kye": "k"}}]

    assert faults_of(credential_list=credentials) == [
        ("credential_list[0].credential_values.api_kye", "is not a key of turnright; did you mean api_key?")
    ]


def test_base_url_is_another_name_of_api_base() -> None:
    """``base_url`` sets the address, unless ``api_base`` is set too."""
    both = entry("a", api_base="http://one", base_url="http://two")

    assert resolve(settings_of(both), "a")[0].api_base == "http://one"
    assert resolve(settings_of(entry("a", base_url="http://two")), "a")[0].api_base == "http://two"
    assert "base_url" in Credentials.model_fields


def test_a_service_account_may_be_a_mapping() -> None:
    """``vertex_credentials`` may be a mapping, whose references are resolved. It reaches litellm as JSON text."""
    written = {"type": "service_account", "private_key": "os.environ/PRIVATE"}
    loaded = load(entry("a", "vertex_ai/m", vertex_credentials=written), environ={"PRIVATE": "hidden-key"})
    (found,) = resolve(loaded.settings, "a")
    held = found.credentials["vertex_credentials"]

    assert isinstance(held, SecretStr)
    assert json.loads(held.get_secret_value()) == {"type": "service_account", "private_key": "hidden-key"}
    assert "hidden-key" not in render_settings(loaded)


def test_several_organizations_are_refused_in_words() -> None:
    """A list of organizations, which LiteLLM makes a deployment each, is refused with what to write instead."""
    assert faults_of(entry("a", organization=["org-1", "org-2"])) == [
        (
            "model_list[0].litellm_params.organization",
            "must be one id: write an entry for each of several organizations, under the same model_name",
        )
    ]
