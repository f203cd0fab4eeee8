"""Gives the request bodies that turnright writes for a target to the target's judges, and collects the refusals."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
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
    """A judge's refusal of the request body that was written for a history. *words* is the judge's error text."""

    target: str
    judge: str
    history: str
    words: str


@dataclass(slots=True)
class Judged:
    """The refusals at one target, and the number of bodies that each judge has judged."""

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

    A chat template may refuse once if the words of the refusal lead to a repair. Then the template judges the repaired
    body, since the proxy would send that body to the server.
    """
    judged = Judged()
    async with writing(target) as writer:
        written = [one async for one in written_bodies(writer, target, judged)]
        for name, judges in judges_of(target, workers).items():
            await _judge(
                _Asking(target, workers[name], f"{name}/"), writer, [(one, judges) for one in written], judged
            )
        if target.templates is not None:
            worker = workers["templates"]
            features = {
                name: accepted_features(worker, name)
                for name in worker.names
                if family_of(name) == target.templates
            }
            able = [
                (one, [name for name, accepted in features.items() if one.history.features in accepted])
                for one in written
            ]
            await _judge(_Asking(target, worker, ""), writer, able, judged)
    return judged


async def written_bodies(writer: Writer, target: Target, judged: Judged) -> AsyncIterator[Written]:
    """Yield every history as it is written, plain and streamed, and add the proxy's own refusals to *judged*."""
    for history in histories():
        for stream in (False, True):
            try:
                plan = writer.plan(history, stream=stream)
                yield Written(history, plan, await writer.write(plan, stream=stream), stream)
            except InvalidRequest as error:
                judged.refusals.append(Refusal(target.name, OURS, history.name, error.message))


def judges_of(target: Target, workers: Workers) -> dict[str, list[str]]:
    """Return the judges of a target by their worker."""
    found: dict[str, list[str]] = {}
    for worker, name in target.judges:
        names = fnmatch.filter(workers[worker].names, name)
        assert names, f"{worker} has no judge {name}"
        found.setdefault(worker, []).extend(names)
    return found


class _Asking:
    """Asks a worker's judges about the bodies for one target.

    *prefix* is put before the judges' names in the results.
    """

    def __init__(self, target: Target, worker: Worker, prefix: str) -> None:
        self.target = target
        self.prefix = prefix
        self._worker = worker

    def ask(self, judges: Sequence[str], body: Body) -> Mapping[str, str]:
        """Return the refusals of *body* by judge.

        Templates read only messages and tools. All other judges take any name of a model. So bodies that differ in the
        rest are one body, which is judged once.
        """
        if not self.prefix:
            return self._worker.ask(
                judges, {name: body[name] for name in ("messages", "tools") if name in body}
            )
        return self._worker.ask(judges, {**body, "model": "m"} if "model" in body else body)


async def _judge(
    asking: _Asking, writer: Writer, given: Sequence[tuple[Written, Sequence[str]]], judged: Judged
) -> None:
    for one, judges in given:
        judged.verdicts.update(asking.prefix + name for name in judges)
        by_words: dict[str, list[str]] = {}
        for name, words in asking.ask(judges, one.body).items():
            by_words.setdefault(words, []).append(name)
        for words, names in by_words.items():
            left = dict.fromkeys(names, words)
            plan = None if asking.target.templates is None else await writer.repair(one.plan, words)
            if plan is not None:
                again = asking.ask(names, await writer.write(plan, stream=one.stream))
                left = {name: f"after a repair: {said}" for name, said in again.items()}
            for name, said in left.items():
                judged.refusals.append(
                    Refusal(asking.target.name, asking.prefix + name, one.history.name, said)
                )


def grouped(refusals: Sequence[Refusal]) -> Iterator[str]:
    """Yield a line for each target, judge and error text, with the names of the refused histories."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for one in refusals:
        found.setdefault((one.target, one.judge, one.words[:300]), []).append(one.history)
    for (target, judge, words), names in found.items():
        yield f"{target} | {judge} | {len(names)}: {', '.join(dict.fromkeys(names))[:80]} | {words}"
