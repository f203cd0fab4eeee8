"""A real Prometheus that scrapes one process and evaluates the rules, on a port that the kernel has picked."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
import yaml

SCRAPE_S = 0.5
WAIT_S = 60.0
"""Seconds that a condition may take to hold on a busy machine."""

_ADDRESS = re.compile(r'msg="Listening on" address=(\S+)')
Found = TypeVar("Found")


@dataclass(frozen=True)
class Prometheus:
    """The HTTP API of a running Prometheus."""

    origin: str
    http: httpx.Client

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Return an expression's samples: labels as ``metric``, the time and the value as ``value``."""
        data: dict[str, Any] = self._get("query", query=expression)
        assert data["resultType"] == "vector"
        result: list[dict[str, Any]] = data["result"]
        return result

    def exemplars(self, expression: str) -> list[dict[str, Any]]:
        """Return the exemplars of the last ten minutes, with their series."""
        now = time.time()  # noqa: TID251 - Prometheus' own clock is the wall's
        found: list[dict[str, Any]] = self._get(
            "query_exemplars", query=expression, start=str(now - 600), end=str(now + 1)
        )
        return found

    def rules(self) -> list[dict[str, Any]]:
        """Return every rule with its health."""
        return [rule for group in self._get("rules")["groups"] for rule in group["rules"]]

    def alerts(self) -> dict[str, str]:
        """Return the state of each alert that is pending or fires."""
        return {alert["labels"]["alertname"]: alert["state"] for alert in self._get("alerts")["alerts"]}

    def _get(self, path: str, **parameters: str) -> Any:
        answer = self.http.get(f"{self.origin}/api/v1/{path}", params=parameters).json()
        assert answer["status"] == "success", answer
        return answer["data"]


@contextmanager
def scraping(directory: Path, process_origin: str, rules: Path) -> Iterator[Prometheus]:
    """Scrape the process at *process_origin*, and evaluate *rules*, while the context lasts."""
    binary = shutil.which("prometheus")
    assert binary is not None, "prometheus is not installed (Debian package: prometheus)"
    interval = f"{int(SCRAPE_S * 1000)}ms"
    target = {"targets": [urlsplit(process_origin).netloc], "labels": {"namespace": "llm"}}
    config: Mapping[str, Any] = {
        "global": {"scrape_interval": interval, "scrape_timeout": interval, "evaluation_interval": interval},
        "rule_files": [str(rules)],
        "scrape_configs": [{"job_name": "turnright", "static_configs": [target]}],
    }
    (directory / "prometheus.yml").write_text(yaml.safe_dump(config))
    log = directory / "prometheus.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                binary,
                f"--config.file={directory / 'prometheus.yml'}",
                f"--storage.tsdb.path={directory / 'data'}",
                "--web.listen-address=127.0.0.1:0",
                "--enable-feature=exemplar-storage",
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        address = until(lambda: _ADDRESS.search(log.read_text()) or process.poll() is not None)
        assert isinstance(address, re.Match), log.read_text()
        with httpx.Client(timeout=30, trust_env=False) as http:
            origin = f"http://{address[1]}"
            assert until(lambda: http.get(f"{origin}/-/ready").is_success), log.read_text()
            yield Prometheus(origin, http)
    finally:
        process.terminate()
        try:
            status = process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    assert status == 0, log.read_text()


def until(look: Callable[[], Found]) -> Found:
    """Return the first true result of *look*, or its last result after a minute."""
    limit = time.monotonic() + WAIT_S
    while not (found := look()) and time.monotonic() < limit:
        time.sleep(0.1)
    return found
