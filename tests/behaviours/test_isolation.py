"""Tests which failures of one tenant's requests affect other tenants, and which do not.

A tenant is a client key. Key ``a`` is hostile or unlucky, ``b`` later meets the same failure, and ``c`` is a
bystander.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from proxy.config import Settings, resolve
from proxy.core.deployment import Deployment
from proxy.core.errors import UpstreamFault, UpstreamUnreachable
from proxy.core.failures import Cause, Evidence
from proxy.resilience.circuit import State
from tests.proxy.forwarding.attempting import good, refused, text_of
from tests.support.builders import assistant, user
from tests.support.proxied import Proxied, Reply, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream, Step

KEYS = {name: f"sk-{name}-5f0c2d7e91" for name in "abc"}
WINDOW = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 20000 tokens."
)
LONG = [user("Mend it."), *(m for n in range(40) for m in (assistant(f"Step {n}."), user("word " * 400)))]
"""A conversation of some 20,000 tokens."""


@pytest.fixture
def settings() -> Settings:
    """Return settings with three keys and three models.

    The models are one with an unknown context window, one with a million tokens, and a pool of two deployments.
    """
    entries: list[dict[str, Any]] = [
        {"model_name": "lone", "litellm_params": {"model": "openai/nobody-knows-it"}},
        {
            "model_name": "wide",
            "litellm_params": {"model": "openai/wide"},
            "model_info": {"max_input_tokens": 1_000_000},
        },
        *({"model_name": "pool", "litellm_params": {"model": f"openai/pool-{at}"}} for at in (0, 1)),
    ]
    keys = [{"name": name, "key": key} for name, key in KEYS.items()]
    return settings_of(model_list=entries, general_settings={"keys": keys})


class Clients:
    """The three clients, and the proxy's state for each of them."""

    def __init__(self, proxy: Proxied, upstream: ScriptedUpstream) -> None:
        self.proxy, self.upstream = proxy, upstream
        self.gateway = proxy.server.gateway

    async def ask(self, key: str, model: str, messages: Any = "Hello.", **fields: Any) -> Reply:
        """Send a request under a key. A text stands for a single user message."""
        said = [user(messages)] if isinstance(messages, str) else messages
        headers = {"Authorization": f"Bearer {KEYS[key]}"}
        reply = await self.proxy.post({"model": model, "messages": said, **fields}, headers=headers)
        await self.proxy.idle()
        return reply

    async def fail(self, key: str, model: str, fault: Step, messages: Any = "Hello.", **fields: Any) -> Reply:
        """Send one request under a key. The upstream fails with *fault*."""
        self.upstream.script.clear()
        self.upstream.then(fault)
        return await self.ask(key, model, messages, **fields)

    def deployment(self, model: str) -> Deployment:
        """Return the first deployment of a model."""
        return resolve(self.gateway.settings, model)[0]

    def window(self, key: str, model: str) -> int | None:
        """Return the context window that the proxy learned for a key, or None."""
        known = self.gateway.learned_windows.peek(self.deployment(model), self.now, key)
        return None if known.learned is None else known.learned.window

    def state(self, key: str, model: str) -> State:
        """Return the state of a deployment's circuit for a key."""
        return self.gateway.balancer.state(self.deployment(model), self.now, key)

    def states(self, model: str) -> str:
        """Return the circuit's state for each key, as digits: 0 for closed, 1 for half-open, 2 for open."""
        return "".join(str(int(self.state(key, model))) for key in KEYS)

    @property
    def now(self) -> float:
        """The event loop's clock, in seconds."""
        return self.proxy.session._loop.time()


@pytest.fixture
async def clients(settings: Settings, upstream: ScriptedUpstream) -> AsyncIterator[Clients]:
    """Serve the proxy to the three keys."""
    async with proxied(settings, upstream) as proxy:
        yield Clients(proxy, upstream)


async def test_a_window_that_the_client_wrote_teaches_nobody(clients: Clients) -> None:
    """A context window that the provider quotes from the request, plain or escaped, is not learned.

    Later requests are not cut by such a window.
    """
    for words in (WINDOW, f"Invalid value: {WINDOW}", f"{WINDOW} is not one of the allowed values."):
        for written in (WINDOW, WINDOW.replace(" ", "\n").upper(), WINDOW.replace("e", "\\u0065")):
            await clients.fail("a", "lone", refused(400, words), [*LONG, user(written)])
            assert [clients.window(key, "lone") for key in KEYS] == [None] * 3

    clients.upstream.script.clear()
    await clients.ask("b", "lone", LONG)
    assert len(clients.upstream.calls[-1].messages) == len(LONG)


