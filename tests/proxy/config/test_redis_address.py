"""Tests that addresses of Redis servers are read exactly, and that faults are told in words without secrets."""

from __future__ import annotations

import importlib.util
from importlib.machinery import ModuleSpec

import pytest

from proxy.config.redis_address import RedisAddress, check_client_installed, parse_redis_address

ADDRESSES = {
    "redis://store": RedisAddress((("store", 6379),)),
    "redis://store/": RedisAddress((("store", 6379),)),
    "redis://127.0.0.1:7000/15": RedisAddress((("127.0.0.1", 7000),), database=15),
    "redis://[::1]:7000": RedisAddress((("::1", 7000),)),
    "redis://[::1]": RedisAddress((("::1", 6379),)),
    "redis://:secret@store": RedisAddress((("store", 6379),), password="secret"),
    "redis://ann:p%40%2F%23%20x@store:1/2": RedisAddress((("store", 1),), 2, "ann", "p@/# x"),
    "redis://ann:a:b@store": RedisAddress((("store", 6379),), username="ann", password="a:b"),
    "rediss://store": RedisAddress((("store", 6379),), uses_tls=True),
    "rediss://store?ssl_ca_certs=/a%20b.pem&ssl_certfile=c&ssl_keyfile=k": RedisAddress(
        (("store", 6379),), uses_tls=True, ca_certs="/a b.pem", certfile="c", keyfile="k"
    ),
    "redis+sentinel://one/main": RedisAddress((("one", 26379),), master_name="main"),
    "redis+sentinel://:pw@one:1,[::2]:2,three/main/4": RedisAddress(
        (("one", 1), ("::2", 2), ("three", 26379)), 4, password="pw", master_name="main"
    ),
}

FAULTS = {
    "": "scheme",
    "store:6379": "scheme",
    "memcached://store": "scheme",
    "redis+cluster://store": "scheme",
    "redis://": "no host",
    "redis://:6379": "no host",
    "redis://:pw@": "no host",
    "redis://one:1,two:2": "cluster is not supported yet",
    "rediss://one,two": "cluster is not supported yet",
    "redis+sentinel://one,,two/main": "no host",
    "redis+sentinel://one": "does not name the master",
    "redis+sentinel://one/": "does not name the master",
    "redis+sentinel://one/main/x": "database",
    "redis+sentinel://one/main/1/2": "database",
    "redis+sentinel://one/main?ssl_ca_certs=f": "rediss://",
    "redis://store/x": "database",
    "redis://store/-1": "database",
    "redis://store/1/2": "database",
    "redis://store/٣": "database",
    "redis://store:": "port",
    "redis://store:0": "port",
    "redis://store:65536": "port",
    "redis://store:99999999999999": "port",
    "redis://store:x": "port",
    "redis://::1:6379": "brackets",
    "redis://[::1:6379": "brackets",
    "redis://store?timeout=1": "unknown parameter",
    "rediss://store?ssl_cert_reqs=none": "unknown parameter",
    "redis://store?ssl_ca_certs=f": "rediss://",
    "rediss://store?ssl_ca_certs=": "one value",
    "rediss://store?ssl_ca_certs=a&ssl_ca_certs=b": "one value",
    "rediss://store?ssl_keyfile=k": "ssl_certfile",
    "redis://ann@store": "without a password",
    "redis://ann:@store": "without a password",
    "redis://:@store": "empty password",
    "redis://:p#w@store": "%23",
    "redis://sto re": "space",
    "redis://store\n": "space",
}


@pytest.mark.parametrize(("url", "address"), ADDRESSES.items())
def test_address_is_read(url: str, address: RedisAddress) -> None:
    assert parse_redis_address(url) == address


@pytest.mark.parametrize(("url", "words"), FAULTS.items())
def test_fault_is_told_in_words(url: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_redis_address(url)


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_address_without_its_login_reads_back(address: RedisAddress) -> None:
    """The text for logs names every server, and neither user nor password."""
    again = parse_redis_address(str(address))

    assert (again.hosts, again.database, again.master_name) == (
        address.hosts,
        address.database,
        address.master_name,
    )
    assert (again.username, again.password) == (None, None)


@pytest.mark.parametrize(
    "end", ["store:x", "", "one,two", "store/x/y", "store?a=b", "[::1", "sto re", "store#"], ids=repr
)
@pytest.mark.parametrize("scheme", ["redis", "rediss", "redis+sentinel", "http"])
def test_no_fault_holds_the_password(scheme: str, end: str) -> None:
    with pytest.raises(ValueError, match="the ") as caught:
        parse_redis_address(f"{scheme}://ann:hunter2@{end}")

    shown = f"{caught.value!r} {caught.value.__cause__!r}"
    assert "hunter2" not in shown
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_password_is_not_in_the_repr() -> None:
    assert "hunter2" not in repr(parse_redis_address("redis://ann:hunter2@store"))


@pytest.mark.parametrize("missing", ["redis", "hiredis"])
def test_missing_extra_is_told_with_its_mend(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_client_installed()
    find_spec = importlib.util.find_spec

    def find_others(name: str) -> ModuleSpec | None:
        return None if name == missing else find_spec(name)

    monkeypatch.setattr("proxy.config.redis_address.find_spec", find_others)
    with pytest.raises(ValueError, match=r"pip install 'turnright\[redis\]'"):
        check_client_installed()
