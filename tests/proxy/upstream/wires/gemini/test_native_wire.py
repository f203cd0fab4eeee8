"""Tests of the wire of requests in their client's own form."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.core.source import GEMINI_NATIVE
from proxy.upstream.wires.gemini.native_wire import CONTENTS
from proxy.upstream.wires.gemini.wire import GEMINI
from proxy.upstream.wires.table import wire_for
from tests.proxy.upstream.deployments import deployment_of
from tests.proxy.upstream.wires.gemini.test_native_requests import call_of


@pytest.mark.parametrize("stream", [True, False])
def test_client_s_bytes_are_sent_as_they_came(stream: bool) -> None:
    """The URL has the model and the method, and the body has neither."""
    call = call_of()

    assert wire_for(call) is CONTENTS
    assert call.source is not None
    assert CONTENTS.write_request(call, stream=stream) == call.source.body
    assert CONTENTS.url(call, stream=stream) == GEMINI.chat.url(call, stream=stream)
    assert CONTENTS.headers(call.deployment) == GEMINI.chat.headers(call.deployment)
    assert CONTENTS.format == GEMINI.chat.format == GEMINI_NATIVE


def test_no_field_of_the_client_is_unsupported() -> None:
    """The fields are the provider's own."""
    assert CONTENTS.unsupported(call_of().deployment, {"anything": 1}) == frozenset()


def test_chat_and_other_models_take_other_wires() -> None:
    """A changed history is written as a chat, and so is a request to a model of another provider."""
    call = call_of()

    assert wire_for(replace(call, messages=[*call.messages])) is GEMINI.chat
    assert wire_for(replace(call, source=None)) is GEMINI.chat
    assert wire_for(replace(call, deployment=deployment_of("openai/gpt-4.1", api_key="k"))) is not CONTENTS