async def test_a_window_counts_for_its_tenant_and_for_all_from_the_second_on(clients: Clients) -> None:
    """A context window at the beginning of a provider's error counts for the tenant whose request failed.

    Once a second tenant gets a window as well, a third tenant's requests are cut too.
    """
    await clients.fail("a", "lone", refused(400, WINDOW), LONG)
    assert [clients.window(key, "lone") for key in KEYS] == [8_192, None, None]
    await clients.ask("c", "lone", LONG)
    assert len(clients.upstream.calls[-1].messages) == len(LONG)

    await clients.fail("b", "lone", refused(400, WINDOW.replace("8192", "9000")), LONG)
    assert [clients.window(key, "lone") for key in KEYS] == [8_192, 9_000, 9_000]
    await clients.ask("c", "lone", LONG)
    assert len(clients.upstream.calls[-1].messages) < len(LONG)


async def test_a_window_under_a_code_counts_at_once(clients: Clients) -> None:
    """A window under the provider's error code for overflow counts for all tenants at once."""
    body = {"error": {"message": WINDOW, "code": "context_length_exceeded"}}
    await clients.fail("a", "lone", refused(400, WINDOW, body), LONG)

    assert [clients.window(key, "lone") for key in KEYS] == [8_192] * 3


async def test_words_within_a_text_count_for_their_tenant_alone(clients: Clients) -> None:
    """A window in the middle of the provider's text counts for the tenants that got it, and for no others.

    A server that quotes text may have taken the window from anywhere.
    """
    for at, key in enumerate("ab"):
        said = f"The upstream said this to your request: {WINDOW}"
        await clients.fail(key, "lone", refused(400, said), LONG)
        assert [clients.window(key, "lone") for key in KEYS] == [8_192, 8_192 if at else None, None]


@pytest.mark.parametrize("said", [WINDOW, f"Our server said: {WINDOW}", "prompt is too long"])
@pytest.mark.parametrize("code", [{}, {"code": "context_length_exceeded"}], ids=["words", "code"])
async def test_words_that_the_history_quotes_serve_one_request(
    clients: Clients, said: str, code: dict[str, str]
) -> None:
    """A refusal that the history already quotes still cuts this request, which is sent again.

    No other tenant learns the window.
    """
    history = [*LONG, assistant("It failed."), user(f"The tool said: {said}")]
    clients.upstream.then(refused(400, said, {"error": {"message": said, **code}}))
    reply = await clients.ask("a", "lone", history)

    assert text_of(reply) == "Good day."
    assert len(clients.upstream.calls[1].messages) < len(history)
    assert [clients.window(key, "lone") for key in "bc"] == [None] * 2


async def test_a_configured_window_does_not_shrink_below_half(clients: Clients) -> None:
    """Texts of the provider cannot shrink a configured window below its half."""
    said = (
        "This model's maximum context length is {} tokens. However, your messages resulted in 20000 tokens."
    )
    for key in "ab":
        await clients.fail(key, "wide", refused(400, said.format(499_999)), LONG)
    assert [clients.window(key, "wide") for key in KEYS] == [None] * 3
    for key in "ab":
        words = said.format(500_000).replace("20000", "600000")
        await clients.fail(key, "wide", refused(400, words), LONG)
    assert [clients.window(key, "wide") for key in KEYS] == [500_000] * 3


async def test_a_factor_is_the_tenant_s_own(clients: Clients) -> None:
    """A tenant's token counts change only its own calibration factor, until a second tenant has one.

    A third tenant gets the lower factor of the first two.
    """
    answer = {"usage": {"prompt_tokens": 6_000, "completion_tokens": 1, "total_tokens": 6_001}}

    def factor(key: str) -> float:
        return clients.gateway.learned_windows.peek(
            clients.deployment("lone"), clients.now, key
        ).calibration.sticky

    before = factor("c")
    for key in "ab":
        assert factor("c") == before
        clients.upstream.then({**(await _whole(clients)), **answer})
        await clients.ask(key, "lone", "zqx " * 3_000)
    assert factor("c") == min(factor("a"), factor("b")) != before


