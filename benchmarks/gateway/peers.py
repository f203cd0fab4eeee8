"""The proxies that can be measured: turnright, bare aiohttp, and the peers that are installed here.

Environment variables name peers that are installed elsewhere. ``LITELLM_BIN`` is litellm's program, and
``TENSORZERO_PYTHON`` a Python with the package ``tensorzero``. nginx is searched on the path.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.gateway.processes import free_port

_KEY = "sk-benchmark"
CHAT = "/v1/chat/completions"


@dataclass(frozen=True, slots=True)
class Route:
    """One row of the table: the model and the path that lead a request to one of the provider's formats (wires)."""

    name: str
    model: str
    path: str = CHAT


@dataclass(frozen=True, slots=True)
class Peer:
    """A proxy: how it is started, and its routes. *repairs* is false where damaged histories are not measured."""

    name: str
    port: int
    command: tuple[str, ...]
    routes: tuple[Route, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    repairs: bool = True
    tells_port: Callable[[str], int | None] | None = None
    """Finds the port in the proxy's output, for a proxy that chooses its own port."""


_OPENAI, _GEMINI = "m-openai", "m-gemini"


def model_list(provider: str, transport: str | None, window: int = 1_048_576) -> dict[str, object]:
    """Return a configuration that LiteLLM and turnright both read, with an OpenAI model and a Gemini model."""
    limits = {"max_input_tokens": window, "max_output_tokens": 65_536}
    entries = []
    for name, model, path in (
        (_OPENAI, "openai/m-openai", "/v1"),
        (_GEMINI, "gemini/gemini-2.5-flash", "/v1beta"),
    ):
        parameters = {"model": model, "api_base": provider + path, "api_key": _KEY}
        entry: dict[str, object] = {"model_name": name, "litellm_params": parameters, "model_info": limits}
        entries.append(entry | ({"transport": transport} if transport else {}))
    return {"model_list": entries}


def ours(directory: Path, provider: str, transport: str = "direct", window: int = 1_048_576) -> Peer:
    """Return turnright, with every feature as it is by default, and models that read *window* tokens."""
    port = free_port()
    path = directory / f"turnright-{transport}.yaml"
    ending = {"drain_delay": 0, "drain_grace": 1}  # when the benchmark is over, nobody waits
    config = {**model_list(provider, transport, window), "general_settings": ending}
    path.write_text(json.dumps(config))  # JSON is YAML
    name = "turnright" if transport == "direct" else f"turnright ({transport})"
    command = (sys.executable, "-m", "proxy", "serve", "--config", str(path), "--port", str(port))
    routes = (Route(name, _OPENAI), Route(f"{name} Gemini", _GEMINI))
    return Peer(name, port, command, routes)


def bare(provider: str) -> Peer:
    """Return the bare aiohttp proxy, whose cost no proxy on the same stack can undercut."""
    port = free_port()
    command = (sys.executable, "-m", "benchmarks.gateway.bare", str(port), provider)
    return Peer("aiohttp", port, command, (Route("aiohttp", _OPENAI),))


def _nginx(directory: Path, provider: str, port: int) -> Peer | None:
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        return None
    scratch = " ".join(
        f'{kind}_temp_path "{directory}/{kind}";'
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    server = provider.removeprefix("http://")
    path = directory / "nginx.conf"
    path.write_text(f"""
daemon off; worker_processes 1; pid "{directory}/nginx.pid"; error_log "{directory}/nginx.err";
events {{ worker_connections 1024; }}
http {{
  access_log off; client_max_body_size 64m; client_body_buffer_size 2m; {scratch}
  upstream provider {{ server {server}; keepalive 64; keepalive_requests 100000000; }}
  server {{
    listen 127.0.0.1:{port}; keepalive_requests 100000000;
    location / {{
      proxy_pass http://provider; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;
    }}
  }}
}}
""")
    return Peer("nginx", port, (program, "-c", str(path)), (Route("nginx", _OPENAI),), repairs=False)


def _litellm(directory: Path, provider: str, port: int) -> Peer | None:
    program = os.environ.get("LITELLM_BIN")
    if not program:
        return None
    path = directory / "litellm.yaml"
    path.write_text(json.dumps(model_list(provider, None)))
    environment = {
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MODE": "PRODUCTION",
        "LITELLM_LOG": "ERROR",
        "LITELLM_TELEMETRY": "False",
        "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
    }
    command = (
        program,
        "--config",
        str(path),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--num_workers",
        "1",
    )
    routes = (Route("litellm", _OPENAI), Route("litellm Gemini", _GEMINI))
    return Peer("litellm", port, command, routes, environment)


_TENSORZERO = """
import sys, time
from tensorzero import _start_http_gateway as start
gateway = start(config_file=sys.argv[1], clickhouse_url=None, postgres_url=None, valkey_url=None, async_setup=False)
print(gateway.base_url, flush=True)
while True:
    time.sleep(60)
"""


def _printed_port(text: str) -> int | None:
    found = re.search(r"http://127\.0\.0\.1:(\d+)", text)
    return int(found[1]) if found else None


def _tensorzero(directory: Path, provider: str, port: int) -> Peer | None:
    python = os.environ.get("TENSORZERO_PYTHON")
    if not python:
        return None
    path = directory / "tensorzero.toml"
    path.write_text(f"""
[gateway]
observability.enabled = false
disable_pseudonymous_usage_analytics = true
[models.mock]
routing = ["m"]
[models.mock.providers.m]
type = "openai"
api_base = "{provider}/v1/"
model_name = "{_OPENAI}"
api_key_location = "none"
""")
    route = Route("tensorzero", "tensorzero::model_name::mock", "/openai/v1/chat/completions")
    return Peer(
        "tensorzero", port, (python, "-c", _TENSORZERO, str(path)), (route,), tells_port=_printed_port
    )


def installed_peers(directory: Path, provider: str) -> list[Peer]:
    """Return the installed peers. The configuration files of the peers are written to *directory*."""
    found = (build(directory, provider, free_port()) for build in (_nginx, _litellm, _tensorzero))
    return [peer for peer in found if peer is not None]


def head(route: Route, port: int, length: int) -> bytes:
    """Return the head of a request whose body has *length* bytes."""
    return (
        f"POST {route.path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {_KEY}\r\nContent-Length: {length}\r\n\r\n"
    ).encode()
