"""``turnright init``: writes a commented first configuration file from the keys in the environment.

The file names variables (``os.environ/NAME``) and never holds a value. An existing file is never overwritten.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from proxy.cli.command_name import command_name
from proxy.cli.configuration import UNUSABLE
from proxy.cli.print_result import print_result
from proxy.config.environment import MASTER_KEY_VARIABLE, PROVIDERS, Provider, find_variables

_HEAD = """\
# A configuration of turnright, made by `turnright init`.
#
#   turnright check --config {name}    shows what happens to a request for each model
#   turnright serve --config {name}    serves it; a change of this file is taken up without a restart
#
# Keys stay in the environment: os.environ/NAME stands for the value of the variable NAME.

# The names that clients send, and the models behind them. `provider/*` serves every model of a provider.
model_list:
"""

_ENTRY = """\
  - model_name: {prefix}/*
    litellm_params:
      model: {prefix}/*
      api_key: os.environ/{key}
"""

_TAIL = """\
{pool}
router_settings:
  num_retries: 2          # tries after the first one, on the deployments of the same name
  timeout: 600            # seconds for a request with all of its attempts
  # fallbacks: [{{fast: [spare]}}]    # the models that are asked when all tries of `fast` have failed

general_settings:
  # Clients need no key on loopback. For any other address set one of these:
  {no_master_key}master_key: os.environ/TURNRIGHT_MASTER_KEY
  # keys: [{{name: team-a, key: os.environ/TEAM_A_KEY}}]

# What happens to an illegal history: repair (default), observe, strict or off.
sanitize:
  mode: repair

# How a long history is cut to the model's window: balanced (default), and other presets.
budget:
  preset: balanced

# What happens to an agent that does not stop: off, warn (default) or enforce.
turns:
  mode: warn

# A model that summarizes the older messages of a long conversation. Off by default.
# compaction: {{enabled: true, model: {prefix}/MODEL}}
"""

_POOL = """
  # Two entries of one name are a pool: they share the requests, and a failing one is skipped.
  # - {{model_name: fast, litellm_params: {{model: {prefix}/MODEL, api_key: os.environ/{key}}}}}
"""


_USUAL_NAME = "turnright.yaml"
"""The name in the comments of a file that goes to standard output."""


def run_init(options: argparse.Namespace) -> int:
    """Write the configuration file, or print it where its name is ``-``.

    Returns 2 where the environment has no key, or the file exists or cannot be written.
    """
    found = find_variables(os.environ)
    if not found:
        names = ", ".join(name for provider in PROVIDERS for name in provider.keys)
        print(f"turnright: no provider's key is in the environment; set one of {names}", file=sys.stderr)
        return UNUSABLE
    if options.output == "-":
        return print_result(first_file(_USUAL_NAME, found, os.environ).rstrip("\n"), 0)
    path = Path(options.output)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(first_file(path.name, found, os.environ))
    except FileExistsError:
        print(f"turnright: {path} exists and is left as it is; name another with --output", file=sys.stderr)
        return UNUSABLE
    except OSError as error:
        print(f"turnright: {path}: {error.strerror}", file=sys.stderr)
        return UNUSABLE
    print(
        f"Wrote {path} with {len(found)} provider{'s' * (len(found) > 1)}: {', '.join(p.prefix for p, _ in found)}."
    )
    file_name, command = shlex.quote(str(path)), command_name()
    print(f"Next: {command} check --config {file_name}")
    print(f"      {command} serve --config {file_name}")
    return 0


def first_file(name: str, found: Sequence[tuple[Provider, str]], environ: Mapping[str, str]) -> str:
    """Return the text of the file *name* for the *found* providers, each with the variable of its key.

    The file also names the variables in *environ* that hold providers' addresses or the master key. If the file did not
    name the environment's master key, an API that this key protects would be open. No value of *environ* is in the
    text.
    """
    entries = []
    for provider, key in found:
        entry = _ENTRY.format(prefix=provider.prefix, key=key)
        base = next((base for base in provider.bases if environ.get(base, "").strip()), None)
        entries.append(entry if base is None else f"{entry}      api_base: os.environ/{base}\n")
    first, key = found[0]
    pool = _POOL.format(prefix=first.prefix, key=key)
    no_master_key = "" if MASTER_KEY_VARIABLE in environ else "# "
    tail = _TAIL.format(pool=pool, no_master_key=no_master_key, prefix=first.prefix)
    return _HEAD.format(name=name) + "".join(entries) + tail
