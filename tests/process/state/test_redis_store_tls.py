"""Tests TLS with a real server: the certificate is always checked, and a client certificate is shown."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from proxy.config.redis_address import parse_redis_address
from proxy.state.external.backend import Entry, FaultKind, StoreFault
from proxy.state.redis.backend import RedisBackend
from tests.support.store_servers import redis_server_binary, reserved_port, running_server

ROOT = Path(__file__).parents[3]
MAKE_CERTIFICATE = ROOT / "tests" / "clients" / "python" / "make_certificate.py"
CLIENTS_PYTHON = ROOT / ".venv" / "clients-env" / "bin" / "python"

pytestmark = pytest.mark.skipif(
    redis_server_binary() is None, reason="redis-server, which speaks TLS, is not installed"
)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a self-signed certificate for 127.0.0.1, with its key."""
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    make_certificate(path)
    return path


def make_certificate(path: Path) -> None:
    """Write a self-signed certificate for 127.0.0.1 and its key to *path*."""
    subprocess.run([CLIENTS_PYTHON, MAKE_CERTIFICATE, path], check=True, capture_output=True, timeout=30)


@contextmanager
def tls_port(certificate: Path, *arguments: str) -> Iterator[int]:
    """Run a Redis server that speaks TLS, and yield its port for TLS."""
    files = [f"--tls-{kind}-file" for kind in ("cert", "key", "ca-cert")]
    with reserved_port() as port:
        tls = ["--tls-port", str(port), *(word for name in files for word in (name, str(certificate)))]
        with running_server(redis_server_binary() or "", *tls, *arguments):
            yield port


async def store_and_get(url: str) -> bytes:
    """Write one value, and return what is read."""
    backend = RedisBackend(parse_redis_address(url))
    try:
        await backend.open()
        await backend.put([Entry("a", b"value", 60)])
        return (await backend.get(["a"]))["a"]
    finally:
        await backend.close()


async def test_trusted_certificate_is_accepted(certificate: Path) -> None:
    with tls_port(certificate, "--tls-auth-clients", "no") as port:
        assert await store_and_get(f"rediss://127.0.0.1:{port}?ssl_ca_certs={certificate}") == b"value"


@pytest.mark.parametrize(
    ("host", "trusts"), [("127.0.0.1", False), ("localhost", True)], ids=["unknown", "another host"]
)
async def test_other_certificate_is_refused_in_words(certificate: Path, host: str, trusts: bool) -> None:
    query = f"?ssl_ca_certs={certificate}" if trusts else ""
    with (
        tls_port(certificate, "--tls-auth-clients", "no") as port,
        pytest.raises(StoreFault, match="no TLS connection to the store: SSLCertVerificationError") as caught,
    ):
        await store_and_get(f"rediss://{host}:{port}{query}")

    assert caught.value.kind is FaultKind.CONNECTION


async def test_client_certificate_is_shown(certificate: Path) -> None:
    """The server asks for one. A client without one is refused."""
    url = f"?ssl_ca_certs={certificate}"
    both = f"{url}&ssl_certfile={certificate}&ssl_keyfile={certificate}"
    with tls_port(certificate, "--tls-auth-clients", "yes") as port:
        assert await store_and_get(f"rediss://127.0.0.1:{port}{both}") == b"value"
        with pytest.raises(StoreFault) as caught:
            await store_and_get(f"rediss://127.0.0.1:{port}{url}")

    assert caught.value.kind is FaultKind.CONNECTION


async def test_server_without_tls_is_refused(certificate: Path) -> None:
    with running_server(redis_server_binary() or "") as server, pytest.raises(StoreFault) as caught:
        await store_and_get(f"rediss://127.0.0.1:{server.port}?ssl_ca_certs={certificate}")

    assert caught.value.kind in {FaultKind.CONNECTION, FaultKind.TIMEOUT}


async def test_renewed_certificates_are_read_after_a_failure(certificate: Path, tmp_path: Path) -> None:
    """Certificates are renewed while processes run. The next connection after a failed one uses the new files."""
    trusted = tmp_path / "ca.pem"
    other = tmp_path / "other.pem"
    make_certificate(other)
    shutil.copy(other, trusted)
    with tls_port(certificate, "--tls-auth-clients", "no") as port:
        backend = RedisBackend(parse_redis_address(f"rediss://127.0.0.1:{port}?ssl_ca_certs={trusted}"))
        with pytest.raises(StoreFault):
            await backend.ping()
        shutil.copy(certificate, trusted)
        await backend.ping()
        await backend.close()
