"""A client's request id of up to 128 safe characters is kept. Any other id is replaced by a new one."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.ingress.middlewares.observe import request_id_for
from tests.proxy.conftest import TRANSPORTS
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import CHAT, Proxied, chat
from tests.support.scripted_upstream import STOP, ScriptedUpstream, say

pytestmark = LITELLM_NOISE

PLAIN = string.ascii_letters + string.digits + "._:-"


@given(st.one_of(st.text(PLAIN, min_size=1, max_size=4), st.text(PLAIN, min_size=128, max_size=128)))
def test_clients_plain_id_is_kept(sent: str) -> None:
    """A client's id of at most 128 characters of ``PLAIN`` is kept, as in UUIDs, ULIDs and trace ids."""
    assert request_id_for(sent) == sent


@given(
    st.one_of(
        st.text(max_size=4),
        st.text(PLAIN, min_size=129, max_size=129),
        st.text(PLAIN, min_size=1, max_size=4).map("{}\n".format),
    )
)
def test_any_other_id_is_replaced_by_a_plain_token(sent: str) -> None:
    """An id that is empty, too long or has other characters is replaced as a whole."""
    given_id = request_id_for(sent)

    assert 1 <= len(given_id) <= 128
    assert set(given_id) <= {*PLAIN, "_"}
    assert given_id == sent or given_id.startswith("req_")


def test_new_ids_are_unique() -> None:
    """New ids are unique, so that a log can tell two requests apart."""
    ids = {request_id_for(None) for _ in range(1_000)}

    assert len(ids) == 1_000
    assert {len(given_id) for given_id in ids} == {28}


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", CHAT, chat()),
        ("POST", CHAT, chat(stream=True)),
        ("POST", CHAT, {"model": "nobody's", "messages": []}),
        ("POST", "/chat/completions", None),
        ("GET", CHAT, None),
        ("GET", "/v1/models", None),
        ("GET", "/nowhere", None),
        ("GET", "/readyz", None),
    ],
)
async def test_every_answer_has_its_requests_id(
    proxy: Proxied, upstream: ScriptedUpstream, method: str, path: str, body: object
) -> None:
    """Answers, streams, errors, unknown paths and probes have the header ``x-request-id``."""
    if isinstance(body, dict) and body.get("stream"):
        upstream.then(say("x"), STOP)
    mine = await proxy.request(method, path, json=body, headers={"X-Request-ID": "mine-1"})
    other = await proxy.request(method, path, json=body)

    assert mine.headers.getall("x-request-id") == ["mine-1"]  # type: ignore[attr-defined]  # a CIMultiDict
    assert other.headers["x-request-id"].startswith("req_")


@TRANSPORTS
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_request_id_does_not_go_to_the_provider(
    real: Proxied, openai: OpenAIEmulator, stream: bool
) -> None:
    """The request id is not sent to the provider, which may refuse the id of a running request (vllm#10583)."""
    await real.post(chat(model="openai", stream=stream), headers={"x-request-id": "mine-1"})

    [asked] = openai.requests
    assert "x-request-id" not in asked.headers
    assert "mine-1" not in f"{dict(asked.headers)} {asked.raw.decode()}"
