"""Tests of how the chaos run configures the provider beside Gemini."""

from __future__ import annotations

from random import Random

import orjson
import pytest

from benchmarks.chaos.asking import code_of
from benchmarks.chaos.faults import Faults
from benchmarks.chaos.providers import OPENAI_NAME, config_for, parameters_of, providing
from benchmarks.chaos.questions import Question, Violation
from benchmarks.chaos.run import questions
from proxy.config import load_settings, resolve
from proxy.upstream.transports import transport_of
from tests.support.compatible_emulator import PROVIDERS

FORMS = ("azure", "azure, v1 address", "azure, v1 token", "groq, gpt-oss", "databricks, claude")
QUESTION = Question(1, "azure", stream=False, calls=False)


@pytest.mark.parametrize("name", [OPENAI_NAME, *FORMS])
async def test_each_provider_takes_the_direct_transport_beside_gemini(name: str) -> None:
    """Gemini and the other provider are each other's fallback, and both are spoken directly."""
    async with providing(Faults(Random(1), 0.0, hidden=True), name, keep_alive_s=1.0) as providers:
        settings = load_settings(orjson.dumps(config_for(providers, "auto", silence_s=1.0)), {}).settings
        models = providers.models

    assert models == ("gemini", name)
    assert [transport_of(resolve(settings, model)[0]) for model in models] == ["direct", "direct"]
    assert {question.model for question in questions(40, Random(1), models)} == {*models}


def test_azure_has_its_version_and_its_token() -> None:
    """A deployment has the further settings of its form: a version, or a token in the place of a key."""
    keyed = parameters_of("azure", "http://127.0.0.1:9")
    token = parameters_of("azure, v1 token", "http://127.0.0.1:9")

    assert keyed.keys() == {"model", "api_key", "api_base", "api_version"}
    assert token.keys() == {"model", "azure_ad_token", "api_base"}


@pytest.mark.parametrize("words", ["emulated-key", PROVIDERS["azure"].secret, "Traceback"])
def test_error_with_a_key_is_a_violation(words: str) -> None:
    """An error that holds any provider's key is a violation, and its code is read otherwise."""
    error = {"message": "No.", "type": "upstream_error", "param": None, "code": "timeout"}

    assert code_of(QUESTION, {"error": error}) == "timeout"
    with pytest.raises(Violation, match="says too much"):
        code_of(QUESTION, {"error": {**error, "message": f"No: {words}"}})
