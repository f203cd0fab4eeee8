"""``turnright learned``: asks a running process for its learned repairs, or has it forget one."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from rich.table import Table

from proxy.cli.ask_process import CANNOT_ASK, CannotAskError, Question, ask_process, unusable_option
from proxy.cli.configuration import UNUSABLE
from proxy.cli.print_result import print_result
from proxy.cli.render_lines import render_lines

_COLUMNS = ("KEY", "MODEL", "FAULT", "FEATURE", "CLIENT", "CONFIDENCE", "FOR", "AGAINST", "SINCE", "MADE")


def run_learned(options: argparse.Namespace) -> int:
    """List the learned repairs, or forget the one that *options* name. Returns the exit status."""
    if (why := unusable_option(options)) is not None:
        return _fail(why, UNUSABLE)
    if (options.action == "forget") is not bool(options.id):
        return _fail("forget needs the KEY of one repair, and list takes none", UNUSABLE)
    try:
        status, answer = asyncio.run(_ask(options))
    except CannotAskError as fault:
        return _fail(str(fault), CANNOT_ASK)
    if status == 404 and options.action == "forget" and options.id:
        return _fail(f"no repair with the key {options.id} was learned", 1)
    if options.json:
        return print_result(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode(), 0)
    if options.action == "forget":
        return print_result(f"Forgotten: {options.id}", 0)
    return print_result("\n".join(_lines(answer)), 0)


async def _ask(options: argparse.Namespace) -> tuple[int, Mapping[str, Any]]:
    """Return the status and the body of the process's answer. Raises :class:`CannotAskError`."""
    forgets = options.action == "forget"
    method, query = ("DELETE", {"id": options.id}) if forgets else ("GET", dict[str, str]())
    status, answer = await ask_process(options, Question(method, "learned", query))
    is_unknown = status == 404 and forgets and isinstance(answer, dict)
    if not is_unknown and (status != 200 or not _is_turnrights(answer)):
        raise CannotAskError(f"{options.url} does not answer as turnright does: HTTP {status}")
    return status, answer


def _is_turnrights(answer: Any) -> bool:
    return isinstance(answer, dict) and (
        isinstance(answer.get("data"), list) or answer.get("deleted") is True
    )


def _lines(answer: Mapping[str, Any]) -> Iterator[str]:
    yield f"learn: {answer.get('learn')}"
    rows = answer["data"]
    if not rows:
        yield "No repair has been confirmed yet."
        return
    table = Table(*_COLUMNS, box=None, pad_edge=False)
    for row in rows:
        table.add_row(
            row["id"],
            row["model"],
            row["fault"],
            row["feature"] or "-",
            row["client"] or "-",
            f"{row['confidence']:.2f}",
            f"{row['confirmed']:g}",
            f"{row['contradicted']:g}",
            row["since"],
            "in advance" if row["learned"] else "after a refusal",
        )
    yield from render_lines([table])


def _fail(why: str, status: int) -> int:
    print(f"turnright: {why}", file=sys.stderr)
    return status
