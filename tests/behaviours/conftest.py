"""The fixtures of ``tests/proxy``, for the tests of the whole proxy's behaviour."""

from tests.proxy.conftest import (
    gemini,
    log_lines,
    log_text,
    openai,
    proxy,
    real,
    settings,
    transport,
    upstream,
)

__all__ = ["gemini", "log_lines", "log_text", "openai", "proxy", "real", "settings", "transport", "upstream"]
