"""One call for embeddings: made in parts where a provider takes few texts at once, and put together again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from proxy.inputs import separate_inputs
from proxy.plain.embeddings import check_embeddings, join_embeddings
from proxy.upstream import Answer, PlainCall, Upstream
from proxy.wires.gemini import MOST_TEXTS


async def embed(upstream: Upstream, call: PlainCall) -> Answer:
    """Return the embeddings of *call*, checked, one for each text; raises as :meth:`Upstream.embed` does.

    The parts are asked for one after another: together they would be many calls for one place in flight.
    """
    answers = [await _embed_part(upstream, part) for part in _parts_of(call)]
    return join_embeddings(answers)


async def _embed_part(upstream: Upstream, call: PlainCall) -> Answer:
    wanted = len(separate_inputs(call.parameters["input"]))
    encoding = call.parameters.get("encoding_format", "float")
    return check_embeddings(await upstream.embed(call), wanted, encoding, call.deployment.model_id)


def _parts_of(call: PlainCall) -> Iterator[PlainCall]:
    """Yield *call*, or its parts: Gemini takes 100 texts at once, OpenAI's clients send up to 2,048."""
    inputs = separate_inputs(call.parameters["input"])
    if call.deployment.provider != "gemini" or len(inputs) <= MOST_TEXTS:
        yield call
        return
    for start in range(0, len(inputs), MOST_TEXTS):
        part = {**call.parameters, "input": inputs[start : start + MOST_TEXTS]}
        yield replace(call, parameters=part)