async def _whole(clients: Clients) -> dict[str, Any]:
    reply = await clients.ask("a", "wide")
    return dict(reply.json)


async def test_usage_is_asked_for_until_two_were_refused(clients: Clients) -> None:
    """The proxy asks for a stream's usage until the parameter was refused to that tenant, or to two tenants.

    A refusal does not count if the request's text contains the parameter's name.
    """
    words = "Unrecognized request argument supplied: stream_options"

    async def asks(key: str) -> bool:
        await clients.ask(key, "lone", stream=True)
        return clients.upstream.calls[-1].ask_usage

    await clients.fail("a", "lone", refused(400, words), "stream_options", stream=True)
    assert [await asks(key) for key in KEYS] == [True, True, True]
    await clients.fail("a", "lone", refused(400, words), stream=True)
    assert [await asks(key) for key in KEYS] == [False, True, True]
    await clients.fail("b", "lone", refused(400, words), stream=True)
    assert [await asks(key) for key in KEYS] == [False, False, False]


ONE_REQUEST = {
    "a crash": refused(500, "Internal error."),
    "an overloaded worker": refused(503, "Overloaded."),
    "a broken stream": UpstreamFault("Half.", cause=Cause.TRUNCATED),
    "a lost connection": UpstreamUnreachable("Broke.", cause=Cause.CONNECTION_LOST),
    "a slow answer": UpstreamFault("Slow.", cause=Cause.IDLE_TIMEOUT),
    "too large for a minute": refused(429, "Request too large for gpt: Limit 30000, Requested 40000."),
    "too much output for the credit": refused(402, "Requires more credits, or fewer max_tokens."),
    "a model's name in words": refused(404, "The model `gpt-9` does not exist."),
    "a key in words": refused(403, "Your API key does not have permission."),
}


@pytest.mark.parametrize("fault", ONE_REQUEST.values(), ids=ONE_REQUEST)
async def test_what_a_request_may_have_caused_counts_for_its_tenant(clients: Clients, fault: Step) -> None:
    """A failure that the request may have caused opens the circuit for its tenant.

    Once a second tenant's calls fail as well, the circuit is open for all tenants.
    """
    for _ in range(3):
        await clients.fail("a", "lone", fault)
    assert clients.states("lone") == "200"
    for _ in range(3):
        await clients.fail("b", "lone", fault)
    assert clients.states("lone") == "222"


ABOUT_ONE_REQUEST = {
    "an image for a model of texts": refused(404, "No endpoints found that support image input"),
    "a file that has gone": refused(404, "File xyz was not found."),
    "flagged input": refused(403, "Your chosen model requires moderation and your input was flagged"),
}


@pytest.mark.parametrize("fault", ABOUT_ONE_REQUEST.values(), ids=ABOUT_ONE_REQUEST)
async def test_what_is_about_one_request_closes_nothing(clients: Clients, fault: Step) -> None:
    """A failure that concerns one request only never opens the circuit, however often it occurs."""
    for key in "aaabbb":
        await clients.fail(key, "lone", fault)
    assert clients.states("lone") == "000"


OF_THE_ACCOUNT = {
    "rate limit": refused(429, "Slow down.", retry_after="20"),
    "quota": refused(429, "Quota exceeded: PerDay."),
    "no credit": refused(402, "No credit."),
    "key": refused(401, "Incorrect API key provided."),
    "key by a code": refused(403, "No.", {"error": {"code": "account_deactivated"}}),
    "model by a code": refused(404, "No.", {"error": {"code": "model_not_found"}}),
}


@pytest.mark.parametrize("fault", OF_THE_ACCOUNT.values(), ids=OF_THE_ACCOUNT)
async def test_what_the_provider_says_of_the_account_counts_for_all(clients: Clients, fault: Step) -> None:
    """A failure that concerns the provider's account opens the circuit for all tenants at once."""
    await clients.fail("a", "lone", fault)

    assert clients.states("lone") == "222"


