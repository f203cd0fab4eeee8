"""Gives what turnright writes for a target to the target's judges, and collects the refusals."""

from __future__ import annotations

import fnmatch
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from proxy.core.errors import InvalidRequest
from proxy.planning.plan import Plan
from tests.judges.asking import Worker, Workers
from tests.judges.inputs import History, histories
from tests.judges.targets import Target, family_of
from tests.judges.template_baseline import accepted_features
from tests.judges.writing import Body, Writer, writing

OURS = "turnright"
"""The judge's name where turnright itself refuses a history."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A judge's refusal of what was written for a history."""

    target: str
    judge: str
    history: str
    words: str


@dataclass(slots=True)
class Judged:
    """The refusals of one target, and the number of verdicts by judge."""

    refusals: list[Refusal] = field(default_factory=list)
    verdicts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Written:
    """A history's plan and the body that it is sent as."""

    history: History
    plan: Plan
    body: Body
    stream: bool


async def judge_target(target: Target, workers: Workers) -> Judged:
    """Return the verdicts on every history, plain and streamed.

    Chat templates may refuse once: the proxy asks such a server a second time where the refusal's words lead to a
    repair.
    """
    judged = Judged()
    async with writing(target) as writer:
        written: list[Written] = []
        for history in histories():
            for stream in (False, True):
                try:
                    plan = writer.plan(history, stream=stream)
                    body = await writer.write(plan, stream=stream)
                except InvalidRequest as error:
                    judged.refusals.append(Refusal(target.name, OURS, history.name, error.message))
                    continue
                written.append(Written(history, plan, body, stream))
        for worker, judges in judges_of(target, workers).items():
            _judge_by_types(target, workers[worker], judges, written, judged)
        if target.templates is not None:
            await _judge_by_templates(target, workers["templates"], writer, written, judged)
    return judged


def judges_of(target: Target, workers: Workers) -> dict[str, list[str]]:
    """Return the judges of a target by their worker."""
    found: dict[str, list[str]] = {}
    for worker, name in target.judges:
        names = fnmatch.filter(workers[worker].names, name)
        assert names, f"{worker} has no judge {name}"
        found.setdefault(worker, []).extend(names)
    return found


def _judge_by_types(
    target: Target, worker: Worker, judges: Sequence[str], written: Sequence[Written], judged: Judged
) -> None:
    for one in written:
        refused = worker.ask(judges, one.body)
        judged.verdicts.update(judges)
        for name, words in refused.items():
            judged.refusals.append(Refusal(target.name, f"{worker.name}/{name}", one.history.name, words))


async def _judge_by_templates(
    target: Target, worker: Worker, writer: Writer, written: Sequence[Written], judged: Judged
) -> None:
    features = {
        name: accepted_features(worker, name) for name in worker.names if family_of(name) == target.templates
    }
    known: dict[str, Mapping[str, str]] = {}
    for one in written:
        names = [name for name, accepted in features.items() if one.history.features in accepted]
        judged.verdicts.update(names)
        for name, words in _rendered(worker, names, one.body, known).items():
            repaired = await writer.repair(one.plan, words)
            if repaired is not None:
                body = await writer.write(repaired, stream=one.stream)
                again = _rendered(worker, [name], body, known).get(name)
                if again is None:
                    continue
                words = f"after a repair: {again}"
            judged.refusals.append(Refusal(target.name, name, one.history.name, words))


def _rendered(
    worker: Worker, names: Sequence[str], body: Body, known: dict[str, Mapping[str, str]]
) -> Mapping[str, str]:
    """Return the refusals of templates. They read only messages and tools, so that equal ones are rendered once."""
    key = json.dumps([names, body["messages"], body.get("tools")])
    if key not in known:
        known[key] = worker.ask(names, body)
    return known[key]


def grouped(refusals: Sequence[Refusal]) -> Iterator[str]:
    """Yield a line for each target, judge and kind of words, with the histories."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for one in refusals:
        found.setdefault((one.target, one.judge, one.words[:300]), []).append(one.history)
    for (target, judge, words), names in found.items():
        yield f"{target} | {judge} | {len(names)}: {', '.join(dict.fromkeys(names))[:80]} | {words}"
