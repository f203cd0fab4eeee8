"""Tests the image of ``deploy/Dockerfile``, which runs without privileges on a read-only root file system."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from proxy import __version__
from tests.ops.image.boxing import boxed, run_boxed
from tests.ops.image.building import ROOT, Built, pip_settings
from tests.process.emulators import Gemini
from tests.process.running import emulate

ENTRYPOINT = ["turnright"]
FILE = "/etc/turnright/turnright.yaml"
LOADED = """
import importlib, os, sys
from proxy.upstream.litellm.environment import quiet_litellm
quiet_litellm()
for name in ("proxy.cli.serve", "proxy.cli.check", "proxy.server.serve", "litellm", "redis.asyncio", "hiredis"):
    importlib.import_module(name)
for name, module in sorted(sys.modules.items()):
    cached = getattr(module, "__cached__", None)
    if cached and module.__file__.endswith(".py"):
        flags = open(cached, "rb").read(8)[4] if os.path.exists(cached) else None
        print(name, module.__file__, flags)
"""
BROKEN: Any = [
    {"role": "tool", "tool_call_id": "gone", "content": "a result without its call"},
    {"role": "user", "content": "hello"},
]


def test_configuration_of_the_image(built: Built) -> None:
    """The image has a numeric user, an entry point without a shell, SIGTERM, two ports, and the project's version."""
    config = built.config

    assert (config["User"], config["Entrypoint"]) == ("65532:65532", ENTRYPOINT)
    assert config["StopSignal"] in ("SIGTERM", "15")
    assert set(config["ExposedPorts"]) == {"4000", "9464"} or set(config["ExposedPorts"]) == {
        "4000/tcp",
        "9464/tcp",
    }
    assert config["Labels"]["org.opencontainers.image.version"] == __version__
    assert run_boxed(built, ROOT / "deploy" / "compose", [*ENTRYPOINT, "--version"]) == (
        0,
        f"turnright {__version__}\n",
        "",
    )


def test_nothing_of_the_build_is_left(built: Built) -> None:
    """The image holds no pip, no source directory, and no address of the index used to build it."""
    site = next(built.root.glob("opt/turnright/lib/python3.*/site-packages"))

    assert not (built.root / "build").exists()
    assert not list(site.glob("pip*"))
    conf = built.root / "etc" / "pip.conf"
    assert not conf.exists() or conf.read_text() == ""
    for address in (value for key, value in pip_settings().items() if key.endswith("index-url")):
        assert address not in json.dumps(built.config)


def test_it_can_do_nothing_but_its_work(built: Built, configuration: Path) -> None:
    """The process runs as an unprivileged user without capabilities, and can write to /tmp only."""
    script = """
import os, pathlib
print(os.getuid(), os.getgid(), os.getgroups())
status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
print({status[name] for name in ("CapEff", "CapPrm", "CapBnd")}, status["NoNewPrivs"])
for place in ("/", "/opt/turnright", "/etc/turnright", "/var/tmp", "/tmp"):
    try:
        pathlib.Path(place, "written").write_text("x")
        print(place, "written")
    except OSError as error:
        print(place, error.strerror)
"""
    status, out, errors = run_boxed(built, configuration, ["python3", "-c", script])

    assert (0, "") == (status, errors)
    assert out.splitlines() == [
        "65532 65532 []",
        "{'0000000000000000'} 1",
        "/ Read-only file system",
        "/opt/turnright Read-only file system",
        "/etc/turnright Read-only file system",
        "/var/tmp Read-only file system",
        "/tmp written",
    ]


def test_everything_that_is_loaded_was_compiled(built: Built, configuration: Path) -> None:
    """Every module that a serving process loads has bytecode.

    Python does not compare the bytecode in ``/opt/turnright`` with the source files.
    """
    status, out, errors = run_boxed(built, configuration, ["python3", "-c", LOADED])
    loaded = [line.split() for line in out.splitlines()]
    ours = [flags for _, path, flags in loaded if path.startswith("/opt/turnright/")]

    assert (0, "") == (status, errors)
    assert [] == [name for name, _, flags in loaded if flags == "None"]
    assert len(ours) > 500
    assert {"1"} == set(ours)  # PEP 552: hash-based, unchecked


def test_check_in_the_image_finds_a_deployed_configuration_good(built: Built) -> None:
    keys = {"GEMINI_API_KEY": "a", "TURNRIGHT_MASTER_KEY": "b"}
    status, out, errors = run_boxed(
        built, ROOT / "deploy" / "compose", [*ENTRYPOINT, "check", "--config", FILE], keys
    )

    assert (0, "") == (status, errors)
    assert "# deployments" in out


def test_demo_runs_in_the_image(built: Built, configuration: Path) -> None:
    """``turnright demo`` works in the image, which holds the packaged histories and the emulator too."""
    status, out, errors = run_boxed(built, configuration, [*ENTRYPOINT, "demo"])

    assert (0, "") == (status, errors)
    assert "refused when sent straight and answered through turnright" in out


@contextmanager
def serving(built: Built, configuration: Path) -> Iterator[dict[str, Any]]:
    """Run ``turnright serve`` in the restricted image while the context lasts, and yield the ready line.

    Then SIGTERM must end the process with 0.
    """
    started = time.monotonic()
    process = boxed(built, configuration, [*ENTRYPOINT, "serve", "--config", FILE, "--port", "0"])
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        print(f"ready after {time.monotonic() - started:.2f} s")  # noqa: T201 - `make image-test` shows it
        assert line, process.communicate()[1].decode()
        yield json.loads(line)
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
    assert (0, "") == (process.returncode, errors.decode())


@pytest.mark.parametrize("transport", ["direct", "litellm"])
def test_image_serves_on_both_transports_until_sigterm(
    built: Built, configuration: Path, tmp_path: Path, transport: str
) -> None:
    """On either transport the image gets ready, repairs a broken history, counts it in a scrape, and exits with 0."""
    with emulate(tmp_path) as origin, httpx.Client(timeout=60, trust_env=False) as client:
        parameters = {
            "model": "gemini/gemini-2.5-pro",
            "api_key": "emulated",
            "api_base": Gemini(origin, client).api_base,
        }
        path = configuration / "turnright.yaml"
        admin = {"host": "127.0.0.1", "port": 0}
        path.write_text(
            yaml.safe_dump(
                {
                    "model_list": [
                        {"model_name": "gemini", "transport": transport, "litellm_params": parameters}
                    ],
                    "general_settings": {"admin": admin, "drain_delay": 0, "drain_grace": 5},
                }
            )
        )
        os.chmod(path, 0o444)
        with serving(built, configuration) as ready:
            probed = client.get(f"http://127.0.0.1:{ready['admin_port']}/readyz")
            answer = client.post(
                f"{ready['base_url']}/chat/completions", json={"model": "gemini", "messages": BROKEN}
            )
            scrape = client.get(f"http://127.0.0.1:{ready['admin_port']}/metrics").text

    assert (200, 200) == (probed.status_code, answer.status_code), answer.text
    assert answer.headers["x-turnright-changes"] == "orphan_drop=1"
    assert 'turnright_changes_total{kind="dropped",reason="orphaned_result",step="orphan_drop"} 1.0' in scrape