async def test_a_dead_host_counts_for_all(clients: Clients) -> None:
    """Three failures to connect open the circuit for all, since nothing was sent that a client could have caused.

    A crash between these failures does not count as a failure to connect.
    """
    unreachable = UpstreamUnreachable("Gone.")
    for fault in (unreachable, unreachable, refused(500)):
        await clients.fail("a", "lone", fault)
    assert clients.states("lone") == "200"
    for _ in range(3):
        await clients.fail("b", "lone", unreachable)
    assert clients.states("lone") == "222"


QUOTED = {
    "model gone": (404, "the model `x` does not exist"),
    "key": (403, "your api key has no permission"),
    "bad key": (400, "api key not valid"),
    "place": (403, "user location is not supported"),
}


@pytest.mark.parametrize(("status", "words"), QUOTED.values(), ids=QUOTED)
async def test_what_the_client_wrote_parks_nothing(clients: Clients, status: int, words: str) -> None:
    """A fault whose text the provider quotes from the request opens the circuit for no tenant."""
    for key in "ab":
        await clients.fail(key, "lone", refused(status, f"{words.upper()} is no valid value."), words)

    assert clients.states("lone") == "000"


async def test_a_quoted_quota_or_delay_parks_for_no_longer(clients: Clients) -> None:
    """A 429 counts for all tenants.

    A quota or delay that the 429 quotes from the request does not lengthen the cooldown.
    """
    words = "Slow down. We could not take: 'per day; try again in 50 minutes'"
    await clients.fail("a", "lone", refused(429, words), "per day; try again in 50 minutes")

    assert clients.states("lone") == "222"
    assert _due(clients, "c") <= 5.0


QUOTA = {
    "code": 429,
    "message": "You exceeded your current quota.",
    "status": "RESOURCE_EXHAUSTED",
    "details": [
        {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [
                {"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "50"}
            ],
        },
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "8s"},
    ],
}


def _due(clients: Clients, key: str) -> float:
    """Return the seconds until the deployment of the model ``lone`` is tried again for a tenant."""
    standing = clients.gateway.balancer._named[clients.deployment("lone").key]
    return standing.peek_circuit(key).due - clients.now


async def test_a_word_of_the_request_does_not_hide_a_used_up_quota(clients: Clients) -> None:
    """Gemini's quota field counts, even if the request's text happens to hold "per day"."""
    fault = refused(429, "You exceeded your current quota.", {"error": QUOTA})
    await clients.fail("a", "lone", fault, "How many calories per day, with limit: 50, in 8s?")

    assert _due(clients, "c") > 30


async def test_a_word_that_the_request_holds_counts_for_this_request(clients: Clients) -> None:
    """A quota's text that the request also holds counts for this request only.

    Other tenants see a short cooldown.
    """
    for words, prompt in (("Daily limit reached.", "My daily walk."), ("Slow down.", "Good day.")):
        reply = await clients.fail("a", "lone", refused(429, words), prompt)
        assert reply.status == 429
        assert reply.headers["x-should-retry"] == ("false" if "Daily" in words else "true")
        assert _due(clients, "c") <= 5.0


async def test_the_first_delay_that_is_no_quotation_counts(clients: Clients) -> None:
    """The first delay that the request does not hold counts, even after a quoted one."""
    said = "You wrote 'retry in 50 minutes'. Please try again in 40 seconds."
    await clients.fail("a", "lone", refused(429, said), "retry in 50 minutes")

    assert 35 < _due(clients, "c") <= 40


async def test_a_delay_that_the_request_holds_is_waited_for(clients: Clients) -> None:
    """A delay that the request also holds reaches this client as ``retry-after``.

    The deployment's cooldown stays short.
    """
    said = "Please try again in 20 seconds."
    reply = await clients.fail("a", "lone", refused(429, said), "try again in 20 seconds, ok?")

    assert reply.headers["retry-after"] == "20"
    assert _due(clients, "c") <= 5.0


def _message(text: str) -> dict[str, Any]:
    return {"error": {"message": text}}


