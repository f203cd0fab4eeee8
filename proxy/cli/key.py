"""``turnright key new NAME``: makes a client key, and prints it once with the entry for the file.

The entry has the key's hash alone, so that the configuration holds no secret. Nothing is stored or sent.
"""

from __future__ import annotations

import argparse
import re
import secrets
import sys

import orjson

from proxy.cli.configuration import UNUSABLE
from proxy.cli.print_result import print_result
from proxy.config.references import ENVIRONMENT_PREFIX
from proxy.config.schema.keys import digest_of

_START = "tr-"
_BYTES = 32
"""Bytes of randomness: 256 bits, so that a fast hash without salt tells nothing of the key."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
"""Words that YAML takes for something else than a text."""

_TEXT = """\
The key of {name}. It is not shown again:

  {key}

Its entry of general_settings.keys, which holds no secret:

  {entry}"""


def run_key(options: argparse.Namespace) -> int:
    """Make a key with the name in *options* and print it. Returns the exit status."""
    name: str = options.name
    if not name.strip() or name != name.strip() or not name.isprintable():
        return _fail("NAME must be one line of text, without white space at its ends")
    if name.startswith((ENVIRONMENT_PREFIX, "${")):
        return _fail("NAME looks like a reference to a variable")
    key = _START + secrets.token_urlsafe(_BYTES)
    key_hash = f"sha256:{digest_of(key.encode())}"
    if options.json:
        shown = {"name": name, "key": key, "key_hash": key_hash}
        return print_result(orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode(), 0)
    entry = f'- {{name: {_in_yaml(name)}, key_hash: "{key_hash}"}}'
    return print_result(_TEXT.format(name=name, key=key, entry=entry), 0)


def _in_yaml(name: str) -> str:
    """Return *name* as YAML writes it, in quotes where it could be taken for something else. JSON's texts are YAML."""
    is_plain = _PLAIN.fullmatch(name) and name.lower() not in _WORDS
    return name if is_plain else orjson.dumps(name).decode()


def _fail(why: str) -> int:
    print(f"turnright: {why}", file=sys.stderr)
    return UNUSABLE
