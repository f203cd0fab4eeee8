"""``turnright emulate``: serves the Gemini emulator."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys

from proxy.emulator import serving
from proxy.observability.logs import configure_logs


def run_emulate(options: argparse.Namespace) -> int:
    """Serve the emulator until a signal comes. Returns 1 if the address is not available."""
    configure_logs()
    try:
        asyncio.run(_emulate(options.host, options.port))
    except OSError as error:
        print(f"turnright: cannot listen: {error.strerror}", file=sys.stderr)
        return 1
    return 0


async def _emulate(host: str, port: int) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    async with serving(host, port) as base_url:
        print(f"Gemini emulator on {base_url} (api_base: {base_url}/v1beta)", flush=True)
        await stop.wait()
