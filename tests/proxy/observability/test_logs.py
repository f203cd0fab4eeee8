"""Tests of the log: one line with fixed fields for each request, and no text of a request or key."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import logging
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import aiohttp
import pytest

from proxy.observability.logs import configure_logs, log_stray_errors
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.conftest import LogLines, settings_on
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.support.builders import assistant, call, image, tool, user
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import CHAT, GEMINI, MODEL, Proxied, Reply, chat, proxied
from tests.support.scripted_upstream import HANG, STOP, ScriptedUpstream, answer, say

pytestmark = LITELLM_NOISE

FIELDS = {
    "event",
    "level",
    "timestamp",
    "request_id",
    "trace_id",
    "route",
    "model",
    "asked_model",
    "deployment",
    "mode",
    "stream",
    "status",
    "outcome",
    "messages",
    "changes",
    "dropped_parameters",
    "rounds",
    "key",
    "attempts",
    "duration_ms",
    "upstream_ms",
    "overhead_ms",
    "first_token_ms",
    "budget",
    "input_tokens",
    "output_tokens",
    "cost_usd",
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_request_has_one_line_with_the_documented_fields(
    proxy: Proxied, upstream: ScriptedUpstream, log_lines: LogLines, stream: bool
) -> None:
    """The line names the model, the deployment, the outcome, the changes, the tokens and the times."""
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    upstream.then(
        *([say("x"), STOP, {"choices": [], "usage": usage}] if stream else [{**answer(), "usage": usage}])
    )
    history = [assistant("Hi."), user("Hello.")]
    reply = await proxy.post(
        {"model": MODEL, "messages": history, "stream": stream, "foo": 1}, headers={"x-request-id": "mine-1"}
    )

    [line] = log_lines()
    assert line.keys() == FIELDS
    assert reply.headers["x-request-id"] == "mine-1"
    expected = {
        "event": "request_finished",
        "level": "info",
        "request_id": "mine-1",
        "route": CHAT,
        "model": MODEL,
        "deployment": GEMINI,
        "mode": "repair",
        "stream": stream,
        "status": 200,
        "outcome": "ok",
        "messages": 2,
        "changes": "user_prepend=1",
        "dropped_parameters": 1,
        "rounds": "0/25",
        "key": None,
        "attempts": 1,
        "input_tokens": 7,
        "output_tokens": 3,
        "cost_usd": 0.0000165,
    }
    assert {name: line[name] for name in expected} == expected
    assert (line["first_token_ms"] is not None) == stream
    assert 0 <= line["overhead_ms"] <= line["duration_ms"]


@pytest.mark.parametrize(
    ("body", "status", "outcome"),
    [
        (b"{", 400, "invalid_request"),
        (chat(model="x"), 404, "model_not_found"),
        ({"model": MODEL, "messages": [tool("x")]}, 400, "illegal_history"),
    ],
)
async def test_refused_request_has_a_line(
    proxy: Proxied, log_lines: LogLines, body: Any, status: int, outcome: str
) -> None:
    """The line has the request id that the client got."""
    reply = await proxy.post(body)

    [line] = log_lines()
    assert line.keys() == FIELDS
    assert (line["status"], line["outcome"], line["attempts"]) == (status, outcome, 0)
    assert line["request_id"] == reply.headers["x-request-id"]


@pytest.mark.parametrize("sent", ["a b", "x" * 129, "ü", '"}', "", None])
async def test_request_id_that_is_no_plain_token_is_replaced(
    proxy: Proxied, log_lines: LogLines, sent: str | None
) -> None:
    """The client's value reaches no header and no log line."""
    reply = await proxy.post(chat(), headers={} if sent is None else {"x-request-id": sent})

    assert reply.headers["x-request-id"].startswith("req_")
    assert log_lines()[0]["request_id"] == reply.headers["x-request-id"]


async def test_health_and_metrics_requests_have_no_line(proxy: Proxied, log_lines: LogLines) -> None:
    """Probes and scrapes would fill the log."""
    for path in ("/livez", "/readyz", "/metrics", "/", "/nothing"):
        await proxy.get(path)

    assert log_lines() == []


async def test_request_whose_client_left_has_a_line(
    proxy: Proxied, upstream: ScriptedUpstream, log_lines: LogLines
) -> None:
    """The outcome is ``client_disconnected``."""
    upstream.then(HANG)
    with pytest.raises(asyncio.TimeoutError):
        await proxy.request("POST", CHAT, json=chat(), timeout=aiohttp.ClientTimeout(0.1))
    await proxy.idle()

    [line] = log_lines()
    assert (line["outcome"], line["status"], line["attempts"]) == ("client_disconnected", 0, 1)


