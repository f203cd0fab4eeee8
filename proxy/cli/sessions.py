"""``turnright sessions purge``: has a running process delete the stored responses and conversations of one key.

It sends ``DELETE /v1/sessions?key=NAME`` with the master key. The answer is
``{"object": "sessions", "key": NAME, "deleted": true, "values": NUMBER}``.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping
from typing import Any

import orjson

from proxy.cli.ask_process import CANNOT_ASK, CannotAskError, Question, ask_process, unusable_option
from proxy.cli.configuration import UNUSABLE
from proxy.cli.print_result import print_result

_LIMIT_S = 60.0
"""The most seconds that the command waits. The process deletes 500 values at a time."""


def run_sessions(options: argparse.Namespace) -> int:
    """Delete what *options* name. Returns the exit status."""
    if (why := unusable_option(options)) is not None:
        return _fail(why, UNUSABLE)
    try:
        answer = asyncio.run(_purge(options))
    except CannotAskError as fault:
        return _fail(str(fault), CANNOT_ASK)
    if options.json:
        return print_result(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode(), 0)
    whose = f"the key {options.key}" if options.key else "the master key, or of callers without a key"
    return print_result(f"Deleted: {answer['values']:,} stored values of {whose}", 0)


async def _purge(options: argparse.Namespace) -> Mapping[str, Any]:
    """Return the body of the process's answer. Raises :class:`CannotAskError`."""
    question = Question("DELETE", "sessions", {"key": options.key}, _LIMIT_S)
    status, answer = await ask_process(options, question)
    if status == 503:
        raise CannotAskError("the store cannot be asked now; what was not deleted is still there: try again")
    is_answer = isinstance(answer, dict) and answer.get("deleted") is True
    if status != 200 or not is_answer or not isinstance(answer.get("values"), int):
        raise CannotAskError(f"{options.url} does not answer as turnright does: HTTP {status}")
    return dict(answer)


def _fail(why: str, status: int) -> int:
    print(f"turnright: {why}", file=sys.stderr)
    return status
