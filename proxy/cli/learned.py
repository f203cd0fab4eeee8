"""``turnright learned``: asks a running process for its learned repairs, or has it forget one."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import aiohttp
import orjson
from rich.table import Table

from proxy.cli.configuration import UNUSABLE
from proxy.cli.option_types import is_address
from proxy.cli.print_result import print_result
from proxy.cli.render_lines import render_lines

_CANNOT_ASK = 3
"""Exit status if the process does not answer, or refuses the key."""

_TIMEOUT_S = 10.0
_COLUMNS = ("KEY", "MODEL", "FAULT", "FEATURE", "CLIENT", "CONFIDENCE", "FOR", "AGAINST", "SINCE", "MADE")


class _CannotAskError(Exception):
    """The process did not answer as turnright does."""


def run_learned(options: argparse.Namespace) -> int:
    """List the learned repairs, or forget the one that *options* name. Returns the exit status."""
    if not is_address(options.url):
        return _fail("--url must be an http:// or https:// address, without a user name or a query", UNUSABLE)
    if (options.action == "forget") is not bool(options.id):
        return _fail("forget needs the KEY of one repair, and list takes none", UNUSABLE)
    key = os.environ.get(options.key_env, "").strip()
    if not (key.isascii() and key.isprintable()):
        return _fail(f"the key in {options.key_env} has a character that no header may have", UNUSABLE)
    try:
        status, answer = asyncio.run(_ask(options, key))
    except _CannotAskError as fault:
        return _fail(str(fault), _CANNOT_ASK)
    if status == 404 and options.action == "forget" and options.id:
        return _fail(f"no repair with the key {options.id} was learned", 1)
    if options.json:
        return print_result(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode(), 0)
    if options.action == "forget":
        return print_result(f"Forgotten: {options.id}", 0)
    return print_result("\n".join(_lines(answer)), 0)


async def _ask(options: argparse.Namespace, key: str) -> tuple[int, Mapping[str, Any]]:
    """Return the status and the body of the process's answer. Raises :class:`_CannotAskError`."""
    url = options.url.rstrip("/").removesuffix("/v1") + "/v1/learned"
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
    method, query = ("DELETE", {"id": options.id}) if options.action == "forget" else ("GET", {})
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, headers=headers) as session,
            session.request(method, url, params=query, allow_redirects=False) as response,
        ):
            status, body = response.status, await response.read()
    except (aiohttp.ClientError, TimeoutError) as error:
        raise _CannotAskError(f"{options.url} does not answer: {type(error).__name__}") from None
    if status in (401, 403):
        raise _CannotAskError(f"the process requires its master key: set {options.key_env}")
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        answer = None
    is_unknown = status == 404 and options.action == "forget" and isinstance(answer, dict)
    if not is_unknown and (status != 200 or not _is_turnrights(answer)):
        raise _CannotAskError(f"{options.url} does not answer as turnright does: HTTP {status}")
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
