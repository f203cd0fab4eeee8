"""Names the command as the user has started it, for lines that say what to run next."""

from __future__ import annotations

import sys
from pathlib import Path


def command_name() -> str:
    """Return ``turnright``, or ``PYTHON -m proxy`` where the process was started in that way.

    The second form is that of a checkout, where no command is installed. ``PYTHON`` is the path of the interpreter,
    which is relative where that lies below the working directory.
    """
    if Path(sys.argv[0]).name != "__main__.py":
        return "turnright"
    python = Path(sys.executable)
    here = Path.cwd()
    return f"{python.relative_to(here) if python.is_relative_to(here) else python} -m proxy"
