"""Tests the metrics of the running process with Prometheus' own linter."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import aiohttp
import orjson

from proxy.config import load_settings
from proxy.server.serve import serving
from proxy.upstream.select_transport import SelectingUpstream
from tests.support.openai_emulator import serving_openai


async def test_promtool_is_silent_about_a_real_scrape() -> None:
    """``promtool check metrics`` reports nothing after answers, errors, a repair and a stream."""
    promtool = shutil.which("promtool")
    assert promtool is not None, "promtool is not installed (Debian package: prometheus)"
    async with serving_openai() as provider, aiohttp.ClientSession() as session:
        entry = {
            "model_name": "gpt",
            "litellm_params": {"model": "openai/gpt-4o", "api_base": provider.base_url, "api_key": "x"},
            "transport": "litellm",
        }
        config = {"model_list": [entry], "general_settings": {"gen_ai_metrics": True}}
        settings = load_settings(orjson.dumps(config), {}).settings
        async with serving(
            settings, SelectingUpstream.for_settings(settings), host="127.0.0.1", port=0
        ) as proxy:
            user, orphan = (
                {"role": "user", "content": "hi"},
                {"role": "tool", "tool_call_id": "x", "content": "y"},
            )
            for body in (
                {"model": "gpt", "messages": [user]},
                {"model": "gpt", "messages": [orphan, user], "stream": True},
                {"model": "nope", "messages": [user]},
                {"model": "gpt", "messages": 3},
            ):
                async with session.post(f"{proxy.base_url}/chat/completions", json=body) as answer:
                    await answer.read()
            async with session.get(proxy.base_url.removesuffix("/v1") + "/metrics") as answer:
                scrape = await answer.read()
    assert (
        b'turnright_changes_total{kind="dropped",reason="orphaned_result",step="orphan_drop"} 1.0' in scrape
    )
    assert b'gen_ai_client_token_usage_count{gen_ai_operation_name="chat"' in scrape
    assert b"gen_ai_client_operation_time_per_output_chunk_seconds_count{" in scrape
    assert b'turnright_time_per_output_token_seconds_count{model="gpt"}' in scrape
    assert b"process_resident_memory_bytes" in scrape
    assert b"python_gc_collections_total" in scrape
    linter = await asyncio.create_subprocess_exec(
        promtool,
        "check",
        "metrics",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=Path("/"),
    )
    said, _ = await linter.communicate(scrape)

    assert (0, b"") == (linter.returncode, said)
