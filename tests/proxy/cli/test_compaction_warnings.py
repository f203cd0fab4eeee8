"""Tests of warnings about compaction, each with its key in the file."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.cli.check_warnings import find_warnings
from tests.proxy.config.samples import entry, load


def keyed(name: str, model: str, window: int | None = None, **params: Any) -> dict[str, Any]:
    """Return an entry with a key, and with a window if one is given."""
    info = {} if window is None else {"model_info": {"max_input_tokens": window}}
    return entry(name, model, api_key="k", **params) | info


BIG = keyed("big", "gemini/gemini-2.5-pro")  # 1,048,576
CHEAP = keyed("cheap", "gemini/gemini-2.5-flash")  # 1,048,576
OPENAI = keyed("mini", "openai/gpt-4.1-mini")  # 1,047,576
SMALL = keyed("small", "openai/gpt-4o-mini")  # 128,000
ANY = keyed("gemini/*", "gemini/*")

ON: dict[str, Any] = {"enabled": True, "model": "cheap"}


def warned(
    *entries: dict[str, Any],
    compaction: dict[str, Any],
    environ: dict[str, str] | None = None,
    **sections: Any,
) -> list[str]:
    """Return the warnings about a configuration with this ``compaction``."""
    general = {"keys": [{"name": name, "key": f"sk-{name}"} for name in ("a", "b")]}
    loaded = load(
        *entries, environ=environ, compaction=compaction, **{"general_settings": general, **sections}
    )
    return list(find_warnings(loaded.settings))


@pytest.mark.parametrize(
    "compaction",
    [
        ON,
        {},
        {"enabled": False, "model": "mini"},
        ON | {"per_model": [{"model": "cheap", "enabled": False}]},
        ON | {"per_key": [{"key": "a", "trigger": 0.9}]},
        {"model": "cheap", "per_key": [{"key": "a", "enabled": True}]},
        ON | {"model": "gemini/gemini-2.5-flash"},
    ],
)
def test_good_configuration_has_no_warning(compaction: dict[str, Any]) -> None:
    """A summarizing model of the same provider with a window of the same size gives no warning."""
    assert warned(BIG, CHEAP, ANY, compaction=compaction) == []


def test_nothing_is_warned_of_where_compaction_is_off() -> None:
    """A summarizing model that is not used is not examined."""
    assert warned(BIG, SMALL, compaction={"model": "small"}, sanitize={"mode": "observe"}) == []


@pytest.mark.parametrize("mode", ["observe", "strict", "off"])
def test_mode_that_does_not_repair_is_the_only_warning(mode: str) -> None:
    """Only the mode ``repair`` compacts. In the other modes no text is sent to the summarizing model."""
    assert warned(BIG, SMALL, compaction=ON | {"model": "small"}, sanitize={"mode": mode}) == [
        f"compaction.enabled: no history is compacted where sanitize.mode is {mode}: it must be repair"
    ]


OWN_SERVER = keyed("mini", "openai/gpt-4.1-mini", api_base="http://llm:8000/v1/tenant")


@pytest.mark.parametrize(
    ("model", "summarizer", "own", "other"),
    [
        (BIG, OPENAI, "gemini", "openai"),
        (keyed("big", "openai/gpt-4.1"), OWN_SERVER, "openai", "openai (llm:8000)"),
        (entry("*", "*"), OPENAI, "the provider that a client names", "openai"),
    ],
)
def test_another_provider_of_the_summaries_is_a_warning_that_names_both(
    model: dict[str, Any], summarizer: dict[str, Any], own: str, other: str
) -> None:
    """The text of conversations is sent to the summarizing model's provider. A server of one's own is another one."""
    name = model["model_name"]
    found = warned(
        model, summarizer, compaction={"model": "mini", "per_model": [{"model": name, "enabled": True}]}
    )

    assert [each for each in found if "the text of" in each] == [
        f"compaction.model: mini is at {other}, and {name} at {own}: the text of these conversations is sent to "
        f"{other} to be summarized"
    ]


def test_models_of_one_provider_share_a_warning() -> None:
    """A warning names three models at most, and counts the others."""
    others = [keyed(name, "gemini/gemini-2.5-pro") for name in "abcde"]

    [found] = warned(OPENAI, *others, compaction=ON | {"model": "mini"})

    assert found.startswith("compaction.model: mini is at openai, and a, b, c and 2 more at gemini: ")


@pytest.mark.parametrize(
    ("where", "values"),
    [
        ("per_model", {"model": "big", "summary_model": "mini"}),
        ("per_key", {"key": "a", "summary_model": "mini", "enabled": True}),
    ],
)
def test_summarizing_model_of_an_override_is_examined(where: str, values: dict[str, Any]) -> None:
    """The warning has the path of the override that names the summarizing model."""
    found = warned(BIG, CHEAP, OPENAI, compaction={**ON, where: [values]})

    [shown] = [
        each for each in found if "big" in each and each.startswith(f"compaction.{where}[0].summary_model: ")
    ]
    assert "mini is at openai" in shown


def test_a_model_that_summarizes_its_own_conversations_alone_is_a_warning() -> None:
    """The same model under another name is no cheaper. A model that also summarizes for others is well chosen."""
    text = "summarizes its own conversations, so a summary is no cheaper: name a cheaper model"

    assert warned(CHEAP, compaction=ON) == [f"compaction.model: cheap {text}"]
    twin = keyed("twin", "gemini/gemini-2.5-flash")
    assert warned(CHEAP, twin, compaction=ON) == [f"compaction.model: cheap {text}"]
    assert warned(CHEAP, BIG, compaction=ON) == []


def test_summarizing_model_with_too_small_a_window_is_a_warning() -> None:
    """A history is summarized from ``trigger`` of its prompt's limit on, which the summarizing model must take."""
    models = keyed("large", "openai/gpt-4.1", 100_000), keyed("cheap", "openai/gpt-4o-mini", 50_000)
    enabled = {"model": "cheap", "per_model": [{"model": "large", "enabled": True}]}

    [found] = warned(*models, compaction={**enabled, "trigger": 0.7})

    assert found == (
        "compaction.model: cheap takes prompts of 41,808 tokens, and some 64,265 of large may be summarized at once: "
        "the middle of a longer text is left out of the summary"
    )
    assert warned(*models, compaction={**enabled, "trigger": 0.4}) == []


