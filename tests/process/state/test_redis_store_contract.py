"""Tests that a real Valkey, and the oldest supported Redis (7.0), keep bytes as every backend does."""

from __future__ import annotations

import pytest

from proxy.state.external.backend import Backend
from proxy.state.redis.backend import RedisBackend
from tests.support.account_contract import AccountContract
from tests.support.backend_contract import BackendContract


class TestRedisBackend(BackendContract):
    """Runs the suite on both servers."""

    @pytest.fixture
    def backend(self, redis_backend: RedisBackend) -> Backend:
        return redis_backend


class TestRedisAccounts(AccountContract):
    """Runs the suite of accounts on both servers."""

    @pytest.fixture
    def backend(self, redis_backend: RedisBackend) -> Backend:
        return redis_backend