async def test_defect_is_logged_by_class_and_place(
    proxy: Proxied, upstream: ScriptedUpstream, log_lines: LogLines
) -> None:
    """The text of the error is left out."""
    upstream.then(RuntimeError("geheim"))
    await proxy.post(chat())

    defect, line = log_lines()
    assert (defect["event"], defect["level"], defect["error"]) == ("internal_fault", "error", "RuntimeError")
    assert defect["place"].startswith("_take:")
    assert line["outcome"] == "internal_error"
    assert "geheim" not in json.dumps(defect)


async def test_quiet_log_has_only_warnings_and_errors(
    proxy: Proxied, upstream: ScriptedUpstream, log_lines: LogLines, log_text: io.StringIO
) -> None:
    """Requests have no line, and a defect still has a line."""
    configure_logs(log_text, quiet=True)
    upstream.then(RuntimeError("x"))
    await proxy.post(chat())
    await proxy.post(chat())

    assert [(line["event"], line["level"]) for line in log_lines()] == [("internal_fault", "error")]


class Secrets:
    """Unique secret texts, each under the name of the place where a request has it."""

    def __init__(self) -> None:
        self.given: dict[str, str] = {}

    def __call__(self, place: str) -> str:
        """Return the secret of a place."""
        return self.given.setdefault(place, f"zq{len(self.given):02d}zq{abs(hash(place)) % 10**8:08d}")

    def found_in(self, text: str) -> list[str]:
        """Return the places whose secret is in *text*, in any case or in base64."""
        lowered = text.lower()
        return [
            place
            for place, secret in self.given.items()
            if secret in lowered or base64.b64encode(secret.encode()).decode().rstrip("=").lower() in lowered
        ]


@pytest.fixture
def secret() -> Secrets:
    """Return a maker of secrets."""
    return Secrets()


def bodies(secret: Secrets, model: str, *, stream: bool) -> Iterator[Any]:
    """Yield good, broken, refused and unreadable requests, with a secret in each field that a client may fill."""
    png = f"data:image/png;base64,{base64.b64encode(secret('image').encode()).decode()}"
    schema = {"type": "object", "properties": {secret("schema"): {"type": "string"}}}
    tools = [
        {
            "type": "function",
            "function": {"name": secret("tool"), "description": secret("about"), "parameters": schema},
        }
    ]
    arguments = json.dumps({"q": secret("arguments")})
    good = [
        {"role": "system", "content": secret("system")},
        user([{"type": "text", "text": secret("user")}, image(png)]),
        assistant(secret("assistant"), [call("c1", secret("tool"), arguments)]),
        tool("c1", secret("result")),
    ]
    head = {"model": model, "stream": stream}
    yield {
        **head,
        "messages": good,
        "tools": tools,
        "user": secret("user field"),
        secret("name"): secret("value"),
    }
    yield {**head, "messages": [*good, tool("c9", secret("orphan")), assistant(secret("last"))]}
    yield {**head, "messages": [assistant(None, [call("c1", secret("tool"), secret("no JSON"))])]}
    yield {**head, "messages": [user([image(f"https://{secret('address')}.test/x.png")])]}
    yield {**head, "messages": [{"role": "user", "content": {"text": secret("wrong content")}}]}
    yield {**head, "messages": good, "temperature": secret("wrong value")}
    yield {**head, "messages": good, "logit_bias": {secret("wrong key"): "x"}}
    yield json.dumps({**head, "messages": [user(secret("cut off"))]}).encode()[:-5]
    yield (
        json.dumps({**head, "messages": [user(secret("bad escape") + "@")]}).replace("@", "\\ud800").encode()
    )