def test_window_for_the_longest_text_to_be_summarized_is_enough() -> None:
    """At most some 100,000 tokens are sent at once, so a summarizing model needs no window of a million."""
    enabled = {"model": "cheap", "per_model": [{"model": "large", "enabled": True}]}
    large = keyed("large", "openai/gpt-4.1", 1_000_000)

    assert warned(large, keyed("cheap", "openai/gpt-4o-mini", 128_000), compaction=enabled) == []
    assert warned(large, keyed("cheap", "openai/gpt-4o-mini", 64_000), compaction=enabled) != []


def test_unknown_window_of_a_model_with_compaction_is_a_warning() -> None:
    """Nothing is compacted before the window is known. A window that is assumed is enough."""
    mine = keyed("mine", "hosted_vllm/x", api_base="http://llm/v1")
    enabled = {"model": "mine", "per_model": [{"model": "mine", "enabled": True}, {"model": "big"}]}
    text = "no history is compacted before the provider has refused a request"

    found = warned(BIG, mine, compaction=enabled)

    [shown] = [each for each in found if text in each]
    assert shown == (
        f"model_list[1].model_info.max_input_tokens: the window of hosted_vllm/x is not known; {text}"
    )
    assumed = warned(BIG, mine, compaction=enabled, budget={"unknown_window": 9_000})
    assert not any(text in each for each in assumed)


def test_summarizing_model_that_was_left_out_is_a_warning() -> None:
    """An entry without its variable is left out, and then no summary can be written."""
    cheap = entry("cheap", "gemini/gemini-2.5-flash", api_key="os.environ/CHEAP_KEY")

    assert warned(BIG, cheap, compaction=ON) == [
        "compaction.model: cheap is left out without CHEAP_KEY, and no summary is written"
    ]
    assert warned(BIG, cheap, compaction=ON, environ={"CHEAP_KEY": "k"}) == []


def test_summarizing_model_of_an_unknown_provider_is_a_warning() -> None:
    """A wildcard takes the name of any model, and only known providers are asked."""
    found = warned(BIG, entry("*", "*"), compaction=ON | {"model": "nobody/x"})

    assert "compaction.model: nobody/x has no known provider, and no summary is written" in found
