"""Tests of client keys and teams in the file."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import pytest

from proxy.config.schema.keys import FoundKey, digest_of
from tests.proxy.config.samples import faults_of, load, settings_of

DIGEST = hashlib.sha256(b"secret").hexdigest()


def _key(**fields: Any) -> dict[str, Any]:
    return {"keys": [{"name": "ci", "key": "tr-ci", **fields}]}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2027-01-31T00:00:00Z", datetime(2027, 1, 31, tzinfo=UTC)),
        ("2027-01-31T02:00:00+02:00", datetime(2027, 1, 31, tzinfo=UTC)),
        (datetime(2027, 1, 31, 0, 0, tzinfo=UTC), datetime(2027, 1, 31, tzinfo=UTC)),
        ("2027-01-31", datetime(2027, 1, 31, tzinfo=UTC)),
        (datetime(2027, 1, 31).date(), datetime(2027, 1, 31, tzinfo=UTC)),
    ],
)
def test_an_expiry_is_a_moment_in_utc(written: Any, expected: datetime) -> None:
    """An expiry may be YAML's own time or a text. A date is the beginning of its day."""
    [key] = settings_of(general_settings=_key(expires=written)).general_settings.keys

    assert key.expires == expected
    assert key.expires_at == expected.timestamp()


@pytest.mark.parametrize(
    "value",
    [
        "2027-01-31T00:00:00",
        datetime(2027, 1, 31),
        "tomorrow",
        "",
        "0001-01-01T00:00:00+14:00",
        1801353600,
        True,
        None,
        "2027-13-01",
        [],
    ],
)
def test_an_expiry_that_is_no_moment_is_refused(value: Any) -> None:
    """A time without its zone, and anything that is no time, is one fault."""
    ((path, _),) = faults_of(general_settings=_key(expires=value))

    assert path == "general_settings.keys[0].expires"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("models", []),
        ("models", "gemini"),
        ("models", None),
        ("rpm_limit", 0),
        ("rpm_limit", 1.5),
        ("rpm_limit", None),
        ("tpm_limit", -1),
        ("tpm_limit", True),
        ("max_parallel_requests", 0),
        ("max_budget", 0),
        ("max_budget", None),
        ("key", None),
        ("key", ""),
    ],
)
def test_a_limit_without_a_usable_value_is_refused(field: str, value: Any) -> None:
    """A limit that is written has a value. An empty one would open what it guards."""
    ((path, _),) = faults_of(general_settings=_key(**{field: value}))

    assert path == f"general_settings.keys[0].{field}"


@pytest.mark.parametrize("pattern", ["*claude", "a*b", "a**"])
def test_a_wildcard_stands_at_the_end_of_a_name(pattern: str) -> None:
    """A ``*`` elsewhere than at the end of a name is a fault."""
    faults = faults_of(general_settings=_key(models=["gemini", pattern]))

    assert faults[0] == (
        "general_settings.keys[0].models[1]",
        "a wildcard has one * at the end, as in claude-* or *",
    )


@pytest.mark.parametrize("period", ["30s", "90m", "24h", "7d", "30d", "1mo"])
def test_a_period_is_a_time_with_a_unit_or_a_month(period: str) -> None:
    """A period is 30 seconds to 30 days, or the calendar month."""
    [key] = settings_of(general_settings=_key(max_budget=1, budget_duration=period)).general_settings.keys

    assert key.budget_duration == period


@pytest.mark.parametrize(
    "period", ["29s", "0d", "31d", "721h", "2mo", "1w", "1M", "30", 30, "1.5h", "", None, "-1d"]
)
def test_a_period_of_another_length_is_refused(period: Any) -> None:
    """Any other period is one fault."""
    ((path, _),) = faults_of(general_settings=_key(max_budget=1, budget_duration=period))

    assert path == "general_settings.keys[0].budget_duration"


def test_all_faults_of_a_key_are_reported_together() -> None:
    """One load reports each fault of each key and team."""
    general = {
        "keys": [{"name": "a", "key": "1", "rpm_limit": 0, "expires": "soon", "models": []}],
        "teams": [{"name": "t", "tpm_limit": 0, "max_budget": -1}],
    }

    assert sorted(path for path, _ in faults_of(general_settings=general)) == [
        "general_settings.keys[0].expires",
        "general_settings.keys[0].models",
        "general_settings.keys[0].rpm_limit",
        "general_settings.teams[0].max_budget",
        "general_settings.teams[0].tpm_limit",
    ]


@pytest.mark.parametrize(
    "value", ["secret", DIGEST, f"sha256:{DIGEST[:-1]}", f"sha512:{DIGEST}", f"sha256:{DIGEST[:-1]}g", "", 5]
)
def test_a_hash_has_its_kind_and_64_digits(value: Any) -> None:
    """A hash is ``sha256:`` and 64 hexadecimal digits. A fault does not show the value."""
    ((path, text),) = faults_of(general_settings={"keys": [{"name": "ci", "key_hash": value}]})

    assert path == "general_settings.keys[0].key_hash"
    assert DIGEST[:20] not in text
    assert "secret" not in text


def test_a_key_and_its_hash_have_one_digest() -> None:
    """The digest is that of the key, or the hash in lower case. It may come from a variable."""
    keys = [{"name": "a", "key": "tr-a"}, {"name": "b", "key_hash": "os.environ/HASH"}]
    loaded = load(environ={"HASH": f"sha256:{DIGEST.upper()}"}, general_settings={"keys": keys})
    general = loaded.settings.general_settings

    assert [key.digest for key in general.keys] == [digest_of(b"tr-a"), DIGEST]
    assert general.find_key(DIGEST) == FoundKey("b")


def test_a_found_key_has_its_name_expiry_and_models() -> None:
    """A key is found with all that its requests are judged by. The master key has no limits."""
    general = settings_of(
        general_settings={
            "master_key": "tr-master",
            "teams": [{"name": "t", "models": ["gem*"]}],
            "keys": [{"name": "ci", "key": "tr-ci", "team": "t", "expires": "2027-01-31T00:00:00Z"}],
        }
    ).general_settings
    found = general.find_key(digest_of(b"tr-ci"))

    assert found is not None
    assert (found.name, found.expires) == ("ci", 1801353600.0)
    assert found.allowed is not None
    assert found.allowed.allows("gemini")
    assert general.find_key(digest_of(b"tr-master")) == FoundKey("")
    assert general.find_key("") is None


def test_the_indexes_of_a_changed_copy_are_its_own() -> None:
    """A copy with other keys does not know the keys of the original."""
    general = settings_of(general_settings=_key()).general_settings
    assert general.find_key(digest_of(b"tr-ci")) == FoundKey("ci")
    assert general.keys_by_name.keys() == {"ci"}
    copy = general.model_copy(update={"keys": ()})

    assert copy.find_key(digest_of(b"tr-ci")) is None
    assert not copy.keys_by_name
    assert not copy.asks_for_keys


@pytest.mark.parametrize(
    ("limit", "is_limited"),
    [
        ({}, False),
        ({"models": ["gemini"]}, False),
        ({"rpm_limit": 1}, True),
        ({"tpm_limit": 1}, True),
        ({"max_parallel_requests": 1}, True),
        ({"max_budget": 1}, True),
    ],
)
def test_a_list_of_models_is_no_limit_to_count(limit: dict[str, Any], is_limited: bool) -> None:
    """A key is limited by rates, parallel requests and spend. Its models cost nothing to count."""
    assert settings_of(general_settings=_key(**limit)).general_settings.keys[0].is_limited is is_limited