@pytest.mark.usefixtures("litellm")
async def test_nothing_secret_is_written(
    openai: OpenAIEmulator,
    gemini: GeminiEmulator,
    log_text: io.StringIO,
    capfd: pytest.CaptureFixture[str],
    secret: Secrets,
) -> None:
    """Secrets in keys, headers, texts, arguments, schemas and addresses are in no log and no metric.

    Keys, headers and the operator's address are in no reply either. The requests lead to answers, streams, providers'
    errors, broken connections and refusals, all through litellm.
    """
    master = secret("master key")
    keys = {"api_key": secret("our key"), "extra_headers": {"x-ours": secret("our header")}}
    dead = f"http://127.0.0.1:1/{secret('our address')}"
    models = {
        "openai": {"model": "openai/gpt-4.1", "api_base": openai.base_url, **keys},
        "gemini": {"model": GEMINI, "api_base": f"{gemini.base}/v1beta", **keys},
        "dead-openai": {"model": "openai/gpt-4.1", "api_base": dead, **keys},
        "dead-gemini": {"model": GEMINI, "api_base": dead, **keys},
    }
    headers = {
        "Authorization": f"Bearer {master}",
        "Cookie": f"session={secret('cookie')}",
        "x-custom": secret("their header"),
        "x-goog-api-key": secret("their key"),
    }
    faults: list[dict[str, Any]] = [{}, {"status": 500, "message": "x"}, {"status": 401, "message": "x"}]
    replies: list[Reply] = []
    for mode in ("repair", "off", "strict"):
        sections = {"general_settings": {"master_key": master}, "sanitize": {"mode": mode}}
        settings = settings_on("litellm", models, **sections)
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            for model in models:
                for stream in (False, True):
                    for body in bodies(secret, model, stream=stream):
                        for fault in faults if mode == "off" else [{}]:
                            openai.faults.clear()
                            await gemini.delete("/_emulator/faults")
                            if fault:
                                openai.faults.append(fault)  # type: ignore[arg-type]  # a Fault
                                await gemini.fault(**fault)
                            replies.append(
                                await proxy.post(body, f"{CHAT}?key={secret('query')}", headers=headers)
                            )
            replies.append(
                await proxy.post(chat(), headers={"Authorization": f"Bearer {secret('wrong key')}"})
            )
            metrics = (await proxy.get("/metrics")).raw.decode()
        assert secret.found_in(metrics) == []

    assert {reply.status for reply in replies} >= {200, 400, 401, 500, 502}
    assert len(log_text.getvalue().splitlines()) >= len(replies)
    assert secret.found_in(log_text.getvalue()) == []
    written = capfd.readouterr()
    assert secret.found_in(written.out + written.err) == []
    ours = {
        "master key",
        "our key",
        "our header",
        "our address",
        "cookie",
        "their header",
        "their key",
        "query",
    }
    for reply in replies:
        told = secret.found_in(f"{reply.raw.decode()} {dict(reply.headers)}")
        if (
            reply.status >= 400
            and b'"upstream_error"' not in reply.raw
            and b"illegal_history" not in reply.raw
        ):
            assert told == [], reply
        assert not ours & set(told), reply


async def test_lines_of_libraries_have_a_place_and_no_text(
    proxy: Proxied,
    log_text: io.StringIO,
    log_lines: LogLines,
    secret: Secrets,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """The text of a library's log line may quote a request."""
    await proxy.raw(f"GET / HTTP/1.1\r\nHost: localhost\r\nx y {secret('header line')}\r\n\r\n".encode())
    await proxy.raw(f"GET /\xff{secret('path')} HTTP/1.1\r\n\r\n".encode("latin-1"))
    for name in ("aiohttp.server", "asyncio", "LiteLLM", "httpx", "any.other"):
        logger = logging.getLogger(name)
        logger.warning("text %s", secret(f"warning of {name}"))
        try:
            raise ValueError(secret(f"exception of {name}"))
        except ValueError:
            logger.exception(secret(f"error of {name}"), extra={"password": secret("extra")})
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=True)
        warnings.warn(secret("python warning"), stacklevel=1)
    asyncio.get_running_loop().call_exception_handler(
        {"message": secret("loop"), "exception": ValueError(secret("loop exception"))}
    )

    assert {line["event"] for line in log_lines()} == {"library_log"}
    assert {line["logger"] for line in log_lines()} >= {
        "aiohttp.server",
        "asyncio",
        "any.other",
        "py.warnings",
    }
    assert secret.found_in(log_text.getvalue()) == []
    written = capfd.readouterr()
    assert secret.found_in(written.out + written.err) == []


def test_uncaught_errors_are_logged_by_class_and_place(
    log_text: io.StringIO,
    log_lines: LogLines,
    secret: Secrets,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An error of a thread or a finalizer is not printed."""

    def fail() -> None:
        raise ValueError(secret("thread"))

    class Closing:
        def __del__(self) -> None:
            raise OSError(secret("finalizer"))

    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    log_stray_errors()
    thread = threading.Thread(target=fail, name=secret("name"))
    thread.start()
    thread.join()
    Closing()

    lines = log_lines()
    assert [(line["event"], line["level"], line["where"], line["error"]) for line in lines] == [
        ("stray_error", "error", "thread", "ValueError"),
        ("stray_error", "error", "finalizer", "OSError"),
    ]
    assert [line["place"].partition(":")[0] for line in lines] == ["fail", "__del__"]
    written = capfd.readouterr()
    assert secret.found_in(log_text.getvalue() + written.out + written.err) == []
