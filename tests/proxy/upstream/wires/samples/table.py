"""The samples of ``test_protocol``, one for each wire, in the order of the table of wires."""

from __future__ import annotations

from tests.proxy.upstream.wires.samples.anthropic import ANTHROPIC_SAMPLE
from tests.proxy.upstream.wires.samples.azure import AZURE_SAMPLE
from tests.proxy.upstream.wires.samples.gemini import GEMINI_SAMPLE
from tests.proxy.upstream.wires.samples.openai import OPENAI_SAMPLE
from tests.proxy.upstream.wires.samples.sample import WireSample
from tests.proxy.upstream.wires.toy.sample import TOY_SAMPLE

SAMPLES: tuple[WireSample, ...] = (
    ANTHROPIC_SAMPLE,
    AZURE_SAMPLE,
    GEMINI_SAMPLE,
    OPENAI_SAMPLE,
    TOY_SAMPLE,
)
