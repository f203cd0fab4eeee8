"""Calls a deployment for embeddings, in several calls where the provider limits the texts per call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from proxy.answers.embeddings import check_embeddings, join_embeddings, read_usage, weight_of
from proxy.core.offload import run_offloaded
from proxy.core.source import SOURCE, AnswerSource
from proxy.core.text_request import separate_inputs
from proxy.core.upstream_call import Answer, TextCall
from proxy.upstream import Upstream
from proxy.upstream.wires.table import most_inputs_of


async def embed(upstream: Upstream, call: TextCall) -> Answer:
    """Return the checked embeddings of *call*, one for each text. Raises the errors of :meth:`Upstream.embed`.

    The parts are sent one after another. Sent together, the parts would be many concurrent calls, while the limit on
    concurrent requests counts one. An answer in one part keeps its source.
    """
    answers = [await _embed_part(upstream, part) for part in _parts_of(call)]
    joined = await run_offloaded(sum(map(weight_of, answers)), partial(join_embeddings, answers))
    if len(answers) > 1:
        joined.pop(SOURCE, None)  # that of the first part
    return joined


async def _embed_part(upstream: Upstream, call: TextCall) -> Answer:
    wanted = len(separate_inputs(call.parameters["input"]))
    encoding = call.parameters.get("encoding_format", "float")
    answer = await upstream.embed(call)
    if call.reports is not None:
        call.reports.parts.append(read_usage(answer) or None)
    check = partial(check_embeddings, answer, wanted, encoding, call.deployment.model_id)
    checked = await run_offloaded(weight_of(answer), check)
    source = answer.get(SOURCE)  # a provider may send a field of this name
    return {**checked, SOURCE: source} if isinstance(source, AnswerSource) else checked


def _parts_of(call: TextCall) -> Iterator[TextCall]:
    """Yield *call* or its parts.

    A provider's API may take few texts per call, while OpenAI's clients send up to 2,048.
    """
    inputs = separate_inputs(call.parameters["input"])
    most = most_inputs_of(call.deployment)
    if most is None or len(inputs) <= most:
        yield call
        return
    for start in range(0, len(inputs), most):
        part = {**call.parameters, "input": inputs[start : start + most]}
        source = None if call.source is None else call.source.part(start, start + most)
        yield replace(call, parameters=part, weight=call.weight * most // len(inputs), source=source)
