"""Tests that large requests for embeddings and texts are handled in a worker thread, with the same result."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from proxy.answers.embeddings import weight_of
from proxy.config import Settings
from proxy.core import offload
from proxy.core.offload import LARGE
from proxy.forwarding.text import embedding
from proxy.forwarding.text import forward_text as forwarding
from proxy.forwarding.text import plan_attempts as planning
from proxy.ingress.openai_text.requests import parse_completion_request, parse_embedding_request
from tests.proxy.forwarding.text.asking import EMBEDDINGS, PATHS, body_for, embedded, good
from tests.support.proxied import proxied
from tests.support.scripted_upstream import ScriptedUpstream


async def run_noted(seen: list[tuple[str, bool]], weight: int, work: Callable[[], Any]) -> Any:
    """Run *work* as usual, and note its name and whether it runs in the event loop's thread."""
    here = threading.get_ident()

    def noted() -> Any:
        seen.append((getattr(work, "func", work).__name__, threading.get_ident() == here))
        return work()

    return await offload.run_offloaded(weight, noted)


@pytest.mark.parametrize("path", PATHS)
async def test_each_step_of_a_large_request_runs_in_a_worker_thread(
    upstream: ScriptedUpstream, settings: Settings, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """The steps of a large request run in a worker thread, with the same result as for a small request."""
    replies = []
    for largest, here in ((LARGE, True), (5, False)):
        seen: list[tuple[str, bool]] = []
        monkeypatch.setattr(offload, "LARGE", largest)
        for module in (embedding, forwarding, planning):
            monkeypatch.setattr(module, "run_offloaded", partial(run_noted, seen))
        upstream.then(good(path))
        async with proxied(settings, upstream) as proxy:
            reply = await proxy.post(body_for(path), path)
        replies.append((reply.status, reply.json["model"], upstream.plain_calls[-1].parameters))
        done = {name for name, in_loop in seen if in_loop == here}
        wanted = {"plan_embeddings", "check_embeddings", "join_embeddings", "write_answer"}
        assert done >= (wanted if path == EMBEDDINGS else {"plan_text"})

    assert replies[0] == replies[1]


@pytest.mark.parametrize(
    ("answer", "weight"),
    [
        (embedded([0.5] * 1_000, [0.5] * 1_000), 40_000),
        (embedded("A" * 1_000, "A" * 1_000), 2_000),
        ({"data": []}, 0),
        ({"data": [3]}, 0),
        ({"data": [{"embedding": None}]}, 0),
        ({}, 0),
    ],
)
def test_weight_of_an_answer_is_estimated_by_its_first_embedding(answer: dict[str, Any], weight: int) -> None:
    """An answer's weight is estimated by its first embedding. An answer without an embedding weighs 0."""
    assert weight_of(answer) == weight


@pytest.mark.parametrize(
    ("parse", "body"),
    [
        (parse_embedding_request, b'{"model":"m","input":[[1]]}'),
        (parse_completion_request, b'{"model":"m","prompt":[[1]]}'),
    ],
)
def test_weight_of_a_request_is_kept_from_its_parsing(parse: Callable[..., Any], body: bytes) -> None:
    """A parsed request keeps its weight, by which later steps decide on a worker thread."""
    assert parse(body, max_nesting=8, weight=1_234).weight == 1_234
