"""Imports a client script once, and runs it for each line of standard input in a fork of its own.

The import of an agent's package takes two seconds of CPU, and the run of the agent a tenth of that. A line is the
script's arguments as JSON. The answer is a line of JSON: the exit status, standard output and standard error.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import signal
import sys
import tempfile


def main() -> None:
    """Import the script that the first argument names, and run it for each line.

    The second argument is the timeout of a run in seconds.
    """
    script, seconds = sys.argv[1], int(sys.argv[2])
    signal.alarm(seconds)
    importlib.import_module(script)
    del sys.modules[script]  # each run is to be its first
    signal.alarm(0)
    for line in sys.stdin:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            child = os.fork()
            if child == 0:
                signal.alarm(seconds)
                for number, file in enumerate((open(os.devnull, "rb"), out, errors)):  # noqa: SIM115 - ends with the run
                    os.dup2(file.fileno(), number)
                sys.argv = [script, *json.loads(line)]
                runpy.run_module(script, run_name="__main__")
                return
            _, status = os.waitpid(child, 0)
            out.seek(0)
            errors.seek(0)
            told = os.waitstatus_to_exitcode(status), out.read().decode(), errors.read().decode()
        print(json.dumps(told), flush=True)  # noqa: T201 - to who asked


if __name__ == "__main__":
    main()