SENT_BACK: dict[str, Callable[[str], Any]] = {
    "a field": lambda text: {"error": {"message": "No.", "received": {"nested": json.loads(text)}}},
    "message": _message,
    "an exception": lambda text: _message(f"ValueError: {text}"),
    "bytes": lambda text: _message(f"b'{text}'"),
    "within JSON in a text": lambda text: _message(json.dumps({"error": json.loads(text)})),
    "details": lambda text: {"error": {"message": "No.", "details": json.loads(text)}},
    "details as a text": lambda text: {"error": {"message": "No.", "details": [text]}},
    "the whole body": lambda text: f"litellm.BadRequestError: OpenAIException - {text}",
}
MINE = (
    {"code": 429, "retryDelay": "3000s"},
    {"code": 429, "retryDelay": {"seconds": 3000}},
    {"status": 401},
    {"status": 402},
    {"status": 401, "code": "invalid_api_key", "retryDelay": "3000s"},
)


@pytest.mark.parametrize("send_back", SENT_BACK.values(), ids=SENT_BACK)
async def test_a_quoted_body_s_codes_say_nothing(clients: Clients, send_back: Callable[[str], Any]) -> None:
    """A provider that quotes the request in its error also quotes the client's codes.

    These codes open no circuit.
    """
    for mine in MINE:
        text = json.dumps(mine)
        for body in (send_back(text), send_back(json.dumps(mine, indent=1))):
            raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            fault = UpstreamFault("No.", upstream_status=400, evidence=Evidence(400, {}, raw))
            await clients.fail("a", "lone", fault, text)
            assert clients.states("lone") == "000", body


async def test_a_quotation_that_reads_otherwise_is_one(clients: Clients) -> None:
    """A quotation with octal escapes is still the client's text."""
    text = "b'" + r'{"\143ode": 401}' + "'"
    await clients.fail("a", "lone", refused(400, "No.", _message(text)), text)

    assert clients.states("lone") == "000"


async def test_a_provider_s_own_codes_count_wherever_they_stand(clients: Clients) -> None:
    """Codes that the request does not hold count as the provider's, even inside a nested JSON text."""
    inner = json.dumps({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}})
    for body in (_message(inner), _message(f"ValueError: {inner}"), {"error": {"details": [inner]}}):
        async with proxied(clients.gateway.settings, clients.upstream) as proxy:
            others = Clients(proxy, clients.upstream)
            await others.fail("a", "lone", refused(400, "No.", body), "My code is 4711.")
            assert others.states("lone") == "222", body


async def test_a_pool_is_asked_as_if_the_other_tenant_were_not_there(clients: Clients) -> None:
    """A deployment that fails for one tenant is still the first of the pool for another."""
    for _ in range(4):
        await clients.fail("a", "pool", refused(500))
    clients.upstream.script.clear()
    await clients.ask("a", "pool")
    await clients.ask("b", "pool")

    assert [call.deployment.model_id for call in clients.upstream.calls[-2:]] == ["pool-1", "pool-0"]


async def test_a_tenant_s_retries_are_its_own(upstream: ScriptedUpstream) -> None:
    """Each tenant has its own retry budget, so that a client that provokes failures uses up only its own."""
    keys = [{"name": name, "key": key} for name, key in KEYS.items()]
    settings = settings_of(
        {"lone": "openai/x"},
        router_settings={"num_retries": 1, "cooldown_time": 0},
        general_settings={"keys": keys},
    )
    async with proxied(settings, upstream) as proxy:
        clients = Clients(proxy, upstream)
        for _ in range(14):
            upstream.script.clear()
            for _ in range(2):
                upstream.then(refused(408))
            await clients.ask("a", "lone")
        upstream.script.clear()
        upstream.then(refused(408))
        assert (await clients.ask("a", "lone")).status == 408
        upstream.then(refused(408))
        upstream.then(*good(False))
        assert text_of(await clients.ask("b", "lone")) == "fine"


async def test_a_remembered_refusal_is_told_to_its_own_key_alone(clients: Clients) -> None:
    """A refusal that the proxy remembers answers only the same body under the same key.

    Another key's body is sent to the provider.
    """
    for _ in range(2):
        await clients.fail("a", "lone", refused(400, "A secret of a."), "the very same")
    assert (await clients.ask("a", "lone", "the very same")).error["message"] == "A secret of a."
    before = len(clients.upstream.calls)
    reply = await clients.ask("b", "lone", "the very same")

    assert text_of(reply) == "Good day."
    assert len(clients.upstream.calls) == before + 1
