"""Imports turnright once, and runs a command of turnright in a fork for each request.

A new process takes 1.3 seconds of CPU to start, and five more with litellm. A fork takes a tenth of a second.
A request is a line of JSON on standard input, and its answer is a line of JSON on standard output:

- ``{"arguments": …, "environment": …, "out": …, "err": …}`` starts a process. The answer is its process id.
- ``{"poll": pid}`` asks for a process's exit status. The answer is null while the process runs.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import sys
from contextlib import suppress
from typing import Any

from proxy.upstream.litellm.environment import quiet_litellm

MODULES = ("proxy.cli.emulate", "proxy.cli.serve", "proxy.upstream.direct.transport")


def main() -> None:
    """Import the modules of the server, and litellm where it is an argument. Then answer until standard input ends."""
    for module in MODULES:
        importlib.import_module(module)
    if "litellm" in sys.argv[1:]:
        quiet_litellm()
        importlib.import_module("litellm")
        gc.freeze()  # as the process does that imports it
    children = set[int]()
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if "poll" not in request:
            child = os.fork()
            if child == 0:
                _become(request)
                runpy.run_module("proxy", run_name="__main__", alter_sys=True)
                return
            children.add(child)
            answer: int | None = child
        else:
            ended, status = os.waitpid(request["poll"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if ended else None
            children.discard(ended)
        os.write(1, b"%s\n" % json.dumps(answer).encode())
    for child in children:  # whoever asked for them is gone
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


def _become(request: dict[str, Any]) -> None:
    """Give this process the environment, the arguments and the files of a command."""
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["turnright", *request["arguments"]]
    files = [os.open(os.devnull, os.O_RDONLY)]
    files += [os.open(request[name], os.O_WRONLY | os.O_APPEND) for name in ("out", "err")]
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)


if __name__ == "__main__":
    main()
