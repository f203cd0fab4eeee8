"""Measure the memory that one request adds at the peak of a fresh process, in multiples of the request's body.

A case of a Kubernetes overlay compares the peak of the whole process with the overlay's memory limit. A refused body
counts as well, since refusing a body must not cost more than serving it.
"""

from __future__ import annotations

import functools
import random
import re
import time
from base64 import b64encode
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmarks.attack import bodies
from benchmarks.attack.child import Provider, deployment, proxy
from benchmarks.attack.exchange import exchange, request
from benchmarks.attack.goals import DIRECT, LITELLM, OVERLAY, Row
from benchmarks.attack.verdicts import Figure
from tests.process.running import ROOT

_CHAT = "/v1/chat/completions"
_LONGEST_S = 20.0
_WHOLE = 1_000_000_000
"""Tokens of a context window that no body fills, so that no history is cut."""

_MIB = 2**20
_AT_ONCE = 2
"""The number of proxy processes that are measured at the same time.

A second process does not disturb the figures, and saves time, since a start with litellm takes seconds.
"""


def _images(size: int) -> bytes:
    """Return a request with images of a mebibyte each."""
    payload = b64encode(b"\x89PNG\r\n\x1a\n" + random.Random(0).randbytes(_MIB)).decode()
    image = f'{{"type":"image_url","image_url":{{"url":"data:image/png;base64,{payload}"}}}}'
    parts = ",".join([image] * max(1, size // len(image)))
    return f'"messages":[{{"role":"user","content":[{parts}]}}]'.encode()


_TEXT = bodies.filled(b'"messages":[{"role":"user","content":"', b"some words ", b'"}]')
_FAMILIES: Mapping[str, bodies.Family] = {
    "text": _TEXT,
    "messages of 2 KB": bodies.CHAT["text over the budget"],
    "non-ASCII text": bodies.CHAT["non-ASCII text"],
    "escaped text": bodies.CHAT["escaped text"],
    "images": _images,
    "empty objects": bodies.CHAT["empty objects in an unknown field"],
    "numbers": bodies.CHAT["numbers"],
    "short messages": bodies.CHAT["short messages"],
}
_DIRECT = {
    "openai": ("openai/gpt-4.1", "/v1", tuple(_FAMILIES)),
    "gemini": (
        "gemini/gemini-2.5-flash",
        "/v1beta",
        ("text", "messages of 2 KB", "non-ASCII text", "images", "short messages"),
    ),
}
_LITELLM = {
    "openai": ("openai/gpt-4.1", "/v1", ("text", "messages of 2 KB", "images", "short messages")),
    "anthropic": (
        "anthropic/claude-sonnet-4-5",
        "",
        ("text", "messages of 2 KB", "non-ASCII text", "images"),
    ),
}
"""Maps each provider behind litellm to its model, the path of its ``api_base`` and the families of bodies."""

_NOT_KEPT = ("master_key", "keys", "admin", "drain_delay", "drain_grace")
"""Settings of an overlay that the cases leave out. They do not affect memory, and some need a key or a port."""

_OVERLAYS = ("gateway", "sidecar")


@dataclass(frozen=True, slots=True)
class _Case:
    row: Row
    name: str
    model: str
    config: Mapping[str, Any]
    build: Callable[[], bytes]
    limit: int = 0
    """The overlay's memory limit in bytes. With 0, the figure is in multiples of the body."""


def overlay_limit(rendered: str) -> int:
    """Return the largest memory limit that a manifest names, in bytes, or 0."""
    found = re.findall(r"limits: *\{[^}]*memory: *(\d+)Mi", rendered)
    return max(map(int, found), default=0) * _MIB


def _overlay(name: str) -> tuple[dict[str, Any], int]:
    """Return an overlay's settings and its memory limit in bytes.

    The base stands in for what the overlay does not have.
    """
    base = ROOT / "deploy" / "kubernetes" / "base"
    folder = base.parent / "overlays" / name
    settings = next(file for file in (folder / "turnright.yaml", base / "turnright.yaml") if file.exists())
    limit = next(
        (found for file in _manifests(folder, base) if (found := overlay_limit(file.read_text()))), 0
    )
    loaded: dict[str, Any] = yaml.safe_load(settings.read_text())
    return loaded, limit


def _manifests(folder: Path, base: Path) -> list[Path]:
    """Return the manifests that may limit turnright's container. The example of an agent limits another container."""
    return [
        file for file in (*sorted(folder.glob("*.yaml")), base / "deployment.yaml") if file.stem != "agent"
    ]


def _settings(models: list[dict[str, Any]], general: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "model_list": models,
        "router_settings": {"timeout": 40, "num_retries": 0},
        "general_settings": {**general, "drain_delay": 0, "drain_grace": 0},
    }


def _cases(provider: Provider) -> list[_Case]:
    size = 32 * _MIB - 1000
    found = []
    for row, targets, transport in ((DIRECT, _DIRECT, "direct"), (LITELLM, _LITELLM, "litellm")):
        for name, (model, base, families) in targets.items():
            entry = deployment("m", model, provider.base("ok", base), transport=transport, window=_WHOLE)
            found += [
                _Case(
                    row,
                    f"{name}: {family}",
                    "m",
                    _settings([entry], {}),
                    functools.partial(_body, family, size),
                )
                for family in families
            ]
    for name in _OVERLAYS:
        settings, limit = _overlay(name)
        general = settings.get("general_settings", {})
        kept = {name: value for name, value in general.items() if name not in _NOT_KEPT}
        mib = int(kept.get("max_body_mib", 32))
        models = [deployment("m", _DIRECT["gemini"][0], provider.base("ok", "/v1beta"))]
        found += [
            _Case(
                OVERLAY,
                f"{name}, {mib} MiB in {limit // _MIB} MiB: {family}",
                "m",
                _settings(models, kept),
                functools.partial(_body, family, mib * _MIB - 1000),
                limit,
            )
            for family in ("text", "empty objects")
        ]
    return found


def _body(family: str, size: int) -> bytes:
    return request(_CHAT, bodies.chat("m", _FAMILIES[family](size)))


def run(directory: Path, provider: Provider, seconds: float, *, wanted: str) -> list[Figure]:
    """Return the peak of each case, in multiples of the body or of the overlay's limit."""
    until = time.monotonic() + seconds

    def measure(case: _Case) -> Figure:
        if time.monotonic() > until:
            return Figure(case.row, case.name, None, "no time was left")
        return _peak(directory, case)

    chosen = [case for case in _cases(provider) if wanted in f"{case.row.key} {case.name}"]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(measure, chosen))


def _peak(directory: Path, case: _Case) -> Figure:
    with proxy(directory, case.config) as running:
        small = request(_CHAT, bodies.chat("m", _TEXT(100)))
        exchange(running.port, small, 20.0)
        before = running.memory("VmRSS")
        sent = case.build()
        answer = exchange(running.port, sent, _LONGEST_S)
        peak = running.memory("VmHWM")
        if answer.timed_out:
            running.kill()
    value = peak / case.limit if case.limit else max(0, peak - before) / len(sent)
    said = f"{answer.status or 'no answer'}, {peak / _MIB:,.0f} MiB, {before / _MIB:,.0f} before"
    return Figure(case.row, case.name, value, said, ended=not answer.timed_out)
