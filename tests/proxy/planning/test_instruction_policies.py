"""Tests of the instructions for a deployment and a key."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import Settings
from proxy.core.deployment import Deployment
from proxy.core.instructions import MAX_BYTES
from proxy.planning.instruction_policies import InstructionPolicies
from tests.proxy.config.samples import entry, settings_of

GENERAL: dict[str, Any] = {
    "instructions": "gateway",
    "teams": [{"name": "t", "instructions": "team"}, {"name": "none"}],
    "keys": [
        {"name": "own", "key": "sk-own", "team": "t", "instructions": "key"},
        {"name": "a", "key": "sk-a", "team": "t"},
        {"name": "b", "key": "sk-b", "team": "t"},
        {"name": "plain", "key": "sk-plain"},
        {"name": "teamless", "key": "sk-teamless", "team": "none"},
    ],
}
ENTRIES = (
    entry("m"),
    {**entry("m", "gemini/gemini-2.5-pro"), "instructions": "model"},
    entry("w/*", "gemini/*"),
)


def settings(**general: Any) -> Settings:
    """Return settings with ``ENTRIES``, and ``GENERAL`` with changes."""
    return settings_of(*ENTRIES, general_settings={**GENERAL, **general})


def members(configured: Settings) -> tuple[Deployment, ...]:
    """Return the two deployments of ``m``, the second with a text."""
    first, second = configured.routes.exact["m"]
    return first, second


@pytest.mark.parametrize(
    ("key", "special", "level"),
    [
        ("", None, None),
        ("plain", None, None),
        ("teamless", None, None),
        ("own", "key", "key"),
        ("a", "team", "team"),
    ],
)
def test_levels_come_from_general_to_special(key: str, special: str | None, level: str | None) -> None:
    """The gateway's text comes first, then the entry's, then the key's. A team's text holds for keys without one."""
    configured = settings()
    policies = InstructionPolicies(configured)
    for deployment, texts in zip(members(configured), (["gateway"], ["gateway", "model"]), strict=True):
        found = policies.find(deployment, key)

        assert found is not None
        assert found.text == "\n\n".join([*texts, *([special] if special else [])])
        assert [part.level for part in found.parts] == [*texts, *([level] if level else [])]


def test_the_same_combination_is_the_same_object() -> None:
    """A text is joined once, also for keys that share a team and for entries without a text."""
    configured = settings()
    policies, (first, second) = InstructionPolicies(configured), members(configured)

    assert policies.find(first, "a") is policies.find(first, "b")
    assert policies.find(first, "") is policies.find(first, "plain")
    assert policies.find(first, "a") is not policies.find(second, "a")
    [wildcard] = configured.routes.wildcards["w/"]
    assert policies.find(first, "a") is policies.find(wildcard, "a")


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many keys with texts of their own do not fill the memory with joined texts."""
    monkeypatch.setattr("proxy.planning.instruction_policies._MOST", 2)
    configured = settings()
    policies, (first, _) = InstructionPolicies(configured), members(configured)
    kept = policies.find(first, "own")
    for key in ("a", ""):
        policies.find(first, key)
    again = policies.find(first, "own")

    assert again == kept
    assert again is not kept


def test_without_a_text_the_policies_are_off() -> None:
    """A team's text that no key gets is no text."""
    none = settings_of(entry("m"), general_settings={"teams": [{"name": "t", "instructions": "team"}]})

    assert InstructionPolicies(none).is_off
    assert InstructionPolicies(none).find(none.routes.exact["m"][0], "") is None
    assert not InstructionPolicies(settings()).is_off


@pytest.mark.parametrize(
    "sections",
    [
        {"general_settings": {"instructions": "a"}},
        {"general_settings": {"keys": [{"name": "k", "key": "sk-k", "instructions": "a"}]}},
    ],
)
def test_one_text_at_any_level_switches_them_on(sections: dict[str, Any]) -> None:
    """A text of one key is enough. Requests of others still get none."""
    assert not InstructionPolicies(settings_of(**sections)).is_off
    assert not InstructionPolicies(settings_of({**entry(), "instructions": "a"})).is_off


def test_a_key_without_a_text_gets_none_where_no_other_level_has_one() -> None:
    """No text at any level of a request is None, and not an empty text."""
    configured = settings_of(
        entry("m"), general_settings={"keys": [{"name": "k", "key": "k", "instructions": "a"}]}
    )

    assert InstructionPolicies(configured).find(configured.routes.exact["m"][0], "") is None


def test_a_long_combination_is_cut() -> None:
    """With ``truncate`` the gateway's text loses its end, and the parts say so."""
    configured = settings(instructions="g" * MAX_BYTES, instructions_overflow="truncate")
    found = InstructionPolicies(configured).find(members(configured)[1], "own")

    assert found is not None
    assert found.bytes == MAX_BYTES
    assert [(part.level, part.whole) for part in found.parts] == [
        ("gateway", False),
        ("model", True),
        ("key", True),
    ]


def test_entries_after_a_left_out_one_keep_their_texts() -> None:
    """Deployments count the entries of the file, where those that miss a variable count too."""
    configured = settings_of(
        entry("gone", api_key="os.environ/UNSET"), {**entry("m"), "instructions": "model"}
    )
    found = InstructionPolicies(configured).find(configured.routes.exact["m"][0], "")

    assert found is not None
    assert found.text == "model"


@pytest.mark.parametrize(
    ("changes", "is_like"),
    [
        ({"drain_delay": 1}, True),
        ({"instructions": "other"}, False),
        ({"teams": [{"name": "t", "instructions": "other"}, {"name": "none"}]}, False),
        ({"keys": GENERAL["keys"][:-1]}, True),
        ({"keys": GENERAL["keys"][1:]}, False),
    ],
)
def test_policies_are_alike_where_every_request_gets_the_same(changes: dict[str, Any], is_like: bool) -> None:
    """Only a change that reaches a request counts."""
    assert InstructionPolicies(settings()).is_like(InstructionPolicies(settings(**changes))) is is_like
