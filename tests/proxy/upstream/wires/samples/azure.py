"""Sample data of Azure's wire: OpenAI's, with a key header of its own."""

from __future__ import annotations

from dataclasses import replace

from tests.proxy.upstream.wires.samples.openai import OPENAI_SAMPLE

AZURE_SAMPLE = replace(
    OPENAI_SAMPLE, provider="azure", model="azure/gpt-4o", key_header="api-key", key_prefix=""
)
