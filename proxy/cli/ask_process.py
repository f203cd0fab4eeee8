"""Asks a running process on a path that requires the master key, for the commands of the operator."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import aiohttp
import orjson

from proxy.cli.option_types import is_address

CANNOT_ASK = 3
"""Exit status if the process does not answer, or refuses the key."""

_TIMEOUT_S = 10.0


class CannotAskError(Exception):
    """The process did not answer as turnright does. The text says why."""


class Question(NamedTuple):
    """The request to a process: its method, its path below ``/v1`` and its query. *limit_s* is the longest wait."""

    method: str
    path: str
    query: Mapping[str, str]
    limit_s: float = _TIMEOUT_S


def unusable_option(options: argparse.Namespace) -> str | None:
    """Return what is wrong with ``--url`` or with the key in the variable ``--key-env``, or None."""
    if not is_address(options.url):
        return "--url must be an http:// or https:// address, without a user name or a query"
    key = os.environ.get(options.key_env, "").strip()
    if not (key.isascii() and key.isprintable()):
        return f"the key in {options.key_env} has a character that no header may have"
    return None


async def ask_process(options: argparse.Namespace, question: Question) -> tuple[int, Any]:
    """Return the status and the JSON value of the process's answer, or None for a body that is no JSON.

    Raises :class:`CannotAskError` if there is no answer, or the key is refused.
    """
    url = f"{options.url.rstrip('/').removesuffix('/v1')}/v1/{question.path}"
    key = os.environ.get(options.key_env, "").strip()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    timeout = aiohttp.ClientTimeout(total=question.limit_s)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout, headers=headers) as session,
            session.request(question.method, url, params=question.query, allow_redirects=False) as response,
        ):
            status, body = response.status, await response.read()
    except (aiohttp.ClientError, TimeoutError) as error:
        raise CannotAskError(f"{options.url} does not answer: {type(error).__name__}") from None
    if status in (401, 403):
        raise CannotAskError(f"the process requires its master key: set {options.key_env}")
    try:
        return status, orjson.loads(body)
    except orjson.JSONDecodeError:
        return status, None
