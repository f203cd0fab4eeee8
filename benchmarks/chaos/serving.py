"""Start and stop ``turnright serve`` for a run.

Both calls block, so call them in a thread and not in the event loop.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.process.running import serve


class Server:
    """A running proxy process that is ready."""

    def __init__(self, directory: Path, config: dict[str, Any]) -> None:
        self._context = serve(directory, config)
        self.served = self._context.__enter__()

    def stop(self, violations: list[str]) -> None:
        """Stop the process. If it failed or logged errors, a violation is added to *violations*."""
        try:
            self._context.__exit__(None, None, None)
        except AssertionError:
            running = self.served.running
            said = running.errors or running.events("internal_fault")
            violations.append(f"the process ended with {running.process.returncode}, and said: {said}")
