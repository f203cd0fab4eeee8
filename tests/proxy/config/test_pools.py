"""The pool of a model's name, and the models that are asked after it (``test_routes`` has the index)."""

from __future__ import annotations

import pytest

from proxy.config.pools import chain_of, choose_pool
from proxy.core.errors import ModelNotFound
from tests.proxy.config.samples import entry, settings_of

SETTINGS = settings_of(entry("fast"), entry("gemini/*", "gemini/*"))
CHAINS = ({"fast": ("own",)}, {"gemini/*": ("wildcard",), "*": ("any",)}, {"fast": ("second",)})


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("fast", ("own",)),
        ("gemini/gemini-x", ("wildcard",)),
        ("gemini/*", ()),
    ],
)
def test_a_model_s_own_chain_goes_before_its_wildcard_s(model: str, expected: tuple[str, ...]) -> None:
    """The first chain with the name counts."""
    if not expected:
        with pytest.raises(ModelNotFound):
            choose_pool(model, SETTINGS)
        return
    assert chain_of(CHAINS, model, choose_pool(model, SETTINGS)) == expected


def test_the_chain_of_every_model_is_the_last_choice() -> None:
    """``*`` stands for models without a chain, and without it there is none."""
    assert chain_of(CHAINS, "other", ()) == ("any",)
    assert chain_of(CHAINS[:1], "other", ()) == ()


def test_an_unknown_model_is_refused_with_the_configured_names() -> None:
    """The client learns its options, and its own text is cut at 200 characters."""
    with pytest.raises(ModelNotFound) as refused:
        choose_pool("m" * 300, SETTINGS)

    assert refused.value.param == "model"
    assert (
        refused.value.message
        == f"The model '{'m' * 200}' is not configured. Configured models: fast, gemini/*."
    )
