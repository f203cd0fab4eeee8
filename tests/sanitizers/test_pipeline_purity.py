"""Sanitizing does no I/O and reads no clock. An audit hook checks this, since `open()` needs no import."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROBE = """
import json, sys
import sanitizers
from sanitizers.budget import Cap, CutPolicy, CutInput, Marks, fit
from sanitizers.gemini_profiles import GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT
from sanitizers.profiles import OPENAI
import {plant}

histories = json.load(open(sys.argv[1]))
seen = []
watched = ("open", "socket.", "subprocess.", "os.", "time.sleep", "import", "urllib.", "ctypes.")

def hook(event, arguments):
    if running and event.startswith(watched):
        seen.append(event)

def no_clock(frame, event, function):
    # C functions of the clock and of randomness raise no audit events: a profiler sees their calls.
    if running and event == "c_call" and (getattr(function, "__module__", None) in ("time", "_random", "posix")):
        seen.append(f"{{function.__module__}}.{{function.__name__}}")

running = False
sys.addaudithook(hook)
sys.setprofile(no_clock)
for entry in histories:
    for profile in (OPENAI, GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT):
        running = True
        try:
            {act}
            done = sanitizers.sanitize(entry["messages"], profile)
            marks, policy = Marks(300, 300, 100, 400), CutPolicy("p", ingest=Cap(400))
            fit(CutInput(done.messages, profile, lambda message: len(str(message))), marks, policy)
        except sanitizers.Unrepairable:
            pass
        running = False
sys.setprofile(None)
print(json.dumps(sorted(set(seen))))
"""

KNOWN = Path(__file__).parents[2] / "proxy" / "conformance" / "known.json"


def probe(plant: str = "json", act: str = "pass") -> list[str]:
    """Run the probe in another process, and return the forbidden operations that the probe saw."""
    source = PROBE.format(plant=plant, act=act)
    done = subprocess.run(
        [sys.executable, "-c", source, str(KNOWN)], capture_output=True, text=True, timeout=60, check=True
    )
    seen: list[str] = json.loads(done.stdout)
    return seen


def test_sanitizing_opens_nothing_and_reads_no_clock() -> None:
    """The known histories are sanitized without a file, socket, process, import, clock or random number."""
    assert [] == probe()


def test_the_probe_sees_a_planted_breach() -> None:
    """The probe reports an opened file, and a clock that is read."""
    assert "open" in probe(act="open(sys.argv[1]).close()")
    assert "time.monotonic" in probe(plant="time", act="time.monotonic()")
