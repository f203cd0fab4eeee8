"""The common parts of every provider's emulator: recorded requests, queued faults, a server on loopback.

Each provider implements `Wire`: its URL paths, its judge, and the formats of its answers and errors. This package
contains no provider's rules.
"""

from tests.support.emulated.answering import Prompt, Said, fragments, say, token_counts
from tests.support.emulated.recording import Emulator, Fault, RecordedRequest
from tests.support.emulated.server import EMULATOR, create_emulator, serving
from tests.support.emulated.wire import Asked, Refused, Wire

__all__ = [
    "EMULATOR",
    "Asked",
    "Emulator",
    "Fault",
    "Prompt",
    "RecordedRequest",
    "Refused",
    "Said",
    "Wire",
    "create_emulator",
    "fragments",
    "say",
    "serving",
    "token_counts",
]
